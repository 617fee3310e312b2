/**
 * Removes the outlines of unused glyphs from TrueType fonts (OpenType 1.9: glyf, loca, hmtx). Glyphs keep their indices, and
 * everything that readers use to find them stays, since readers differ in what they use (ISO 32000-2, 9.6.5.4).
 */
import { concat } from "../../bytes/concat.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import { readTables, writeTables } from "../typesetting/truetype.ts";
import { POST_STANDARD_NAMES, POST_WITH_NAMES, postNames } from "./truetype-lookup.ts";

/** Tables needed to draw and find glyphs. */
const KEPT = [
  "OS/2",
  "cmap",
  "cvt ",
  "fpgm",
  "glyf",
  "head",
  "hhea",
  "hmtx",
  "loca",
  "maxp",
  "post",
  "prep",
  "vhea",
  "vmtx",
];
/** Tables used only for fonts with one-byte codes. In other fonts the PDF itself maps codes to glyphs. */
const LOOKUPS = new Set(["cmap", "post"]);
/** Tables with images instead of outlines. */
const PICTURES = ["CBDT", "COLR", "SVG ", "sbix"];

const HEAD_LOCA_FORMAT = 50;
const HHEA_METRICS = 34;
const MAXP_GLYPHS = 4;

/** Components of all composite glyphs. */
const MOST_PARTS = 200_000;

// Flags of a component of a composite glyph.
const WORDS = 0x1;
const SCALE = 0x8;
const MORE_PARTS = 0x20;
const SCALE_XY = 0x40;
const MATRIX = 0x80;

/**
 * The font with these glyphs and their components. Undefined if it has anything unexpected. `findsByCode`: whether readers
 * look up glyphs in the font.
 * @throws RangeError if a table is truncated, or glyphs have more components than fonts have
 */
export function withoutUnusedGlyphs(
  font: Uint8Array,
  used: ReadonlySet<number>,
  { findsByCode, meter }: { findsByCode: boolean; meter: ParseMeter },
): Uint8Array<ArrayBuffer> | undefined {
  const tables = readTables(font);
  const [head, hhea, hmtx, loca, glyf, maxp] = ["head", "hhea", "hmtx", "loca", "glyf", "maxp"].map((tag) =>
    tables.get(tag),
  );
  if (!head || !hhea || !hmtx || !loca || !glyf || !maxp || PICTURES.some((tag) => tables.has(tag))) return undefined;
  const count = maxp.getUint16(MAXP_GLYPHS);
  meter.bytes(font.length);
  meter.element(count);
  const isLong = head.getInt16(HEAD_LOCA_FORMAT) === 1;
  const offset = (glyph: number): number => (isLong ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2);
  const outline = (glyph: number): DataView | undefined => {
    const [start, end] = [offset(glyph), offset(glyph + 1)];
    return start <= end && end <= glyf.byteLength
      ? new DataView(glyf.buffer, glyf.byteOffset + start, end - start)
      : undefined;
  };

  const kept = new Map<number, DataView>();
  const pending = [0, ...used];
  let [bytes, components] = [0, 0];
  for (let glyph = pending.pop(); glyph !== undefined; glyph = pending.pop()) {
    if (glyph >= count || kept.has(glyph)) continue;
    const found = outline(glyph);
    if (!found) return undefined;
    kept.set(glyph, found);
    // Outlines that overlap would be written once for each glyph.
    if ((bytes += found.byteLength) > glyf.byteLength) return undefined;
    for (const part of partsOf(found)) {
      if (++components > MOST_PARTS) throw new RangeError("more components than fonts have");
      meter.element();
      pending.push(part);
    }
  }

  const unit = isLong ? 4 : 2;
  const size = [...kept.values()].reduce((sum, { byteLength }) => sum + Math.ceil(byteLength / unit) * unit, 0);
  const newGlyf = new Uint8Array(size);
  const newLoca = new DataView(new ArrayBuffer((count + 1) * unit));
  const newHmtx = new Uint8Array(hmtx.byteLength);
  const metrics = hhea.getUint16(HHEA_METRICS);
  const copyMetrics = (start: number, length: number): void =>
    newHmtx.set(new Uint8Array(hmtx.buffer, hmtx.byteOffset + start, length), start);
  let at = 0;
  for (let glyph = 0; glyph <= count; glyph++) {
    if (isLong) newLoca.setUint32(glyph * 4, at);
    else newLoca.setUint16(glyph * 2, at / 2);
    const found = kept.get(glyph);
    // The last full entry applies to all glyphs after it.
    if (glyph < metrics && (found || glyph === metrics - 1)) copyMetrics(glyph * 4, 4);
    if (!found) continue;
    if (glyph >= metrics) copyMetrics(metrics * 4 + (glyph - metrics) * 2, 2);
    newGlyf.set(new Uint8Array(found.buffer, found.byteOffset, found.byteLength), at);
    at += Math.ceil(found.byteLength / unit) * unit;
  }
  const changed = new Map([
    ["glyf", new DataView(newGlyf.buffer)],
    ["head", zeroed(head)],
    ["hmtx", new DataView(newHmtx.buffer)],
    ["loca", newLoca],
    ["post", withoutUnusedNames(tables.get("post"), kept)],
  ]);
  const written = KEPT.filter((tag) => findsByCode || !LOOKUPS.has(tag)).flatMap((tag) => {
    const table = changed.get(tag) ?? tables.get(tag);
    return table ? [[tag, table] as const] : [];
  });
  // So would tables that overlap.
  if (written.reduce((sum, [, { byteLength }]) => sum + byteLength, 0) > 2 * font.length) return undefined;
  return writeTables(written);
}

/** A `post` table that names only these glyphs. */
function withoutUnusedNames(
  post: DataView | undefined,
  kept: Pick<ReadonlyMap<number, unknown>, "has">,
): DataView | undefined {
  if (post?.getUint32(0) !== POST_WITH_NAMES) return post;
  const count = post.getUint16(32);
  const names: Uint8Array[] = [];
  const indices: number[] = [];
  const all = postNames(post);
  for (let glyph = 0; glyph < count; glyph++) {
    const index = kept.has(glyph) ? post.getUint16(34 + glyph * 2) : 0;
    const name = all[index - POST_STANDARD_NAMES];
    indices.push(name ? POST_STANDARD_NAMES + names.push(name) - 1 : index);
  }
  const start = new Uint8Array(post.buffer, post.byteOffset, 34).slice();
  const table = concat([
    start,
    Uint8Array.from(indices.flatMap((index) => [index >> 8, index & 255])),
    ...names.flatMap((name) => [Uint8Array.of(name.length), name]),
  ]);
  return new DataView(table.buffer);
}

/** The components of a composite glyph. */
function* partsOf(outline: DataView): Generator<number> {
  if (outline.byteLength < 10 || outline.getInt16(0) >= 0) return;
  for (let [at, flags] = [10, MORE_PARTS]; flags & MORE_PARTS;) {
    flags = outline.getUint16(at);
    yield outline.getUint16(at + 2);
    at += 4 + (flags & WORDS ? 4 : 2) + (flags & SCALE ? 2 : flags & SCALE_XY ? 4 : flags & MATRIX ? 8 : 0);
  }
}

/** The `head` table with the font checksum zeroed, since it must be recomputed. */
function zeroed(head: DataView): DataView {
  const copy = new DataView(new Uint8Array(head.buffer, head.byteOffset, head.byteLength).slice().buffer);
  copy.setUint32(8, 0);
  return copy;
}
