/** Crops pages: sets their visible part (ISO 32000-2, 14.11.2). */
import { invalidParameter } from "../../errors.ts";
import type { PageBox } from "../../geometry.ts";
import { type StampPage, StampPages } from "../content/page-content.ts";
import { boxOn, inUnits, liesOn, sizeOf } from "../content/shown-box.ts";
import type { OpenPdf } from "../document/document.ts";
import { boxOf, common, visiblePage } from "../document/page-facts.ts";

/** A part of a page as displayed: points, origin at its top left. */
export interface CropArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Points that are cut off from the sides of a page as displayed. */
export interface CropMargins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** The displayed page before the crop, and the box in its units that stays visible. */
export interface Crop {
  readonly page: StampPage;
  readonly box: PageBox;
}

/** The smallest side of a page in points. */
const SMALLEST = 1;

/** Boxes of a page that must not extend past its MediaBox. */
const INNER_BOXES = ["BleedBox", "TrimBox", "ArtBox"];

/** Plans the crops of pages (0-based). `areaOf`: the part that stays visible; undefined leaves the page unchanged. */
export async function planCrops(
  open: OpenPdf,
  pages: readonly number[],
  areaOf: (page: StampPage) => CropArea | undefined | Promise<CropArea | undefined>,
): Promise<Crop[]> {
  const crops: Crop[] = [];
  for (const page of (await StampPages.of(open, pages, "under")).pages) {
    await open.engine.work.pause();
    const area = await areaOf(page);
    if (area) crops.push({ page, box: visibleBox(page, area) });
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
export function areaOn(page: StampPage, area: CropArea): CropArea {
  if (liesOn(page, area)) return area;
  throw invalidParameter("box", `must lie on the pages: page ${page.index + 1} has ${sizeOf(page)}`);
}

/**
 * The rest of the page within the margins.
 * @throws Refusal `invalid_parameters` if nothing is left
 */
export function areaWithin(page: StampPage, { top, right, bottom, left }: CropMargins): CropArea {
  const area = { x: left, y: top, width: page.width - left - right, height: page.height - top - bottom };
  if (Math.min(area.width, area.height) >= SMALLEST) return area;
  throw invalidParameter("margins", `must leave a part of each page: page ${page.index + 1} has ${sizeOf(page)}`);
}

/** The box of an area in units of the page. */
function visibleBox(page: StampPage, area: CropArea): PageBox {
  const visible = visiblePage(page.object).box;
  const box = inUnits(page, boxOn(page, { ...area, origin: "top-left" }));
  const [left, bottom, right, top] = common(box, visible) ?? visible;
  return [digits(left), digits(bottom), digits(right), digits(top)];
}

const digits = (value: number): number => Math.round(value * 1e4) / 1e4;
