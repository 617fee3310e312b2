import { chunksOf } from "./chunks.ts";
import { concat } from "../../bytes/concat.ts";
import type { EngineBytes, StoredBytes } from "./heap.ts";
import { bytesOf } from "../../bytes/latin1.ts";

/** Wraps bytes of the JavaScript heap as engine bytes. */
export function ownBytes(bytes: Uint8Array): EngineBytes {
  return { length: bytes.length, view: (start, end) => bytes.subarray(start, end), free: () => undefined };
}

/** A slice of other bytes, without copying. */
export function partOf(bytes: EngineBytes, start: number, end: number): EngineBytes {
  const { stored } = bytes;
  return {
    length: end - start,
    view: (from, to) => bytes.view(start + from, Math.min(start + to, end)),
    free: () => undefined,
    ...(stored && { stored: partOfStored(stored, start, end) }),
  };
}

/** Bytes that are read at once to be passed on. */
const PASSED_ON = 1024 * 1024;

const partOfStored = (stored: StoredBytes, start: number, end: number): StoredBytes => ({
  present: (position) => Math.min(stored.present(start + position), end - start - position),
  fetch: (position) => stored.fetch(start + position),
  read: (from, to) => stored.read(start + from, Math.min(start + to, end)),
  chunks: async function* () {
    for (let at = start; at < end; at += PASSED_ON) yield stored.read(at, Math.min(at + PASSED_ON, end));
  },
});

/**
 * Several byte ranges joined without copying: a view inside one part is a view of that part; only a view across parts is copied
 * together.
 */
export function joinedBytes(parts: readonly EngineBytes[]): EngineBytes {
  const starts: number[] = [];
  let length = 0;
  for (const part of parts) {
    starts.push(length);
    length += part.length;
  }
  return {
    length,
    view: (start, end) => {
      const to = Math.min(end, length);
      let index = partAt(starts, start);
      const [first, from] = [parts[index], starts[index] ?? 0];
      if (first && to <= from + first.length) return first.view(start - from, to - from);
      const whole = new Uint8Array(Math.max(0, to - start));
      for (let at = start; at < to; index++) {
        const [part, begin] = [parts[index], starts[index] ?? 0];
        if (!part) break;
        const piece = part.view(at - begin, Math.min(to - begin, part.length));
        whole.set(piece, at - start);
        at += piece.length;
      }
      return whole;
    },
    free: () => {
      for (const part of parts) part.free();
    },
    ...(parts.some(({ stored }) => stored) && { stored: joinedStored(parts, starts) }),
  };
}

function joinedStored(parts: readonly EngineBytes[], starts: readonly number[]): StoredBytes {
  return {
    present: (position) => {
      const index = partAt(starts, position);
      const [part, from] = [parts[index], position - (starts[index] ?? 0)];
      return part?.stored?.present(from) ?? (part ? part.length - from : 0);
    },
    fetch: async (position) => {
      const index = partAt(starts, position);
      await parts[index]?.stored?.fetch(position - (starts[index] ?? 0));
    },
    read: async (start, end) => {
      const pieces: Uint8Array[] = [];
      for (let at = start, index = partAt(starts, start); at < end; index++) {
        const [part, begin] = [parts[index], starts[index] ?? 0];
        if (!part) break;
        const to = Math.min(end - begin, part.length);
        pieces.push((await part.stored?.read(at - begin, to)) ?? part.view(at - begin, to).slice());
        at = begin + to;
      }
      return pieces.length === 1 && pieces[0] ? pieces[0] : concat(pieces);
    },
    chunks: async function* () {
      for (const part of parts) yield* chunksOf(part);
    },
  };
}

/**
 * The last part that begins at or before a position. It contains the byte there, because empty parts begin where the next one
 * does.
 */
function partAt(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bytes up to this many are copied together; a part of their own would take as much. */
const SMALL = 1024;
/** Size in bytes of the buffers that they are copied to. */
const BUFFER = 16 * 1024;

/** A file, or a part of one, in the making. */
export class FileParts {
  readonly #parts: EngineBytes[][] = [];
  /** The buffer for bytes that are copied together, and how much of it is used. */
  #buffer = new Uint8Array();
  #used = 0;
  #length = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds characters up to 255, one byte each. */
  text(text: string): void {
    this.bytes(ownBytes(bytesOf(text)));
  }

  bytes(bytes: EngineBytes): void {
    this.#length += bytes.length;
    if (bytes.length > SMALL) {
      this.#flush();
      this.#parts.push([bytes]);
      return;
    }
    this.#room(bytes.length).set(bytes.view(0, bytes.length));
    bytes.free();
  }

  /** Leaves room for bytes that are known later. Returns what puts them there, which is to be called before the parts are joined. */
  later(length: number): (pieces: readonly Uint8Array[]) => void {
    this.#length += length;
    if (length > SMALL) {
      this.#flush();
      const part: EngineBytes[] = [];
      this.#parts.push(part);
      return (pieces) => void part.push(...pieces.map((piece) => ownBytes(piece)));
    }
    const room = this.#room(length);
    return (pieces) => room.set(concat(pieces));
  }

  joined(): EngineBytes {
    this.#flush();
    return joinedBytes(this.#parts.flat());
  }

  /** Room in the buffer. */
  #room(length: number): Uint8Array {
    if (this.#used + length > this.#buffer.length) {
      this.#flush();
      this.#buffer = new Uint8Array(BUFFER);
    }
    const room = this.#buffer.subarray(this.#used, this.#used + length);
    this.#used += length;
    return room;
  }

  #flush(): void {
    if (this.#used === 0) return;
    this.#parts.push([ownBytes(this.#buffer.subarray(0, this.#used))]);
    this.#buffer = this.#buffer.subarray(this.#used);
    this.#used = 0;
  }
}
