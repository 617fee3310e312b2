/** The largest prime below 2^16, and how many bytes can be added up before a sum must be reduced by it (RFC 1950, 8.2). */
const BASE = 65_521;
const MOST_BYTES = 5552;

/** Adler-32: the checksum at the end of a zlib stream (RFC 1950). */
export function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + MOST_BYTES, bytes.length);
    for (; at < end; at++) {
      low += bytes[at] ?? 0;
      high += low;
    }
    low %= BASE;
    high %= BASE;
  }
  return ((high << 16) | low) >>> 0;
}
