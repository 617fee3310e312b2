/** Gives the codes that a font shows a meaning in Unicode (ISO 19005-2, 6.2.11.7.2): from encodings, glyph names, and the program. */
import type { PDFObject } from "mupdf";
import { bytesOf } from "../../../../bytes/latin1.ts";
import { ParseMeter } from "../../../parse-meter.ts";
import { readStream } from "../../content/streams.ts";
import type { OpenPdf } from "../../document/document.ts";
import { readToUnicode } from "../../fonts/cmap.ts";
import { characterOfName, differencesOf } from "../../fonts/encoding.ts";
import { SfntFont } from "../../fonts/sfnt.ts";
import { toUnicodeOf, utf16 } from "../../fonts/to-unicode.ts";
import { ifUnderstood } from "../../fonts/unknown-font.ts";
import type { ArchiveTarget } from "../target.ts";
import { codeBytes, showCodes } from "./drawn-codes.ts";
import { glyphSourceOf, isTrueType } from "./glyph-source.ts";
import type { ShownFont } from "./shown-fonts.ts";
import { addCompressed } from "./streams.ts";

/** Codes without a meaning, and those whose meaning is no character. */
const [MISSING, FORBIDDEN] = ["6.2.11.7.2-1", "6.2.11.7.2-2"];
/** Values that are no characters. */
const NO_CHARACTERS = new Set([0, 0xfeff, 0xfffe]);

/** Codes whose meaning is unknown stay without one, and validation names the font. */
export async function repairToUnicode(
  { open, changes }: Pick<ArchiveTarget, "open" | "changes">,
  { number, facts, glyphs, broken }: ShownFont,
): Promise<void> {
  if (!broken.has(MISSING) && !broken.has(FORBIDDEN)) return;
  const { document } = open;
  const font = document.newIndirect(number);
  const codes = glyphs.map(codeBytes);
  // Codes of several lengths would need several ranges.
  if (new Set(codes.map(({ length }) => length)).size !== 1) return;
  const stream = font.get("ToUnicode");
  const data = stream.isStream() ? await readStream(open, stream) : undefined;
  const own = (data && (await readToUnicode(data, open.engine.work))) ?? new Map<number, Uint8Array>();
  const known = new Map(
    [...own].map(([code, text]) => [code, textOf(text)] as const).filter(([, text]) => isMeaning(text)),
  );
  const missing = glyphs.flatMap(({ code }, index) =>
    known.has(code) ? [] : [{ code, bytes: codes[index] ?? new Uint8Array() }],
  );
  const texts = facts.subtype === "Type3" ? namesOfType3(font) : await textsOf(open, font, missing);
  const length = codes[0]?.length ?? 1;
  const found = missing.flatMap(({ code }) => {
    const text = texts.get(code) ?? "";
    return isMeaning(text) ? [[code, text] as const] : [];
  });
  if (found.length === 0 && !broken.has(FORBIDDEN)) return;
  for (const [code, text] of found) known.set(code, text);
  const meanings = [...known].toSorted(([a], [b]) => a - b);
  const cmap = toUnicodeOf(meanings.map(([code, text]) => [code.toString(16).padStart(length * 2, "0"), utf16(text)]));
  font.put("ToUnicode", await addCompressed(open, bytesOf(cmap)));
  changes.add("to_unicode");
}

const textOf = (utf16: Uint8Array): string =>
  String.fromCharCode(
    ...Array.from({ length: utf16.length >> 1 }, (_, at) => ((utf16[at * 2] ?? 0) << 8) | (utf16[at * 2 + 1] ?? 0)),
  );

const isMeaning = (text: string): boolean =>
  text !== "" &&
  !Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).some((unit) => NO_CHARACTERS.has(unit));

/** The texts of codes as MuPDF knows them, or else by the glyphs that it shows: their names, or the characters by which the program finds them. */
async function textsOf(
  open: OpenPdf,
  font: PDFObject,
  codes: readonly { readonly code: number; readonly bytes: Uint8Array }[],
): Promise<ReadonlyMap<number, string>> {
  // Its own meanings come first, also those that are no characters.
  const copy = open.document.newDictionary();
  font.forEach((value, key) => {
    if (String(key) !== "ToUnicode") copy.put(String(key), value);
  });
  const drawn = await showCodes(
    open,
    copy,
    codes.map(({ bytes }) => bytes),
  );
  if (!drawn) return new Map();
  const meter = new ParseMeter(open.engine.work, "font");
  const byGlyph = ifUnderstood(() => charactersOf(drawn.program.bytes, meter)) ?? (() => undefined);
  return new Map(
    codes.map(({ code }, index) => {
      const found = drawn.codes[index];
      if (!found) return [code, ""];
      const character = found.text === "" && found.glyph > 0 ? byGlyph(found.glyph) : undefined;
      return [code, character === undefined ? found.text : String.fromCodePoint(character)];
    }),
  );
}

/** The private use area, whose characters mean nothing by themselves. */
const isPrivate = (character: number): boolean => character >= 0xe000 && character <= 0xf8ff;

/** The characters of glyphs in a program. */
function charactersOf(program: Uint8Array, meter: ParseMeter): (glyph: number) => number | undefined {
  if (!isTrueType(program)) {
    const { names } = glyphSourceOf(program, meter);
    return (glyph) => characterOfName((names[glyph] ?? "").replace(/\..*$/, ""));
  }
  const font = new SfntFont(program);
  const characters = new Map<number, number>();
  const { byCharacter } = ifUnderstood(() => font.namedGlyphs(meter)) ?? { byCharacter: new Map<number, number>() };
  const unicode = (ifUnderstood(() => font.encodedMaps(meter)) ?? []).filter(
    ({ platform, encoding }) => platform === 0 || (platform === 3 && encoding !== 0),
  );
  for (const map of [...unicode.map((each) => each.map), byCharacter]) {
    for (const [character, glyph] of map)
      if (!isPrivate(character) && !characters.has(glyph)) characters.set(glyph, character);
  }
  return (glyph) => characters.get(glyph);
}

/** The characters of the names that a Type 3 font gives its codes. */
function namesOfType3(font: PDFObject): ReadonlyMap<number, string> {
  return new Map(
    Array.from(differencesOf(font), ([code, name]) => {
      const character = characterOfName(name.asName().replace(/\..*$/, ""));
      return [code, character === undefined ? "" : String.fromCodePoint(character)];
    }),
  );
}
