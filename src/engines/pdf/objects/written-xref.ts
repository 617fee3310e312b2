/** The cross-references of a file that MuPDF has just written. */
import { inflateWhole } from "../../bytes/inflate.ts";
import type { Work } from "../../work.ts";
import { latin1 } from "../../bytes/latin1.ts";
import type { WrittenObject } from "./written-objects.ts";

export interface WrittenXref {
  /** Number of the cross-reference stream, or of the one that replaces a table. It is the last object. */
  readonly number: number;
  /** The trailer entries, without strings. */
  readonly trailer: string;
  /** Rows of type, offset, and second field (ISO 32000-2, table 18), by object number, plus one spare row. */
  readonly rows: DataView<ArrayBuffer>;
}

/** Size of a row in bytes: 1, 4, and 2. */
export const ROW = 7;

/** Bytes at the end of a file that contain its trailer, which holds a few numbers and the file identifier. */
const TRAILER = 4096;

/** Reads a cross-reference stream (ISO 32000-2, 7.5.8). */
export async function readXref(
  work: Work,
  bytes: Uint8Array,
  { number, head, strings, stream }: WrittenObject,
): Promise<WrittenXref> {
  let trailer = "";
  let from = head.start;
  for (const string of strings) {
    trailer += latin1(bytes.subarray(from, string.start));
    from = string.end;
  }
  trailer += latin1(bytes.subarray(from, head.end));
  const numbers = (pattern: RegExp): number[] => pattern.exec(trailer)?.[1]?.trim().split(/\s+/).map(Number) ?? [];
  const [size = 0] = numbers(/\/Size (\d+)/);
  const widths = numbers(/\/W\s*\[([\d\s]+)\]/);
  const sections = numbers(/\/Index\s*\[([\d\s]+)\]/);
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
export function tableOf(bytes: Uint8Array, numbers: readonly number[]): WrittenXref {
  const end = latin1(bytes.subarray(-TRAILER));
  const trailer = end.slice(end.lastIndexOf("trailer"));
  const number = Number(/\/Size (\d+)/.exec(trailer)?.[1]);
  if (!trailer.startsWith("trailer") || !(number > Math.max(...numbers))) {
    throw new Error("the written trailer is not as expected");
  }
  const rows = new DataView(new ArrayBuffer((number + 2) * ROW));
  for (const used of numbers) rows.setUint8(used * ROW, 1);
  return { number, trailer, rows };
}
