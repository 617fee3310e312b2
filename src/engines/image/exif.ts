/**
 * Reads the EXIF facts that determine how an image is placed: orientation and resolution (CIPA DC-008; TIFF 6.0, section 2).
 * Not with a library: those copy the whole file into a buffer of their own and parse hundreds of tags that are not needed.
 */
import { plausibleResolution, CENTIMETERS_PER_INCH, type Orientation, type Resolution } from "./facts.ts";
import { TiffStructure } from "./tiff-structure.ts";

export interface Exif {
  readonly orientation: Orientation;
  readonly resolution: Resolution | undefined;
}

const ORIENTATION = 0x0112;
const X_RESOLUTION = 0x011a;
const Y_RESOLUTION = 0x011b;
const RESOLUTION_UNIT = 0x0128;
/** The tags that `placementOf` reads. */
export const PLACEMENT_TAGS: ReadonlySet<number> = new Set([ORIENTATION, X_RESOLUTION, Y_RESOLUTION, RESOLUTION_UNIT]);

/** Maximum number of directory entries read; the four tags are among the first 30. */
const MOST_ENTRIES = 500;

/** Reads the first directory of a TIFF structure. Damaged or missing values count as absent. */
export function readExif(tiff: Uint8Array): Exif {
  const structure = TiffStructure.of(tiff);
  const { entries } = structure?.directory(structure.first, MOST_ENTRIES, PLACEMENT_TAGS) ?? {};
  return placementOf((name) => structure?.number(entries?.get(name)));
}

/** The orientation and resolution among the values of a directory. */
export function placementOf(number: (name: number) => number | undefined): Exif {
  const orientation = number(ORIENTATION) ?? 1;
  // Inches if no unit is given; 1 means that only the aspect ratio of the pixels is known.
  const unit = number(RESOLUTION_UNIT) ?? 2;
  const scale = unit === 2 ? 1 : unit === 3 ? CENTIMETERS_PER_INCH : 0;
  const x = (number(X_RESOLUTION) ?? 0) * scale;
  const y = (number(Y_RESOLUTION) ?? 0) * scale;
  return { orientation: isOrientation(orientation) ? orientation : 1, resolution: plausibleResolution(x, y) };
}

function isOrientation(value: number): value is Orientation {
  return Number.isInteger(value) && value >= 1 && value <= 8;
}
