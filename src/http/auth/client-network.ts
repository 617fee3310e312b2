import ipaddr from "ipaddr.js";

/** Bytes of an IPv6 address that identify one subscriber's network (RFC 6177); the subscriber chooses the rest freely. */
const NETWORK_BYTES = 8;

/**
 * Identifies a client that sends bad keys: by its IPv4 address, or by the /64 of its IPv6 address, since it owns all 2^64
 * addresses in it. An IPv4-mapped IPv6 address counts as the IPv4 address.
 */
export function clientNetwork(headers: Headers): string {
  const text = headers.get("CF-Connecting-IP") ?? "";
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().slice(0, NETWORK_BYTES);
  return `${ipaddr.fromByteArray([...network, ...Array<number>(NETWORK_BYTES).fill(0)]).toString()}/64`;
}
