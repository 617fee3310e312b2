/** The heap of an engine: its contents, its measurement, and its clearing. */

/** Bytes in the heap of an engine. */
export interface EngineBytes {
  readonly length: number;
  /** A view of a part, valid only until the next call into the engine, which may move the heap. */
  view(start: number, end: number): Uint8Array;
  free(): void;
  /** For a file that was appended to: the file, and the bytes after it. */
  readonly continues?: { readonly file: EngineBytes; readonly rest: EngineBytes };
  /** For bytes that are not in memory. */
  readonly stored?: StoredBytes;
}

/** How bytes that are not in memory are read. */
export interface StoredBytes {
  /** How many bytes from `position` on `view` finds: 0 if they have to be fetched first. */
  present(position: number): number;
  fetch(position: number): Promise<void>;
  /** The bytes [start, end), which are not kept. */
  read(start: number, end: number): Promise<Uint8Array>;
  /** All bytes in order. Does not need the engine. */
  chunks(): AsyncGenerator<Uint8Array, void>;
}

/** Stores the files of a body while they arrive. `Sealed`: the reference to a complete file. */
export interface FileSink<Sealed> {
  /** Appends to the current file. The bytes are valid only until the next window of the body is read. */
  write(chunk: Uint8Array): void;
  /** Ends the current file and begins the next. */
  seal(): Sealed;
}

/** Space in the heap for a request's files. `write` throws `Refusal("limit_exceeded")` if the capacity is exceeded. */
export type Arena = FileSink<InputBytes>;

/** A file of the request in the arena. */
export interface InputBytes extends EngineBytes {
  /** Address in the heap; of a file that was appended to, that of the file. */
  readonly pointer: number;
}

/**
 * Whether the heap may grow to `bytes`. `false`: the request has reached its maximum. `"busy"`: other requests hold the rest.
 */
export type AllowHeap = (bytes: number) => boolean | "busy";

/** Sizes of the contiguous holes that are freed before they are needed. */
export const HOLES = {
  /** For copies of everything in the files, relative to the files' size: copies take slightly more. */
  copies: 1.1,
  /** For the objects of source and target documents, in bytes. */
  objects: 4 * 1024 * 1024,
  /**
   * For an output, relative to the input's size: its buffer's last growth step may be half as large again, and objects need
   * some.
   */
  output: 1.6,
} as const;

/** WebAssembly page size in bytes. */
export const WASM_PAGE = 65_536;

/**
 * Asks before every growth of a memory, with its size in bytes after the growth. MuPDF interprets a `grow` that throws as "no
 * memory": it drops its caches, tries again, and finally reports an error.
 */
export function capGrowth(memory: WebAssembly.Memory, allows: (bytes: number) => boolean): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (!allows(memory.buffer.byteLength + pages * WASM_PAGE)) throw new RangeError("heap limit");
    return grow(pages);
  };
}

/**
 * Zeroes memory from `start` to `end`, both multiples of 8. Pages that were never written are only read: writing zeros would make the system allocate
 * them, and an idle instance would hold twice as much. Words of 8 bytes take 0.6 of the time of words of 4.
 */
export function clearBetween(memory: ArrayBuffer, start: number, end: number): void {
  const words = new BigUint64Array(memory, 0, end >> 3);
  const step = WASM_PAGE >> 3;
  for (let from = start >> 3; from < words.length; from += step) {
    const to = Math.min(from + step, words.length);
    let at = from;
    while (at < to && words[at] === 0n) at++;
    if (at < to) words.fill(0n, at, to);
  }
}

/** A copy of the memory up to its last nonzero byte. */
export function snapshotOf(heap: Uint8Array): Uint8Array {
  const words = new BigUint64Array(heap.buffer, heap.byteOffset, heap.byteLength >> 3);
  let end = words.length;
  while (end > 0 && words[end - 1] === 0n) end--;
  return heap.slice(0, end * 8);
}
