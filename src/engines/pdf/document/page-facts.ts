/** Facts about a document that do not require drawing it: page sizes, version, permissions. */
import type { PageBox } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "./document.ts";
import { pageAt } from "./page-tree.ts";
import { decimalOf, items } from "../objects/objects.ts";

export interface PageSize {
  /** Points (1/72 inch) of the visible page, before rotation. */
  readonly width: number;
  readonly height: number;
  /** Clockwise rotation for display in degrees: 0, 90, 180, or 270. */
  readonly rotation: number;
}

export interface VisiblePage {
  /** The CropBox, clipped to the MediaBox. */
  readonly box: PageBox;
  /** Points per unit of the page (UserUnit). */
  readonly unit: number;
  /** Clockwise rotation for display in degrees: 0, 90, 180, or 270. */
  readonly rotation: number;
}

/** The default of readers for a page without a usable MediaBox. */
const LETTER: PageBox = [0, 0, 612, 792];

/** The CropBox, clipped to the MediaBox, in points with UserUnit applied (ISO 32000-2, 7.7.3.3 and 14.11.2). */
export function readPageSizes(open: OpenPdf): PageSize[] {
  return Array.from({ length: open.pageCount }, (_, index) => {
    const { box, unit, rotation } = visiblePage(pageAt(open, index));
    const [x0, y0, x1, y1] = box;
    return { width: points((x1 - x0) * unit), height: points((y1 - y0) * unit), rotation };
  });
}

/** The visible area of a page, and how it is displayed (ISO 32000-2, 7.7.3.3 and 14.11.2). */
export function visiblePage(page: PDFObject): VisiblePage {
  const media = mediaBox(page);
  const crop = boxOf(page.getInheritable("CropBox"));
  const unit = decimalOf(page.get("UserUnit"));
  const rotate = page.getInheritable("Rotate").asNumber();
  return {
    box: (crop && common(media, crop)) ?? media,
    unit: Number.isFinite(unit) && unit > 0 ? unit : 1,
    rotation: rotate % 90 === 0 ? ((rotate % 360) + 360) % 360 : 0,
  };
}

/** The MediaBox, or what readers take for one that is missing or useless. */
export const mediaBox = (page: PDFObject): PageBox => boxOf(page.getInheritable("MediaBox")) ?? LETTER;

/** MuPDF's floats have 24 bits of precision, enough for a thousandth of a point. */
const points = (value: number): number => Math.round(value * 1000) / 1000;

/** The box of an array of four numbers; undefined if it has no area. */
export function boxOf(array: PDFObject): PageBox | undefined {
  const numbers = items(array).map(decimalOf);
  const [a, b, c, d] = numbers;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  return solid([Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)]);
}

/** What two boxes have in common; undefined if nothing. */
export function common(a: PageBox, b: PageBox): PageBox | undefined {
  return solid([Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]);
}

function solid(box: PageBox): PageBox | undefined {
  return box.every(Number.isFinite) && box[2] > box[0] && box[3] > box[1] ? box : undefined;
}

/** The version from the header or, if later, the catalog, such as `1.7` (7.5.2). */
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

/** Bit positions in the entry P (7.6.4.2, table 22). */
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
/** Revision 2 has no separate bits for these; they share other bits. */
const REVISION_2: Readonly<Record<Permission, number>> = {
  ...BITS,
  "print-high": 3,
  "fill-forms": 6,
  accessibility: 5,
  assemble: 4,
};

/** What the document permits without the owner password. Everything if it is not encrypted. */
export function readPermissions({ document, encrypted }: OpenPdf): Permission[] {
  if (!encrypted) return [...PERMISSIONS];
  const encrypt = document.getTrailer().get("Encrypt");
  const bits = encrypt.get("R").asNumber() < 3 ? REVISION_2 : BITS;
  const granted = encrypt.get("P").asNumber();
  return PERMISSIONS.filter((permission) => (granted >> (bits[permission] - 1)) & 1);
}
