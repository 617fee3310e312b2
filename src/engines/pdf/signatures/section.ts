/**
 * The cross-references of an update (ISO 32000-2, 7.5.4, 7.5.5, and 7.5.8), byte by byte. Readers disagree about those that break a rule: one takes
 * the first of two entries for an object, another the last, a third rebuilds the table. So each byte from the first of the section to the end of
 * the update must be explained here.
 */
import { inflateWhole } from "../../flate/inflate.ts";
import { find } from "../../../bytes/find.ts";
import { HIGHEST_FILTER, unfilter, UNFILTER_WORK } from "../../image/png-rows.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import {
  Dictionary,
  Malformed,
  MOST_GENERATION,
  MOST_NUMBER,
  Name,
  parseObject,
  type Value,
} from "../syntax/objects.ts";
import { CR, isDigit, isWhite, LF, PERCENT } from "../syntax/characters.ts";
import { tokens } from "../syntax/tokens.ts";
import { endMarkerAt } from "./end-marker.ts";

/** A rule is broken. */
export class Broken extends Error {}

/** An object of the update that is at an offset, in bytes from the header. */
export interface PlainRow {
  readonly number: number;
  readonly generation: number;
  readonly offset: number;
}

export interface Section {
  /** The objects that are on their own. */
  readonly plain: readonly PlainRow[];
  /** The numbers of the objects in object streams, by the number of the stream and their index in it. */
  readonly packed: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** The number of the cross-reference stream; undefined for a table. */
  readonly own: number | undefined;
  readonly size: number;
  /** Where the cross-references before it are, in bytes from the header. */
  readonly previous: number;
  /** Where they begin, and where the update ends, in bytes from the start of the file. */
  readonly start: number;
  readonly end: number;
}

/** Bytes of a cross-reference stream, and objects of an update. */
const MOST_ROWS = 8 * 1024 * 1024;
const MOST_OBJECTS = 500_000;
/** Bytes of a number in a cross-reference stream. */
const MOST_WIDTH = 8;
/** Rows between two pauses. */
const SLICE = 4_096;

/** Words in a comment that a reader which looks for them, and not for tokens, would find. */
const FALSE_WORDS = ["obj", "xref", "stream", "trailer", "%EOF"];
const [SPACE, ZERO] = [32, 48];

/** Where the white space and the comments end that begin at an offset, such as `%iText-7.1.5` between two objects. */
export function skipGap(bytes: Uint8Array, from: number, meter: ParseMeter): number {
  let at = from;
  while (at < bytes.length) {
    if (isWhite(bytes[at])) at += 1;
    else if (bytes[at] === PERCENT) {
      const start = at + 1;
      while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
      const comment = bytes.subarray(start, at);
      if (FALSE_WORDS.some((word) => find(comment, word, 0) >= 0)) throw new Broken("A comment looks like syntax.");
    } else break;
  }
  meter.bytes(at - from);
  return at;
}

/** An object, read from the bytes of an update. Its keys are unique at all depths. */
export async function soundObject(
  bytes: Uint8Array,
  at: number,
  meter: ParseMeter,
  what: string,
): Promise<{ value: Value; end: number }> {
  try {
    const { value, end, duplicateKey } = await parseObject(bytes, at, meter);
    if (duplicateKey !== undefined) throw new Broken(`${what} has the key \`${duplicateKey}\` twice.`);
    return { value, end };
  } catch (error) {
    if (error instanceof Malformed) throw new Broken(`${what} ${error.message}.`);
    throw error;
  }
}

/** Names of entries that some readers take in place of `Filter`, `DecodeParms`, or the data of a stream. */
const OTHER_DATA = ["F", "FFilter", "FDecodeParms", "DP"];

/**
 * The data of the stream behind a dictionary: as many bytes as `Length` gives, between `stream` and `endstream`.
 * @param at where the dictionary ends, or the keyword `stream` begins
 * @param end where the object ends
 */
export function streamAt(
  bytes: Uint8Array,
  at: number,
  dictionary: Dictionary,
  length: number,
  what: string,
): { readonly from: number; readonly to: number; readonly end: number } {
  if (dictionary.keys.some((key) => OTHER_DATA.includes(key)))
    throw new Broken(`${what} has data that are not in the file.`);
  const next = tokens(bytes, at);
  next.next();
  const isStream = next.isKeyword("stream") && !next.followsComment;
  const line = bytes[next.end] === CR ? next.end + 1 : next.end;
  if (!isStream || bytes[line] !== LF) throw new Broken(`${what} has no data.`);
  const from = line + 1;
  const to = from + length;
  if (!(length >= 0) || to > bytes.length) throw new Broken(`${what} has another \`Length\` than its data.`);
  const after = tokens(bytes, to);
  after.next();
  const isEnd = after.isKeyword("endstream") && !after.followsComment && isLineEnd(bytes.subarray(to, after.start));
  if (!isEnd) throw new Broken(`${what} has another \`Length\` than its data.`);
  return { from, to, end: endOfObject(bytes, after.end, what) };
}

/** One line end, or nothing. */
const isLineEnd = ([first, second, ...rest]: Uint8Array): boolean =>
  rest.length === 0 &&
  (second === undefined ? first === undefined || first === LF || first === CR : first === CR && second === LF);

/** Where the `endobj` ends that follows. */
export function endOfObject(bytes: Uint8Array, at: number, what: string): number {
  const next = tokens(bytes, at);
  next.next();
  if (!next.isKeyword("endobj") || next.followsComment) throw new Broken(`${what} has no end.`);
  return next.end;
}

/** Where the value of an object begins that is at an offset: behind `obj`. */
export function valueAt(bytes: Uint8Array, from: number, number: number, generation: number): number {
  const next = tokens(bytes, from);
  const isInteger = (expected: number): boolean =>
    next.next() === "integer" && isDigit(bytes[next.start]) && !next.followsComment && Number(next.text()) === expected;
  const isObject = isInteger(number) && next.start === from && isInteger(generation) && next.next() === "word";
  if (!isObject || next.followsComment || !next.isKeyword("obj"))
    throw new Broken(`The cross-references lead to something else than object ${number}.`);
  return next.end;
}

/** Collects rows, each object once. */
class Rows {
  readonly plain: PlainRow[] = [];
  readonly packed = new Map<number, Map<number, number>>();
  /** The largest number. */
  last = 0;
  readonly #seen = new Uint8Array((MOST_NUMBER + 1) / 8);
  readonly #offsets = new Set<number>();
  readonly #least: number;
  #count = 0;

  /** @param least where the first object of an update may be, in bytes from the header */
  constructor(least: number) {
    this.#least = least;
  }

  add(number: number, type: number, second: number, third: number): void {
    if (number > MOST_NUMBER)
      throw new Broken(`The cross-references have object ${number}, which is beyond all limits.`);
    const [at, bit] = [number >> 3, 1 << (number & 7)];
    const byte = this.#seen[at] ?? 0;
    if ((byte & bit) !== 0) throw new Broken(`The cross-references have object ${number} twice.`);
    this.#seen[at] = byte | bit;
    this.last = Math.max(this.last, number);
    if (type === 0) return;
    this.#count += 1;
    if (this.#count > MOST_OBJECTS) throw new Broken(`The update has more than ${MOST_OBJECTS} objects.`);
    if (number === 0) throw new Broken("The cross-references have object 0, which is always free.");
    if (type === 1) this.#addPlain({ number, offset: second, generation: third });
    else this.#addPacked(number, second, third);
  }

  #addPlain(row: PlainRow): void {
    const isInUpdate = row.offset >= this.#least && row.generation <= MOST_GENERATION && !this.#offsets.has(row.offset);
    if (!isInUpdate) throw new Broken(`Object ${row.number} is not where an update has its objects.`);
    this.#offsets.add(row.offset);
    this.plain.push(row);
  }

  #addPacked(number: number, container: number, index: number): void {
    const held = this.packed.get(container) ?? new Map<number, number>();
    if (container === 0 || container > MOST_NUMBER || held.has(index))
      throw new Broken(`The cross-references have object ${number} where another is.`);
    this.packed.set(container, held.set(index, number));
  }
}

/** Where to look. All offsets are in bytes from the start of the file. */
interface Place {
  readonly start: number;
  /** Where the signed revision ends, behind which all objects of updates are. */
  readonly revision: number;
  /** Where the file begins. */
  readonly header: number;
}

/**
 * Reads the cross-references at an offset, and all behind them up to the end of the update.
 * @param bytes the file up to the end of the update, or of a later one
 * @throws Broken; Refusal `limit_exceeded` (work)
 */
export async function readSection(bytes: Uint8Array, place: Place, work: Work): Promise<Section> {
  const meter = new ParseMeter(work, "syntax");
  const rows = new Rows(place.revision - place.header);
  const first = tokens(bytes, place.start);
  first.next();
  const isTable = first.isKeyword("xref") && first.start === place.start;
  const { dictionary, at, own } = isTable
    ? await readTable(bytes, first.end, rows, work)
    : await readStream(bytes, place.start, rows, work);
  const [size, previous] = [dictionary.get("Size"), dictionary.get("Prev")];
  if (typeof size !== "number" || size <= rows.last || size > MOST_NUMBER + 1)
    throw new Broken("The trailer has another `Size` than the cross-references.");
  if (typeof previous !== "number" || previous < 0)
    throw new Broken("The trailer does not name the cross-references before it.");
  if (dictionary.keys.includes("XRefStm")) throw new Broken("The update has other cross-references for old readers.");
  const marker = endMarkerAt(bytes, skipGap(bytes, at, meter));
  if (marker?.startXref !== place.start - place.header)
    throw new Broken("The update does not end with the place of its cross-references.");
  const { plain, packed } = rows;
  return { plain, packed, own, size, previous, start: place.start, end: marker.end };
}

interface Trailer {
  readonly dictionary: Dictionary;
  /** Where the trailer or the stream ends. */
  readonly at: number;
  readonly own: number | undefined;
}

const malformedTable = (): Broken => new Broken("The cross-reference table is malformed.");

/** A table (7.5.4): entries of exactly 20 bytes. */
async function readTable(bytes: Uint8Array, from: number, rows: Rows, work: Work): Promise<Trailer> {
  const meter = new ParseMeter(work, "references");
  let at = from;
  const lineEnd = (): void => {
    while (bytes[at] === SPACE) at += 1;
    if (bytes[at] === CR) at += bytes[at + 1] === LF ? 2 : 1;
    else if (bytes[at] === LF) at += 1;
    else throw malformedTable();
  };
  const integer = (least: number, most: number): number => {
    let value = 0;
    const start = at;
    for (; isDigit(bytes[at]); at++) value = value * 10 + (bytes[at] ?? 0) - ZERO;
    if (at - start < least || at - start > most) throw malformedTable();
    return value;
  };
  const space = (): void => {
    if (bytes[at++] !== SPACE) throw malformedTable();
  };
  lineEnd();
  if (!isDigit(bytes[at])) throw malformedTable();
  while (isDigit(bytes[at])) {
    const first = integer(1, 10);
    space();
    const count = integer(1, 10);
    lineEnd();
    if (count > (bytes.length - at) / 20) throw malformedTable();
    for (let index = 0; index < count; index++) {
      if (index % SLICE === 0) {
        const slice = Math.min(SLICE, count - index);
        meter.element(slice);
        meter.bytes(slice * 20);
        await meter.pause();
      }
      const offset = integer(10, 10);
      space();
      const generation = integer(5, 5);
      space();
      const letter = bytes[at++];
      const [one, two] = [bytes[at++], bytes[at++]];
      const isEnd = (one === SPACE && (two === CR || two === LF)) || (one === CR && two === LF);
      if (!isEnd || (letter !== 0x6e && letter !== 0x66)) throw malformedTable();
      rows.add(first + index, letter === 0x6e ? 1 : 0, offset, generation);
    }
  }
  const next = tokens(bytes, at);
  next.next();
  if (!next.isKeyword("trailer") || next.followsComment) throw malformedTable();
  const { value, end } = await soundObject(bytes, next.end, new ParseMeter(work, "syntax"), "The trailer");
  if (!(value instanceof Dictionary)) throw malformedTable();
  return { dictionary: value, at: end, own: undefined };
}

const malformedStream = (): Broken => new Broken("The cross-reference stream is malformed.");

async function readStream(bytes: Uint8Array, start: number, rows: Rows, work: Work): Promise<Trailer> {
  const what = "The cross-reference stream";
  const heading = tokens(bytes, start);
  if (heading.next() !== "integer" || heading.start !== start) throw new Broken("The update has no cross-references.");
  const own = Number(heading.text());
  const from = valueAt(bytes, start, own, 0);
  const { value, end } = await soundObject(bytes, from, new ParseMeter(work, "syntax"), what);
  if (!(value instanceof Dictionary) || !isName(value.get("Type"), "XRef")) throw malformedStream();
  const length = value.get("Length");
  if (typeof length !== "number") throw malformedStream();
  const data = streamAt(bytes, end, value, length, what);
  await readRows(bytes.subarray(data.from, data.to), value, rows, work);
  return { dictionary: value, at: data.end, own };
}

const isName = (value: Value | undefined, name: string): boolean => value instanceof Name && value.value === name;

/** The only value of an array, as filters may be written. */
const single = (value: Value | undefined): Value | undefined =>
  Array.isArray(value) && value.length === 1 ? (value[0] as Value) : value;

/** The numbers of an array of integers that are not negative. */
function integersIn(value: Value | undefined): readonly number[] {
  if (!Array.isArray(value)) throw malformedStream();
  return value.map((one: Value) => {
    if (typeof one !== "number" || one < 0) throw malformedStream();
    return one;
  });
}

/** Rows of a stream (7.5.8.3). They are counted before they are read: the declared number must fit `Size` and the data. */
async function readRows(raw: Uint8Array, dictionary: Dictionary, rows: Rows, work: Work): Promise<void> {
  const size = dictionary.get("Size");
  if (typeof size !== "number" || size < 1 || size > MOST_NUMBER + 1) throw malformedStream();
  const widths = integersIn(dictionary.get("W"));
  const index = dictionary.keys.includes("Index") ? integersIn(dictionary.get("Index")) : [0, size];
  const width = widths.reduce((sum, one) => sum + one, 0);
  let total = 0;
  for (let pair = 0; pair < index.length; pair += 2) {
    const [first = 0, count = 0] = [index[pair], index[pair + 1]];
    if (first + count > size) throw malformedStream();
    total += count;
  }
  const isSound = widths.length === 3 && widths.every((one) => one <= MOST_WIDTH) && index.length % 2 === 0;
  if (!isSound || width === 0 || total > size || total * width > MOST_ROWS) throw malformedStream();
  const bytes = await rowBytes(raw, dictionary, width, total, work);
  let at = 0;
  const field = (length: number): number => {
    let value = 0;
    for (const end = at + length; at < end; at++) value = value * 256 + (bytes[at] ?? 0);
    return value;
  };
  const [typeWidth = 0, secondWidth = 0, thirdWidth = 0] = widths;
  const meter = new ParseMeter(work, "references");
  for (let pair = 0; pair < index.length; pair += 2) {
    const [first = 0, count = 0] = [index[pair], index[pair + 1]];
    for (let row = 0; row < count; row++) {
      if (row % SLICE === 0) {
        meter.element(Math.min(SLICE, count - row));
        await meter.pause();
      }
      const type = typeWidth === 0 ? 1 : field(typeWidth);
      if (type > 2) throw malformedStream();
      rows.add(first + row, type, field(secondWidth), field(thirdWidth));
    }
  }
}

/** The data of a cross-reference stream, which are never encrypted (7.5.8.2): rows and nothing else. */
async function rowBytes(
  raw: Uint8Array,
  dictionary: Dictionary,
  width: number,
  total: number,
  work: Work,
): Promise<Uint8Array> {
  const [filter, parameters] = [
    single(dictionary.get("Filter")) ?? null,
    single(dictionary.get("DecodeParms")) ?? null,
  ];
  const isDeflated = isName(filter, "FlateDecode");
  const entries = parameters instanceof Dictionary ? parameters : undefined;
  const predictor = entries?.get("Predictor") ?? 1;
  const isPredicted = typeof predictor === "number" && predictor >= 10 && predictor <= 15;
  const isKnown = (isDeflated || (filter === null && !isPredicted)) && (entries || parameters === null);
  if (!isKnown || (predictor !== 1 && !isPredicted)) throw malformedStream();
  const others = entries?.keys.filter((key) => key !== "Predictor" && key !== "Columns") ?? [];
  if (others.length > 0 || (isPredicted && entries?.get("Columns") !== width)) throw malformedStream();
  const length = total * (isPredicted ? width + 1 : width);
  const data = isDeflated ? await inflateWhole(work, raw.slice(), length) : raw;
  if (data?.length !== length) throw malformedStream();
  if (!isPredicted) return data;
  const lines = new Uint8Array(total * width);
  let above = new Uint8Array(width);
  for (let row = 0; row < total; row++) {
    if (row % SLICE === 0) {
      work.spend(Math.min(SLICE, total - row) * width * UNFILTER_WORK);
      await work.pause();
    }
    const line = lines.subarray(row * width, (row + 1) * width);
    if ((data[row * (width + 1)] ?? 0) > HIGHEST_FILTER) throw malformedStream();
    unfilter(data.subarray(row * (width + 1), (row + 1) * (width + 1)), above, line, 1);
    above = line;
  }
  return lines;
}
