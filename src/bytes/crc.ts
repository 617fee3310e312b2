const POLYNOMIAL = 0xedb8_8320;

/**
 * Eight tables of 256 for taking eight bytes at once ("slicing by 8"), two to three times as fast as one by one. The nth table has a byte's effect on
 * the remainder if n more bytes follow it. Signed, as the results of `^` are.
 */
const table = new Int32Array(8 * 256);
for (let index = 0; index < table.length; index++) {
  let value = index < 256 ? index : (table[index - 256] ?? 0);
  if (index < 256) for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? POLYNOMIAL : 0);
  else value = (value >>> 8) ^ (table[value & 0xff] ?? 0);
  table[index] = value;
}

const entry = (following: number, byte = 0): number => table[following * 256 + (byte & 0xff)] ?? 0;

/**
 * CRC-32 as used in PNG chunks (ISO/IEC 15948, 5.5) and ZIP archives. `before`: that of the bytes before these, if there are
 * any.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  let at = 0;
  for (const last = bytes.length - 8; at <= last; at += 8) {
    crc =
      entry(7, crc ^ (bytes[at] ?? 0)) ^
      entry(6, (crc >>> 8) ^ (bytes[at + 1] ?? 0)) ^
      entry(5, (crc >>> 16) ^ (bytes[at + 2] ?? 0)) ^
      entry(4, (crc >>> 24) ^ (bytes[at + 3] ?? 0)) ^
      entry(3, bytes[at + 4]) ^
      entry(2, bytes[at + 5]) ^
      entry(1, bytes[at + 6]) ^
      entry(0, bytes[at + 7]);
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ entry(0, crc ^ (bytes[at] ?? 0));
  return ~crc >>> 0;
}
