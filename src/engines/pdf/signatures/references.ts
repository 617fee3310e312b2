/** The references between the objects of a revision, and the objects that they reach. */
import type { OpenPdf } from "../document/document.ts";
import type { Pointer } from "../mupdf/values.ts";
import { eachPointer } from "../objects/each-object.ts";
import { entries } from "../objects/objects.ts";
import { walkValues } from "../objects/walk-values.ts";

/** The number used for the trailer, which is not an indirect object. */
export const TRAILER = 0;
/**
 * The number used for the other entries of the trailer. Readers do not follow them, and some writers name missing objects there
 * (`AdditionalStreams`), whose numbers the next update uses for its own.
 */
export const TRAILER_REST = -1;
/** The number used for all objects, where readers may see any of them. */
export const ANY = -2;
const TRAILER_ENTRIES = ["Root", "Info", "Encrypt", "ID"];

/** Fuel per reference that is followed. */
const EDGE_WORK = 20;
/** References between two pauses. */
const SLICE = 20_000;
const BYTES = Int32Array.BYTES_PER_ELEMENT;

/** How often one object refers to others: by holder, by target. */
export type Counts = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** Object numbers in the order of their holders. */
export class References {
  /** The targets of each holder are consecutive. */
  #targets = new Int32Array(1024);
  #length = 0;
  readonly #spans = new Map<number, readonly [from: number, to: number]>();
  /** Targets of references that not all readers see. */
  readonly #hidden = new Map<number, readonly number[]>();
  #hidesAny = false;
  readonly #claim: (bytes: number) => void;
  readonly #spend: (fuel: number) => Promise<void>;

  /**
   * @param claim for memory
   * @param spend for fuel; lets other requests run
   */
  constructor(claim: (bytes: number) => void, spend: (fuel: number) => Promise<void>) {
    this.#claim = claim;
    this.#spend = spend;
  }

  /** Adds references from an object that has none yet, or was the last to get one. */
  add(holder: number, target: number): void {
    const [from] = this.#spans.get(holder) ?? [this.#length];
    if (this.#length === this.#targets.length) {
      this.#claim(this.#length * BYTES);
      const larger = new Int32Array(2 * this.#length);
      larger.set(this.#targets);
      this.#targets = larger;
    }
    this.#targets[this.#length++] = target;
    this.#spans.set(holder, [from, this.#length]);
  }

  /** Adds references that not all readers see: they are never released. */
  hide(holder: number, targets: readonly number[]): void {
    this.#hidesAny ||= targets.includes(ANY);
    if (targets.length > 0) this.#hidden.set(holder, [...(this.#hidden.get(holder) ?? []), ...targets]);
  }

  /** Whether something may lead to any object. */
  get hidesAny(): boolean {
    return this.#hidesAny;
  }

  /** Frees the claimed memory. */
  release(): void {
    this.#claim((1024 - this.#targets.length) * BYTES);
    this.#targets = new Int32Array(1024);
    this.#length = 0;
    this.#spans.clear();
    this.#hidden.clear();
  }

  /** The targets of an object that all readers see, as often as it refers to them. */
  targetsOf(holder: number): Int32Array {
    const [from, to] = this.#spans.get(holder) ?? [0, 0];
    return this.#targets.subarray(from, to);
  }

  /**
   * The objects that can be reached from some roots by references other than the released ones. A released reference counts only if its holder is one
   * of the `roots`: a reader that reaches the holder in another way sees all of its references.
   * @param released references of roots, each with the number of its releases
   */
  async reachedFrom(roots: Iterable<number>, released: Counts): Promise<Set<number>> {
    const reached = new Set<number>();
    const starts = new Set(roots);
    const queue = [...starts];
    let count = 0;
    for (let holder = queue.pop(); holder !== undefined; holder = queue.pop()) {
      const targets = this.targetsOf(holder);
      const exceptions = starts.has(holder) ? this.#releasedOf(targets, released.get(holder)) : undefined;
      const reach = (target: number): void => {
        if (reached.has(target)) return;
        reached.add(target);
        if (!starts.has(target)) queue.push(target);
      };
      for (const target of targets) if (exceptions?.has(target) !== true) reach(target);
      const hidden = this.#hidden.get(holder) ?? [];
      for (const target of hidden) reach(target);
      count += 1 + targets.length + hidden.length;
      if (count < SLICE) continue;
      await this.#spend(count * EDGE_WORK);
      count = 0;
    }
    await this.#spend(count * EDGE_WORK);
    return reached;
  }

  /** The targets whose references are all released. */
  #releasedOf(targets: Int32Array, released: ReadonlyMap<number, number> | undefined): Set<number> | undefined {
    if (released === undefined) return undefined;
    const counts = new Map<number, number>();
    for (const target of targets) if (released.has(target)) counts.set(target, (counts.get(target) ?? 0) + 1);
    return new Set([...released].filter(([target, count]) => counts.get(target) === count).map(([target]) => target));
  }

  /** The objects that refer to each of some, among those that the trailer leads to. */
  async usersOf(numbers: ReadonlySet<number>): Promise<Map<number, Set<number>>> {
    const users = new Map<number, Set<number>>();
    if (numbers.size === 0) return users;
    const live = await this.reachedFrom([TRAILER, TRAILER_REST], new Map());
    for (const holder of [TRAILER, TRAILER_REST, ...live]) {
      for (const list of [this.targetsOf(holder), this.#hidden.get(holder) ?? []])
        for (const target of list) {
          if (!numbers.has(target)) continue;
          const known = users.get(target);
          if (known) known.add(holder);
          else users.set(target, new Set([holder]));
        }
    }
    return users;
  }
}

/**
 * The references of a revision.
 * @param watched numbers of objects that may be only a reference to another: references to that one lead to them
 */
export async function referencesIn({ engine, document }: OpenPdf, watched: ReadonlySet<number>): Promise<References> {
  const { values, work } = engine;
  const references = new References(
    (bytes) => engine.claim(bytes),
    async (fuel) => {
      work.spend(fuel);
      await work.pause();
    },
  );
  const note = (value: Pointer, holder: number): void => {
    if (values.isReference(value)) references.add(holder, values.numberOf(value));
  };
  const targets = new Map<Pointer, number>();
  for (const number of watched) {
    const reference = values.reference(document, number);
    const target = values.resolved(reference);
    if (target > 0) targets.set(target, number);
    values.drop(reference);
  }
  await eachPointer({ document, engine }, (reference, number) => {
    const target = targets.get(values.resolved(reference));
    if (target !== undefined && target !== number) references.add(number, target);
    return walkValues(engine, reference, (value) => note(value, number));
  });
  const trailer = document.getTrailer();
  for (const isRead of [true, false]) {
    const holder = isRead ? TRAILER : TRAILER_REST;
    for (const { key, value } of entries(engine, trailer)) {
      if (TRAILER_ENTRIES.includes(key.asName()) !== isRead) continue;
      note(value.pointer, holder);
      if (!value.isIndirect()) await walkValues(engine, value.pointer, (one) => note(one, holder));
    }
  }
  return references;
}

/**
 * The names of the entries in which objects refer to others, themselves or in arrays.
 * @param report for each reference to one of `targets`
 */
export async function keysOf(
  { engine, document }: OpenPdf,
  holders: Iterable<number>,
  targets: ReadonlySet<number>,
  report: (target: number, key: string) => void,
): Promise<void> {
  const { values, work } = engine;
  for (const holder of holders) {
    await work.pause();
    const object = holder > 0 ? values.reference(document, holder) : document.getTrailer().pointer;
    /** Of the arrays that the walk is in. */
    const keys = new Map<Pointer, string>();
    try {
      await walkValues(engine, object, (value, place) => {
        const key = (): string =>
          place.isArray ? (keys.get(place.holder) ?? "") : values.nameOf(values.keyAt(place.holder, place.index));
        if (values.isReference(value)) {
          const target = values.numberOf(value);
          if (targets.has(target)) report(target, key());
        } else if (values.isArray(value)) keys.set(value, key());
      });
    } finally {
      if (holder > 0) values.drop(object);
    }
  }
}
