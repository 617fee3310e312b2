/** Writes objects in the syntax of a file (ISO 32000-2, 7.3). */
import { isRegular, SLASH } from "../syntax/characters.ts";
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { Pointer } from "../mupdf/values.ts";
import { isNamed } from "./objects.ts";

/** Text with one byte per character, or the bytes of a string that is to be encrypted. */
export type SerializedPiece = string | Uint8Array<ArrayBuffer>;

interface SerializeOptions {
  /** The generations of referenced objects that are not 0. */
  readonly generations: ReadonlyMap<number, number>;
  /** The number that a referenced object has in the file; undefined if the file lacks it. That in the document by default. */
  readonly numberOf?: (number: number) => number | undefined;
  /** Values for entries of the outermost dictionary. Undefined leaves an entry out. */
  readonly replaced?: ReadonlyMap<string, string | undefined> | undefined;
  /** Whether strings are to be encrypted: all but the one that is a signature itself (7.6.2). */
  readonly secret: boolean;
}

/**
 * The object as pieces of a file, with nothing in between. A reference is written as its object. Walks without handles, since
 * an update has thousands of values, and reads no other object.
 */
export function serialize(
  engine: PdfEngine,
  object: PDFObject,
  { generations, numberOf = (number) => number, replaced = new Map(), secret }: SerializeOptions,
): SerializedPiece[] {
  const { values } = engine;
  const document = object._doc;
  const pieces: SerializedPiece[] = [];
  let text = "";
  /** The end of the text: to look at the text itself would copy all of it each time. */
  let last: number | undefined;
  const token = (next: string): void => {
    // An empty name is a slash.
    if ((isRegular(last) || last === SLASH) && isRegular(next.charCodeAt(0))) text += " ";
    text += next;
    last = next.charCodeAt(next.length - 1);
  };
  const write = (value: Pointer, isSecret: boolean): void => {
    if (values.isReference(value)) {
      const known = values.numberOf(value);
      const number = numberOf(known);
      token(number === undefined ? "null" : `${number} ${generations.get(known) ?? 0} R`);
    } else if (values.isArray(value)) {
      token("[");
      const length = values.arrayLength(value);
      for (let index = 0; index < length; index++) write(values.item(value, index), secret);
      token("]");
    } else if (values.isDictionary(value)) {
      writeDictionary(value);
    } else if (isSecret && values.isString(value)) {
      pieces.push(text, document._fromPDFObjectKeep(value).asByteString());
      text = "";
      last = undefined;
    } else token(values.serialized(value));
  };
  const writeDictionary = (dictionary: Pointer, own?: ReadonlyMap<string, string | undefined>): void => {
    token("<<");
    const signature = secret && isSignature(document._fromPDFObjectKeep(dictionary));
    const length = values.entryCount(dictionary);
    for (let index = 0; index < length; index++) {
      const name = values.serialized(values.keyAt(dictionary, index));
      if (own?.has(name)) continue;
      token(name);
      write(values.valueAt(dictionary, index), secret && !(signature && name === "/Contents"));
    }
    for (const [name, value] of own ?? []) {
      if (value === undefined) continue;
      token(name);
      token(value);
    }
    token(">>");
  };
  const resolved = object.resolve();
  if (resolved.isDictionary()) writeDictionary(resolved.pointer, replaced);
  else write(resolved.pointer, secret);
  return [...pieces, text];
}

/** Whether `Contents` of a dictionary is not encrypted (ISO 32000-2, 7.6.2). */
function isSignature(dictionary: PDFObject): boolean {
  const has = (key: string): boolean => !dictionary.get(key).isNull();
  const type = dictionary.get("Type");
  const isKnown = isNamed(type, "Sig") || isNamed(type, "DocTimeStamp");
  return isKnown && has("ByteRange") && has("Contents") && has("Filter");
}
