/** The cross-references of a file that MuPDF has just written. */
import { inflateWhole } from "../../bytes/inflate.ts";
import type { Work } from "../../work.ts";
import { latin1 } from "../../bytes/latin1.ts";
import type { WrittenObject } from "./written-objects.ts";

export interface WrittenXref {
  /** Number of the cross-reference stream, or for the one that takes the place of a table; it is the last of all. */
  readonly number: number;
  /** What a trailer says, without strings. */
  readonly trailer: string;
  /** Rows of type, place and second field (ISO 32000-2, table 18), by object number, and one row more. */
  readonly rows: DataView<ArrayBuffer>;
}

/** Bytes of a row: 1, 4 and 2. */
export const ROW = 7;

/** Bytes of the end of a file in which its trailer stands: it has a few numbers, and the file identifier. */
const TRAILER = 4096;

/** Reads it (ISO 32000-2, 7.5.8). */
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
/** The same of a file that ends in a table (7.5.4). `numbers`: the objects that it has. Their places are left open. */
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
