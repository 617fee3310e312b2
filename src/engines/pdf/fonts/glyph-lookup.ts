/**
 * Which glyphs readers may show for a one-byte code. The standard prescribes several tables to try (ISO 32000-2, 9.6.5), and readers differ in the
 * order, so this finds every glyph that any of them could find.
 */
import type { ParseMeter } from "../../parse-meter.ts";
import { alike, characterOfName, charactersOf } from "./encoding.ts";
import type { SfntFont } from "./sfnt.ts";

/**
 * The glyphs for a code, and for its name if the encoding has differences: none if there is no such glyph, or if another reader might find
 * one that is not found here.
 */
export type GlyphLookup<Glyph> = (code: number, name: string | undefined) => ReadonlySet<Glyph>;

/** The private use area, where symbolic fonts have their codes. */
const isPrivate = (character: number): boolean => character >= 0xe000 && character <= 0xf8ff;

/** The characters that readers may look for. */
function charactersFor(code: number, name: string | undefined): number[] {
  const own = name === undefined ? undefined : characterOfName(name);
  return [...charactersOf(code), ...(own === undefined ? [] : [own])].flatMap(alike);
}

/**
 * In a TrueType font, by its tables `cmap` and `post`.
 * @throws UnknownFont, or RangeError if a table is cut off
 */
export function lookupByTables(font: SfntFont, meter: ParseMeter): GlyphLookup<number> {
  const maps = font.characterMaps(meter);
  const post = font.namedGlyphs(meter);
  // By the low byte, as in symbolic fonts.
  const byCode = Array.from({ length: 256 }, () => new Set<number>());
  for (const map of maps) {
    for (const [character, glyph] of map) {
      if (character < 0x100 || isPrivate(character)) byCode[character & 0xff]?.add(glyph);
    }
  }
  return (code, name) => {
    const found = new Set(name === undefined ? [] : post.byName.get(name));
    const isKnown = name === undefined || name === ".notdef" || characterOfName(name) !== undefined;
    if (!isKnown && found.size === 0) return found;
    for (const character of charactersFor(code, name)) {
      for (const map of [...maps, post.byCharacter]) found.add(map.get(character) ?? 0);
    }
    for (const glyph of byCode[code] ?? []) found.add(glyph);
    found.delete(0);
    return found;
  };
}

/** In a font whose glyphs have names: the names by code, in the encoding of the font itself, and of all glyphs. */
export function lookupByNames(
  encoding: ReadonlyMap<number, string>,
  names: Pick<ReadonlyMap<string, unknown>, "has" | "keys">,
): GlyphLookup<string> {
  const byCharacter = new Map<number, string[]>();
  for (const name of names.keys()) {
    const character = characterOfName(name);
    if (character === undefined) continue;
    const sharing = byCharacter.get(character) ?? [];
    sharing.push(name);
    byCharacter.set(character, sharing);
  }
  return (code, name) => {
    const candidates = [
      name,
      encoding.get(code),
      ...charactersFor(code, name).flatMap((each) => byCharacter.get(each) ?? []),
    ];
    return new Set(candidates.filter((each) => each !== undefined && names.has(each))) as ReadonlySet<string>;
  };
}
