/** Finds the character codes that content shows in each font (ISO 32000-2, 9.4.3). */
import { concat } from "../../bytes/concat.ts";
import { ContentOperators } from "../content/operators.ts";
import { type Content, forEachContent } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { objectNumber } from "../objects/objects.ts";
import { LESS, OPEN } from "../syntax/characters.ts";
import { readString } from "../syntax/strings.ts";

/** The codes shown, by the object number of the font. */
export type ShownCodes = ReadonlyMap<number, ReadonlySet<number>>;

/** Longest operand in bytes that is read: each of its bytes takes eight here. */
const MOST_SHOWN = 1024 * 1024;

/** Used instead of an object number for a font that is a direct object, and for no font. */
const [DIRECT, NO_FONT] = [0, -1];

/**
 * The codes that pages, forms, patterns, glyphs, and appearances show in these fonts. `codeBytes`: bytes per code, by the
 * object number of the font. Undefined if this is not known for all text: a stream cannot be read, a form uses the font of
 * the content that draws it, or a font is a direct object.
 */
export async function findShownCodes(
  open: OpenPdf,
  codeBytes: ReadonlyMap<number, 1 | 2>,
): Promise<ShownCodes | undefined> {
  const shown = new Map<number, Set<number>>();
  for (const font of codeBytes.keys()) shown.set(font, new Set());
  let known = true;
  await forEachContent(open, async (content) => {
    known &&= await readText(open, content, (font, operand) => {
      const codes = shown.get(font);
      if (codes) addCodes(operand, codeBytes.get(font) ?? 1, codes);
    });
  });
  return known ? shown : undefined;
}

/** Passes each shown operand to a callback with the object number of its font. Returns false if any cannot be determined. */
async function readText(
  { engine }: OpenPdf,
  { kind, streams, resources }: Content,
  show: (font: number, operand: Uint8Array) => void,
): Promise<boolean> {
  const fonts = new Map<string, number>();
  const parts: Uint8Array[] = [];
  try {
    for (const stream of streams) {
      const buffer = await engine.long.readStream(stream);
      engine.countDecoded(buffer.getLength());
      parts.push(buffer.asUint8Array().slice(), Uint8Array.of(0x0a));
      buffer.destroy();
    }
  } catch (error) {
    if (!engine.isFailure(error)) throw error;
    return false;
  }
  const bytes = concat(parts);
  const tokens = new ContentOperators(bytes);
  const saved: (number | undefined)[] = [];
  let font: number | undefined;
  while (tokens.next()) {
    if (tokens.isDue) await engine.work.rest();
    const { operator } = tokens;
    if (operator === "q") saved.push(font);
    else if (operator === "Q") font = saved.length > 0 ? saved.pop() : font;
    else if (operator === "Tf") font = named("Font", tokens.name(0) ?? "") ?? NO_FONT;
    else if (operator === "gs") font = named("ExtGState", tokens.name(0) ?? "") ?? font;
    else if (operator === "Tj" || operator === "TJ" || operator === "'" || operator === '"') {
      if (font === DIRECT || (font === undefined && kind !== "page")) return false;
      const operand = tokens.operand(tokens.count - 1);
      if (operand && operand.end - operand.start > MOST_SHOWN) return false;
      if (font !== undefined && operand) show(font, bytes.subarray(operand.start, operand.end));
    }
  }
  return true;

  /** The object number of a font, or undefined if there is no such font. */
  function named(category: "Font" | "ExtGState", name: string): number | undefined {
    const key = `${category} ${name}`;
    let number = fonts.get(key);
    if (number === undefined) {
      const entry = resources.get(category, name);
      const found = category === "Font" ? entry : entry.get("Font", 0);
      fonts.set(key, (number = found.isDictionary() ? objectNumber(found) : NO_FONT));
    }
    return number === NO_FONT ? undefined : number;
  }
}

/** Adds the codes of a string, or of all strings in an array. */
function addCodes(operand: Uint8Array, codeBytes: 1 | 2, codes: Set<number>): void {
  for (let at = 0; at < operand.length; at++) {
    if (operand[at] !== OPEN && operand[at] !== LESS) continue;
    const { value, end = operand.length } = readString(operand, at);
    for (let index = 0; index < value.length; index += codeBytes) {
      const [first = 0, second = 0] = [value[index], value[index + 1]];
      codes.add(codeBytes === 1 ? first : (first << 8) | second);
    }
    at = end - 1;
  }
}
