/** The written bytes of a file: header, trailers, cross-references, and the bytes around each object and stream (ISO 32000-1, 7.3 and 7.5). */
import { find } from "../../../../bytes/find.ts";
import { latin1 } from "../../../../bytes/latin1.ts";
import type { Work } from "../../../work.ts";
import { ParseMeter } from "../../../parse-meter.ts";
import { CR, isDigit, isHexadecimal, isWhite, LF, PERCENT } from "../../syntax/characters.ts";
import { Dictionary, Malformed, parseObject, StringSpan, type Value } from "../../syntax/objects.ts";
import { Tokens } from "../../syntax/tokens.ts";
import { PlainDictionary } from "../../objects/plain-values.ts";
import type { ModelDocument } from "./document.ts";
import type { Check } from "./check.ts";
import type { FileFacts } from "./elements.ts";

/** Fuel for each byte whose tokens are read. */
const BYTE_WORK = 3;
/** Cross-reference sections that are looked at. */
const MOST_SECTIONS = 10_000;
const [SPACE, TWICE] = [0x20, 2];
/** Digits of numbers that no rule is about. */
const SHORT = 5;
/** Bytes of the header line that are looked at. */
const LONGEST_HEADER = 64;
/** Bytes before a header. */
const MOST_BEFORE = 1024;
/** The objects at the start of a linearized file that are read for its first trailer. */
const FIRST_OBJECTS = 4;

/** White space and digits that are skipped at once: more is as wrong, and many places may lead to the same. */
const MOST_SKIPPED = 64;
/** Bytes for a unit of fuel where a keyword is searched. */
const SEARCHED = 4;

/** Where bytes of a kind end, from a place on. */
function skip(bytes: Uint8Array, from: number, isKind: (byte: number | undefined) => boolean): number {
  const most = Math.min(bytes.length, from + MOST_SKIPPED);
  let at = from;
  while (at < most && isKind(bytes[at])) at++;
  return at;
}

const isSpace = (byte: number | undefined): boolean => byte === SPACE;

const WORD = "endstream";

/** Finds `endstream` after any place of the file. */
class StreamEnds {
  readonly #bytes: Uint8Array;
  readonly #work: Work;
  /** The start and the result of the last search. */
  #from = 0;
  #found = -1;

  constructor(bytes: Uint8Array, work: Work) {
    this.#bytes = bytes;
    this.#work = work;
  }

  /** Returns the length of the file if it has none. */
  after(start: number): number {
    if (start >= this.#from && start <= this.#found) return this.#found;
    // No part is searched twice.
    const isBefore = start < this.#from;
    const searched = isBefore ? this.#bytes.subarray(0, this.#from + WORD.length - 1) : this.#bytes;
    const found = find(searched, WORD, start);
    const end = found >= 0 ? found : isBefore ? this.#found : this.#bytes.length;
    this.#work.spend(Math.ceil((Math.min(end, searched.length) - start) / SEARCHED));
    [this.#from, this.#found] = [start, end];
    return end;
  }
}

const isLineEnd = (byte: number | undefined): boolean => byte === CR || byte === LF;

/** Reads what the file has besides its objects. */
export async function readFile(document: ModelDocument, bytes: Uint8Array, work: Work): Promise<FileFacts> {
  const meter = new ParseMeter(work, "syntax");
  const headerIsFirst = latin1(bytes.subarray(0, 5)) === "%PDF-";
  // Readers find a header behind other bytes, too.
  const begin = headerIsFirst ? 0 : Math.max(0, find(bytes.subarray(0, MOST_BEFORE), "%PDF-", 0));
  const lineEnd = begin + bytes.subarray(begin, begin + LONGEST_HEADER).findIndex(isLineEnd);
  const at = bytes[lineEnd] === CR && bytes[lineEnd + 1] === LF ? lineEnd + TWICE : lineEnd + 1;
  const after = bytes.subarray(at + 1, at + 5);
  const sections = await readSections(bytes, document.open.engine.headerOf(document.open.document), meter);
  const first = await firstTrailer(bytes, meter);
  const { trailer } = document;
  const lastId = idOf(document.items(trailer, "ID").map((item) => document.text(item)));
  return {
    headerIsFirst,
    header: headerIsFirst && lineEnd > 0 ? latin1(bytes.subarray(0, lineEnd)) : "",
    hasBinaryComment: lineEnd > 0 && bytes[at] === PERCENT && after.length === 4 && after.every((byte) => byte > 127),
    firstId: first?.id,
    lastId,
    isLinearized: first !== undefined,
    bytesAfterEnd: bytesAfterEnd(bytes, meter),
    hasXrefStream: sections.hasStream,
    tablesAreSound: sections.areSound,
    objectCount: document.objects.size,
    isEncrypted: document.has(trailer, "Encrypt"),
  };
}

const idOf = (parts: readonly (string | undefined)[]): string | undefined =>
  parts.length > 0 ? parts.map((part) => part ?? "").join("/") : undefined;

function bytesAfterEnd(bytes: Uint8Array, meter: ParseMeter): number {
  const marker = "%%EOF";
  const last = marker.charCodeAt(marker.length - 1);
  let at = bytes.length;
  while (at >= marker.length && !(bytes[at - 1] === last && isAt(bytes, at - marker.length, marker))) at--;
  meter.bytes(bytes.length - at);
  if (at < marker.length) return bytes.length;
  if (bytes[at] === CR && bytes[at + 1] === LF) return bytes.length - at - TWICE;
  return bytes.length - at - (isLineEnd(bytes[at]) ? 1 : 0);
}

interface Sections {
  readonly hasStream: boolean;
  readonly areSound: boolean;
}

/** Follows the cross-references from the newest to the oldest. */
async function readSections(bytes: Uint8Array, header: number, meter: ParseMeter): Promise<Sections> {
  let [hasStream, areSound] = [false, true];
  let next = startXref(bytes);
  const seen = new Set<number>();
  while (next !== undefined && !seen.has(next) && seen.size < MOST_SECTIONS) {
    seen.add(next);
    await meter.pause();
    const tokens = new Tokens(bytes, { at: next + header, reading: "objects" });
    tokens.next();
    if (!tokens.isKeyword("xref")) {
      const isStream = tokens.kind === "number";
      hasStream ||= isStream;
      next = isStream ? await previousOf(bytes, tokens, meter) : undefined;
      continue;
    }
    const table = await readTable(bytes, tokens.end, meter);
    areSound &&= table.isSound;
    hasStream ||= table.hasStream;
    next = table.previous;
  }
  return { hasStream, areSound };
}

function startXref(bytes: Uint8Array): number | undefined {
  const tail = Math.max(0, bytes.length - 2048);
  let at = -1;
  for (let found = find(bytes, "startxref", tail); found >= 0; found = find(bytes, "startxref", found + 1)) at = found;
  return at < 0 ? undefined : integerAt(bytes, at + "startxref".length);
}

function integerAt(bytes: Uint8Array, from: number): number | undefined {
  const tokens = new Tokens(bytes, { at: from, reading: "objects" });
  const value = tokens.next() === "number" ? Number.parseInt(tokens.text(), 10) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** The offset of the section before a cross-reference stream, whose object number was read. */
async function previousOf(bytes: Uint8Array, tokens: Tokens, meter: ParseMeter): Promise<number | undefined> {
  tokens.next();
  tokens.next();
  const value = await parsed(bytes, tokens.end, meter);
  return value instanceof Dictionary ? offsetOf(value.get("Prev")) : undefined;
}

const offsetOf = (value: Value | undefined): number | undefined => (typeof value === "number" ? value : undefined);

/** The object at an offset; undefined if it cannot be read. */
async function parsed(bytes: Uint8Array, at: number, meter: ParseMeter): Promise<Value | undefined> {
  try {
    return (await parseObject(bytes, at, meter)).value;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** A table (7.5.4). `from`: after `xref`. */
async function readTable(
  bytes: Uint8Array,
  from: number,
  meter: ParseMeter,
): Promise<{ readonly isSound: boolean; readonly previous: number | undefined; readonly hasStream: boolean }> {
  let at = from;
  let isSound = true;
  /** Skips white space and returns its bytes. */
  const gap = (): string => {
    const start = at;
    at = skip(bytes, at, isWhite);
    return latin1(bytes.subarray(start, at));
  };
  const integer = (): number => {
    const start = at;
    at = skip(bytes, at, isDigit);
    return Number(latin1(bytes.subarray(start, at)));
  };
  isSound &&= /^(?:\r\n|\r|\n)$/.test(gap());
  while (isDigit(bytes[at])) {
    const begin = at;
    integer();
    isSound &&= gap() === " ";
    const count = integer();
    isSound &&= /^ ?(?:\r\n|\r|\n)$/.test(gap());
    at = Math.min(bytes.length, at + count * 20);
    for (const least = Math.max(0, at - MOST_SKIPPED); at > least && isDigit(bytes[at - 1]);) at--;
    gap();
    meter.element();
    await meter.pause();
    // The section has no entries that could be counted.
    if (at <= begin) break;
  }
  const tokens = new Tokens(bytes, { at, reading: "objects" });
  tokens.next();
  if (!tokens.isKeyword("trailer")) return { isSound, previous: undefined, hasStream: false };
  const trailer = await parsed(bytes, tokens.end, meter);
  if (!(trailer instanceof Dictionary)) return { isSound, previous: undefined, hasStream: false };
  return { isSound, previous: offsetOf(trailer.get("Prev")), hasStream: trailer.keys.includes("XRefStm") };
}

/** The first trailer of a linearized file (annex F.3.4); undefined if the file is not linearized. */
async function firstTrailer(
  bytes: Uint8Array,
  meter: ParseMeter,
): Promise<{ readonly id: string | undefined } | undefined> {
  let isLinearized = false;
  const tokens = new Tokens(bytes, { reading: "objects" });
  for (let count = 0; count < FIRST_OBJECTS;) {
    const kind = tokens.next();
    if (kind === undefined || tokens.start > 100_000) return undefined;
    if (tokens.isKeyword("obj")) {
      count += 1;
      const value = await parsed(bytes, tokens.end, meter);
      if (!(value instanceof Dictionary)) return undefined;
      const length = value.get("L");
      if (count === 1 && (!value.keys.includes("Linearized") || length !== bytes.length)) return undefined;
      isLinearized = true;
      if (count > 1) return value.keys.includes("W") ? { id: idIn(bytes, value) } : undefined;
    } else if (isLinearized && tokens.isKeyword("trailer")) {
      const value = await parsed(bytes, tokens.end, meter);
      return value instanceof Dictionary ? { id: idIn(bytes, value) } : undefined;
    }
  }
  return undefined;
}

function idIn(bytes: Uint8Array, trailer: Dictionary): string | undefined {
  const id = trailer.get("ID");
  if (!Array.isArray(id)) return undefined;
  const parts = id as readonly Value[];
  return idOf(parts.map((part) => (part instanceof StringSpan ? latin1(part.valueIn(bytes)) : undefined)));
}

/** Checks each object where the file has it. */
export async function checkWritten(
  document: ModelDocument,
  bytes: Uint8Array,
  work: Work,
  check: Check,
): Promise<void> {
  const header = document.open.engine.headerOf(document.open.document);
  const ends = new StreamEnds(bytes, work);
  for (const [number, { container, offset }] of document.entries) {
    await work.pause();
    if (container !== undefined) continue;
    const at = offset + header;
    const heading = headingAt(bytes, at, number);
    if (heading === undefined) continue;
    const place = { object: number };
    const body = await checkTokens(bytes, heading.end, work, check, number);
    let isSound = heading.isSound;
    let { end } = body;
    if (body.isStream) {
      const stream = streamFacts(document, { bytes, ends }, number, end);
      check("writtenStream", stream, place);
      end = stream.end;
      work.spend(20);
    }
    isSound &&= hasSoundEnd(bytes, end);
    check("writtenObject", { hasSoundSpacing: isSound }, place);
  }
}

/** The heading of an object: its number and generation, and `obj` (7.3.10). */
function headingAt(
  bytes: Uint8Array,
  from: number,
  number: number,
): { readonly end: number; readonly isSound: boolean } | undefined {
  const at = skip(bytes, from, isWhite);
  let isSound = at === 0 || isLineEnd(bytes[at - 1]);
  const tokens = new Tokens(bytes, { at, reading: "objects" });
  if (tokens.next() !== "number" || Number(tokens.text()) !== number) return undefined;
  const first = tokens.end;
  tokens.next();
  isSound &&= tokens.start === first + 1 && bytes[first] === SPACE;
  const second = tokens.end;
  tokens.next();
  isSound &&= tokens.start === second + 1 && bytes[second] === SPACE;
  const word = latin1(bytes.subarray(tokens.start, tokens.start + 3));
  if (word !== "obj") return undefined;
  const end = tokens.start + 3;
  return { end, isSound: isSound && isLineEnd(bytes[end]) };
}

/** Whether `endobj` has a line end before and after it. `from`: where the object, or its stream, ends. */
function hasSoundEnd(bytes: Uint8Array, from: number): boolean {
  const at = skip(bytes, from, isWhite);
  if (latin1(bytes.subarray(at, at + 6)) !== "endobj") return false;
  const after = bytes[at + 6];
  return isLineEnd(bytes[at - 1]) && (after === undefined || isLineEnd(after));
}

/** Reads the tokens of an object up to `endobj` or `stream`. */
async function checkTokens(
  bytes: Uint8Array,
  from: number,
  work: Work,
  check: Check,
  object: number,
): Promise<{ readonly end: number; readonly isStream: boolean }> {
  const tokens = new Tokens(bytes, { at: from, reading: "objects" });
  let charged = from;
  for (let count = 1; ; count++) {
    const kind = tokens.next();
    if (count % 4096 === 0 || kind === undefined) {
      work.spend((tokens.end - charged) * BYTE_WORK);
      charged = tokens.end;
      await work.pause();
    }
    if (kind === undefined) return { end: tokens.end, isStream: false };
    if (kind === "word") {
      const isStream = tokens.isKeyword("stream");
      // `endobj` may have no delimiter after it.
      const isEnd = isStream || latin1(bytes.subarray(tokens.start, tokens.start + 6)) === "endobj";
      if (!isEnd) continue;
      work.spend((tokens.end - charged) * BYTE_WORK);
      return { end: isStream ? tokens.end : tokens.start, isStream };
    }
    checkToken(bytes, tokens, check, object);
  }
}

/** Checks strings in hexadecimal, and numbers. */
export function checkToken(bytes: Uint8Array, tokens: Tokens, check: Check, object: number, page?: number): void {
  const { kind, start, end } = tokens;
  if (kind === "hex") {
    let [digits, isClean] = [0, true];
    for (let at = start + 1; at < end - 1; at++) {
      if (isWhite(bytes[at])) continue;
      digits += 1;
      isClean &&= isHexadecimal(bytes[at]);
    }
    check("hexString", { digits, isClean }, { object, page });
  } else if (kind === "number" && end - start > SHORT) {
    const text = tokens.text();
    const value = Number(text);
    if (Number.isFinite(value)) check("writtenNumber", { value, isReal: text.includes(".") }, { object, page });
  }
}

/** The data of a stream and its keywords (7.3.8). `from`: after `stream`. */
function streamFacts(
  document: ModelDocument,
  { bytes, ends }: { readonly bytes: Uint8Array; readonly ends: StreamEnds },
  number: number,
  from: number,
): { readonly lengthIsRight: boolean; readonly keywordsAreSound: boolean; readonly end: number } {
  const beginsSoundly = bytes[from] === LF || (bytes[from] === CR && bytes[from + 1] === LF);
  let start = from;
  if (!beginsSoundly) start = skip(bytes, start, isSpace);
  if (bytes[start] === CR) start++;
  if (bytes[start] === LF) start++;
  const dictionary = document.objects.get(number);
  const length = dictionary instanceof PlainDictionary ? (document.number(dictionary, "Length") ?? -1) : -1;
  const declared = start + length;
  let keyword = skip(bytes, declared, isWhite);
  const isThere = length >= 0 && isAt(bytes, keyword, "endstream");
  if (!isThere) keyword = ends.after(start);
  const endsSoundly = isLineEnd(bytes[keyword - 1]);
  // A carriage return before the line feed may belong to the data.
  const isPair = bytes[keyword - TWICE] === CR && bytes[keyword - 1] === LF;
  const gap = keyword - declared;
  return {
    lengthIsRight: isThere && (endsSoundly ? gap === 1 || (isPair && gap === TWICE) : gap === 0),
    keywordsAreSound: beginsSoundly && endsSoundly,
    end: Math.min(bytes.length, keyword + "endstream".length),
  };
}

const isAt = (bytes: Uint8Array, at: number, word: string): boolean =>
  latin1(bytes.subarray(at, at + word.length)) === word;
