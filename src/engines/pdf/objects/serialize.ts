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

/** Fuel per value, in addition to what MuPDF spends. */
const VALUE_WORK = 50;
/** Values between two pauses, and fuel that MuPDF spends. */
const [SLICE, STRETCH] = [5_000, 1_000_000];

/** An array or dictionary that is being written. */
interface Place {
  readonly holder: Pointer;
  readonly isArray: boolean;
  readonly length: number;
  /** Of the outermost dictionary. */
  readonly replaced: ReadonlyMap<string, string | undefined>;
  index: number;
}

const NOTHING: ReadonlyMap<string, string | undefined> = new Map();

/**
 * The object as pieces of a file, with nothing in between. A reference is written as its object. Walks without handles, since
 * an update has thousands of values, and reads no other object. Lets other requests run meanwhile: no promise if that was not necessary. Nothing else may be
 * read until it is done, for it could move the values.
 */
export function serialize(
  engine: PdfEngine,
  object: PDFObject,
  { generations, numberOf = (number) => number, replaced = NOTHING, secret }: SerializeOptions,
): SerializedPiece[] | Promise<SerializedPiece[]> {
  const { values, work } = engine;
  const document = object._doc;
  const pieces: SerializedPiece[] = [];
  const places: Place[] = [];
  let text = "";
  /** The end of the text: to look at the text itself would copy all of it each time. */
  let last: number | undefined;
  const token = (next: string): void => {
    // An empty name is a slash.
    if ((isRegular(last) || last === SLASH) && isRegular(next.charCodeAt(0))) text += " ";
    text += next;
    last = next.charCodeAt(next.length - 1);
  };
  const write = (value: Pointer, isSecret: boolean, own = NOTHING): void => {
    if (values.isReference(value)) {
      const known = values.numberOf(value);
      const number = numberOf(known);
      token(number === undefined ? "null" : `${number} ${generations.get(known) ?? 0} R`);
    } else if (values.isArray(value)) {
      token("[");
      places.push({ holder: value, isArray: true, length: values.arrayLength(value), replaced: own, index: 0 });
    } else if (values.isDictionary(value)) {
      token("<<");
      places.push({ holder: value, isArray: false, length: values.entryCount(value), replaced: own, index: 0 });
    } else if (isSecret && values.isString(value)) {
      pieces.push(
        text,
        engine.scope(() => document._fromPDFObjectKeep(value).asByteString()),
      );
      text = "";
      last = undefined;
    } else token(values.serialized(value));
  };
  const writeEntry = ({ holder, replaced: own, index }: Place): void => {
    const name = values.serialized(values.keyAt(holder, index));
    if (own.has(name)) return;
    token(name);
    const isStamp =
      name === "/Contents" && secret && engine.scope(() => isSignature(document._fromPDFObjectKeep(holder)));
    write(values.valueAt(holder, index), secret && !isStamp);
  };
  const end = ({ isArray, replaced: own }: Place): void => {
    for (const [name, value] of own) {
      if (value === undefined) continue;
      token(name);
      token(value);
    }
    token(isArray ? "]" : ">>");
  };
  /** Returns whether that was all. */
  const walk = (): boolean => {
    let count = 0;
    const most = work.spent + STRETCH;
    for (let place = places.at(-1); place && count < SLICE && work.spent < most; place = places.at(-1)) {
      if (place.index === place.length) {
        places.pop();
        end(place);
        continue;
      }
      count += 1;
      if (place.isArray) write(values.item(place.holder, place.index), secret);
      else writeEntry(place);
      place.index += 1;
    }
    work.spend(count * VALUE_WORK);
    return places.length === 0;
  };
  const rest = async (): Promise<SerializedPiece[]> => {
    do await work.pause();
    while (!walk());
    return [...pieces, text];
  };
  const resolved = values.resolved(object.pointer);
  write(resolved, secret, values.isDictionary(resolved) ? replaced : NOTHING);
  return walk() ? [...pieces, text] : rest();
}

/** Whether `Contents` of a dictionary is not encrypted (ISO 32000-2, 7.6.2). */
function isSignature(dictionary: PDFObject): boolean {
  const has = (key: string): boolean => !dictionary.get(key).isNull();
  const type = dictionary.get("Type");
  const isKnown = isNamed(type, "Sig") || isNamed(type, "DocTimeStamp");
  return isKnown && has("ByteRange") && has("Contents") && has("Filter");
}
