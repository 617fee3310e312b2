/** What a JPEG says of itself (ISO/IEC 10918-1). */

/** Row 0 of the luminance table of Annex K at quality 50, which libjpeg and its kin scale; the other rows follow. */
const ANNEX_K_START = [16, 11, 12, 14, 12, 10, 16, 14];

/** The segments before the scan: marker, start and end of their content. */
export function* segments(jpeg: Uint8Array): Generator<{ marker: number; start: number; end: number }> {
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff) {
    const marker = jpeg[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const length = ((jpeg[at + 2] ?? 0) << 8) | (jpeg[at + 3] ?? 0);
    if (marker === 0xda || length < 2) return;
    yield { marker, start: at + 4, end: at + 2 + length };
    at += 2 + length;
  }
}

function frame(jpeg: Uint8Array): { marker: number; start: number } | undefined {
  for (const { marker, start } of segments(jpeg)) {
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { marker, start };
  }
  return undefined;
}

/** Components of a JPEG, `undefined` where it does not say. */
export function jpegComponents(jpeg: Uint8Array): number | undefined {
  const found = frame(jpeg);
  return found && jpeg[found.start + 5];
}

export function jpegIsProgressive(jpeg: Uint8Array): boolean {
  return [0xc2, 0xc6, 0xca, 0xce].includes(frame(jpeg)?.marker ?? 0);
}

/** About the quality, 1 to 100 as libjpeg counts, that a JPEG was written with; by the first steps of its first table. */
export function jpegQuality(jpeg: Uint8Array): number | undefined {
  for (const { marker, start } of segments(jpeg)) {
    if (marker !== 0xdb) continue;
    const wide = (jpeg[start] ?? 0) >> 4 === 1;
    let scale = 0;
    for (const [index, step] of ANNEX_K_START.entries()) {
      const at = start + 1 + index * (wide ? 2 : 1);
      const value = wide ? ((jpeg[at] ?? 0) << 8) | (jpeg[at + 1] ?? 0) : (jpeg[at] ?? 0);
      scale += (value * 100) / step / ANNEX_K_START.length;
    }
    return Math.max(1, Math.min(100, scale <= 100 ? (200 - scale) / 2 : 5000 / scale));
  }
  return undefined;
}
