/** Values in content (ISO 32000-2, 7.3). */
import type { PDFDocument, PDFObject } from "mupdf";
import { ContentOperators } from "./operators.ts";
import { bytesOf } from "../../bytes/latin1.ts";
import { readHexadecimal, readLiteral } from "../syntax/strings.ts";

/** Parses a value in content: numbers, names, booleans, strings, arrays, and dictionaries of these. */
export function parseValue(document: PDFDocument, text: string): PDFObject | undefined {
  const tokens = new ContentOperators(bytesOf(`${text} end`));
  if (!tokens.next() || tokens.operator !== "end" || tokens.count !== 1) return undefined;
  if (text.startsWith("[")) {
    const list = document.newArray();
    return partsOf(text.slice(1, -1), (part) => {
      const item = parseValue(document, part);
      if (item) list.push(item);
      return item !== undefined;
    })
      ? list
      : undefined;
  }
  if (text.startsWith("<<")) {
    const dictionary = document.newDictionary();
    let key: string | undefined;
    return partsOf(text.slice(2, -2), (part) => {
      const item = parseValue(document, part);
      if (!item) return false;
      if (key === undefined) key = item.isName() ? item.asName() : "";
      else {
        dictionary.put(key, item);
        key = undefined;
      }
      return true;
    })
      ? dictionary
      : undefined;
  }
  const name = tokens.name(0);
  if (name !== undefined) return document.newName(name);
  if (text === "true" || text === "false") return document.newBoolean(text === "true");
  if (text === "null") return document.newNull();
  if (/^<[\da-fA-F\s]*>$/.test(text)) return document.newByteString(readHexadecimal(bytesOf(text), 0).value);
  if (text.startsWith("(")) return document.newByteString(readLiteral(bytesOf(text), 0).value);
  if (/^[+-]?\d+$/.test(text)) return document.newInteger(Number(text));
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? document.newReal(Number(text)) : undefined;
}

/** Calls `take` with the text of each value until it returns false. */
function partsOf(text: string, take: (part: string) => boolean): boolean {
  const tokens = new ContentOperators(bytesOf(`${text} end`));
  if (!tokens.next() || tokens.operator !== "end") return false;
  for (let index = 0; index < tokens.count; index++) if (!take(tokens.text(index))) return false;
  return true;
}
