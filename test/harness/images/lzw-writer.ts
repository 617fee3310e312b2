import type { LzwOptions } from "../../../src/engines/image/lzw.ts";

/** LZW as in TIFF and GIF, with a table that is cleared when it is full. */
export function lzw(symbols: Uint8Array, { order, symbolBits, isEarly }: LzwOptions): Uint8Array {
  const clear = 1 << symbolBits;
  const out: number[] = [];
  let [bits, count] = [0, 0];
  let width = symbolBits + 1;
  const put = (code: number): void => {
    bits = order === "msb" ? (bits << width) | code : bits | (code << count);
    count += width;
    while (count >= 8) {
      out.push(order === "msb" ? (bits >>> (count - 8)) & 255 : bits & 255);
      bits = order === "msb" ? bits & ((1 << (count - 8)) - 1) : bits >>> 8;
      count -= 8;
    }
  };
  let table = new Map<string, number>();
  const start = (): void => {
    put(clear);
    table = new Map(Array.from({ length: clear }, (_, symbol) => [String(symbol), symbol]));
    width = symbolBits + 1;
  };
  start();
  let next = clear + 2;
  let known = "";
  for (const symbol of symbols) {
    const longer = known === "" ? String(symbol) : `${known},${symbol}`;
    if (table.has(longer)) {
      known = longer;
      continue;
    }
    put(table.get(known) ?? 0);
    table.set(longer, next++);
    known = String(symbol);
    // The decoder adds its entries one code later.
    if (next - 1 + (isEarly ? 1 : 0) >= 1 << width && width < 12) width++;
    if (next < 4_094) continue;
    put(table.get(known) ?? 0);
    known = "";
    start();
    next = clear + 2;
  }
  if (known !== "") put(table.get(known) ?? 0);
  if (next + (isEarly ? 1 : 0) >= 1 << width && width < 12) width++;
  put(clear + 1);
  if (count > 0) out.push((order === "msb" ? bits << (8 - count) : bits) & 255);
  return Uint8Array.from(out);
}
