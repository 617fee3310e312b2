/**
 * Rewrites small files from MuPDF with less overhead: MuPDF leaves the catalog and the Info dictionary out of object
 * streams, and its cross-references use wide fields.
 */
import { inflateWhole } from "../../flate/inflate.ts";
import type { Work } from "../../work.ts";
import { concat } from "../../../bytes/concat.ts";
import { deflate } from "../../flate/deflate.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import { dictionaryOf, versionOf, type WrittenObject, writtenObjects } from "../objects/written-objects.ts";
import { keptIn } from "../objects/written-xref.ts";
import { isWhite } from "../syntax/characters.ts";
import { type Dictionary, Name } from "../syntax/objects.ts";
import { tokens } from "../syntax/tokens.ts";

/** Largest file in bytes that is worth rewriting. */
export const SMALL_FILE = 256 * 1024;
/** Largest object stream in bytes. With more, the file is not small, however well it is compressed. */
const MOST_OBJECT_BYTES = 8 * 1024 * 1024;

/** The first version with object streams, times 10. */
const WITH_OBJECT_STREAMS = 15;
/** Bytes after the header that mark the file as binary (ISO 32000-2, 7.5.2). */
const BINARY = "%\u00b5\u00b6\u00b5\u00b6\n";

/** The file in fewer bytes. Undefined if it is encrypted or has no or very large object streams. */
export async function packSmall(work: Work, file: Uint8Array): Promise<Uint8Array | undefined> {
  const version = versionOf(file);
  if (version < WITH_OBJECT_STREAMS) return undefined;
  const objects = [...writtenObjects(file, 0)];
  const xref = objects.at(-1);
  const streams = objects.filter((object) => object.stream && !object.isXref);
  const containers = streams.filter(({ type }) => type === "ObjStm");
  const [container] = containers;
  if (!xref || !container || objects.some(({ generation }) => generation !== 0)) return undefined;
  if (!xref.isXref) return undefined;
  const trailer = dictionaryOf(file, xref);
  if (trailer.keys.includes("Encrypt")) return undefined;
  const packed = new Map<number, Uint8Array>();
  for (const object of objects) {
    if (!object.stream) packed.set(object.number, trimmed(file.subarray(object.head.start, object.head.end)));
  }
  for (const object of containers) {
    const unpacked = await unpack(work, file, object);
    if (!unpacked) return undefined;
    for (const [number, body] of unpacked) packed.set(number, body);
  }
  const rows = new Map<number, readonly [number, number, number]>();
  const pieces: Uint8Array[] = [bytesOf(`%PDF-${(version / 10).toFixed(1)}\n${BINARY}`)];
  let at = pieces[0]?.length ?? 0;
  const add = (number: number, ...parts: readonly Uint8Array[]): void => {
    rows.set(number, [1, at, 0]);
    pieces.push(...parts);
    at += parts.reduce((sum, part) => sum + part.length, 0);
  };
  const end = bytesOf("\nendstream\nendobj\n");
  for (const object of streams) {
    if (!object.stream || containers.includes(object)) continue;
    const head = trimmed(file.subarray(object.head.start, object.head.end));
    const data = file.subarray(object.stream.start, object.stream.end);
    add(object.number, bytesOf(`${object.number} 0 obj\n`), head, bytesOf("\n"), data, end);
  }
  let directory = "";
  let offset = 0;
  for (const [index, [number, body]] of [...packed].entries()) {
    rows.set(number, [2, container.number, index]);
    directory += `${index === 0 ? "" : " "}${number} ${offset}`;
    offset += body.length + 1;
  }
  const space = bytesOf(" ");
  const body = concat([bytesOf(directory), ...[...packed.values()].flatMap((object) => [space, object])]);
  const data = await deflate(body);
  const entries = `/Type/ObjStm/N ${packed.size}/First ${directory.length + 1}/Length ${data.length}/Filter/FlateDecode`;
  add(container.number, bytesOf(`${container.number} 0 obj\n<<${entries}>>stream\n`), data, end);
  const place = at;
  rows.set(xref.number, [1, place, 0]);
  add(xref.number, await references(file, xref, trailer, rows), bytesOf(`startxref\n${place}\n%%EOF\n`));
  return concat(pieces);
}

function trimmed(bytes: Uint8Array): Uint8Array {
  let [start, end] = [0, bytes.length];
  while (start < end && isWhite(bytes[start])) start++;
  while (end > start && isWhite(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}

/** Objects of an object stream by number (7.5.7). */
async function unpack(
  work: Work,
  file: Uint8Array,
  object: WrittenObject,
): Promise<[number, Uint8Array][] | undefined> {
  const { stream } = object;
  const dictionary = dictionaryOf(file, object);
  const data = await inflateWhole(work, file.subarray(stream?.start, stream?.end), MOST_OBJECT_BYTES);
  if (!data) return undefined;
  const [first, count, filter] = ["First", "N", "Filter"].map((key) => dictionary.get(key));
  const unexpected = (): Error => new Error("the written object stream is not as expected");
  const isFlate = filter instanceof Name && filter.value === "FlateDecode";
  if (typeof first !== "number" || typeof count !== "number" || !isFlate) throw unexpected();
  const next = tokens(data.subarray(0, first), 0);
  const numbers: number[] = [];
  while (next.next() === "integer") numbers.push(Number(next.text()));
  if (next.kind !== undefined || numbers.length !== count * 2) throw unexpected();
  return Array.from({ length: count }, (_, index) => {
    const [from = 0, to = data.length - first] = [numbers[index * 2 + 1], numbers[index * 2 + 3]];
    return [numbers[index * 2] ?? 0, trimmed(data.subarray(first + from, first + to))];
  });
}

/** Builds the cross-reference stream (7.5.8). */
async function references(
  file: Uint8Array,
  xref: WrittenObject,
  trailer: Dictionary,
  rows: ReadonlyMap<number, readonly [number, number, number]>,
): Promise<Uint8Array> {
  const size = xref.number + 1;
  const all = Array.from({ length: size }, (_, number) => rows.get(number) ?? [0, 0, number === 0 ? 65_535 : 0]);
  const used = all.filter(([type]) => type > 0);
  const bytesFor = (index: 1 | 2): number =>
    Math.ceil(Math.log2(Math.max(...used.map((row) => row[index])) + 1) / 8) || 1;
  const widths = [1, bytesFor(1), bytesFor(2)];
  const table = all.flatMap((row) =>
    row.flatMap((value, field) => {
      const width = widths[field] ?? 1;
      return Array.from({ length: width }, (_, index) => (value >> (8 * (width - 1 - index))) & 255);
    }),
  );
  const plain = Uint8Array.from(table);
  const deflated = await deflate(plain);
  const isWorth = deflated.length + "/Filter/FlateDecode".length < plain.length;
  const data = isWorth ? deflated : plain;
  const [begin, last] = [xref.strings[0], xref.strings.at(-1)];
  const id = begin && last ? `/ID[${latin1(file.subarray(begin.start, last.end))}]` : "";
  const entries = `/Type/XRef/Size ${size}/W[${widths.join(" ")}]${keptIn(trailer)}${id}/Length ${data.length}`;
  return concat([
    bytesOf(`${xref.number} 0 obj\n<<${entries}${isWorth ? "/Filter/FlateDecode" : ""}>>stream\n`),
    data,
    bytesOf("\nendstream\nendobj\n"),
  ]);
}
