/** Removes the outlines of unused glyphs from Compact Font Format fonts (Adobe Technical Note 5176). */

const [ESCAPE, CHARSET, CHAR_STRINGS, REAL, ROS] = [12, 15, 17, 30, 1230];
/** A glyph without an outline. */
const END_CHAR = 14;

interface Index {
  /** Where the data of each item begins, and where that of the last one ends. */
  readonly offsets: readonly number[];
  /** Size of an offset in bytes. */
  readonly offSize: number;
  /** Where the offsets begin. */
  readonly start: number;
}

/**
 * The font of a CIDFont with only the outlines of these CIDs. Unused outlines are overwritten with zeros and everything else
 * stays in place, so nothing is renumbered. Undefined if the font has anything unexpected.
 */
export function withoutUnusedCids(font: Uint8Array, used: ReadonlySet<number>): Uint8Array<ArrayBuffer> | undefined {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const names = readIndex(view, view.getUint8(2));
  const tops = readIndex(view, endOf(names));
  const top = readDictionary(view, tops.offsets[0] ?? 0, tops.offsets[1] ?? 0);
  const [at] = top.get(CHAR_STRINGS) ?? [];
  if (tops.offsets.length !== 2 || at === undefined) return undefined;
  const outlines = readIndex(view, at);
  const count = outlines.offsets.length - 1;
  const cids = top.has(ROS) ? readCharset(view, top.get(CHARSET)?.[0] ?? 0, count) : undefined;
  if (top.has(ROS) && !cids) return undefined;

  const result = new Uint8Array(font);
  const written = new DataView(result.buffer);
  const data = outlines.offsets[0] ?? 0;
  const end = endOf(outlines);
  result.fill(0, data, end);
  let to = data;
  for (let glyph = 0; glyph < count; glyph++) {
    writeOffset(written, outlines, glyph, to - data + 1);
    const [from = 0, until = 0] = [outlines.offsets[glyph], outlines.offsets[glyph + 1]];
    if (until < from || until > font.length) return undefined;
    if (glyph === 0 || used.has(cids?.[glyph] ?? glyph)) {
      result.set(font.subarray(from, until), to);
      to += until - from;
    } else if (until > from) result[to++] = END_CHAR;
  }
  writeOffset(written, outlines, count, to - data + 1);
  return result;
}

function readIndex(view: DataView, start: number): Index {
  const count = view.getUint16(start);
  if (count === 0) return { offsets: [start + 2], offSize: 0, start: start + 2 };
  const offSize = view.getUint8(start + 2);
  const base = start + 3 + (count + 1) * offSize - 1;
  const offsets: number[] = [];
  for (let item = 0; item <= count; item++) {
    let offset = 0;
    for (let byte = 0; byte < offSize; byte++) offset = offset * 256 + view.getUint8(start + 3 + item * offSize + byte);
    offsets.push(base + offset);
  }
  return { offsets, offSize, start: start + 3 };
}

const endOf = ({ offsets }: Index): number => offsets.at(-1) ?? 0;

function writeOffset(view: DataView, { start, offSize }: Index, item: number, offset: number): void {
  for (let byte = 0; byte < offSize; byte++) {
    view.setUint8(start + item * offSize + byte, Math.floor(offset / 256 ** (offSize - 1 - byte)) % 256);
  }
}

/** The operands of each operator in a dictionary. Two-byte operators are 1200 and up. Skips real numbers. */
function readDictionary(view: DataView, start: number, end: number): Map<number, number[]> {
  const entries = new Map<number, number[]>();
  let operands: number[] = [];
  for (let at = start; at < end;) {
    const byte = view.getUint8(at++);
    if (byte <= 21) {
      entries.set(byte === ESCAPE ? 1200 + view.getUint8(at++) : byte, operands);
      operands = [];
    } else if (byte === REAL) {
      while ((view.getUint8(at++) & 0xf) !== 0xf && (view.getUint8(at - 1) & 0xf0) !== 0xf0);
      operands.push(Number.NaN);
    } else if (byte === 28 || byte === 29) {
      operands.push(byte === 28 ? view.getInt16(at) : view.getInt32(at));
      at += byte === 28 ? 2 : 4;
    } else if (byte <= 246) operands.push(byte - 139);
    else if (byte <= 250) operands.push((byte - 247) * 256 + view.getUint8(at++) + 108);
    else operands.push(-(byte - 251) * 256 - view.getUint8(at++) - 108);
  }
  return entries;
}

/** The CID of each glyph. Undefined for a predefined charset, which a CIDFont must not have. */
function readCharset(view: DataView, start: number, count: number): number[] | undefined {
  if (start <= 2) return undefined;
  const cids = [0];
  const format = view.getUint8(start);
  for (let at = start + 1; cids.length < count;) {
    const first = view.getUint16(at);
    at += 2;
    let left = 0;
    if (format > 2) return undefined;
    if (format === 1) left = view.getUint8(at);
    if (format === 2) left = view.getUint16(at);
    at += format;
    for (let cid = first; cid <= first + left && cids.length < count; cid++) cids.push(cid);
  }
  return cids;
}
