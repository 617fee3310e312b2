/** One mark on many pages: at a position, along the diagonal, or tiled across the page. */
import { type Matrix, multiply } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { tooManyTiles } from "../../limit-errors.ts";
import type { OpenPdf } from "../document/document.ts";
import { OwnColors } from "../conformance/own-colors.ts";
import { MARK_SIZE } from "./ink.ts";
import { makeForm, type StampMark } from "./mark.ts";
import { type Layer, StampPages } from "../content/page-content.ts";
import { numbers } from "../content/operands.ts";

export const WATERMARK_POSITIONS = [
  "top-left",
  "top-right",
  "bottom-left",
  "bottom-right",
  "center",
  "diagonal",
] as const;
type Position = (typeof WATERMARK_POSITIONS)[number];

export interface Watermark {
  /** 0-based. */
  readonly pages: readonly number[];
  readonly layer: Layer;
  readonly position: Position;
  readonly tile: boolean;
  /** 0 to 1. */
  readonly opacity: number;
  /** Degrees counterclockwise. */
  readonly rotation: number;
  /** The size of the mark: font size in points, fraction of the page width, or fitted to the page. */
  readonly size: { readonly points: number } | { readonly ofWidth: number } | "fitted";
}

/** The largest fraction of the page's width and height that a fitted mark takes. */
const FITTED = 0.8;
const FITTED_IN_CORNER = 0.3;
const FITTED_TILE = 0.25;
/** The largest font size of a fitted mark, as a fraction of the page's shorter side. */
const LARGEST_FITTED = 0.25;
/**
 * Space between tiles, as a fraction of their longer side: at least the height of a line for text, at most this for a
 * square.
 */
const TILE_SPACE = { least: 0.15, most: 0.35 } as const;
/** Distance of a corner mark from the edges, as a fraction of the page's shorter side. */
const CORNER_MARGIN = 0.04;

/**
 * Draws a mark on pages.
 * @throws Refusal `limit_exceeded`: contents too large to read, or too many tiles for a page
 */
export async function stampWatermark(open: OpenPdf, mark: StampMark, watermark: Watermark): Promise<void> {
  const pages = await StampPages.of(open, watermark.pages, watermark.layer);
  /** One form per page size, drawn in points from the bottom left. */
  const sheets = new Map<string, PDFObject>();
  const colors = await OwnColors.of(open);
  for (const page of pages.pages) {
    const { width, height } = page;
    const key = numbers(width, height);
    const sheet = sheets.get(key) ?? makeSheet(open, mark, watermark, width, height);
    sheets.set(key, sheet);
    await pages.draw(page, watermark.layer, (name) => `${numbers(...page.toPage)} cm /${name("XObject", sheet)} Do`);
    if (mark.isBlended || watermark.opacity < 1) colors.blend(page.object);
  }
}

function makeSheet(open: OpenPdf, mark: StampMark, watermark: Watermark, width: number, height: number): PDFObject {
  const box = [0, 0, width, height] as const;
  const matrices = placesOf(mark, watermark, width, height);
  // A transparency group, so that overlapping letters do not look darker.
  const group = watermark.opacity < 1 ? { Group: { Type: "Group", S: "Transparency" } } : {};
  const show = (matrix: Matrix, name: string): string => `q ${numbers(...matrix)} cm /${name} Do Q`;
  const sheet = makeForm(
    open,
    box,
    (name) =>
      matrices
        .map((matrix, index) => show(matrix, name("XObject", index === 0 ? mark.form : (mark.silent ?? mark.form))))
        .join("\n"),
    group,
  );
  if (watermark.opacity === 1) return sheet;
  const { opacity } = watermark;
  const state = open.document.addObject({ Type: "ExtGState", ca: opacity, CA: opacity });
  return makeForm(open, box, (name) => `/${name("ExtGState", state)} gs /${name("XObject", sheet)} Do`);
}

/** The matrices from units of the form to points on the page. */
function placesOf({ ink }: StampMark, watermark: Watermark, width: number, height: number): Matrix[] {
  const { position, tile, rotation } = watermark;
  const diagonal = position === "diagonal" ? Math.atan2(height, width) : 0;
  const angle = diagonal + ((rotation % 360) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [across, up] = [ink[2] - ink[0], ink[3] - ink[1]];
  /** Size of the rotated mark at scale 1. */
  const [wide, high] = [across * Math.abs(cos) + up * Math.abs(sin), across * Math.abs(sin) + up * Math.abs(cos)];
  const scale = scaleOf(watermark, wide, high, width, height);
  const middle: Matrix = [1, 0, 0, 1, -(ink[0] + ink[2]) / 2, -(ink[1] + ink[3]) / 2];
  const turned = multiply(middle, [scale * cos, scale * sin, -scale * sin, scale * cos, 0, 0]);
  const at = (x: number, y: number): Matrix => multiply(turned, [1, 0, 0, 1, x, y]);
  const half = [(wide * scale) / 2, (high * scale) / 2] as const;
  if (tile) return tiles([across * scale, up * scale], half, [cos, sin], [width, height]).map(([x, y]) => at(x, y));
  const margin = CORNER_MARGIN * Math.min(width, height);
  const x = position.endsWith("left")
    ? margin + half[0]
    : position.endsWith("right")
      ? width - margin - half[0]
      : width / 2;
  const y = position.startsWith("bottom")
    ? margin + half[1]
    : position.startsWith("top")
      ? height - margin - half[1]
      : height / 2;
  return [at(x, y)];
}

function scaleOf(
  { position, tile, size }: Watermark,
  wide: number,
  high: number,
  width: number,
  height: number,
): number {
  if (typeof size === "object") {
    return "points" in size ? size.points / MARK_SIZE : (size.ofWidth * width) / MARK_SIZE;
  }
  const part = tile ? FITTED_TILE : position.includes("-") ? FITTED_IN_CORNER : FITTED;
  return Math.min(
    (part * width) / wide,
    (part * height) / high,
    (LARGEST_FITTED * Math.min(width, height)) / MARK_SIZE,
  );
}

type Pair = readonly [number, number];

/**
 * The centers of tiles that cover a page: a grid rotated like the marks and centered on the page, with equal spacing, and
 * each row offset by half a step.
 */
function tiles([across, up]: Pair, [halfWide, halfHigh]: Pair, [cos, sin]: Pair, [width, height]: Pair): Pair[] {
  const long = Math.max(across, up);
  const space = Math.max(Math.min(across, up, TILE_SPACE.most * long), TILE_SPACE.least * long, 1);
  const [stepX, stepY] = [across + space, up + space];
  const actual = Math.ceil((width * height) / (stepX * stepY));
  if (actual > limits.stamps.tiles) throw tooManyTiles(actual);
  const reach = Math.hypot(width, height) / 2 + Math.hypot(across, up);
  const [columns, rows] = [Math.ceil(reach / stepX) + 1, Math.ceil(reach / stepY)];
  const centers: Pair[] = [];
  for (let row = -rows; row <= rows; row++) {
    for (let column = -columns; column <= columns; column++) {
      const [gridX, gridY] = [(column + (row % 2 === 0 ? 0 : 0.5)) * stepX, row * stepY];
      const x = width / 2 + gridX * cos - gridY * sin;
      const y = height / 2 + gridX * sin + gridY * cos;
      if (x > -halfWide && x < width + halfWide && y > -halfHigh && y < height + halfHigh) centers.push([x, y]);
    }
  }
  // The center tile comes first: pdf.js treats a form whose first text is off the page as one without text.
  const distance = ([x, y]: Pair): number => Math.hypot(x - width / 2, y - height / 2);
  return centers.sort((a, b) => distance(a) - distance(b));
}
