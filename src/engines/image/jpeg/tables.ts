/** Quantization tables of a JPEG (ISO/IEC 10918-1, B.2.4.1). */

/** Maps a position in the file to a position in the block, row by row (figure 5). */
export const ZIGZAG = Uint8Array.from(
  [
    [0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48],
    [41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15],
    [23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63],
  ].flat(),
);

/**
 * Nicolas Robidoux's table, mozjpeg's default, for luminance and chrominance: fewer bytes than annex K's for the same visual
 * quality.
 */
const STEPS = [
  [16, 16, 16, 18, 25, 37, 56, 85],
  [16, 17, 20, 27, 34, 40, 53, 75],
  [16, 20, 24, 31, 43, 62, 91, 135],
  [18, 27, 31, 40, 53, 74, 106, 156],
  [25, 34, 43, 53, 69, 94, 131, 189],
  [37, 40, 62, 74, 94, 124, 169, 238],
  [56, 53, 91, 106, 131, 169, 226, 311],
  [85, 75, 135, 156, 189, 238, 311, 418],
].flat();

/** The step of each coefficient, row by row, for a quality from 1 to 100 on libjpeg's scale. */
export function quantizationSteps(quality: number): Uint8Array {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return Uint8Array.from(STEPS, (step) => Math.min(255, Math.max(1, Math.floor((step * scale + 50) / 100))));
}

/** The scale factors that the kernel's transform omits, per row and column. */
const LEFT_OUT = Array.from({ length: 8 }, (_, k) => (k === 0 ? 1 : Math.cos((k * Math.PI) / 16) * Math.SQRT2));

/** Factors that turn the values of the kernel's transform into coefficients in quantization steps, row by row. */
export function quantizationFactors(steps: Uint8Array): Float32Array {
  return Float32Array.from(steps, (step, place) => {
    const left = (LEFT_OUT[place >> 3] ?? 1) * (LEFT_OUT[place & 7] ?? 1);
    return 1 / (step * left * 8);
  });
}
