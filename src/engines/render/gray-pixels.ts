/** All bits, as a signed word. */
const WHITE = -1;

/** A page assumed to have no color has some. */
export class ColorFound extends Error {}

/** Whether red, green and blue are equal in every pixel. Compares whole words, because it runs for every page. */
export function isGray(pixels: Uint8Array, samples: 3 | 4): boolean {
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length >> 2);
  if (samples === 4) {
    for (let at = 0; at < words.length; at++) {
      const pixel = words[at] ?? 0;
      if (((pixel ^ (pixel >>> 8)) & 0xffff) !== 0) return false;
    }
    return true;
  }
  // Four pixels fill three words.
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
