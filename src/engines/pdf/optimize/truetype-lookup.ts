/**
 * Which glyphs of a TrueType font readers may use for a one-byte code. The standard prescribes several tables to try (ISO
 * 32000-2, 9.6.5.4), and readers differ in the order, so this returns every glyph that any of them could find.
 */
import type { ParseMeter } from "../../parse-meter.ts";
import { alike, characterOfName, charactersOf, macCharacter } from "../fonts/encoding.ts";
import { readTables } from "../typesetting/truetype.ts";

/** Glyph indices by character or code. */
type CharacterMap = ReadonlyMap<number, number>;

/** The last of the 258 standard glyph names in a `post` table, which follow those of MacRomanEncoding. */
const LAST_OF_POST = "ŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ";
export const POST_STANDARD_NAMES = 258;
/** The version of a `post` table with additional names. */
export const POST_WITH_NAMES = 0x20000;

/** Codes that all tables of a font map, each time: several tables for all glyphs that a font can have. */
const MOST_MAPPED = 300_000;

/** The private use area, where symbolic fonts have their codes. */
const isPrivate = (character: number): boolean => character >= 0xe000 && character <= 0xf8ff;

/**
 * Returns a function that finds the glyphs for a code, and for its name if the encoding has differences: none if there is no
 * such glyph, or if another reader might find one that is not found here. Undefined if the tables of the font are not
 * understood.
 * @throws RangeError if a table is truncated, or maps more codes than fonts have
 */
export function glyphLookup(
  font: Uint8Array,
  meter: ParseMeter,
): ((code: number, name: string | undefined) => Set<number>) | undefined {
  const tables = readTables(font);
  const maps = characterMaps(tables.get("cmap"), meter);
  const post = readPost(tables.get("post"), meter);
  if (!maps || !post) return undefined;
  // By the low byte, as in symbolic fonts.
  const byCode = Array.from({ length: 256 }, () => new Set<number>());
  for (const map of maps) {
    for (const [character, glyph] of map) {
      if (character < 0x100 || isPrivate(character)) byCode[character & 0xff]?.add(glyph);
    }
  }
  return (code, name) => {
    const own = name === undefined ? undefined : characterOfName(name);
    const found = new Set(name === undefined ? [] : post.byName.get(name));
    if (name !== undefined && name !== ".notdef" && own === undefined && found.size === 0) return found;
    const characters = own === undefined ? charactersOf(code) : [...charactersOf(code), own];
    for (const character of characters.flatMap(alike)) {
      for (const map of [...maps, post.byCharacter]) found.add(map.get(character) ?? 0);
    }
    for (const glyph of byCode[code] ?? []) found.add(glyph);
    found.delete(0);
    return found;
  };
}

/** The maps in a `cmap` table, each once. One in MacRomanEncoding is also returned by Unicode character. */
function characterMaps(cmap: DataView | undefined, meter: ParseMeter): CharacterMap[] | undefined {
  const known = new Map<number, CharacterMap>();
  const byCharacter = new Map<number, CharacterMap>();
  if (!cmap) return undefined;
  let mapped = 0;
  const count = (codes: number): void => {
    mapped += codes;
    if (mapped > MOST_MAPPED) throw new RangeError("more codes than fonts have");
    meter.element(codes);
  };
  for (let index = 0, tables = cmap.getUint16(2); index < tables; index++) {
    count(1);
    const at = 4 + index * 8;
    const [platform, start] = [cmap.getUint16(at), cmap.getUint32(at + 4)];
    // Variation sequences, which one-byte codes cannot select.
    if (cmap.getUint16(start) === 14) continue;
    const map =
      known.get(start) ?? readMap(new DataView(cmap.buffer, cmap.byteOffset + start, cmap.byteLength - start), count);
    if (!map) return undefined;
    known.set(start, map);
    if (platform !== 1 || byCharacter.has(start)) continue;
    count(map.size);
    byCharacter.set(start, new Map([...map].map(([code, glyph]) => [macCharacter(code), glyph])));
  }
  return known.size > 0 ? [...known.values(), ...byCharacter.values()] : undefined;
}

/** `count` is told the codes that are about to be mapped. */
function readMap(table: DataView, count: (codes: number) => void): CharacterMap | undefined {
  const map = new Map<number, number>();
  const format = table.getUint16(0);
  if (format === 0) {
    count(256);
    for (let code = 0; code < 256; code++) map.set(code, table.getUint8(6 + code));
  } else if (format === 4) readSegments(table, map, count);
  else if (format === 6) {
    const [first, codes] = [table.getUint16(6), table.getUint16(8)];
    count(codes);
    for (let index = 0; index < codes; index++) map.set(first + index, table.getUint16(10 + index * 2));
  } else if (format === 12) {
    for (let index = 0, groups = table.getUint32(12); index < groups; index++) {
      const at = 16 + index * 12;
      const [first, last, glyph] = [table.getUint32(at), table.getUint32(at + 4), table.getUint32(at + 8)];
      // No font has more glyphs.
      if (last < first || last - first > 0xffff) return undefined;
      count(last - first + 1);
      for (let character = first; character <= last; character++) map.set(character, glyph + character - first);
    }
  } else return undefined;
  return map;
}

/** Format 4: segments of characters, whose glyphs are consecutive or listed. */
function readSegments(table: DataView, map: Map<number, number>, count: (codes: number) => void): void {
  const segments = table.getUint16(6) / 2;
  for (let segment = 0; segment < segments; segment++) {
    const [ends, starts] = [14 + segment * 2, 16 + segments * 2 + segment * 2];
    const [deltas, ranges] = [starts + segments * 2, starts + segments * 4];
    const [first, last] = [table.getUint16(starts), table.getUint16(ends)];
    const [delta, range] = [table.getUint16(deltas), table.getUint16(ranges)];
    count(Math.max(1, last - first + 1));
    for (let character = first; character <= last && character < 0xffff; character++) {
      const at = ranges + range + (character - first) * 2;
      // Some fonts end before their last list does.
      const listed = range === 0 ? character : at + 2 <= table.byteLength ? table.getUint16(at) : 0;
      if (range === 0 || listed > 0) map.set(character, (listed + delta) & 0xffff);
    }
  }
}

interface Post {
  readonly byName: ReadonlyMap<string, readonly number[]>;
  readonly byCharacter: CharacterMap;
}

/** The glyph names in a `post` table. Undefined for an unsupported format. */
function readPost(post: DataView | undefined, meter: ParseMeter): Post | undefined {
  const byName = new Map<string, number[]>();
  const byCharacter = new Map<number, number>();
  const format = post?.getUint32(0);
  const standard = (index: number, glyph: number): void => {
    if (index < 3) return;
    const character = index < 98 ? index + 29 : macCharacter(index + 30);
    byCharacter.set(index < 226 ? character : (LAST_OF_POST.codePointAt(index - 226) ?? 0), glyph);
  };
  if (format === 0x10000) for (let glyph = 0; glyph < POST_STANDARD_NAMES; glyph++) standard(glyph, glyph);
  else if (post && format === POST_WITH_NAMES) {
    const count = post.getUint16(32);
    meter.element(count);
    const names = postNames(post).map((name) => String.fromCharCode(...name));
    for (let glyph = 0; glyph < count; glyph++) {
      const index = post.getUint16(34 + glyph * 2);
      if (index < POST_STANDARD_NAMES) standard(index, glyph);
      else {
        const name = names[index - POST_STANDARD_NAMES] ?? "";
        const glyphs = byName.get(name) ?? [];
        glyphs.push(glyph);
        byName.set(name, glyphs);
        const character = characterOfName(name);
        if (character !== undefined && !byCharacter.has(character)) byCharacter.set(character, glyph);
      }
    }
  } else if (post && format !== 0x30000) return undefined;
  return { byName, byCharacter };
}

/** The names after the standard ones in a `post` table: no more than glyphs. */
export function postNames(post: DataView): Uint8Array[] {
  const names: Uint8Array[] = [];
  const count = post.getUint16(32);
  for (let at = 34 + count * 2; at < post.byteLength && names.length < count; at += 1 + post.getUint8(at)) {
    const length = Math.min(post.getUint8(at), post.byteLength - at - 1);
    names.push(new Uint8Array(post.buffer, post.byteOffset + at + 1, length));
  }
  return names;
}
