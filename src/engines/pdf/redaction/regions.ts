/** Areas that a request names, in points of the page as displayed. */
import { invalidParameter } from "../../errors.ts";
import { apply, hundredths, inverse, type Matrix } from "../../geometry.ts";
import type { OpenPdf } from "../document/document.ts";
import { type StampPage, pageAsShown } from "../content/page-content.ts";
import { boxOn, inUnits, misplaced, pageIssue, type ShownBox, touches } from "../content/shown-box.ts";
import type { Quad } from "../text/glyphs.ts";
import type { RedactedBox } from "./annotations.ts";

/** The problem with the pages of regions, or undefined. */
export const regionIssue = (regions: readonly ShownBox[], pageCount: number): string | undefined =>
  regions.map((region) => pageIssue(region, pageCount)).find((issue) => issue !== undefined);

/**
 * Refuses regions that do not touch their pages: the response would report a redaction that removed nothing.
 * @throws Refusal `invalid_parameters`
 */
export function checkRegions(open: OpenPdf, regions: readonly ShownBox[]): void {
  const issue = regionIssue(regions, open.pageCount);
  if (issue !== undefined) throw invalidParameter("regions", issue);
  for (const region of regions) {
    const page = shownPage(open, region.page - 1);
    if (!touches(page, region)) throw misplaced("regions", page, region);
  }
}

/** The rectangle of a region in units of its page. */
export function toPageArea(open: OpenPdf, region: ShownBox): RedactedBox {
  const page = shownPage(open, region.page - 1);
  return inUnits(page, boxOn(page, region));
}

const shownPage = ({ document }: OpenPdf, index: number): StampPage => pageAsShown(document.findPage(index), index);

/** The rectangle around a quadrilateral of a page (0-based), in points from the top left of the visible page. */
export function boxAsShown(
  open: OpenPdf,
  index: number,
  quad: Quad,
): { x: number; y: number; width: number; height: number } {
  const shown = shownPage(open, index);
  const toShown: Matrix = inverse(shown.toPage);
  const corners = [0, 2, 4, 6].map((at) => apply(toShown, quad[at] ?? 0, quad[at + 1] ?? 0));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => shown.height - y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return {
    x: hundredths(x),
    y: hundredths(y),
    width: hundredths(Math.max(...xs) - x),
    height: hundredths(Math.max(...ys) - y),
  };
}
