/** The Huffman codes of a JPEG (ISO/IEC 10918-1, annexes C and K). */

/** A Huffman table as stored in the file: the number of codes of each length from 1 to 16, and the symbols in order. */
export interface HuffmanTable {
  readonly counts: Uint8Array;
  readonly symbols: Uint8Array;
}

/** By symbol: its code, and the code's length in the upper half (C.2). */
export function codesOf({ counts, symbols }: HuffmanTable): Uint32Array {
  const codes = new Uint32Array(256);
  let [code, next] = [0, 0];
  for (const [index, count] of counts.entries()) {
    for (let left = count; left > 0; left--) codes[symbols[next++] ?? 0] = ((index + 1) << 16) | code++;
    code <<= 1;
  }
  return codes;
}

/** The optimal table for these symbol frequencies: lengths by Huffman, limited to 16 bits; no code is all ones (K.2). */
export function optimalTable(given: Uint32Array): HuffmanTable {
  // An extra symbol takes the code of all ones.
  const frequency = [...given, 1];
  const length = frequency.map(() => 0);
  const others = frequency.map(() => -1);
  // Most symbols do not occur.
  let present = Array.from(frequency.keys()).filter((index) => (frequency[index] ?? 0) > 0);
  const least = (except: number): number => {
    let [found, fewest] = [-1, Infinity];
    for (const index of present) {
      const count = frequency[index] ?? 0;
      if (index !== except && count <= fewest) [found, fewest] = [index, count];
    }
    return found;
  };
  for (;;) {
    const first = least(-1);
    const second = least(first);
    if (second < 0) break;
    frequency[first] = (frequency[first] ?? 0) + (frequency[second] ?? 0);
    present = present.filter((index) => index !== second);
    let end = first;
    for (let index = first; index >= 0; index = others[index] ?? -1) {
      length[index] = (length[index] ?? 0) + 1;
      end = index;
    }
    others[end] = second;
    for (let index = second; index >= 0; index = others[index] ?? -1) length[index] = (length[index] ?? 0) + 1;
  }
  const counts = Array.from({ length: 257 }, () => 0);
  for (const bits of length) if (bits > 0) counts[bits] = (counts[bits] ?? 0) + 1;
  for (let bits = 256; bits > 16; bits--) {
    while ((counts[bits] ?? 0) > 0) {
      let shorter = bits - 2;
      while ((counts[shorter] ?? 0) === 0) shorter--;
      counts[bits] = (counts[bits] ?? 0) - 2;
      counts[bits - 1] = (counts[bits - 1] ?? 0) + 1;
      counts[shorter + 1] = (counts[shorter + 1] ?? 0) + 2;
      counts[shorter] = (counts[shorter] ?? 0) - 1;
    }
  }
  let longest = 16;
  while (longest > 0 && (counts[longest] ?? 0) === 0) longest--;
  if (longest > 0) counts[longest] = (counts[longest] ?? 0) - 1;
  const symbols = length
    .map((bits, symbol) => ({ bits, symbol }))
    .filter(({ bits, symbol }) => bits > 0 && symbol < 256)
    .sort((a, b) => a.bits - b.bits || a.symbol - b.symbol);
  return {
    counts: Uint8Array.from({ length: 16 }, (_, index) => counts[index + 1] ?? 0),
    symbols: Uint8Array.from(symbols, ({ symbol }) => symbol),
  };
}
