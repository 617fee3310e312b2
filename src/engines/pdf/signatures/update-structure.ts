/**
 * Whether an update keeps the rules of the file format (ISO 32000-2, 7.5.4 to 7.5.8). Readers disagree about files that break them: one takes the first of two entries for
 * an object, another the last, a third rebuilds the table. So what follows a signature must keep all rules, or nobody knows what a reader shows.
 */
import type { PDFObject } from "mupdf";
import { find } from "../../bytes/find.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { inflateWhole } from "../../bytes/inflate.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { unfilter, UNFILTER_WORK } from "../../image/png-rows.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { OpenPdf } from "../document/document.ts";
import type { FileEntry } from "../mupdf/file-entries.ts";
import { isNamed, items } from "../objects/objects.ts";
import { MOST_DICTIONARY, type Update } from "./updates.ts";

/** Bytes of a row of a table (7.5.4). */
const TABLE_ROW = 20;
/** Bytes of a number in a row of a stream. */
const MOST_WIDTH = 8;
/** Fuel per line of a predictor, in addition to its bytes. */
const LINE_WORK = 50;

/** A row of cross-references. */
type Row =
  | { readonly number: number; readonly type: "free" }
  | { readonly number: number; readonly type: "object"; readonly offset: number; readonly generation: number }
  | { readonly number: number; readonly type: "packed"; readonly container: number; readonly index: number };

/** A rule is broken. */
class Broken extends Error {}

/**
 * What is wrong with the structure of an update; undefined if nothing is.
 * @param before the revision before it
 * @param after the revision that it makes
 */
export async function problemOf(update: Update, before: OpenPdf, after: OpenPdf): Promise<string | undefined> {
  try {
    await checkUpdate(update, before, after);
    return undefined;
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}

async function checkUpdate(update: Update, before: OpenPdf, after: OpenPdf): Promise<void> {
  const { engine, document, input } = after;
  const { start, end, section } = update;
  const file = input.bytes;
  const header = engine.headerOf(document);
  const { rows, number: own } = await rowsOf(update, after);
  const known = engine.fileEntriesOf(before.document);
  const seen = new Set<number>();
  const places: { from: number; number: number; generation: number }[] = [];
  for (const row of rows) {
    await engine.work.pause();
    if (seen.has(row.number)) throw new Broken(`The cross-references have object ${row.number} twice.`);
    seen.add(row.number);
    if (row.type !== "object") continue;
    const { number, generation } = row;
    const from = row.offset + header;
    const old = known.get(number);
    const isOld = old?.container === undefined && old?.offset === row.offset && old.generation === generation;
    if (!isOld && number !== own) places.push({ from, number, generation });
  }
  places.sort((a, b) => a.from - b.from);
  let at = start;
  for (const [index, { from, number, generation }] of places.entries()) {
    const to = places[index + 1]?.from ?? section;
    if (from < at || to > section) throw new Broken(`Object ${number} is not where an update has its objects.`);
    if (!isSpace(file.view(at, from))) throw new Broken("Bytes of the update belong to no object.");
    if (!isOneObject(file.view(from, to), number, generation))
      throw new Broken(`The cross-references lead to something else than object ${number}.`);
    at = to;
  }
  if (!isSpace(file.view(at, section))) throw new Broken("Bytes of the update belong to no object.");
  if (own !== undefined && !isOneObject(file.view(section, endOfObject(file, section, end)), own, 0))
    throw new Broken("The cross-reference stream is no object.");
  checkPacked(rows, new Set(places.map(({ number }) => number)), known, after);
}

/** Where the object ends whose cross-reference stream is the last of an update. */
function endOfObject(file: EngineBytes, section: number, end: number): number {
  const tail = latin1(file.view(Math.max(section, end - 64), end));
  const marker = /startxref\s+\d+\s+%%EOF[\r\n]{0,2}$/.exec(tail)?.[0] ?? "";
  return end - marker.length;
}

/** Spaces and comments (7.2.3, 7.2.4), such as `%iText-7.1.5`, that no reader could take for an object or a table. */
const SPACE = String.raw`(?:[\0\t\n\f\r ]|%(?![^\r\n]*(?:obj|xref|stream|trailer))[^\r\n]*[\r\n])*`;
const isSpace = (bytes: Uint8Array): boolean => SPACES.test(latin1(bytes));
const SPACES = new RegExp(`^${SPACE}$`);
/** The end of an object that is a stream, and the rest of an update behind its table. */
const STREAM_END = new RegExp(String.raw`endstream\s+endobj${SPACE}$`);
const TRAILER = new RegExp(String.raw`^trailer\s*<<[^]*>>${SPACE}startxref\s+\d+\s+%%EOF[\r\n]{0,2}$`);
/** Bytes that are searched for the end of a stream. */
const TAIL = 1024;

/** Whether bytes are one object, and nothing but spaces behind it. */
function isOneObject(bytes: Uint8Array, number: number, generation: number): boolean {
  const head = /^(\d+)\s+(\d+)\s+obj(?![A-Za-z])/.exec(latin1(bytes.subarray(0, 64)));
  if (Number(head?.[1] ?? -1) !== number || Number(head?.[2]) !== generation) return false;
  const [end, stream] = [find(bytes, "endobj", 0), find(bytes, "stream", 0)];
  if (end < 0) return false;
  const isStream = stream >= 0 && stream < end;
  return isStream
    ? STREAM_END.test(latin1(bytes.subarray(Math.max(0, bytes.length - TAIL))))
    : isSpace(bytes.subarray(end + "endobj".length));
}

/** The rows of an update, and the number of the stream that has them, if it is one. */
async function rowsOf({ section, end }: Update, after: OpenPdf): Promise<{ rows: Row[]; number?: number }> {
  const text = latin1(after.input.bytes.view(section, end));
  if (text.startsWith("xref"))
    return { rows: await rowsInTable(text, new ParseMeter(after.engine.work, "references")) };
  const number = Number(/^(\d+)\s+0\s+obj(?![A-Za-z])/.exec(text.slice(0, 64))?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) throw new Broken("The update has no cross-references.");
  return { rows: await rowsInStream(number, section, after), number };
}

async function rowsInTable(text: string, meter: ParseMeter): Promise<Row[]> {
  const rows: Row[] = [];
  const malformed = (): Broken => new Broken("The cross-reference table is malformed.");
  const start = /^xref *(?:\r\n|\r|\n)/.exec(text);
  if (start === null) throw malformed();
  let at = start[0].length;
  const heading = /(\d{1,10}) (\d{1,10}) *(?:\r\n|\r|\n)/y;
  const entry = /(\d{10}) (\d{5}) ([nf])(?: \r| \n|\r\n)/y;
  for (;;) {
    heading.lastIndex = at;
    const found = heading.exec(text);
    if (found === null) break;
    at = heading.lastIndex;
    const count = Number(found[2]);
    if (count * TABLE_ROW > text.length - at) throw malformed();
    meter.expect(count);
    meter.bytes(found[0].length + count * TABLE_ROW);
    for (let index = 0; index < count; index++) {
      meter.element();
      await meter.pause();
      entry.lastIndex = at;
      const [, offset, generation, type] = entry.exec(text) ?? [];
      if (type === undefined) throw malformed();
      at = entry.lastIndex;
      const number = Number(found[1]) + index;
      rows.push(
        type === "f"
          ? { number, type: "free" }
          : { number, type: "object", offset: Number(offset), generation: Number(generation) },
      );
    }
  }
  if (!TRAILER.test(text.slice(at))) throw malformed();
  return rows;
}

const malformedStream = (): Broken => new Broken("The cross-reference stream is malformed.");

interface StreamFacts {
  readonly widths: readonly number[];
  readonly index: readonly number[];
  /** Rows that `index` counts, and bytes of all of them. */
  readonly rows: number;
  readonly bytes: number;
  readonly length: number;
  readonly isDeflated: boolean;
  /** Bytes of a row, if a PNG predictor was used. */
  readonly columns: number | undefined;
}

function factsOf(number: number, { engine, document }: OpenPdf): StreamFacts {
  return engine.scope(() => {
    const stream = document.newIndirect(number);
    if (!stream.isStream() || !isNamed(stream.get("Type"), "XRef")) throw malformedStream();
    const numberOf = (value: PDFObject): number =>
      value.isNumber() ? Number(value.resolve().toString(true, true)) : Number.NaN;
    const single = (value: PDFObject): PDFObject => (value.isArray() && value.length === 1 ? value.get(0) : value);
    const widths = items(stream.get("W")).map(numberOf);
    const size = numberOf(stream.get("Size"));
    const index = stream.get("Index").isNull() ? [0, size] : items(stream.get("Index")).map(numberOf);
    const rows = index.reduce((sum, value, at) => (at % 2 === 1 ? sum + value : sum), 0);
    const [filter, parameters] = [single(stream.get("Filter")), single(stream.get("DecodeParms"))];
    const predictor = parameters.get("Predictor").isNull() ? 1 : numberOf(parameters.get("Predictor"));
    const isKnown = (filter.isNull() || isNamed(filter, "FlateDecode")) && (predictor === 1 || predictor >= 10);
    const length = numberOf(stream.get("Length"));
    // Type and generation have defaults, so that their widths may be 0 (table 17).
    const isRow = widths.length === 3 && (widths[1] ?? 0) > 0 && widths.every((one) => one <= MOST_WIDTH);
    const isWhole = [...widths, ...index, length].every((one) => Number.isInteger(one) && one >= 0);
    if (!isKnown || !isRow || !isWhole || index.length % 2 !== 0 || !(rows <= size)) throw malformedStream();
    const bytes = rows * widths.reduce((sum, width) => sum + width, 0);
    const columns = predictor === 1 ? undefined : numberOf(parameters.get("Columns"));
    return { widths, index, rows, bytes, length, isDeflated: !filter.isNull(), columns };
  });
}

/** The data of a cross-reference stream as the file has them: they are never encrypted (7.5.8.2). */
async function dataOf(section: number, { engine, input }: OpenPdf, facts: StreamFacts): Promise<Uint8Array> {
  const file = input.bytes;
  const head = latin1(file.view(section, Math.min(file.length, section + MOST_DICTIONARY)));
  const start = /stream(?:\r\n|\n)/.exec(head);
  if (start === null) throw malformedStream();
  const from = section + start.index + start[0].length;
  const { bytes, columns } = facts;
  if (columns !== undefined && !(columns > 0 && bytes % columns === 0)) throw malformedStream();
  const lines = columns === undefined ? 0 : bytes / columns;
  const raw = file.view(from, Math.min(file.length, from + facts.length)).slice();
  const data = facts.isDeflated ? await inflateWhole(engine.work, raw, bytes + lines) : raw;
  if (data?.length !== bytes + lines) throw malformedStream();
  if (columns === undefined) return data;
  const plain = new Uint8Array(bytes);
  for (let line = 0; line < lines; line++) {
    engine.work.spend(columns * UNFILTER_WORK + LINE_WORK);
    await engine.work.pause();
    const [at, to] = [line * (columns + 1), line * columns];
    const above = line === 0 ? new Uint8Array(columns) : plain.subarray(to - columns, to);
    unfilter(data.subarray(at, at + columns + 1), above, plain.subarray(to, to + columns), 1);
  }
  return plain;
}

async function rowsInStream(number: number, section: number, after: OpenPdf): Promise<Row[]> {
  const facts = factsOf(number, after);
  const meter = new ParseMeter(after.engine.work, "references");
  meter.expect(facts.rows);
  meter.bytes(facts.bytes);
  const bytes = await dataOf(section, after, facts);
  let at = 0;
  const field = (width: number): number => {
    let value = 0;
    for (const byte of bytes.subarray(at, at + width)) value = value * 256 + byte;
    at += width;
    return value;
  };
  const rows: Row[] = [];
  const { widths, index } = facts;
  const [first = 0, second = 0, third = 0] = widths;
  for (let pair = 0; pair < index.length; pair += 2) {
    for (let count = 0; count < (index[pair + 1] ?? 0); count++) {
      meter.element();
      await meter.pause();
      const [type, a, b] = [first === 0 ? 1 : field(first), field(second), field(third)];
      const row = { number: (index[pair] ?? 0) + count };
      if (type === 0) rows.push({ ...row, type: "free" });
      else if (type === 1) rows.push({ ...row, type: "object", offset: a, generation: b });
      else if (type === 2) rows.push({ ...row, type: "packed", container: a, index: b });
      else throw malformedStream();
    }
  }
  return rows;
}

/** Object streams have exactly the objects that the cross-references find in them (7.5.7). */
function checkPacked(
  rows: readonly Row[],
  written: ReadonlySet<number>,
  known: ReadonlyMap<number, FileEntry>,
  after: OpenPdf,
): void {
  const { engine, document } = after;
  const packed = new Map<number, Map<number, number>>();
  for (const row of rows) {
    if (row.type !== "packed") continue;
    const old = known.get(row.number);
    if (old?.container === row.container && old.offset === row.index) continue;
    if (!written.has(row.container))
      throw new Broken(`Object ${row.number} is in an object stream of another revision.`);
    const held = packed.get(row.container) ?? new Map<number, number>();
    packed.set(row.container, held.set(row.index, row.number));
  }
  for (const number of written) {
    engine.scope(() => {
      const stream = document.newIndirect(number);
      if (!isNamed(stream.get("Type"), "ObjStm")) return;
      const held = packed.get(number) ?? new Map<number, number>();
      const count = stream.get("N").isNumber() ? stream.get("N").asNumber() : -1;
      const buffer = stream.readStream();
      const bytes = buffer.asUint8Array();
      const end = stream.get("First").isNumber() ? stream.get("First").asNumber() : 0;
      const words = latin1(bytes.subarray(0, end)).trim().split(/\s+/).map(Number);
      engine.countDecoded(bytes.length);
      buffer.destroy();
      const isSound =
        held.size === count &&
        words.length === 2 * count &&
        words.every((word, at) => at % 2 === 1 || held.get(at / 2) === word);
      if (!isSound) throw new Broken(`Object stream ${number} has other objects than the cross-references say.`);
    });
  }
}
