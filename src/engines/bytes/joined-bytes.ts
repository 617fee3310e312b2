import type { EngineBytes } from "./heap.ts";

/** Bytes of the JavaScript heap as an engine's. */
export function ownBytes(bytes: Uint8Array): EngineBytes {
  return { length: bytes.length, view: (start, end) => bytes.subarray(start, end), free: () => undefined };
}

/** A part of other bytes; not a copy. */
export function partOf(bytes: EngineBytes, start: number, end: number): EngineBytes {
  return {
    length: end - start,
    view: (from, to) => bytes.view(start + from, Math.min(start + to, end)),
    free: () => undefined,
  };
}

/**
 * Several bytes one behind the other, without copying them: a view within one is a view of it, only one that spans several is
 * put together.
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
  };
}

/** The last part that begins at or before a place: it has the byte there, as empty parts begin where the next does. */
function partAt(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
