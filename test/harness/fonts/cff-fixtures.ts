import { concatenate, latin1, noise } from "../fixtures/pdf-writer.ts";

const u16 = (value: number): number[] => [(value >> 8) & 255, value & 255];
/** A number in a dictionary, in as many bytes whatever it is. */
const long = (value: number): number[] => [29, ...u16(value >>> 16), ...u16(value)];
/** One in an outline. */
const short = (value: number): number[] => [28, ...u16(value)];

function index(items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return Uint8Array.of(0, 0);
  const offsets = [1];
  for (const item of items) offsets.push((offsets.at(-1) ?? 1) + item.length);
  const head = [...u16(items.length), 4, ...offsets.flatMap((offset) => [...u16(offset >>> 16), ...u16(offset)])];
  return concatenate([Uint8Array.from(head), ...items]);
}

/** CIDs of the font's glyphs but the first: other numbers than the glyphs have. */
export const cidOf = (glyph: number): number => glyph + 100;

/** Outlines that are heaps of boxes, each of its own. */
function boxes(glyphs: number): Uint8Array[] {
  return Array.from({ length: glyphs }, (_, glyph) => {
    const random = noise(200, glyph + 1);
    const paths = Array.from({ length: 50 }, (__, box) => {
      const [x = 0, y = 0, width = 0, height = 0] = random.subarray(box * 4);
      const path = [...short(-x), ...short(-y), 21, ...short(width), 6, ...short(height), 7, ...short(-width), 6];
      return [...short(x * 2), ...short(y * 2), 21, ...short(0), ...short(0), 5, ...path];
    });
    return Uint8Array.from([...short(100), ...short(100), 21, ...paths.flat(), 14]);
  });
}

/** A font of the Compact Font Format whose glyphs are named g1, g2, and so on, with codes from 65 on for the first 26. */
export function namedBoxFont(glyphs: number): Uint8Array {
  const names = index([latin1("Boxes")]);
  const strings = index(Array.from({ length: glyphs - 1 }, (_, glyph) => latin1(`g${glyph + 1}`)));
  const charset = Uint8Array.from([2, ...u16(391), ...u16(glyphs - 2)]);
  const encoding = Uint8Array.of(1, 1, 65, 25);
  const shapes = index(boxes(glyphs));
  const own = Uint8Array.from([...long(500), 20]);
  const top = (start: number): Uint8Array => {
    const places = [charset, encoding, shapes].reduce(
      (all, { length }) => [...all, (all.at(-1) ?? 0) + length],
      [start],
    );
    const [charsetAt = 0, encodingAt = 0, shapesAt = 0, ownAt = 0] = places;
    const pointers = [...long(charsetAt), 15, ...long(encodingAt), 16, ...long(shapesAt), 17];
    return index([Uint8Array.from([...pointers, ...long(own.length), ...long(ownAt), 18])]);
  };
  const start = 4 + names.length + top(0).length + strings.length + 2;
  return concatenate([
    Uint8Array.of(1, 0, 4, 4),
    names,
    top(start),
    strings,
    index([]),
    charset,
    encoding,
    shapes,
    own,
  ]);
}

/** A CID-keyed font of the Compact Font Format, each glyph a heap of boxes of its own (Adobe Technical Notes 5176 and 5177). */
export function boxFont(glyphs: number): Uint8Array {
  const outlines = boxes(glyphs);
  const strings = index([latin1("Adobe"), latin1("Identity")]);
  const names = index([latin1("Boxes")]);
  const top = (charset: number, select: number, shapes: number, array: number): Uint8Array =>
    Uint8Array.from([
      ...long(391),
      ...long(392),
      ...long(0),
      12,
      30,
      ...long(charset),
      15,
      ...long(select),
      12,
      37,
      ...long(shapes),
      17,
      ...long(array),
      12,
      36,
    ]);
  const charset = Uint8Array.from([2, ...u16(cidOf(1)), ...u16(glyphs - 2)]);
  const select = Uint8Array.from([3, ...u16(1), ...u16(0), 0, ...u16(glyphs)]);
  const shapes = index(outlines);
  const own = Uint8Array.from([...long(500), 20]);
  const start = 4 + names.length + index([top(0, 0, 0, 0)]).length + strings.length + 2;
  const places = [start, start + charset.length, start + charset.length + select.length] as const;
  const array = places[2] + shapes.length;
  const fonts = (at: number): Uint8Array => index([Uint8Array.from([...long(own.length), ...long(at), 18])]);
  return concatenate([
    Uint8Array.of(1, 0, 4, 4),
    names,
    index([top(...places, array)]),
    strings,
    index([]),
    charset,
    select,
    shapes,
    fonts(array + fonts(0).length),
    own,
  ]);
}

/** A font whose glyphs all call a global subroutine that calls the next 200 times, and so on, ten levels deep. */
export function deepFont(glyphs: number): Uint8Array {
  // Subroutines are numbered from -107 (Technical Note 5177, 4.7).
  const call = (subroutine: number): number[] => [...short(subroutine - 107), 29];
  const subroutines = Array.from({ length: 9 }, (_, level) =>
    Uint8Array.from([...(level < 8 ? Array.from({ length: 200 }, () => call(level + 1)).flat() : [139, 139, 5]), 11]),
  );
  const outline = Uint8Array.from([139, 139, 21, ...call(0), 14]);
  const shapes = index(Array.from({ length: glyphs }, () => outline));
  const top = (at: number): Uint8Array => index([Uint8Array.from([...long(at), 17])]);
  const head = concatenate([Uint8Array.of(1, 0, 4, 4), index([latin1("Deep")])]);
  const rest = concatenate([index([]), index(subroutines)]);
  return concatenate([head, top(head.length + top(0).length + rest.length), rest, shapes]);
}
