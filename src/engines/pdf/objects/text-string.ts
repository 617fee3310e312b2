/** Decodes text strings and names as text (ISO 32000-2, 7.9.2.2 and 7.3.5), and limits how much text one request reads. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { metadataTextTooLong } from "../../limit-errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { nameOf } from "./objects.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";

/**
 * Where PDFDocEncoding (annex D.3) differs from Latin-1: runs of characters by their first code. Undefined codes map to
 * U+FFFD.
 */
const PDF_DOC: readonly (readonly [number, string])[] = [
  [0x18, "\u02d8\u02c7\u02c6\u02d9\u02dd\u02db\u02da\u02dc"],
  [0x7f, "\ufffd"],
  [
    0x80,
    "\u2022\u2020\u2021\u2026\u2014\u2013\u0192\u2044\u2039\u203a\u2212\u2030\u201e\u201c\u201d\u2018" +
      "\u2019\u201a\u2122\ufb01\ufb02\u0141\u0152\u0160\u0178\u017d\u0131\u0142\u0153\u0161\u017e\ufffd\u20ac",
  ],
  [0xad, "\ufffd"],
];

const pdfDoc: readonly string[] = Array.from({ length: 256 }, (_, code) => {
  const range = PDF_DOC.find(([from, characters]) => code >= from && code < from + characters.length);
  return range?.[1][code - range[0]] ?? String.fromCharCode(code);
});

/** Characters decoded per call: more would exceed the stack as arguments. */
const STEP = 8192;

const utf8 = new TextDecoder("utf-8");
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Marks of a language in UTF-16 text (7.9.2.2.2): an escape character, a code, an escape character. */
// oxlint-disable-next-line no-control-regex -- the escape character is what marks the language
const LANGUAGE = /\u001b[A-Za-z]{2}(?:[A-Za-z]{2})?\u001b/g;

/**
 * Decodes a text string: UTF-16 (either byte order) or UTF-8 if it has a byte order mark, otherwise PDFDocEncoding. The
 * result is well-formed and has no NUL.
 */
export function decodeText(bytes: Uint8Array): string {
  return decode(bytes).replaceAll("\0", "").toWellFormed();
}

function decode(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  if (first === 0xfe && second === 0xff) return utf16(bytes, 0);
  if (first === 0xff && second === 0xfe) return utf16(bytes, 1);
  if (first === 0xef && second === 0xbb && third === 0xbf) return utf8.decode(bytes);
  // What most strings are.
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return latin1(bytes);
  let text = "";
  for (let at = 0; at < bytes.length; at += STEP) {
    text += Array.from(bytes.subarray(at, at + STEP), (code) => pdfDoc[code]).join("");
  }
  return text;
}

/** `high`: which of the two bytes is the high one. Ignores an odd last byte. */
function utf16(bytes: Uint8Array, high: 0 | 1): string {
  const units = new Uint16Array((bytes.length >> 1) - 1);
  for (let index = 0; index < units.length; index++) {
    const at = 2 + index * 2;
    units[index] = ((bytes[at + high] ?? 0) << 8) | (bytes[at + 1 - high] ?? 0);
  }
  let text = "";
  for (let at = 0; at < units.length; at += STEP) text += String.fromCharCode(...units.subarray(at, at + STEP));
  return text.replaceAll(LANGUAGE, "");
}

/** Encodes a text string: ASCII as is, anything else as UTF-16BE, which every reader supports. */
export function encodeText(text: string): Uint8Array {
  return /^[\t\n\r\x20-\x7e]*$/.test(text) ? bytesOf(text) : encodeUtf16(text);
}

/** Encodes a text string as UTF-16BE with its byte order mark. */
export function encodeUtf16(text: string): Uint8Array {
  const bytes = new Uint8Array(2 + text.length * 2);
  bytes.set([0xfe, 0xff]);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    bytes.set([unit >> 8, unit & 0xff], 2 + index * 2);
  }
  return bytes;
}

/** Decodes a name as UTF-8, as 7.3.5 requires, or as Latin-1 if it is not valid UTF-8. */
export const decodeName = (engine: PdfEngine, name: PDFObject): string => nameAsText(nameOf(engine, name));

/** The same for the bytes of a name, one character each. */
export function nameAsText(bytes: string): string {
  if (/^[\x20-\x7e]*$/.test(bytes)) return bytes;
  try {
    return strictUtf8.decode(bytesOf(bytes));
  } catch {
    return bytes;
  }
}

/** Reads text from a document, up to `limits.metadata.textBytes` in total. */
export class TextReader {
  readonly #engine: PdfEngine;
  #left: number = limits.metadata.textBytes;

  constructor(engine: PdfEngine) {
    this.#engine = engine;
  }

  /** The text of a string, or undefined for any other object. */
  text(object: PDFObject): string | undefined {
    return object.isString() ? decodeText(this.#counted(object.asByteString())) : undefined;
  }

  /** Like `text`, but also accepts a stream, which the value of a form field may be (12.7.5.3). */
  textOrStream(object: PDFObject): string | undefined {
    return object.isStream() ? decodeText(this.#bytes(object)) : this.text(object);
  }

  name(object: PDFObject): string | undefined {
    if (!object.isName()) return undefined;
    const name = decodeName(this.#engine, object);
    this.#counted(name);
    return name;
  }

  /** Counts texts that were already read and are repeated in the response. */
  listed(texts: string[]): string[] {
    this.#counted({ length: texts.reduce((sum, { length }) => sum + length + 1, 0) });
    return texts;
  }

  /** Counts a name joined from several parts. */
  joined(name: string): string {
    return this.#counted(name);
  }

  /** The decoded bytes of a stream. Empty if it cannot be decoded. */
  #bytes(stream: PDFObject): Uint8Array {
    try {
      const buffer = stream.readStream();
      try {
        return this.#counted(buffer.asUint8Array()).slice();
      } finally {
        buffer.destroy();
      }
    } catch (error) {
      if (this.#engine.isFailure(error)) return new Uint8Array();
      throw error;
    }
  }

  #counted<T extends { readonly length: number }>(text: T): T {
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    const limit = limits.metadata.textBytes;
    throw metadataTextTooLong(limit - this.#left);
  }
}

/** Creates a string object. */
export function textString(owner: PDFObject, text: string): PDFObject {
  return owner._doc.newByteString(encodeText(text));
}
