import type { Refusal } from "../errors.ts";
import { tooManyReads } from "../limit-errors.ts";
import { defaultSizes, limits } from "../../limits.ts";
import type { InputBytes, StoredBytes } from "./heap.ts";
import type { ByteSource } from "../../bytes/source.ts";

/** Bytes that are fetched and kept together. */
const CHUNK = 64 * 1024;
/** Chunks that are kept. */
const KEPT_CHUNKS = 192;
/** Chunks that are fetched at once when a file is read in order. */
const AHEAD_CHUNKS = 8;
/** Requests to the storage at the same time. A Worker can have six connections. */
const CONNECTIONS = 4;

/** Bytes that are read at once to be passed on. */
const PASSED_ON = 1024 * 1024;

/** The bytes [start, end) of a file, in which the byte at `end` may be included. */
export interface FilePart {
  readonly start: number;
  readonly end: number;
}

/** Thrown where bytes are needed at once that have not been fetched: `fetchMissing` fetches them, then the work starts again. */
class MissingRange extends Error {
  override readonly name = "MissingRange";
}

/**
 * A file that is larger than the memory of a request: fetched in chunks on demand, of which the most recently used are kept. Engines that can be
 * suspended wait for a chunk. Everything else finds it present, or throws `MissingRange`.
 */
export class Ranges implements InputBytes, StoredBytes {
  /** Bytes of memory that one takes at least. */
  static readonly keptBytes = KEPT_CHUNKS * CHUNK;

  /** The bytes are not in an engine's heap. */
  readonly pointer = 0;
  /** The size up to which files are held in memory, in bytes. */
  readonly heldBytes: number;
  readonly #source: ByteSource;
  /** By number, the one used last at the end. */
  readonly #chunks = new Map<number, Uint8Array>();
  /** Chunks that were missed once: kept, so that work which starts again gets further each time. */
  readonly #pinned = new Map<number, Uint8Array>();
  /** Chunks that were missed since `fetchMissing`. */
  readonly #missed = new Set<number>();
  #trustsCounts = true;
  #startsAgain = false;
  /** Number of chunks fetched at once: it doubles while they are read in order. */
  #ahead = 1;
  #next = -1;
  #fetches = 0;
  #refusal: Refusal | undefined;

  constructor(source: ByteSource, heldBytes = defaultSizes.heldBytes) {
    this.#source = source;
    this.heldBytes = heldBytes;
  }

  get length(): number {
    return this.#source.length;
  }

  /** Whether bytes were needed that had not been fetched: the engine's results since then cannot be used. */
  get isMissing(): boolean {
    return this.#missed.size > 0 || this.#startsAgain;
  }

  /** Whether a node of the page tree that counts as many pages as it has kids is taken to have pages only. */
  get trustsCounts(): boolean {
    return this.#trustsCounts;
  }

  /** It is not so: the work starts again, and reads the whole page tree. */
  distrustCounts(): never {
    this.#trustsCounts = false;
    this.#startsAgain = true;
    throw new MissingRange("a kid of a page tree node is not a page");
  }

  /** Bytes of memory that the chunks take at most. */
  get memoryBytes(): number {
    return (KEPT_CHUNKS + this.#pinned.size) * CHUNK;
  }

  /** Rejects all further reads: the file cannot be processed in ranges. */
  refuse(refusal: Refusal): void {
    this.#refusal ??= refusal;
  }

  /** Throws the refusal, which an operation may have mistaken for damage of one page. */
  check(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** Throws if the file is refused, or if bytes were needed that had not been fetched. */
  requirePresent(): void {
    this.check();
    if (this.isMissing) throw new MissingRange("a part of the file has not been fetched");
  }

  present(position: number): number {
    const number = Math.floor(position / CHUNK);
    return this.#has(number) ? Math.min((number + 1) * CHUNK, this.length) - position : 0;
  }

  /** Fetches the chunk with the byte at `position`, and those behind it if the file is read in order. */
  async fetch(position: number): Promise<void> {
    this.check();
    const first = Math.floor(position / CHUNK);
    this.#ahead = first === this.#next ? Math.min(this.#ahead * 2, AHEAD_CHUNKS) : 1;
    let end = first + 1;
    while (end < first + this.#ahead && end * CHUNK < this.length && !this.#has(end)) end++;
    this.#next = end;
    await this.#fetchRun(first, end);
  }

  /** Fetches the chunks [first, end). */
  async #fetchRun(first: number, end: number): Promise<void> {
    this.#fetches += 1;
    if (this.#fetches > limits.ranges.fetches) throw tooManyReads(this.#fetches);
    const start = first * CHUNK;
    const bytes = await this.#source.read(start, Math.min(end * CHUNK, this.length));
    for (let chunk = first; chunk < end; chunk++) {
      const at = chunk * CHUNK - start;
      // A copy where there are several: a view would keep all of them.
      const own = end === first + 1 ? bytes : bytes.slice(at, at + CHUNK);
      this.#chunks.set(chunk, own);
    }
    for (const oldest of this.#chunks.keys()) {
      if (this.#chunks.size <= KEPT_CHUNKS) break;
      this.#chunks.delete(oldest);
    }
  }

  /**
   * Fetches parts that are known to be needed, several at once. If they are more than can be kept in addition to the current ones, the last are left
   * out, and fetched on demand.
   */
  async fetchAhead(parts: Iterable<FilePart>): Promise<void> {
    const numbers = new Set<number>();
    for (const { start, end } of parts) {
      const last = Math.floor(Math.min(end, this.length) / CHUNK);
      for (let number = Math.floor(start / CHUNK); number <= last && number * CHUNK < this.length; number++) {
        if (numbers.size < KEPT_CHUNKS / 2 && !this.#has(number)) numbers.add(number);
      }
    }
    // All share one iterator.
    const runs = runsOf(
      [...numbers].toSorted((a, b) => a - b),
      AHEAD_CHUNKS,
    ).values();
    const fetchSome = async (): Promise<void> => {
      for (const [first, end] of runs) await this.#fetchRun(first, end);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, fetchSome));
  }

  read(start: number, end: number): Promise<Uint8Array> {
    return this.#source.read(start, end);
  }

  /** The file with the bytes appended to it since. It takes over the fetched chunks. */
  followedBy(bytes: StoredBytes, length: number): Ranges {
    const next = new Ranges({ length, read: (start, end) => bytes.read(start, end) }, this.heldBytes);
    next.#trustsCounts = this.#trustsCounts;
    next.#fetches = this.#fetches;
    const whole = Math.floor(this.length / CHUNK);
    for (const [number, chunk] of this.#chunks) if (number < whole) next.#chunks.set(number, chunk);
    for (const [number, chunk] of this.#pinned) if (number < whole) next.#pinned.set(number, chunk);
    this.#chunks.clear();
    this.#pinned.clear();
    return next;
  }

  /** Fetches the missing bytes, so that the work can start again. */
  async fetchMissing(): Promise<void> {
    for (const number of this.#missed) {
      if (!this.#has(number)) await this.fetch(number * CHUNK);
      this.#pinned.set(number, this.#chunk(number));
    }
    this.#missed.clear();
    this.#startsAgain = false;
  }

  #has(number: number): boolean {
    return this.#pinned.has(number) || this.#chunks.has(number);
  }

  /** A copy of a part. Throws `MissingRange`. */
  view(start: number, end: number): Uint8Array {
    this.check();
    const bytes = new Uint8Array(Math.max(0, Math.min(end, this.length) - start));
    for (let at = 0; at < bytes.length;) {
      const from = (start + at) % CHUNK;
      const part = this.#chunk(Math.floor((start + at) / CHUNK)).subarray(from, from + bytes.length - at);
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  get stored(): StoredBytes {
    return this;
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    const { length } = this;
    const read = (start: number): Promise<Uint8Array> => this.#source.read(start, Math.min(start + PASSED_ON, length));
    // One is fetched while the one before it is sent.
    let next = read(0);
    for (let start = 0; start < length; start += PASSED_ON) {
      const bytes = await next;
      const after = start + PASSED_ON;
      if (after < length) {
        next = read(after);
        // If it fails meanwhile, it is thrown when it is awaited.
        next.catch(() => {});
      }
      yield bytes;
    }
  }

  free(): void {}

  #chunk(number: number): Uint8Array {
    const pinned = this.#pinned.get(number);
    if (pinned) return pinned;
    const chunk = this.#chunks.get(number);
    if (chunk === undefined) {
      this.#missed.add(number);
      throw new MissingRange("a part of the file has not been fetched");
    }
    this.#chunks.delete(number);
    this.#chunks.set(number, chunk);
    return chunk;
  }
}

/** Ascending numbers as runs [first, end) of at most `most`. */
function runsOf(numbers: readonly number[], most: number): [first: number, end: number][] {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && run[1] === number && number - run[0] < most) run[1] = number + 1;
    else runs.push([number, number + 1]);
  }
  return runs;
}
