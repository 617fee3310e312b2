/**
 * Rewrites small files from MuPDF with less overhead: MuPDF leaves the catalog and the Info dictionary out of object
 * streams, and its cross-references use wide fields.
 */
import { inflateWhole } from "../../bytes/inflate.ts";
import type { Work } from "../../work.ts";
import { concat } from "../../bytes/concat.ts";
import { deflate } from "../../bytes/deflate.ts";
import { latin1, bytesOf } from "../../bytes/latin1.ts";
import { type WrittenObject, writtenObjects } from "../objects/written-objects.ts";

/** Largest file in bytes that is worth rewriting. */
export const SMALL_FILE = 256 * 1024;
/** Largest object stream in bytes. With more, the file is not small, however well it is compressed. */
const MOST_OBJECT_BYTES = 8 * 1024 * 1024;

/** Header, followed by bytes that mark the file as binary (ISO 32000-2, 7.5.2). */
const HEADER = /^%PDF-1\.[5-9]\n|^%PDF-2\.0\n/;
const BINARY = "%\u00b5\u00b6\u00b5\u00b6\n";

/** The file in fewer bytes. Undefined if it is encrypted or has no or very large object streams. */
export async function packSmall(work: Work, file: Uint8Array): Promise<Uint8Array | undefined> {
  const start = latin1(file.subarray(0, 1024));
  const [header] = HEADER.exec(start) ?? [];
  const first = start.search(/\d+ 0 obj/);
  if (header === undefined || first < 0) return undefined;
  const objects = [...writtenObjects(file, first)];
  const xref = objects.at(-1);
  const streams = objects.filter((object) => object.stream && !object.isXref);
  const containers = streams.filter((object) => isObjectStream(file, object));
  const [container] = containers;
  if (!xref || !container || objects.some(({ generation }) => generation !== 0)) return undefined;
  const trailer = latin1(file.subarray(xref.head.start, xref.head.end));
  if (trailer.includes("/Encrypt")) return undefined;
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
  const pieces: Uint8Array[] = [bytesOf(header + BINARY)];
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

const isObjectStream = (file: Uint8Array, { head }: WrittenObject): boolean =>
  /\/Type\s*\/ObjStm\b/.test(latin1(file.subarray(head.start, head.end)));

const isSpace = (byte: number | undefined): boolean => byte === 10 || byte === 13 || byte === 32;

function trimmed(bytes: Uint8Array): Uint8Array {
  let [start, end] = [0, bytes.length];
  while (start < end && isSpace(bytes[start])) start++;
  while (end > start && isSpace(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}

/** Objects of an object stream by number (7.5.7). */
async function unpack(
  work: Work,
  file: Uint8Array,
  { head, stream }: WrittenObject,
): Promise<[number, Uint8Array][] | undefined> {
  const text = latin1(file.subarray(head.start, head.end));
  const data = await inflateWhole(work, file.subarray(stream?.start, stream?.end), MOST_OBJECT_BYTES);
  if (!data) return undefined;
  const first = Number(/\/First (\d+)/.exec(text)?.[1]);
  const count = Number(/\/N (\d+)/.exec(text)?.[1]);
  const numbers = latin1(data.subarray(0, first)).trim().split(/\s+/).map(Number);
  if (!/\/Filter\s*\/FlateDecode/.test(text) || numbers.length !== count * 2 || numbers.some(Number.isNaN)) {
    throw new Error("the written object stream is not as expected");
  }
  return Array.from({ length: count }, (_, index) => {
    const [from = 0, to = data.length - first] = [numbers[index * 2 + 1], numbers[index * 2 + 3]];
    return [numbers[index * 2] ?? 0, trimmed(data.subarray(first + from, first + to))];
  });
}

/** Builds the cross-reference stream (7.5.8). */
async function references(
  file: Uint8Array,
  xref: WrittenObject,
  trailer: string,
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
  const [root, info] = ["Root", "Info"].map((key) => new RegExp(`/${key} \\d+ 0 R`).exec(trailer)?.[0] ?? "");
  const [begin, last] = [xref.strings[0], xref.strings.at(-1)];
  const id = begin && last ? `/ID[${latin1(file.subarray(begin.start, last.end))}]` : "";
  const entries = `/Type/XRef/Size ${size}/W[${widths.join(" ")}]${root}${info}${id}/Length ${data.length}`;
  return concat([
    bytesOf(`${xref.number} 0 obj\n<<${entries}${isWorth ? "/Filter/FlateDecode" : ""}>>stream\n`),
    data,
    bytesOf("\nendstream\nendobj\n"),
  ]);
}
