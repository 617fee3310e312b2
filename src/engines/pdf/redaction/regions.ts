/** Areas that a request names, in points of the page as displayed. */
import type { Matrix } from "../content/operands.ts";
import type { OpenPdf } from "../document/document.ts";
import { pageAsShown } from "../content/page-content.ts";
import type { Quad } from "../text/glyphs.ts";
import type { Area } from "./annotations.ts";
import { apply, inverse } from "./page-matches.ts";

export interface Region {
  /** 1-based. */
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The corner of the page from which `x` and `y` are measured, to the same corner of the box. */
  readonly origin: "top-left" | "bottom-left";
}

/** What is wrong with regions, or undefined. */
export function regionIssue(
  regions: readonly Region[],
  { pageCount }: { readonly pageCount: number },
): string | undefined {
  return regions.some(({ page }) => page > pageCount)
    ? `is invalid: \`page\` must be at most ${pageCount}, the last page`
    : undefined;
}

/** The rectangle of a region in units of its page. */
export function toPageArea(open: OpenPdf, { page, x, y, width, height, origin }: Region): Area {
  const shown = pageAsShown(open.document.findPage(page - 1), page - 1);
  const bottom = origin === "bottom-left" ? y : shown.height - y - height;
  const [ax, ay] = apply(shown.toPage, x, bottom);
  const [bx, by] = apply(shown.toPage, x + width, bottom + height);
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}

/** The rectangle around a quadrilateral of a page (0-based), in points from the top left of the visible page. */
export function shownBox(
  open: OpenPdf,
  index: number,
  quad: Quad,
): { x: number; y: number; width: number; height: number } {
  const shown = pageAsShown(open.document.findPage(index), index);
  const toShown: Matrix = inverse(shown.toPage);
  const corners = [0, 2, 4, 6].map((at) => apply(toShown, quad[at] ?? 0, quad[at + 1] ?? 0));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => shown.height - y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x: rounded(x), y: rounded(y), width: rounded(Math.max(...xs) - x), height: rounded(Math.max(...ys) - y) };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
