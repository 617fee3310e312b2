/** Facts about an image of any format that are known before it is decoded. */

/** 1 to 8 (EXIF, tag 274; CIPA DC-008, 4.6.5): how the stored rows and columns are to be shown. 1 shows them as stored. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Pixels per inch along the stored rows (`x`) and columns (`y`). */
export interface Resolution {
  readonly x: number;
  readonly y: number;
}

export interface ImageFileFacts {
  /** Pixels per stored row, and number of stored rows: before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  /** Absent if the image has none, or one that no device has. */
  readonly resolution: Resolution | undefined;
}

/** A problem with an image, as the end of a sentence that begins with its name: "is cut off". */
export class BadImage extends Error {
  override readonly name = "BadImage";
}

export const CENTIMETERS_PER_INCH = 2.54;
const METERS_PER_INCH = 0.0254;

/** Converts pixels per meter, as in PNG, to pixels per inch. */
export const perInch = (perMeter: number): number => perMeter * METERS_PER_INCH;

/** The range of real devices. Values outside it are filler from software: 0, 1, 65535. */
const LOWEST_DPI = 10;
const HIGHEST_DPI = 12_800;

/** The resolution if both numbers are plausible. */
export function plausibleResolution(x: number, y: number): Resolution | undefined {
  const can = (dpi: number): boolean => dpi >= LOWEST_DPI && dpi <= HIGHEST_DPI;
  return can(x) && can(y) ? { x, y } : undefined;
}

/** Bytes of a file as characters, one per byte. */
export function tag(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** Big-endian numbers of 16 and 32 bits; 0 past the end. */
export const uint16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
export const uint32 = (bytes: Uint8Array, at: number): number => uint16(bytes, at) * 0x1_0000 + uint16(bytes, at + 2);
