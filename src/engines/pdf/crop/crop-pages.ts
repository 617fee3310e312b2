/** Crops pages: sets what of them is visible (ISO 32000-2, 14.11.2). */
import { Refusal } from "../../errors.ts";
import { type StampPage, StampPages } from "../content/page-content.ts";
import type { OpenPdf } from "../document/document.ts";
import { type Box, boxOf, common, visiblePage } from "../document/page-facts.ts";

/** A part of a page as displayed: points, origin at its top left. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Points that are cut off from the sides of a page as displayed. */
export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** A page as it is displayed before, and the box in its units that stays visible. */
export interface Crop {
  readonly page: StampPage;
  readonly box: Box;
}

/** Points by which an area may extend past the page: page sizes are reported with three decimals. */
const TOLERANCE = 0.01;

/** The smallest side of a page in points. */
const SMALLEST = 1;

/** Boxes of a page that must not extend past its MediaBox. */
const INNER_BOXES = ["BleedBox", "TrimBox", "ArtBox"];

/** Plans the crops of pages (0-based). `areaOf`: what stays visible; undefined leaves the page as it is. */
export async function planCrops(
  open: OpenPdf,
  pages: readonly number[],
  areaOf: (page: StampPage) => Area | undefined | Promise<Area | undefined>,
): Promise<Crop[]> {
  const crops: Crop[] = [];
  for (const page of (await StampPages.of(open, pages, "under")).pages) {
    await open.engine.work.pause();
    const area = await areaOf(page);
    if (area) crops.push({ page, box: boxOn(page, area) });
  }
  return crops;
}

/** Sets the CropBox. `removed`: nothing is left outside, so the other boxes are set as well. */
export function setBoxes(crops: readonly Crop[], { removed }: { removed: boolean }): void {
  for (const { page, box } of crops) {
    const { object } = page;
    object.put("CropBox", [...box]);
    if (!removed) continue;
    object.put("MediaBox", [...box]);
    for (const key of INNER_BOXES) {
      const inner = boxOf(object.get(key));
      const left = inner && common(inner, box);
      if (left) object.put(key, [...left]);
      else object.delete(key);
    }
  }
}

/**
 * Returns the area if it is on the page.
 * @throws Refusal `invalid_parameters`
 */
export function areaOn({ width, height, index }: StampPage, area: Area): Area {
  const { x, y } = area;
  const right = x + area.width;
  const bottom = y + area.height;
  if (Math.min(x, y) >= -TOLERANCE && right <= width + TOLERANCE && bottom <= height + TOLERANCE) return area;
  throw refused("box", `must lie on the pages: page ${index + 1} has ${sizeOf(width, height)}`);
}

/**
 * What is left of the page within the margins.
 * @throws Refusal `invalid_parameters` if that is nothing
 */
export function areaWithin({ width, height, index }: StampPage, { top, right, bottom, left }: Margins): Area {
  const area = { x: left, y: top, width: width - left - right, height: height - top - bottom };
  if (Math.min(area.width, area.height) >= SMALLEST) return area;
  throw refused("margins", `must leave a part of each page: page ${index + 1} has ${sizeOf(width, height)}`);
}

const sizeOf = (width: number, height: number): string => `${round(width)} x ${round(height)} points`;
const round = (value: number): number => Math.round(value * 100) / 100;

const refused = (name: "box" | "margins", issue: string): Refusal =>
  new Refusal("invalid_parameters", `\`${name}\` ${issue}.`, { fields: [{ name, issue }] });

/** The box of an area in units of the page. */
function boxOn({ object, height, toPage }: StampPage, area: Area): Box {
  const [a, b, c, d, e, f] = toPage;
  const corner = (x: number, y: number) => [a * x + c * y + e, b * x + d * y + f] as const;
  const [x0, y0] = corner(area.x, height - area.y - area.height);
  const [x1, y1] = corner(area.x + area.width, height - area.y);
  const visible = visiblePage(object).box;
  const [left, bottom, right, top] =
    common([Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)], visible) ?? visible;
  return [digits(left), digits(bottom), digits(right), digits(top)];
}

const digits = (value: number): number => Math.round(value * 1e4) / 1e4;
