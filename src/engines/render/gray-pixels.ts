/** All bits, as a signed word. */
const WHITE = -1;

/** A page assumed to have no color has some. */
export class ColorFound extends Error {}

/** Whether red, green and blue are equal in every pixel. Compares whole words, because it runs for every page. */
export function isGray(pixels: Uint8Array, samples: 3 | 4): boolean {
  const words = new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length >> 2);
  return samples === 4 ? isGrayWithAlpha(words) : isGrayWithoutAlpha(words, pixels);
}

/** Four pixels at a time: most are white, and one test for color takes less than four. */
function isGrayWithAlpha(words: Int32Array): boolean {
  let at = 0;
  for (; at + 3 < words.length; at += 4) {
    const first = words[at] ?? 0;
    const second = words[at + 1] ?? 0;
    const third = words[at + 2] ?? 0;
    const fourth = words[at + 3] ?? 0;
    if ((first & second & third & fourth) === WHITE) continue;
    if (((colorOf(first) | colorOf(second) | colorOf(third) | colorOf(fourth)) & 0xffff) !== 0) return false;
  }
  for (; at < words.length; at++) if ((colorOf(words[at] ?? 0) & 0xffff) !== 0) return false;
  return true;
}

/** The lower two bytes are 0 if red equals green, and green blue. */
const colorOf = (pixel: number): number => pixel ^ (pixel >>> 8);

/** Four pixels fill three words. */
function isGrayWithoutAlpha(words: Int32Array, pixels: Uint8Array): boolean {
  let at = 0;
  for (; at + 2 < words.length; at += 3) {
    const first = words[at] ?? 0;
    const second = words[at + 1] ?? 0;
    const third = words[at + 2] ?? 0;
    if ((first & second & third) === WHITE) continue;
    if ((first & 0xff_ffff) !== (first & 0xff) * 0x1_0101 || (second & 0xffff) !== (first >>> 24) * 0x101) return false;
    if (second >>> 16 !== (third & 0xff) * 0x101 || third >>> 8 !== (third >>> 24) * 0x1_0101) return false;
  }
  for (let left = at * 4; left < pixels.length; left += 3) {
    if (pixels[left] !== pixels[left + 1] || pixels[left] !== pixels[left + 2]) return false;
  }
  return true;
}
