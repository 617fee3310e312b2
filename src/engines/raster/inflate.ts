import { Unzlib } from "fflate";
import { BadImage } from "./image-facts.ts";

/** Bytes that are inflated at a time: few enough that what they may expand to, 1032 times as many, is no burden. */
const STEP = 8 * 1024;
/** Bytes in a row that may give nothing: a deflate block without an output is much shorter. */
const MOST_IDLE_BYTES = 1024 * 1024;

const damaged = (): BadImage => new BadImage("is damaged: its data does not decompress");

/**
 * Inflates a zlib stream piece by piece (RFC 1950), never holding more of it than one step gives. The platform's own stream
 * would take in all that a bomb holds before we see the first of it. `read` gives the bytes of the file from `start` to
 * `end`, which are copied at once.
 * @throws BadImage where it is damaged or cut off.
 */
export function* inflate(
  pieces: readonly { readonly start: number; readonly end: number }[],
  read: (start: number, end: number) => Uint8Array,
): Generator<Uint8Array, void> {
  const out: Uint8Array[] = [];
  const stream = new Unzlib((chunk) => {
    if (chunk.length > 0) out.push(chunk);
  });
  let idle = 0;
  const push = (step: Uint8Array, last: boolean): void => {
    try {
      stream.push(step, last);
    } catch {
      throw damaged();
    }
    idle = out.length > 0 ? 0 : idle + step.length;
    if (idle > MOST_IDLE_BYTES) throw damaged();
  };
  for (const { start, end } of pieces) {
    for (let at = start; at < end; at += STEP) {
      // A copy: the heap that the file lies in may move before all of the step is used.
      push(read(at, Math.min(at + STEP, end)).slice(), false);
      yield* out.splice(0);
    }
  }
  push(new Uint8Array(), true);
  yield* out;
}

/** All that a short stream holds; undefined where it is damaged or holds more than `most` bytes. */
export function inflateShort(data: Uint8Array, most: number): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (const chunk of inflate([{ start: 0, end: data.length }], (start, end) => data.subarray(start, end))) {
      length += chunk.length;
      if (length > most) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof BadImage) return undefined;
    throw error;
  }
  return joined(chunks);
}

/** Pieces as one array. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
