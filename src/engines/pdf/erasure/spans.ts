/** The replacement texts of marked content: in property lists, inline or named (ISO 32000-2, 14.6.2 and 14.9). */
import type { PDFObject } from "mupdf";
import { hex } from "../../../bytes/hex.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { ContentLexer } from "../content/lexer.ts";
import type { ContentOperators } from "../content/operators.ts";
import type { OpenPdf } from "../document/document.ts";
import { readString } from "../syntax/strings.ts";
import { decodeText, encodeText, textString } from "../objects/text-string.ts";
import { copyOf, type OwnResources } from "./own-resources.ts";

const KEYS = ["ActualText", "Alt", "E"] as const;

/** The texts of a property list, by their keys. */
export type SpanTexts = Readonly<Partial<Record<(typeof KEYS)[number], string>>>;

/** The texts of `BDC`; undefined if it has none. */
export function spanIn(tokens: ContentOperators, bytes: Uint8Array, resources: PDFObject): SpanTexts | undefined {
  const texts: Partial<Record<(typeof KEYS)[number], string>> = {};
  const name = tokens.name(1);
  if (name !== undefined) {
    const list = resources.get("Properties", name);
    for (const key of KEYS) {
      const value = list.get(key);
      if (value.isString()) texts[key] = decodeText(value.asByteString());
    }
  } else {
    const operand = tokens.operand(1);
    if (!operand) return undefined;
    for (const { key, value } of stringsIn(bytes.subarray(operand.start, operand.end))) texts[key] = decodeText(value);
  }
  return Object.keys(texts).length > 0 ? texts : undefined;
}

/** The operator `BDC` with other texts. */
export function writeSpan(
  open: OpenPdf,
  tokens: ContentOperators,
  bytes: Uint8Array,
  { resources, own }: { readonly resources: PDFObject; readonly own: OwnResources },
  texts: SpanTexts,
): string {
  const name = tokens.name(1);
  if (name !== undefined) {
    const list = copyOf(open, resources.get("Properties", name));
    for (const key of KEYS) if (texts[key] !== undefined) list.put(key, textString(list, texts[key]));
    own.use("Properties", name, true);
    return `${tokens.text(0)} /${own.add("Properties", open.document.addObject(list))} BDC`;
  }
  const list = tokens.text(1);
  let [written, copied] = ["", 0];
  for (const { key, start, end } of stringsIn(bytesOf(list))) {
    const text = texts[key];
    if (text === undefined) continue;
    written += `${list.slice(copied, start)}<${hex(encodeText(text))}>`;
    copied = end;
  }
  return `${tokens.text(0)} ${written}${list.slice(copied)} BDC`;
}

/** The replacement strings of a property list, and their places. */
function stringsIn(
  list: Uint8Array,
): { readonly key: (typeof KEYS)[number]; readonly value: Uint8Array; readonly start: number; readonly end: number }[] {
  const found: { key: (typeof KEYS)[number]; value: Uint8Array; start: number; end: number }[] = [];
  const lexer = new ContentLexer(list);
  let key: (typeof KEYS)[number] | undefined;
  for (let token = lexer.next(); token; token = lexer.next()) {
    const { start, end } = lexer;
    if ((token === "literal" || token === "hex") && key !== undefined) {
      found.push({ key, value: readString(list.subarray(start, end), 0).value, start, end });
    }
    const name = token === "name" ? lexer.text(start + 1, end) : "";
    key = KEYS.find((one) => one === name);
  }
  return found;
}
