/** The markers of a JPEG (ITU-T T.81, annex B), and the facts in its header. */
import { uint16 } from "./facts.ts";

/** Row 0 of the luminance table of Annex K at quality 50, which libjpeg and its relatives scale; the other rows follow. */
const ANNEX_K_START = [16, 11, 12, 14, 12, 10, 16, 14];

export const EOI = 0xd9;
export const SOS = 0xda;
const TEM = 0x01;

/** A marker and its content, which is empty for a marker without a segment. */
export interface JpegSegment {
  readonly marker: number;
  /**
   * Offsets in bytes. The end is before the start if the length is damaged, and past the file's end if the file is truncated.
   */
  readonly start: number;
  readonly end: number;
}

/** Markers without content: stuffed bytes of a scan, TEM, RST0 to RST7, SOI and EOI. */
export const standsAlone = (marker: number): boolean =>
  marker === 0 || marker === TEM || (marker >= 0xd0 && marker <= EOI);

/** Start of a frame: C0 to CF, except for DHT, JPG and DAC. */
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Walks the markers up to EOI, or to where the file is damaged or truncated. */
export function* markers(jpeg: Uint8Array): Generator<JpegSegment, void> {
  for (let at = 2; ;) {
    // A marker may be preceded by fill bytes, or by the data of a scan.
    at = jpeg.indexOf(0xff, at);
    while (jpeg[at] === 0xff && jpeg[at + 1] === 0xff) at++;
    const marker = at < 0 ? undefined : jpeg[at + 1];
    if (marker === undefined) return;
    at += 2;
    if (standsAlone(marker)) {
      yield { marker, start: at, end: at };
      if (marker === EOI) return;
      continue;
    }
    if (at + 2 > jpeg.length) return;
    const end = at + uint16(jpeg, at);
    yield { marker, start: at + 2, end };
    if (end < at + 2 || end > jpeg.length) return;
    at = end;
  }
}

/** Markers before the first scan: real files have some hundreds, of large profiles and metadata. */
const MOST_BEFORE_SCAN = 10_000;

/** The segments before the first scan. */
export function* segments(jpeg: Uint8Array): Generator<JpegSegment, void> {
  let count = 0;
  for (const segment of markers(jpeg)) {
    if (segment.marker === SOS || segment.end < segment.start || ++count > MOST_BEFORE_SCAN) return;
    if (!standsAlone(segment.marker)) yield segment;
  }
}

function frame(jpeg: Uint8Array): { marker: number; start: number } | undefined {
  for (const { marker, start } of segments(jpeg)) {
    if (isFrame(marker)) return { marker, start };
  }
  return undefined;
}

/** Number of components of a JPEG, or `undefined` if unknown. */
export function jpegComponents(jpeg: Uint8Array): number | undefined {
  const found = frame(jpeg);
  return found && jpeg[found.start + 5];
}

/** Coefficients that a decoder holds of a progressive JPEG: for each component as many as it has samples. 0 if it is not progressive. */
export function jpegCoefficients(jpeg: Uint8Array): number {
  const found = frame(jpeg);
  if (!found || ![0xc2, 0xc6, 0xca, 0xce].includes(found.marker)) return 0;
  const { start } = found;
  const pixels = uint16(jpeg, start + 1) * uint16(jpeg, start + 3);
  const factors = Array.from({ length: jpeg[start + 5] ?? 0 }, (_, component) => {
    const both = jpeg[start + 7 + component * 3] ?? 0x11;
    return { across: both >> 4, down: both & 15 };
  });
  const most = Math.max(1, ...factors.map(({ across }) => across)) * Math.max(1, ...factors.map(({ down }) => down));
  return factors.reduce((sum, { across, down }) => sum + (pixels * across * down) / most, 0);
}

/** Approximate quality of a JPEG, 1 to 100 on libjpeg's scale, estimated from the first steps of its first table. */
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

/** Whether the first scan of a JPEG is not its last: it is progressive, or its components come one after the other. */
export function isRefined(jpeg: Uint8Array): boolean {
  const components = jpegComponents(jpeg) ?? 1;
  if (jpegCoefficients(jpeg) > 0) return true;
  for (const { marker, start } of markers(jpeg)) if (marker === SOS) return (jpeg[start] ?? 0) < components;
  return false;
}
