import ipaddr from "ipaddr.js";
import { limits } from "./limits.ts";

/** Which URLs the service sends requests to for its clients: the endpoints of webhooks, and documents to fetch. */
export interface UrlPolicy {
  /** The service's own URL, which is never among them. */
  readonly baseUrl: string;
  /** For development: also allows http and https to loopback, on any port. */
  readonly allowLocal: boolean;
  /** Also allows http, on port 80: for signed responses. */
  readonly allowHttp?: boolean;
  /** The only host names that are allowed. */
  readonly hosts?: readonly string[];
}

/** Maximum length of a URL, in characters. */
const URL_LENGTH = limits.parameters.urlCharacters;

/**
 * Top-level labels that are not in the public DNS or are used on internal networks. They are from RFC 6761, 6762, 7686, 8375, and 9476, from ICANN
 * (for private use), and from containers and clusters.
 */
const internalTopLevels = new Set(
  [
    ["alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion", "test"],
    ["corp", "domain", "home", "host", "intranet", "lan", "localdomain", "mail", "private"],
    ["cluster", "consul", "docker", "kubernetes", "svc"],
  ].flat(),
);

/** Public names under which clouds serve a machine its own credentials. */
const metadataNames = [
  "metadata.goog",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "metadata.tencentyun.com",
];

/** One label of a host name: letters, digits and hyphens, none at its ends (RFC 1123, section 2.1). */
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Why the service does not send requests to a URL, as the end of a sentence that begins with the field's name; undefined if it can. The URL is parsed as
 * `fetch` parses it (WHATWG URL), so that every spelling of an address is recognized. No name is resolved.
 */
export function publicUrlIssue(
  text: string,
  { baseUrl, allowLocal, allowHttp = false, hosts }: UrlPolicy,
): string | undefined {
  if (text.length > URL_LENGTH) return `must be at most ${URL_LENGTH} characters long`;
  // URL parsers drop white space and turn backslashes into slashes.
  // oxlint-disable-next-line no-control-regex -- the check looks for control characters
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return "must not contain white space, control characters, or backslashes";
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  const url = URL.parse(text);
  if (url === null || authority === undefined) return "must be an HTTPS URL such as https://example.com/path";
  if (authority.includes("@")) return "must not contain a user name or password";
  if (text.includes("#")) return "must not contain a fragment";
  if (hosts !== undefined && !hosts.includes(url.hostname)) return "must be at an allowed host";
  if (allowLocal && isLoopback(url.hostname)) return isSamePort(url, baseUrl) ? ownAddress : undefined;
  if (url.protocol !== "https:" && !allowHttp) return "must be an HTTPS URL";
  if (url.port !== "") return "must use port 443";
  return nameIssue(url.hostname, new URL(baseUrl).hostname);
}

const ownAddress = "must not be an address of this service";

function nameIssue(host: string, own: string): string | undefined {
  if (host.startsWith("[") || ipaddr.isValid(host)) return "must have a host name, not an IP address";
  const labels = host.split(".");
  const topLevel = labels.at(-1) ?? "";
  if (host.length > 253 || !labels.every((part) => label.test(part)) || /^\d+$/.test(topLevel)) {
    return "must have a host name of letters, digits, and hyphens, without a trailing dot";
  }
  if (host === own) return ownAddress;
  const isMetadata = metadataNames.some((name) => host === name || host.endsWith(`.${name}`));
  if (labels.length === 1 || internalTopLevels.has(topLevel) || isMetadata) return "must have a public host name";
  return undefined;
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  return host === "localhost" || (ipaddr.isValid(address) && ipaddr.parse(address).range() === "loopback");
}

const isSamePort = (url: URL, baseUrl: string): boolean => portOf(url) === portOf(new URL(baseUrl));

const portOf = ({ port, protocol }: URL): string => port || (protocol === "http:" ? "80" : "443");
