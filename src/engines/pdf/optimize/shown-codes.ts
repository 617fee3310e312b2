/** Finds the character codes that content shows in each font (ISO 32000-2, 9.4.3). */
import type { PDFObject } from "mupdf";
import { process, type Visitor } from "../content/processor.ts";
import { type Content, forEachContent, readStreams } from "../content/streams.ts";
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
  open: OpenPdf,
  { kind, streams, resources }: Content,
  show: (font: number, operand: Uint8Array) => void,
): Promise<boolean> {
  const { bytes, isComplete } = await readStreams(open, streams);
  let isKnown = isComplete;
  const numberOf = (font: PDFObject): number => (font.isDictionary() ? objectNumber(font) : NO_FONT);
  const visitor: Visitor<number> = {
    keeps: ["font"],
    fontNamed: (name) => numberOf(resources.get("Font", name)),
    parametersNamed: (name) => {
      const font = numberOf(resources.get("ExtGState", name, "Font", 0));
      return font === NO_FONT ? {} : { font };
    },
    show: (run) => {
      const { font } = run.state;
      const operand = run.operators.operand(run.operators.count - 1);
      if (font === DIRECT || (font === undefined && kind !== "page")) isKnown = false;
      else if (operand && operand.end - operand.start > MOST_SHOWN) isKnown = false;
      else if (font !== undefined && operand) show(font, bytes.subarray(operand.start, operand.end));
      if (!isKnown) run.stop();
    },
  };
  if (isKnown) await process(bytes, visitor, open.engine.work);
  return isKnown;
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
