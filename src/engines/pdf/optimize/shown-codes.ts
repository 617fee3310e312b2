/** Finds the character codes that content shows in each font (ISO 32000-2, 9.4.3). */
import { concat } from "../../bytes/concat.ts";
import { ContentOperators } from "../content/operators.ts";
import { type Content, forEachContent } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { objectNumber } from "../objects/objects.ts";

/** The codes shown, by the object number of the font. */
export type ShownCodes = ReadonlyMap<number, ReadonlySet<number>>;

/** Used instead of an object number for a font that is a direct object, and for no font. */
const [DIRECT, NO_FONT] = [0, -1];

const [BACKSLASH, OPEN, CLOSE, LESS, GREATER] = [0x5c, 0x28, 0x29, 0x3c, 0x3e];

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
  await forEachContent(open, (content) => {
    known &&= readText(open, content, (font, operand) => {
      const codes = shown.get(font);
      if (codes) addCodes(operand, codeBytes.get(font) ?? 1, codes);
    });
  });
  return known ? shown : undefined;
}

/** Passes each shown operand to a callback with the object number of its font. Returns false if any cannot be determined. */
function readText(
  { engine }: OpenPdf,
  { kind, streams, resources }: Content,
  show: (font: number, operand: Uint8Array) => void,
): boolean {
  const fonts = new Map<string, number>();
  const parts: Uint8Array[] = [];
  try {
    for (const stream of streams) {
      const buffer = stream.readStream();
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
    const { operator } = tokens;
    if (operator === "q") saved.push(font);
    else if (operator === "Q") font = saved.length > 0 ? saved.pop() : font;
    else if (operator === "Tf") font = named("Font", tokens.name(0) ?? "") ?? NO_FONT;
    else if (operator === "gs") font = named("ExtGState", tokens.name(0) ?? "") ?? font;
    else if (operator === "Tj" || operator === "TJ" || operator === "'" || operator === '"') {
      if (font === DIRECT || (font === undefined && kind !== "page")) return false;
      const operand = tokens.operand(tokens.count - 1);
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
    const { bytes, end } = operand[at] === OPEN ? literal(operand, at) : hexadecimal(operand, at);
    for (let index = 0; index < bytes.length; index += codeBytes) {
      const [first = 0, second = 0] = [bytes[index], bytes[index + 1]];
      codes.add(codeBytes === 1 ? first : (first << 8) | second);
    }
    at = end;
  }
}

interface Text {
  readonly bytes: readonly number[];
  /** Index of its last character in the operand. */
  readonly end: number;
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

/** Reads a literal string (7.3.4.2). */
function literal(operand: Uint8Array, start: number): Text {
  const bytes: number[] = [];
  let [depth, at] = [1, start + 1];
  for (; at < operand.length; at++) {
    const byte = operand[at] ?? 0;
    if (byte === BACKSLASH) {
      const next = operand[++at] ?? 0;
      if (next >= 0x30 && next <= 0x37) {
        let value = next - 0x30;
        for (let digits = 1; digits < 3; digits++) {
          const digit = (operand[at + 1] ?? 0) - 0x30;
          if (digit < 0 || digit > 7) break;
          value = value * 8 + digit;
          at++;
        }
        bytes.push(value & 0xff);
      } else if (next === 13) at += operand[at + 1] === 10 ? 1 : 0;
      else if (next !== 10) bytes.push(ESCAPES[String.fromCharCode(next)] ?? next);
      continue;
    }
    if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) break;
    // A line end of any form is one byte.
    if (byte === 13) {
      bytes.push(10);
      if (operand[at + 1] === 10) at++;
    } else bytes.push(byte);
  }
  return { bytes, end: at };
}

/** Reads a hexadecimal string (7.3.4.3). */
function hexadecimal(operand: Uint8Array, start: number): Text {
  const bytes: number[] = [];
  let [at, half] = [start + 1, -1];
  for (; at < operand.length && operand[at] !== GREATER; at++) {
    const digit = Number.parseInt(String.fromCharCode(operand[at] ?? 0), 16);
    if (Number.isNaN(digit)) continue;
    if (half < 0) half = digit;
    else {
      bytes.push(half * 16 + digit);
      half = -1;
    }
  }
  if (half >= 0) bytes.push(half * 16);
  return { bytes, end: at };
}
