/**
 * Reads the EXIF facts that determine how an image is placed: orientation and resolution (CIPA DC-008; TIFF 6.0, section 2).
 * Not with a library: those copy the whole file into a buffer of their own and parse hundreds of tags that are not needed.
 */
import { plausibleResolution, CENTIMETERS_PER_INCH, type Orientation, type Resolution, tag } from "./facts.ts";

export interface Exif {
  readonly orientation: Orientation;
  readonly resolution: Resolution | undefined;
}

const ORIENTATION = 0x0112;
const X_RESOLUTION = 0x011a;
const Y_RESOLUTION = 0x011b;
const RESOLUTION_UNIT = 0x0128;

const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;
const ENTRY_BYTES = 12;
/** Maximum number of directory entries read; the four tags are among the first 30. */
const MOST_ENTRIES = 500;

/** Reads the first directory of a TIFF structure. Damaged or missing values count as absent. */
export function readExif(tiff: Uint8Array): Exif {
  const fields = new Map<number, number>();
  const order = tag(tiff, 0, 2);
  if (tiff.length >= 8 && (order === "II" || order === "MM")) {
    const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
    readDirectory(view, order === "II", fields);
  }
  const orientation = fields.get(ORIENTATION) ?? 1;
  // Inches if no unit is given; 1 means that only the aspect ratio of the pixels is known.
  const unit = fields.get(RESOLUTION_UNIT) ?? 2;
  const scale = unit === 2 ? 1 : unit === 3 ? CENTIMETERS_PER_INCH : 0;
  const x = (fields.get(X_RESOLUTION) ?? 0) * scale;
  const y = (fields.get(Y_RESOLUTION) ?? 0) * scale;
  return { orientation: isOrientation(orientation) ? orientation : 1, resolution: plausibleResolution(x, y) };
}

function readDirectory(view: DataView, little: boolean, fields: Map<number, number>): void {
  const inside = (at: number, length: number): boolean => at + length <= view.byteLength;
  const directory = view.getUint32(4, little);
  if (!inside(directory, 2)) return;
  const count = Math.min(view.getUint16(directory, little), MOST_ENTRIES);
  for (let index = 0; index < count; index++) {
    const at = directory + 2 + index * ENTRY_BYTES;
    if (!inside(at, ENTRY_BYTES)) return;
    const name = view.getUint16(at, little);
    const type = view.getUint16(at + 2, little);
    if (fields.has(name) || view.getUint32(at + 4, little) < 1) continue;
    if (type === SHORT) fields.set(name, view.getUint16(at + 8, little));
    else if (type === LONG) fields.set(name, view.getUint32(at + 8, little));
    else if (type === RATIONAL) {
      const place = view.getUint32(at + 8, little);
      if (inside(place, 8)) fields.set(name, view.getUint32(place, little) / view.getUint32(place + 4, little));
    }
  }
}

function isOrientation(value: number): value is Orientation {
  return Number.isInteger(value) && value >= 1 && value <= 8;
}
