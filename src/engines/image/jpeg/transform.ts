/** The forward DCT of a JPEG's blocks (ISO/IEC 10918-1, A.3.3), after Arai, Agui and Nakajima. */
import { ZIGZAG } from "./tables.ts";

/** The scale factors that the fast transform omits, per row and column. */
const LEFT_OUT = Array.from({ length: 8 }, (_, k) => (k === 0 ? 1 : Math.cos((k * Math.PI) / 16) * Math.SQRT2));
const C2 = Math.cos((2 * Math.PI) / 16);
const C4 = Math.SQRT1_2;
const C6 = Math.cos((6 * Math.PI) / 16);
const C2_MINUS_C6 = C2 - C6;
const C2_PLUS_C6 = C2 + C6;

/** What makes quantized coefficients of the values of `transformBlock`, in the order of the file. `steps`: row by row. */
export function quantizationFactors(steps: Uint8Array): Float64Array {
  return Float64Array.from(ZIGZAG, (place) => {
    const left = (LEFT_OUT[place >> 3] ?? 1) * (LEFT_OUT[place & 7] ?? 1);
    return 1 / ((steps[place] ?? 1) * left * 8);
  });
}

/** Transforms the block of samples minus 128 at `from`, row by row, in place. */
export function transformBlock(samples: Float64Array, from: number): void {
  for (let row = from; row < from + 64; row += 8) {
    if (isFlat(samples, row)) {
      // The same values as below, and on a page of text many rows are white.
      samples[row] = (samples[row] ?? 0) * 8;
      for (let at = row + 1; at < row + 8; at++) samples[at] = 0;
    } else transform(samples, row, 1);
  }
  for (let column = from; column < from + 8; column++) transform(samples, column, 8);
}

function isFlat(v: Float64Array, at: number): boolean {
  const first = v[at];
  return (
    v[at + 1] === first &&
    v[at + 2] === first &&
    v[at + 3] === first &&
    v[at + 4] === first &&
    v[at + 5] === first &&
    v[at + 6] === first &&
    v[at + 7] === first
  );
}

/** Eight samples, `step` apart. Without arrays, which would be allocated on every call. */
function transform(v: Float64Array, at: number, step: number): void {
  const v0 = v[at] ?? 0;
  const v1 = v[at + step] ?? 0;
  const v2 = v[at + 2 * step] ?? 0;
  const v3 = v[at + 3 * step] ?? 0;
  const v4 = v[at + 4 * step] ?? 0;
  const v5 = v[at + 5 * step] ?? 0;
  const v6 = v[at + 6 * step] ?? 0;
  const v7 = v[at + 7 * step] ?? 0;
  const outer = v0 + v7;
  const inner = v3 + v4;
  const second = v1 + v6;
  const third = v2 + v5;
  const even0 = outer + inner;
  const even1 = second + third;
  const odd0 = outer - inner;
  v[at] = even0 + even1;
  v[at + 4 * step] = even0 - even1;
  const turned = (second - third + odd0) * C4;
  v[at + 2 * step] = odd0 + turned;
  v[at + 6 * step] = odd0 - turned;
  const d0 = v0 - v7;
  const d1 = v1 - v6;
  const d2 = v2 - v5;
  const t0 = v3 - v4 + d2;
  const t2 = d1 + d0;
  const z5 = (t0 - t2) * C6;
  const z2 = C2_MINUS_C6 * t0 + z5;
  const z4 = C2_PLUS_C6 * t2 + z5;
  const z3 = (d2 + d1) * C4;
  const z11 = d0 + z3;
  const z13 = d0 - z3;
  v[at + 5 * step] = z13 + z2;
  v[at + 3 * step] = z13 - z2;
  v[at + step] = z11 + z4;
  v[at + 7 * step] = z11 - z4;
}
