/** Values in content (ISO 32000-2, 7.3). */
import type { PDFDocument, PDFObject } from "mupdf";
import { bytesOf } from "../../../bytes/latin1.ts";
import { Dictionary, Malformed, Name, parseShort, Real, Reference, StringSpan, type Value } from "../syntax/objects.ts";

/** Parses the value that a text is: numbers, names, booleans, strings, arrays, and dictionaries of these. Undefined if it is none of them. */
export function parseValue(document: PDFDocument, text: string): PDFObject | undefined {
  const bytes = bytesOf(text);
  const parsed = parsedValue(bytes);
  return parsed === undefined ? undefined : objectOf(document, bytes, parsed);
}

/** A value in its written form in content. Undefined if it is malformed or followed by anything. */
export function parsedValue(bytes: Uint8Array): Value | undefined {
  try {
    const { value, end } = parseShort(bytes, 0, "content");
    return end === bytes.length ? value : undefined;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

function objectOf(document: PDFDocument, bytes: Uint8Array, value: Value): PDFObject | undefined {
  if (value === null) return document.newNull();
  if (typeof value === "boolean") return document.newBoolean(value);
  if (typeof value === "number") return document.newInteger(value);
  if (value instanceof Real) return document.newReal(value.value);
  if (value instanceof Name) return document.newName(value.value);
  if (value instanceof StringSpan) return document.newByteString(value.valueIn(bytes));
  if (value instanceof Reference) return undefined;
  const isDictionary = value instanceof Dictionary;
  const object = isDictionary ? document.newDictionary() : document.newArray();
  for (const [index, item] of (isDictionary ? value.values : value).entries()) {
    const made = objectOf(document, bytes, item);
    if (!made) return undefined;
    if (isDictionary) object.put(value.keys[index] ?? "", made);
    else object.push(made);
  }
  return object;
}
