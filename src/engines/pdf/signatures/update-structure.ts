/**
 * Whether each byte of an update has one reading (ISO 32000-2, 7.3 and 7.5). An update consists of white space and comments, the objects at the
 * offsets of the cross-references, each once, and the cross-references. No dictionary has a key twice.
 * The revision before is not read with this grammar. A signature covers all of it, so an attacker who changes it breaks the signature. Files of old
 * writers that break a rule are not rejected for having been signed. But a malicious author could have a document with two readings signed, and
 * choose one with an update. So an object that an update replaces must have had one reading, too, and `HiddenReferences` finds the references that
 * only some readers follow.
 */
import { find } from "../../../bytes/find.ts";
import { inflateWhole } from "../../flate/inflate.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { OpenPdf } from "../document/document.ts";
import type { FileEntry } from "../mupdf/file-entries.ts";
import { objectNumber } from "../objects/objects.ts";
import { Dictionary, headingBefore, Name, Reference, type Value } from "../syntax/objects.ts";
import { isBlank, isDigit } from "../syntax/characters.ts";
import { tokens } from "../syntax/tokens.ts";
import { writtenIn } from "./written-references.ts";
import { Broken, endOfObject, type PlainRow, skipGap, soundObject, streamAt, valueAt } from "./section.ts";
import type { Update } from "./updates.ts";

/** Bytes of an object stream, decoded. */
/** Digits of a number in an object stream. */
const MOST_DIGITS = 10;
const MOST_MEMBERS = 32 * 1024 * 1024;

/**
 * The problem with the structure of an update. Undefined if there is none.
 * @param before the revision before it
 * @param after the revision that it makes
 */
export async function problemOf(update: Update, before: OpenPdf, after: OpenPdf): Promise<string | undefined> {
  try {
    await new UpdateReader(update, before, after).read();
    return undefined;
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}

/** The data of an object stream, and the facts of its dictionary. */
interface ObjectStream {
  readonly number: number;
  readonly dictionary: Dictionary;
}

class UpdateReader {
  readonly #update: Update;
  readonly #before: OpenPdf;
  readonly #after: OpenPdf;
  readonly #meter: ParseMeter;
  readonly #known: ReadonlyMap<number, FileEntry>;
  readonly #catalog: number;
  /** The generations of the objects in the update. */
  readonly #generations = new Map<number, number>();
  readonly #rows: readonly PlainRow[];
  readonly #rowOf: ReadonlyMap<number, PlainRow>;

  constructor(update: Update, before: OpenPdf, after: OpenPdf) {
    this.#update = update;
    this.#before = before;
    this.#after = after;
    this.#meter = new ParseMeter(after.engine.work, "syntax");
    this.#known = before.engine.fileEntriesOf(before.document);
    this.#catalog = after.engine.scope(() => objectNumber(after.document.getTrailer().get("Root")));
    const { plain, packed } = update.section;
    this.#rows = plain.toSorted((a, b) => a.offset - b.offset);
    this.#rowOf = new Map(plain.map((row) => [row.number, row]));
    for (const { number, generation } of plain) this.#generations.set(number, generation);
    for (const held of packed.values()) for (const number of held.values()) this.#generations.set(number, 0);
  }

  async read(): Promise<void> {
    const { start, section } = this.#update;
    this.#checkEntries();
    await this.#checkReplaced();
    const streams: ObjectStream[] = [];
    let at = start;
    for (const row of this.#rows) {
      if (row.number === section.own) continue;
      const from = row.offset;
      if (skipGap(this.#bytes(), at, this.#meter) !== from) throw this.#misplaced(at, from, row.number);
      const { dictionary, end } = await this.#readObject(row);
      if (dictionary && isName(dictionary.get("Type"), "ObjStm")) streams.push({ number: row.number, dictionary });
      at = end;
    }
    if (skipGap(this.#bytes(), at, this.#meter) !== section.start)
      throw new Broken("Bytes of the update belong to no object.");
    await this.#checkWords();
    for (const stream of streams) await this.#readMembers(stream);
    const held = new Set(streams.map(({ number }) => number));
    for (const number of section.packed.keys())
      if (!held.has(number)) throw new Broken(`Object ${number} is no object stream of the update.`);
  }

  /** The file up to the end of the update. Valid until the engine is called. */
  #bytes(): Uint8Array {
    return this.#after.input.bytes.view(0, this.#update.end);
  }

  #misplaced(at: number, from: number, number: number): Broken {
    return from < at
      ? new Broken(`Object ${number} is not where an update has its objects.`)
      : new Broken("Bytes of the update belong to no object.");
  }

  /**
   * Strings and the data of streams contain nothing that resembles an object or a trailer. A reader that finds a fault in the signed revision, unlike
   * this one, uses all objects that it finds in the bytes.
   */
  async #checkWords(): Promise<void> {
    const { start, section } = this.#update;
    const bytes = this.#bytes().subarray(0, section.end);
    const own = new Set([...this.#rows.map(({ offset }) => offset), section.start]);
    const search = async (word: string, check: (at: number) => void): Promise<void> => {
      let charged = start;
      for (let at = find(bytes, word, start); at >= 0; at = find(bytes, word, at + 1)) {
        this.#meter.bytes(at - charged);
        this.#meter.element();
        await this.#meter.pause();
        charged = at;
        check(at);
      }
      this.#meter.bytes(bytes.length - charged);
    };
    await search("obj", (at) => {
      const from = headingBefore(bytes, at);
      if (from !== undefined && !own.has(from))
        throw new Broken("A stream or a string of the update looks like an object.");
    });
    await search("trailer", (at) => {
      const isOwn = section.own === undefined && at > section.start;
      if (!isOwn && isDictionaryNext(bytes, at + "trailer".length))
        throw new Broken("A stream or a string of the update looks like a trailer.");
    });
  }

  /** An object keeps its generation, and MuPDF must have found all objects at our offsets. */
  #checkEntries(): void {
    const { engine, document } = this.#after;
    const { plain, packed, own, start } = this.#update.section;
    const found = engine.fileEntriesOf(document);
    for (const number of this.#known.keys())
      if (number >= this.#update.section.size) throw new Broken("The trailer has a smaller `Size` than before.");
    if (own !== undefined && this.#known.has(own) && !this.#generations.has(own))
      throw new Broken("The cross-reference stream has the number of another object.");
    const isFound = (number: number, entry: FileEntry): boolean => {
      const other = found.get(number);
      return (
        other?.offset === entry.offset && other.container === entry.container && other.generation === entry.generation
      );
    };
    for (const { number, generation, offset } of plain) {
      if (number === own && (offset !== start || generation !== 0))
        throw new Broken("The cross-references lead to something else than their own stream.");
      if ((this.#known.get(number)?.generation ?? generation) !== generation)
        throw new Broken(`Object ${number} has another generation than before.`);
      if (!isFound(number, { offset, generation })) throw new Broken(`Object ${number} is found elsewhere.`);
    }
    for (const [container, held] of packed)
      for (const [index, number] of held)
        if (!isFound(number, { container, offset: index, generation: 0 }))
          throw new Broken(`Object ${number} is found elsewhere.`);
  }

  /** Replaced objects had one reading, too. */
  async #checkReplaced(): Promise<void> {
    const isReplaced = (number: number): boolean => this.#generations.has(number);
    for await (const { number, bytes, start, isPacked } of writtenIn(this.#before, isReplaced)) {
      const what = `Object ${number} of the revision before`;
      if (isPacked) await soundObject(bytes, start, this.#meter, what);
      else
        await this.#readObject({ number, generation: this.#known.get(number)?.generation ?? 0, offset: start }, what);
    }
  }

  async #readObject(
    { number, generation, offset }: PlainRow,
    what = `Object ${number}`,
  ): Promise<{ dictionary?: Dictionary; end: number }> {
    const bytes = this.#bytes();
    const { value, end } = await soundObject(bytes, valueAt(bytes, offset, number, generation), this.#meter, what);
    const isNew = offset >= this.#update.start;
    if (isNew) await this.#checkValue(value, number);
    const next = tokens(bytes, end);
    next.next();
    if (!next.isKeyword("stream")) return { end: endOfObject(bytes, end, what) };
    if (!(value instanceof Dictionary)) throw new Broken(`${what} has data without a dictionary.`);
    const length = await this.#lengthOf(value.get("Length"), what, isNew);
    return { dictionary: value, end: streamAt(this.#bytes(), end, value, length, what).end };
  }

  /** References have the generation of their target, no object is only a reference, and there is one catalog. */
  async #checkValue(value: Value, number: number): Promise<void> {
    const what = `Object ${number}`;
    if (value instanceof Dictionary && isName(value.get("Type"), "Catalog") && number !== this.#catalog)
      throw new Broken(`${what} is another catalog.`);
    if (value instanceof Reference) throw new Broken(`${what} is only a reference to another.`);
    const rest: Value[] = [value];
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
      if (one instanceof Reference) {
        const known = this.#generations.get(one.number) ?? this.#known.get(one.number)?.generation;
        if ((known ?? one.generation) !== one.generation)
          throw new Broken(`${what} refers to another generation of object ${one.number}.`);
      } else if (Array.isArray(one)) for (const item of one as Value[]) rest.push(item);
      else if (one instanceof Dictionary) for (const item of one.values) rest.push(item);
    }
    await this.#meter.pause();
  }

  /** The length of a stream, which may be an indirect object: an integer of the update, or of the revision before it. */
  async #lengthOf(length: Value | undefined, what: string, isNew: boolean): Promise<number> {
    if (typeof length === "number") return length;
    const unknown = (): Broken => new Broken(`${what} has no \`Length\` that all readers find.`);
    if (!(length instanceof Reference)) throw unknown();
    const row = this.#rowOf.get(length.number);
    if (row && isNew) {
      const bytes = this.#bytes();
      const at = valueAt(bytes, row.offset, row.number, row.generation);
      const { value } = await soundObject(bytes, at, this.#meter, `Object ${row.number}`);
      if (typeof value !== "number") throw unknown();
      return value;
    }
    const { engine, document } = this.#before;
    if (isNew && this.#generations.has(length.number)) throw unknown();
    return engine.scope(() => {
      const value = document.newIndirect(length.number);
      if (!value.isInteger()) throw unknown();
      return value.asNumber();
    });
  }

  /** The objects of an object stream (7.5.7): those that the cross-references find in it, one after the other, and nothing else. */
  async #readMembers({ number, dictionary }: ObjectStream): Promise<void> {
    const what = `Object stream ${number}`;
    const other = (): Broken => new Broken(`${what} has other objects than the cross-references say.`);
    const [count, first] = [dictionary.get("N"), dictionary.get("First")];
    const held = this.#update.section.packed.get(number) ?? new Map<number, number>();
    if (count !== held.size || typeof first !== "number") throw other();
    if (dictionary.keys.includes("Extends")) throw new Broken(`${what} extends another.`);
    const bytes = await this.#decoded(number, dictionary, what);
    if (first > bytes.length) throw other();
    const heading = tokens(bytes.subarray(0, first), 0);
    const integer = (): number => {
      const isInteger = heading.next() === "integer" && isDigit(bytes[heading.start]) && !heading.followsComment;
      if (!isInteger || heading.end - heading.start > MOST_DIGITS) throw other();
      return Number(heading.text());
    };
    const places: { readonly member: number; readonly from: number }[] = [];
    for (let index = 0; index < count; index++) {
      this.#meter.element();
      const [member, offset] = [integer(), integer()];
      if (held.get(index) !== member) throw other();
      places.push({ member, from: first + offset });
      if (index % 1_000 === 0) await this.#meter.pause();
    }
    if (heading.next() || heading.followsComment) throw other();
    let at = first;
    for (const { member, from } of places.toSorted((a, b) => a.from - b.from)) {
      if (from < at || !isBlank(bytes, at, from)) throw other();
      const { value, end } = await soundObject(bytes, from, this.#meter, `Object ${member}`);
      await this.#checkValue(value, member);
      at = end;
    }
    if (!isBlank(bytes, at, bytes.length)) throw other();
  }

  async #decoded(number: number, dictionary: Dictionary, what: string): Promise<Uint8Array> {
    const { engine, document } = this.#after;
    const [filter, parameters] = [dictionary.get("Filter") ?? null, dictionary.get("DecodeParms") ?? null];
    const only = Array.isArray(filter) && filter.length === 1 ? (filter[0] as Value) : filter;
    const isDeflated = isName(only, "FlateDecode");
    if ((!isDeflated && filter !== null) || parameters !== null)
      throw new Broken(`${what} has other filters than Flate.`);
    const raw = engine.scope(() => {
      const buffer = document.newIndirect(number).readRawStream();
      const bytes = buffer.asUint8Array().slice();
      buffer.destroy();
      engine.countDecoded(bytes.length);
      return bytes;
    });
    const data = isDeflated ? await inflateWhole(engine.work, raw, MOST_MEMBERS) : raw;
    if (data === undefined) throw new Broken(`${what} does not inflate.`);
    engine.countDecoded(data.length);
    return data;
  }
}

function isDictionaryNext(bytes: Uint8Array, from: number): boolean {
  const next = tokens(bytes, from);
  return next.next() === "<<";
}

const isName = (value: Value | undefined, name: string): boolean => value instanceof Name && value.value === name;
