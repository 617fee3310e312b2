/** What a caller can be told of a document without drawing it: page sizes, version, permissions. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "./document.ts";
import { items } from "../objects/objects.ts";

export interface PageSize {
  /** Points (1/72 inch) of the visible page, before it is turned. */
  readonly width: number;
  readonly height: number;
  /** Degrees clockwise by which it is turned when shown: 0, 90, 180 or 270. */
  readonly rotation: number;
}

/** Left, bottom, right and top, in units of the page. */
export type Box = readonly [number, number, number, number];

export interface VisiblePage {
  /** The CropBox cut to the MediaBox. */
  readonly box: Box;
  /** Points of a unit of the page. */
  readonly unit: number;
  /** Degrees clockwise by which it is turned when shown: 0, 90, 180 or 270. */
  readonly rotation: number;
}

/** What readers take where a page has no usable MediaBox. */
const LETTER: Box = [0, 0, 612, 792];

/** The CropBox cut to the MediaBox, in points: UserUnit is applied (ISO 32000-2, 7.7.3.3 and 14.11.2). */
export function readPageSizes(open: OpenPdf): PageSize[] {
  return Array.from({ length: open.pageCount }, (_, index) => {
    const { box, unit, rotation } = visiblePage(pageAt(open, index));
    const [x0, y0, x1, y1] = box;
    return { width: points((x1 - x0) * unit), height: points((y1 - y0) * unit), rotation };
  });
}

/** What of a page is shown, and how (ISO 32000-2, 7.7.3.3 and 14.11.2). */
export function visiblePage(page: PDFObject): VisiblePage {
  const media = boxOf(page.getInheritable("MediaBox")) ?? LETTER;
  const crop = boxOf(page.getInheritable("CropBox"));
  const unit = page.get("UserUnit").asNumber();
  const rotate = page.getInheritable("Rotate").asNumber();
  return {
    box: (crop && common(media, crop)) ?? media,
    unit: Number.isFinite(unit) && unit > 0 ? unit : 1,
    rotation: rotate % 90 === 0 ? ((rotate % 360) + 360) % 360 : 0,
  };
}

/** A page by its 0-based place; null where the page tree counts one that it does not have. */
export function pageAt({ document, engine }: OpenPdf, index: number): PDFObject {
  try {
    return document.findPage(index);
  } catch (error) {
    if (engine.isFailure(error)) return document.newNull();
    throw error;
  }
}

/** MuPDF's numbers have 24 bits; a thousandth of a point is what they are good for. */
const points = (value: number): number => Math.round(value * 1000) / 1000;

function boxOf(array: PDFObject): Box | undefined {
  const numbers = items(array).map((item) => item.asNumber());
  const [a, b, c, d] = numbers;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  return solid([Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)]);
}

function common(a: Box, b: Box): Box | undefined {
  return solid([Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]);
}

function solid(box: Box): Box | undefined {
  return box.every(Number.isFinite) && box[2] > box[0] && box[3] > box[1] ? box : undefined;
}

/** The version that the header or, later, the catalog gives, such as `1.7` (7.5.2). */
export function readVersion({ document }: OpenPdf): string | null {
  const version = document.getVersion();
  return version > 0 ? (version / 10).toFixed(1) : null;
}

export const PERMISSIONS = [
  "print",
  "print-high",
  "modify",
  "copy",
  "annotate",
  "fill-forms",
  "accessibility",
  "assemble",
] as const;
type Permission = (typeof PERMISSIONS)[number];

/** Bit positions of the entry P (7.6.4.2, table 22). */
const BITS: Readonly<Record<Permission, number>> = {
  print: 3,
  "print-high": 12,
  modify: 4,
  copy: 5,
  annotate: 6,
  "fill-forms": 9,
  accessibility: 10,
  assemble: 11,
};
/** Revision 2 has no bits of its own for these: they go with others. */
const REVISION_2: Readonly<Record<Permission, number>> = {
  ...BITS,
  "print-high": 3,
  "fill-forms": 6,
  accessibility: 5,
  assemble: 4,
};

/** What the document allows those who do not have its owner password; everything where it is not encrypted. */
export function readPermissions({ document, encrypted }: OpenPdf): Permission[] {
  if (!encrypted) return [...PERMISSIONS];
  const encrypt = document.getTrailer().get("Encrypt");
  const bits = encrypt.get("R").asNumber() < 3 ? REVISION_2 : BITS;
  const granted = encrypt.get("P").asNumber();
  return PERMISSIONS.filter((permission) => (granted >> (bits[permission] - 1)) & 1);
}
