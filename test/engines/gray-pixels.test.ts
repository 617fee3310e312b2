import { expect, test } from "vitest";
import { isGray } from "../../src/engines/render/gray-pixels.ts";

/** Pixels in shades of gray that all differ from their neighbors, in a buffer in which they begin at a word but not at its start. */
function shades(pixels: number, samples: 3 | 4): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(new ArrayBuffer(pixels * samples + 8), 8);
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = at % samples === 3 ? 255 : (Math.floor(at / samples) * 37) % 256;
  return bytes;
}

const lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const cases = ([3, 4] as const).flatMap((samples) => lengths.map((pixels) => ({ samples, pixels })));

test.each(cases)("$pixels pixels of $samples samples are gray, whatever their alpha", ({ samples, pixels }) => {
  const bytes = shades(pixels, samples);
  expect(isGray(bytes, samples)).toBe(true);
  if (samples === 4) for (let at = 3; at < bytes.length; at += 4) bytes[at] = at;
  expect(isGray(bytes, samples)).toBe(true);
  expect(isGray(bytes.fill(255), samples)).toBe(true);
});

test.each(cases)("each color of each of $pixels pixels of $samples samples is seen", ({ samples, pixels }) => {
  for (const gray of [shades(pixels, samples), shades(pixels, samples).fill(255)]) {
    for (let at = 0; at < gray.length; at++) {
      if (at % samples === 3) continue;
      const colored = gray.slice();
      colored[at] = (colored[at] ?? 0) ^ 1;
      expect(isGray(colored, samples), `byte ${at}`).toBe(false);
    }
  }
});
