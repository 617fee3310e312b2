import ipaddr from "ipaddr.js";

/** Bytes of an IPv6 address that name the network of one subscriber (RFC 6177): the rest of them is free to choose. */
const NETWORK_BYTES = 8;

/**
 * What a client that sends bad keys is known by: its IPv4 address, or the /64 of its IPv6 address, whose 2^64 addresses are all its
 * own. An IPv4 address in IPv6 notation is that IPv4 address.
 */
export function clientNetwork(headers: Headers): string {
  const text = headers.get("CF-Connecting-IP") ?? "";
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().slice(0, NETWORK_BYTES);
  return `${ipaddr.fromByteArray([...network, ...Array<number>(NETWORK_BYTES).fill(0)]).toString()}/64`;
}
