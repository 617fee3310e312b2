/** A box that a request names on a page, as a viewer shows the page. */
import { hundredths, type PageBox } from "../../geometry.ts";
import { invalidParameter, type Refusal } from "../../errors.ts";
import type { StampPage } from "./page-content.ts";

/** In points of the page as displayed. */
export interface ShownBox {
  /** 1-based. */
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The corner of the page from which `x` and `y` are measured, to the same corner of the box. */
  readonly origin: "top-left" | "bottom-left";
}

type Sides = Omit<ShownBox, "page" | "origin">;

/** Points by which a box may extend past the page: page sizes are reported with two decimals. */
const TOLERANCE = 0.01;

/** The problem with the page number of a box, or undefined. */
export function pageIssue({ page }: { readonly page: number }, pageCount: number): string | undefined {
  return page > pageCount ? `is invalid: \`page\` must be at most ${pageCount}, the last page` : undefined;
}

/** Whether a box is on its page, measured from any corner. */
export function liesOn(page: StampPage, { x, y, width, height }: Sides): boolean {
  const most = { x: page.width + TOLERANCE, y: page.height + TOLERANCE };
  return Math.min(x, y) >= -TOLERANCE && x + width <= most.x && y + height <= most.y;
}

/** Whether a part of a box is on its page. */
export function touches(page: StampPage, { x, y, width, height }: Sides): boolean {
  return x < page.width && y < page.height && x + width > 0 && y + height > 0;
}

/** Left, bottom, right, and top of a box, in points from the bottom left of the page as displayed. */
export function boxOn(page: StampPage, { x, y, width, height, origin }: Sides & Pick<ShownBox, "origin">): PageBox {
  const bottom = origin === "bottom-left" ? y : page.height - y - height;
  return [x, bottom, x + width, bottom + height];
}

/** Converts a box in points from the bottom left of the page as displayed to units of the page. */
export function inUnits({ toPage: [a, b, c, d, e, f] }: StampPage, [left, bottom, right, top]: PageBox): PageBox {
  const [x0, y0] = [a * left + c * bottom + e, b * left + d * bottom + f];
  const [x1, y1] = [a * right + c * top + e, b * right + d * top + f];
  return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

/**
 * The Refusal `invalid_parameters` of a box that does not touch its page.
 * @param field the parameter that has the box
 */
export function misplaced(field: string, page: StampPage, { x, y, width, height }: Sides): Refusal {
  const given = `x ${x}, y ${y}, width ${width}, height ${height}`;
  return invalidParameter(field, `is invalid: the box (${given}) must touch page ${page.index + 1} (${sizeOf(page)})`);
}

export const sizeOf = ({ width, height }: StampPage): string => `${hundredths(width)} x ${hundredths(height)} points`;
