/** The font programs in a document, as far as rules ask for them: which glyph a code shows, its width, and its name (ISO 32000-2, 9.6.5 and 9.9). */
import type { GlyphFacts, CmapFacts, FontProgram } from "./elements.ts";
import { ParseMeter } from "../../../parse-meter.ts";
import type { Work } from "../../../work.ts";
import { CffFont } from "../../fonts/cff.ts";
import { CffGlyphs } from "../../fonts/cff-glyphs.ts";
import { baseName, characterOfName, macCharacter } from "../../fonts/encoding.ts";
import { type CharacterMap, SfntFont } from "../../fonts/sfnt.ts";
import { Type1Font, withoutSegments } from "../../fonts/type1.ts";
import { OutlineReader } from "../../fonts/type1-outlines.ts";
import { ifUnderstood } from "../../fonts/unknown-font.ts";
import { type PlainDictionary, PlainName } from "../../objects/plain-values.ts";
import type { ModelDocument } from "./document.ts";
import type { FontFacts } from "./elements.ts";

/** The names that the encoding of a simple font gives its codes. */
class Encoding {
  readonly #base: string | undefined;
  readonly #differences = new Map<number, string>();

  constructor(document: ModelDocument, font: PlainDictionary | undefined) {
    const encoding = document.resolve(font?.entries.get("Encoding"));
    this.#base = encoding instanceof PlainName ? encoding.value : document.name(encoding, "BaseEncoding");
    let code = 0;
    for (const item of document.items(encoding, "Differences")) {
      const [number, name] = [document.number(item), document.name(item)];
      if (number !== undefined) code = number;
      else if (name !== undefined) this.#differences.set(code++, name);
    }
  }

  get isEmpty(): boolean {
    return this.#base === undefined && this.#differences.size === 0;
  }

  /** `own`: the encoding of the program, which applies without a base. */
  nameOf(code: number, own?: ReadonlyMap<number, string>): string | undefined {
    const difference = this.#differences.get(code);
    if (difference !== undefined) return difference;
    if (own && (this.#base === undefined || !/^(?:WinAnsi|MacRoman|Standard)Encoding$/.test(this.#base)))
      return own.get(code);
    return baseName(this.#base, code);
  }
}

const isKnownName = (name: string | undefined): boolean =>
  name !== undefined && characterOfName(name.replace(/\..*$/, "")) !== undefined;

/**
 * The program of a font; undefined if it is not understood.
 * @param key of the descriptor that has the program
 */
export async function readProgram(
  document: ModelDocument,
  font: PlainDictionary | undefined,
  stream: PlainDictionary | undefined,
  key: string,
): Promise<FontProgram | undefined> {
  const { work } = document.open.engine;
  const encoding = new Encoding(document, font);
  const isCid = /^CIDFontType[02]$/.test(document.name(font, "Subtype") ?? "");
  if (!stream) return isCid ? undefined : new NoProgram(encoding);
  const data = await document.data(stream);
  if (!data) return undefined;
  const meter = new ParseMeter(work, "font");
  meter.bytes(data.length);
  await work.pause();
  const map = isCid ? document.stream(font, "CIDToGIDMap") : undefined;
  const glyphMap = map && (await document.data(map));
  return ifUnderstood(() => programIn(data, key, { encoding, isCid, glyphMap, meter, work }));
}

interface Reading {
  readonly encoding: Encoding;
  readonly isCid: boolean;
  readonly glyphMap: Uint8Array | undefined;
  readonly meter: ParseMeter;
  readonly work: Work;
}

/** The first bytes of an OpenType font with outlines of the Compact Font Format. */
const OTTO = [0x4f, 0x54, 0x54, 0x4f];

function programIn(data: Uint8Array, key: string, reading: Reading): FontProgram | undefined {
  const isOtto = OTTO.every((byte, at) => data[at] === byte);
  if (isOtto) {
    const table = new SfntFont(data).table("CFF ");
    return cffProgram(new Uint8Array(table.buffer, table.byteOffset, table.byteLength), reading);
  }
  const isCff = key === "FontFile3" && data[0] === 1 && data[1] === 0 && (data[2] ?? 0) <= 8 && (data[2] ?? 0) >= 4;
  if (isCff) return cffProgram(data, reading);
  if (key === "FontFile") return new Type1Program(new Type1Font(withoutSegments(data), reading.meter), reading);
  return new SfntProgram(new SfntFont(data), reading);
}

/** A font without a program: only its names are known. */
class NoProgram implements FontProgram {
  readonly cmaps = undefined;
  readonly glyphNames = undefined;
  readonly cids = undefined;
  readonly #encoding: Encoding;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  glyphOf(): undefined {
    return undefined;
  }

  isNamed(code: number): boolean {
    return isKnownName(this.#encoding.nameOf(code));
  }

  knowsNames(): boolean {
    return true;
  }
}

class Type1Program implements FontProgram {
  readonly cmaps = undefined;
  readonly cids = undefined;
  readonly glyphNames: ReadonlySet<string>;
  readonly #font: Type1Font;
  readonly #encoding: Encoding;
  readonly #outlines: OutlineReader;

  constructor(font: Type1Font, { encoding, meter }: Reading) {
    this.#font = font;
    this.#encoding = encoding;
    this.#outlines = new OutlineReader(font, meter);
    this.glyphNames = new Set([...font.outlines.keys()].filter((name) => name !== ".notdef"));
  }

  glyphOf(code: number): GlyphFacts {
    const name = this.#encoding.nameOf(code, this.#font.encoding) ?? ".notdef";
    const isPresent = this.#font.outlines.has(name);
    const outline = isPresent ? ifUnderstood(() => this.#outlines.draw(name)) : undefined;
    const scale = (this.#font.fontMatrix[0] ?? 0.001) * 1000;
    return { isPresent, width: outline && outline.width * scale, isNotdef: name === ".notdef" };
  }

  isNamed(code: number): boolean {
    return isKnownName(this.#encoding.nameOf(code, this.#font.encoding));
  }

  knowsNames(): boolean {
    return true;
  }
}

function cffProgram(data: Uint8Array, reading: Reading): FontProgram {
  const font = new CffFont(data);
  return reading.isCid ? new CidCffProgram(font, reading) : new NamedCffProgram(font, reading);
}

class NamedCffProgram implements FontProgram {
  readonly cmaps = undefined;
  readonly cids = undefined;
  readonly glyphNames: ReadonlySet<string>;
  readonly #outlines: ReadonlyMap<string, number>;
  readonly #own: ReadonlyMap<number, string>;
  readonly #widths: CffGlyphs;
  readonly #encoding: Encoding;

  constructor(font: CffFont, { encoding, meter }: Reading) {
    const { outlines, encoding: own } = font.namedGlyphs(meter);
    this.#outlines = outlines;
    this.#own = own;
    this.#encoding = encoding;
    this.#widths = new CffGlyphs(font, meter);
    this.glyphNames = new Set([...outlines.keys()].filter((name) => name !== ".notdef"));
  }

  glyphOf(code: number): GlyphFacts {
    const name = this.#encoding.nameOf(code, this.#own) ?? ".notdef";
    const glyph = this.#outlines.get(name);
    if (glyph === undefined)
      return { isPresent: false, width: ifUnderstood(() => this.#widths.of(0)), isNotdef: name === ".notdef" };
    const width = ifUnderstood(() => this.#widths.of(glyph));
    return { isPresent: true, width, isNotdef: name === ".notdef" };
  }

  isNamed(code: number): boolean {
    return isKnownName(this.#encoding.nameOf(code, this.#own));
  }

  knowsNames(): boolean {
    return true;
  }
}

class CidCffProgram implements FontProgram {
  readonly cmaps = undefined;
  readonly glyphNames = undefined;
  readonly cids: readonly number[];
  readonly #glyphs: ReadonlyMap<number, number>;
  readonly #widths: CffGlyphs;

  constructor(font: CffFont, { meter }: Reading) {
    const count = font.outlines.count;
    meter.element(count);
    // In a font that is not keyed by CID, CIDs are glyph numbers.
    this.cids = font.isCidKeyed ? font.charset(meter) : Array.from({ length: count }, (_, glyph) => glyph);
    this.#glyphs = new Map(this.cids.map((cid, glyph) => [cid, glyph]));
    this.#widths = new CffGlyphs(font, meter);
  }

  glyphOf(cid: number): GlyphFacts {
    const glyph = this.#glyphs.get(cid);
    const width = glyph === undefined ? undefined : ifUnderstood(() => this.#widths.of(glyph));
    return { isPresent: glyph !== undefined, width, isNotdef: cid === 0 };
  }

  isNamed(): boolean {
    return false;
  }

  knowsNames(): boolean {
    return true;
  }
}

/** The first code of symbols in the private use area, by which some fonts map them. */
const SYMBOLS = [0xf000, 0xf100, 0xf200];

/** Whether characters of a kind have marks on paper. */
const isVisible = (character: number): boolean =>
  character <= 0x10ffff && /[\p{L}\p{N}\p{P}\p{S}]/u.test(String.fromCodePoint(character));

class SfntProgram implements FontProgram {
  readonly glyphNames = undefined;
  readonly cids: readonly number[] | undefined;
  readonly cmaps: CmapFacts;
  readonly #font: SfntFont;
  readonly #reading: Reading;
  readonly #symbol: CharacterMap | undefined;
  readonly #unicode: CharacterMap | undefined;
  readonly #mac: CharacterMap | undefined;
  readonly #first: CharacterMap | undefined;
  readonly #byName: ReadonlyMap<string, readonly number[]>;
  readonly #byCharacter: CharacterMap;
  readonly #scale: number;
  /** Glyphs of visible characters. */
  #visible: ReadonlySet<number> | undefined;

  constructor(font: SfntFont, reading: Reading) {
    this.#font = font;
    this.#reading = reading;
    const maps = ifUnderstood(() => font.encodedMaps(reading.meter)) ?? [];
    const find = (platform: number, encoding: number): CharacterMap | undefined =>
      maps.find((map) => map.platform === platform && map.encoding === encoding)?.map;
    this.#symbol = find(3, 0);
    this.#unicode = find(3, 1);
    this.#mac = find(1, 0);
    this.#first = maps[0]?.map;
    this.cmaps = {
      count: maps.length,
      hasSymbol: this.#symbol !== undefined,
      hasUnicode: this.#unicode !== undefined,
      hasMac: this.#mac !== undefined,
    };
    const named = reading.isCid ? undefined : ifUnderstood(() => font.namedGlyphs(reading.meter));
    this.#byName = named?.byName ?? new Map();
    this.#byCharacter = named?.byCharacter ?? new Map();
    this.#scale = font.metrics.thousandths(1e6) / 1e6;
    reading.meter.element(font.glyphCount);
    this.cids = reading.isCid ? Array.from({ length: font.glyphCount }, (_, glyph) => glyph) : undefined;
  }

  glyphOf(code: number, facts: FontFacts): GlyphFacts | undefined {
    const glyph = this.#reading.isCid ? this.#glyphOfCid(code) : this.#glyphOfCode(code, facts);
    if (glyph === undefined) return undefined;
    const isPresent = glyph < this.#font.glyphCount && !(facts.isSubset && this.#wasDropped(glyph));
    const shown = isPresent ? glyph : 0;
    return { isPresent, width: ifUnderstood(() => this.#font.advanceOf(shown) * this.#scale), isNotdef: shown === 0 };
  }

  /** Whether a subset has no outline for a glyph that its own table maps a visible character to. */
  #wasDropped(glyph: number): boolean {
    if (!this.#reading.isCid || glyph === 0 || !this.#unicode) return false;
    if (ifUnderstood(() => this.#font.outlineOf(glyph).length) !== 0) return false;
    if (!this.#visible) this.#reading.meter.element(this.#unicode.size);
    this.#visible ??= new Set(
      [...this.#unicode].flatMap(([character, mapped]) => (isVisible(character) ? [mapped] : [])),
    );
    return this.#visible.has(glyph);
  }

  #glyphOfCid(cid: number): number {
    const map = this.#reading.glyphMap;
    return map ? ((map[cid * 2] ?? 0) << 8) | (map[cid * 2 + 1] ?? 0) : cid;
  }

  /** Undefined if a name is not known here. */
  #glyphOfCode(code: number, { isSymbolic, hasEncoding }: FontFacts): number | undefined {
    if (hasEncoding && !isSymbolic) {
      const name = this.#reading.encoding.nameOf(code);
      if (name === undefined) return 0;
      const character = characterOfName(name);
      const known = character === undefined ? undefined : this.#unicode?.get(character);
      if (known !== undefined && known > 0) return known;
      const mac = this.#mac && character !== undefined ? this.#macGlyph(character) : undefined;
      if (mac !== undefined && mac > 0) return mac;
      const [own] = this.#byName.get(name) ?? [];
      const glyph = own ?? (character === undefined ? undefined : this.#byCharacter.get(character));
      if (glyph !== undefined) return glyph;
      return character === undefined ? undefined : (this.#direct(code) ?? 0);
    }
    return this.#direct(code) ?? 0;
  }

  #direct(code: number): number | undefined {
    if (this.#symbol) {
      for (const start of [0, ...SYMBOLS]) {
        const glyph = this.#symbol.get(start + code);
        if (glyph !== undefined && glyph > 0) return glyph;
      }
    }
    const mac = this.#mac?.get(code);
    if (mac !== undefined && mac > 0) return mac;
    return this.#symbol || this.#mac ? 0 : this.#first?.get(code);
  }

  #macGlyph(character: number): number | undefined {
    for (let code = 0; code < 256; code++) if (macCharacter(code) === character) return this.#mac?.get(code);
    return undefined;
  }

  isNamed(code: number): boolean {
    const { encoding } = this.#reading;
    return !encoding.isEmpty && isKnownName(encoding.nameOf(code));
  }

  knowsNames(names: readonly string[]): boolean {
    return this.cmaps.hasUnicode && names.every(isKnownName);
  }
}
