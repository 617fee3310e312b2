import { constants, deflateRawSync } from "node:zlib";

const PART = 1024 * 1024;
/** The largest prime below 2^16, of Adler-32 (RFC 1950, 8.2). */
const PRIME = 65_521n;

/**
 * `size` equal bytes as zlib data (RFC 1950), about a thousandth as large. Deflating a gigabyte takes seconds: one MiB is deflated, and its blocks
 * are repeated, which need nothing that comes before them.
 */
export function deflatedRun(byte: number, size: number): Uint8Array {
  const deflated = (length: number): Buffer =>
    deflateRawSync(Buffer.alloc(length, byte), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const part = deflated(PART);
  const parts = Array.from({ length: Math.floor(size / PART) }, () => part);
  const [n, value] = [BigInt(size), BigInt(byte)];
  const [a, b] = [1n + n * value, n + (value * n * (n + 1n)) / 2n];
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Number(((b % PRIME) << 16n) | (a % PRIME)));
  return Buffer.concat([Buffer.of(0x78, 0xda), ...parts, deflated(size % PART), Buffer.of(3, 0), checksum]);
}
