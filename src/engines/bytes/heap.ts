/** The heap of an engine: what lies in it, and how it is measured and cleared. */

/** Bytes in the heap of an engine. */
export interface EngineBytes {
  readonly length: number;
  /** A view of a part; good only until the next call into the engine, which may move the heap. */
  view(start: number, end: number): Uint8Array;
  free(): void;
}

/** Space in the heap for a request's files, filled while the body arrives. */
export interface Arena {
  /** Appends to the file at hand. Throws `Refusal("limit_exceeded")` where the capacity is passed. */
  write(chunk: Uint8Array): void;
  /** Ends the file at hand and begins the next. */
  seal(): InputBytes;
}

/** A file of the request, as it lies in the arena. */
export interface InputBytes extends EngineBytes {
  /** Address in the heap. */
  readonly pointer: number;
}

/** Whether the heap may grow to `bytes`: `false`, this request has what one may have; `"busy"`, others hold the rest. */
export type AllowHeap = (bytes: number) => boolean | "busy";

/** Sizes of the places that are made free in one piece before they are needed. */
export const HOLES = {
  /** For copies of all that the files hold, in sizes of the files: a little more than they take. */
  copies: 1.1,
  /** For the objects of source and target, in bytes. */
  objects: 4 * 1024 * 1024,
  /** For an output, in sizes of the input: its buffer's last step may be half as large again, and objects need some. */
  output: 1.6,
} as const;

/** WebAssembly page size in bytes. */
export const WASM_PAGE = 65_536;

/**
 * Has every growth of a memory asked for first, with the bytes that it would then have. MuPDF takes a `grow` that throws for
 * "no memory": it sheds its caches, tries again, and at last reports an error.
 */
export function capGrowth(memory: WebAssembly.Memory, allows: (bytes: number) => boolean): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (!allows(memory.buffer.byteLength + pages * WASM_PAGE)) throw new RangeError("heap limit");
    return grow(pages);
  };
}

/**
 * Zeroes memory from `start` on. Pages that nobody wrote are only read: writing zeros would make the system provide them,
 * and an instance that waits would hold twice as much.
 */
export function clearFrom(memory: ArrayBuffer, start: number): void {
  const words = new Int32Array(memory);
  const step = WASM_PAGE >> 2;
  for (let from = start >> 2; from < words.length; from += step) {
    const to = Math.min(from + step, words.length);
    let at = from;
    while (at < to && words[at] === 0) at++;
    if (at < to) words.fill(0, at, to);
  }
}

/** A copy of the memory up to its last byte that is not zero. */
export function snapshotOf(heap: Uint8Array): Uint8Array {
  const words = new BigUint64Array(heap.buffer, heap.byteOffset, heap.byteLength >> 3);
  let end = words.length;
  while (end > 0 && words[end - 1] === 0n) end--;
  return heap.slice(0, end * 8);
}
