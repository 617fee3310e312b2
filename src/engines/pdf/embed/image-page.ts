/** Lays out an image on a page of its own. Points, with the origin at the page's lower left corner. */
import type { ImageFileFacts, Orientation } from "../../image/facts.ts";
import { LONGEST_SIDE, SHORTEST_SIDE } from "../../geometry.ts";

const POINTS_PER_INCH = 72;
/** Resolution of an image that declares none: one pixel is one point. */
const DEFAULT_DPI = 72;

/** Portrait: width and height in points. */
export const namedSizes = { a4: [595.28, 841.89], letter: [612, 792], legal: [612, 1008] } as const;

export interface PageOptions {
  /** `auto`: the size of the image plus the margin. */
  readonly size: "auto" | keyof typeof namedSizes;
  /** Applies to the named sizes. `auto`: landscape if the image is wider than tall. */
  readonly orientation: "portrait" | "landscape" | "auto";
  /** Points between the edges of the page and the box for the image. */
  readonly margin: number;
  /** `contain`: the whole image fits in the box. `cover`: the image fills the box and is cropped at its edges. */
  readonly fit: "contain" | "cover" | "stretch";
}

/** The largest margin that leaves room on every page of a size: less than half of the shorter side, in whole points. */
export function largestMargin(size: PageOptions["size"]): number {
  const shorter = size === "auto" ? LONGEST_SIDE - SHORTEST_SIDE : namedSizes[size][0];
  return Math.ceil(shorter / 2) - 1;
}

export interface ImagePage {
  readonly width: number;
  readonly height: number;
  /** The content that draws the image, whose resource name is `/Im0`. */
  readonly content: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Lays out an image. The page without its margin is the box that the image is fitted into. */
export function layOutImage(image: ImageFileFacts, options: PageOptions): ImagePage {
  const { margin } = options;
  const own = shownSize(image);
  const page = options.size === "auto" ? pageAround(own, margin) : namedPage(options.size, options.orientation, own);
  const box = { width: page.width - 2 * margin, height: page.height - 2 * margin };
  const inBox = fitted(own, box, options.fit);
  const size = { width: snapped(inBox.width, box.width), height: snapped(inBox.height, box.height) };
  const x = (page.width - size.width) / 2;
  const y = (page.height - size.height) / 2;
  const clip = options.fit === "cover" ? `${numbers(margin, margin, box.width, box.height)} re W n ` : "";
  const matrix = numbers(...placement(image.orientation, x, y, size.width, size.height));
  return { ...page, content: `q ${clip}${matrix} cm /Im0 Do Q` };
}

const numbers = (...values: readonly number[]): string => values.map(pdfNumber).join(" ");

/** The size at the image's own resolution, after its orientation is applied. */
function shownSize({ width, height, orientation, resolution }: ImageFileFacts): Size {
  const { x, y } = resolution ?? { x: DEFAULT_DPI, y: DEFAULT_DPI };
  const [across, down] = [(width / x) * POINTS_PER_INCH, (height / y) * POINTS_PER_INCH];
  return orientation >= 5 ? { width: down, height: across } : { width: across, height: down };
}

/**
 * A page around an image and its margin. If readers would not accept its size, the image is scaled proportionally; if it is
 * still too narrow, the page has extra space next to it.
 */
function pageAround({ width, height }: Size, margin: number): Size {
  const room = LONGEST_SIDE - 2 * margin;
  const least = Math.max(0, SHORTEST_SIDE - 2 * margin);
  const scale = Math.min(room / Math.max(width, height), Math.max(1, least / Math.min(width, height)));
  const side = (length: number): number => Math.max(SHORTEST_SIDE, pageSide(length * scale + 2 * margin));
  return { width: side(width), height: side(height) };
}

/**
 * Rounds down to seven digits, five of them decimals: these survive the single precision of programs that save the file
 * again, and a smaller page never gains a row of pixels.
 */
function pageSide(length: number): number {
  const step = 10 ** Math.min(5, 6 - Math.floor(Math.log10(length)));
  // Products of such numbers may be off by a little.
  return Math.floor(length * step + 1e-3) / step;
}

/** Snaps an image side to its box if they differ only by rounding. */
const snapped = (length: number, room: number): number => (Math.abs(length - room) < 0.01 ? room : length);

function namedPage(size: keyof typeof namedSizes, orientation: PageOptions["orientation"], image: Size): Size {
  const [shorter, longer] = namedSizes[size];
  const landscape = orientation === "landscape" || (orientation === "auto" && image.width > image.height);
  return landscape ? { width: longer, height: shorter } : { width: shorter, height: longer };
}

function fitted(image: Size, box: Size, fit: PageOptions["fit"]): Size {
  if (fit === "stretch") return box;
  const scales = [box.width / image.width, box.height / image.height];
  const scale = fit === "contain" ? Math.min(...scales) : Math.max(...scales);
  return { width: image.width * scale, height: image.height * scale };
}

/**
 * The matrix that places an image, stored in the unit square with its first row at the top, upright in the box at `x`, `y` of size `w` by `h`.
 * Mirrors and rotates it by its orientation: for example, 6 has its first row on the right.
 */
export function placement(
  orientation: Orientation,
  x: number,
  y: number,
  w: number,
  h: number,
): [number, number, number, number, number, number] {
  switch (orientation) {
    case 1:
      return [w, 0, 0, h, x, y];
    case 2:
      return [-w, 0, 0, h, x + w, y];
    case 3:
      return [-w, 0, 0, -h, x + w, y + h];
    case 4:
      return [w, 0, 0, -h, x, y + h];
    case 5:
      return [0, -h, -w, 0, x + w, y + h];
    case 6:
      return [0, -h, w, 0, x, y + h];
    case 7:
      return [0, h, w, 0, x, y];
    case 8:
      return [0, h, -w, 0, x + w, y];
  }
}

/** A PDF number: no exponent, and no more digits than matter. */
export function pdfNumber(value: number): string {
  const text = value.toFixed(5).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}
