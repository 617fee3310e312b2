/**
 * Objects as JavaScript values, for readers that look at each value many times: each is read from MuPDF once, and references stay references.
 */
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { Pointer } from "../mupdf/values.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { readString } from "../syntax/strings.ts";

/** One character for each byte. */
export class PlainName {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

/** A string, which is decoded only if somebody looks at it. */
export class PlainString {
  readonly #written: string;

  constructor(written: string) {
    this.#written = written;
  }

  /** The most bytes that it can have. */
  get mostBytes(): number {
    return this.#written.length;
  }

  /** Whether another string has the same bytes: MuPDF writes both in the same way. */
  isEqual(other: PlainString): boolean {
    return this.#written === other.#written;
  }

  get bytes(): Uint8Array {
    return readString(bytesOf(this.#written), 0).value;
  }
}

export class PlainReference {
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }
}

export type Plain =
  | null
  | boolean
  | number
  | PlainName
  | PlainString
  | PlainReference
  | readonly Plain[]
  | PlainDictionary;

export class PlainDictionary {
  /** The number of the object that contains it; 0 for the trailer. */
  readonly object: number;
  /** Whether it is the dictionary of a stream. */
  readonly isStream: boolean;
  readonly entries: ReadonlyMap<string, Plain>;

  constructor(object: number, isStream: boolean, entries: ReadonlyMap<string, Plain>) {
    this.object = object;
    this.isStream = isStream;
    this.entries = entries;
  }
}

/** Fuel per value, in addition to what MuPDF spends. */
const VALUE_WORK = 60;
/** Values between two pauses, and fuel that MuPDF spends. */
const [SLICE, STRETCH] = [5_000, 1_000_000];

interface Place {
  readonly holder: Pointer;
  readonly length: number;
  readonly items: Plain[] | undefined;
  readonly entries: Map<string, Plain> | undefined;
  index: number;
}

/** The values of a document. Each name is kept once. */
export class PlainValues {
  readonly #engine: PdfEngine;
  readonly #names = new Map<string, PlainName>();
  /** Values read so far. */
  count = 0;

  constructor(engine: PdfEngine) {
    this.#engine = engine;
  }

  /**
   * Reads an object. Lets other requests run meanwhile: no promise if that was not necessary. Nothing else may be read until it is done.
   * @param reference to the object, or the object itself
   */
  read(reference: Pointer, number: number): Plain | Promise<Plain> {
    const { values, work } = this.#engine;
    const places: Place[] = [];
    const isStream = number > 0 && values.isStream(reference);
    const start = (value: Pointer): Plain => {
      if (values.isReference(value)) return new PlainReference(values.numberOf(value));
      if (values.isArray(value)) {
        const items: Plain[] = [];
        places.push({ holder: value, length: values.arrayLength(value), items, entries: undefined, index: 0 });
        return items;
      }
      if (values.isDictionary(value)) {
        const entries = new Map<string, Plain>();
        const isOwn = isStream && places.length === 0;
        places.push({ holder: value, length: values.entryCount(value), items: undefined, entries, index: 0 });
        return new PlainDictionary(number, isOwn, entries);
      }
      if (values.isName(value)) return this.#name(values.nameOf(value));
      return scalarOf(values.serialized(value));
    };
    /** Returns whether that was all. */
    const walk = (): boolean => {
      let count = 0;
      const most = work.spent + STRETCH;
      for (let place = places.at(-1); place && count < SLICE && work.spent < most; place = places.at(-1)) {
        if (place.index === place.length) {
          places.pop();
          continue;
        }
        count += 1;
        const { holder, items, entries } = place;
        const index = place.index++;
        if (items) items.push(start(values.item(holder, index)));
        else entries?.set(values.nameOf(values.keyAt(holder, index)), start(values.valueAt(holder, index)));
      }
      this.count += count;
      work.spend(count * VALUE_WORK);
      return places.length === 0;
    };
    const root = start(values.resolved(reference));
    if (walk()) return root;
    return (async (): Promise<Plain> => {
      do await work.pause();
      while (!walk());
      return root;
    })();
  }

  #name(value: string): PlainName {
    const known = this.#names.get(value);
    if (known) return known;
    const name = new PlainName(value);
    this.#names.set(value, name);
    return name;
  }
}

function scalarOf(written: string): Plain {
  if (written.startsWith("(") || written.startsWith("<")) return new PlainString(written);
  if (written === "true" || written === "false") return written === "true";
  const number = Number.parseFloat(written);
  return Number.isFinite(number) ? number : null;
}
