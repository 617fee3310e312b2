import type { Arena } from "../../../src/engines/memory/heap.ts";

/** An arena in plain memory, for tests of what fills one: no engine is needed to see which bytes arrive. */
export function heapArena(capacity = 1 << 20): Arena {
  const heap = new Uint8Array(capacity);
  let used = 0;
  let start = 0;
  return {
    write(chunk) {
      heap.set(chunk, used);
      used += chunk.byteLength;
    },
    seal() {
      const pointer = start;
      const length = used - start;
      start = used;
      return {
        pointer,
        length,
        view: (from, to) => heap.subarray(pointer + from, pointer + to),
        free: () => undefined,
      };
    },
  };
}
