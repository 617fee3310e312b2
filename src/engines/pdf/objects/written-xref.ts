/** The cross-references of a file that MuPDF has just written. */
import { inflateWhole } from "../../flate/inflate.ts";
import type { Work } from "../../work.ts";
import { find } from "../../../bytes/find.ts";
import { type Dictionary, Reference } from "../syntax/objects.ts";
import { dictionaryOf, type WrittenObject } from "./written-objects.ts";

export interface WrittenXref {
  /** Number of the cross-reference stream, or of the one that replaces a table. It is the last object. */
  readonly number: number;
  readonly trailer: Dictionary;
  /** Rows of type, offset, and second field (ISO 32000-2, table 18), by object number, plus one spare row. */
  readonly rows: DataView<ArrayBuffer>;
}

/** Size of a row in bytes: 1, 4, and 2. */
export const ROW = 7;

const TRAILER = "trailer";
/** Bytes at the end of a file that contain its trailer, which holds a few numbers and the file identifier. */
const LONGEST_TRAILER = 4096;

/** Reads a cross-reference stream (ISO 32000-2, 7.5.8). */
export async function readXref(work: Work, bytes: Uint8Array, xref: WrittenObject): Promise<WrittenXref> {
  const { number, stream } = xref;
  const trailer = dictionaryOf(bytes, xref);
  const size = sizeIn(trailer);
  const [widths, sections] = [numbersIn(trailer, "W"), numbersIn(trailer, "Index")];
  const [typeWidth = 0, placeWidth = 0, lastWidth = 0] = widths;
  if (widths.length !== 3 || typeWidth !== 1 || number !== size - 1 || !stream) {
    throw new Error("the written cross-references are not as expected");
  }
  const most = size * (typeWidth + placeWidth + lastWidth);
  const table = await inflateWhole(work, bytes.subarray(stream.start, stream.end), most);
  if (!table) throw new Error("the written cross-references do not inflate");
  const data = new DataView(table.buffer);
  const field = (at: number, width: number): number => {
    let value = 0;
    for (let index = 0; index < width; index++) value = value * 256 + data.getUint8(at + index);
    return value;
  };
  const rows = new DataView(new ArrayBuffer((size + 1) * ROW));
  let at = 0;
  for (let section = 0; section < sections.length; section += 2) {
    const [start = 0, count = 0] = sections.slice(section, section + 2);
    for (let index = start; index < start + count; index++) {
      rows.setUint8(index * ROW, field(at, 1));
      rows.setUint32(index * ROW + 1, field(at + 1, placeWidth));
      rows.setUint16(index * ROW + 5, field(at + 1 + placeWidth, lastWidth));
      at += 1 + placeWidth + lastWidth;
    }
  }
  return { number, trailer, rows };
}

/** Builds the same for a file that ends in a table (7.5.4). `numbers`: its object numbers. Offsets are left unset. */
export function xrefTableOf(bytes: Uint8Array, numbers: readonly number[]): WrittenXref {
  const keyword = find(bytes, TRAILER, Math.max(0, bytes.length - LONGEST_TRAILER));
  const unexpected = (): Error => new Error("the written trailer is not as expected");
  if (keyword < 0) throw unexpected();
  const trailer = dictionaryOf(bytes, { head: { start: keyword + TRAILER.length, end: bytes.length } });
  const number = sizeIn(trailer);
  if (!(number > Math.max(...numbers))) throw unexpected();
  const rows = new DataView(new ArrayBuffer((number + 2) * ROW));
  for (const used of numbers) rows.setUint8(used * ROW, 1);
  return { number, trailer, rows };
}

/** The entries of a trailer that a file keeps when its cross-references are written anew. */
export const keptIn = (trailer: Dictionary): string =>
  ["Root", "Info"]
    .map((key) => {
      const value = trailer.get(key);
      return value instanceof Reference ? `/${key} ${value.number} ${value.generation} R` : "";
    })
    .join("");

function sizeIn(trailer: Dictionary): number {
  const size = trailer.get("Size");
  return typeof size === "number" ? size : 0;
}

function numbersIn(trailer: Dictionary, key: string): number[] {
  const value = trailer.get(key);
  return Array.isArray(value) ? value.filter((item) => typeof item === "number") : [];
}
