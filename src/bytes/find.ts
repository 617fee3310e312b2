import { bytesOf } from "./latin1.ts";

/** Index of a word at or after `from`; -1 if it does not occur (Horspool's algorithm: about 0.1 s for 32 MiB at worst). */
export function find(bytes: Uint8Array, word: string, from: number): number {
  const codes = bytesOf(word);
  const last = codes.length - 1;
  const skips = new Uint8Array(256).fill(codes.length);
  for (let index = 0; index < last; index++) skips[codes[index] ?? 0] = last - index;
  for (let at = from; at + last < bytes.length; at += skips[bytes[at + last] ?? 0] ?? 1) {
    let index = last;
    while (index >= 0 && bytes[at + index] === codes[index]) index--;
    if (index < 0) return at;
  }
  return -1;
}
