/** A box on a page in whole points, measured from the page's top left. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The dragged part: a corner, the whole box, or a new box. */
export type Corner = "nw" | "ne" | "sw" | "se" | "inside" | "new";

const SMALLEST = 4;

/** The box described by a JSON object; undefined if it has none. Boxes measured from the bottom are converted. */
export function boxFrom(members: Readonly<Record<string, unknown>>, pageHeight: number): Box | undefined {
  const { x, y, width, height, origin } = members;
  if (typeof x !== "number" || typeof y !== "number" || typeof width !== "number" || typeof height !== "number") {
    return undefined;
  }
  return { x, y: origin === "bottom-left" ? round(pageHeight - y - height) : y, width, height };
}

const round = (value: number): number => Math.round(value * 100) / 100;
const between = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Moves the box by points, keeping it on the page. */
export function moved(box: Box, x: number, y: number, { width, height }: Size): Box {
  return {
    ...box,
    x: Math.max(0, Math.floor(between(Math.round(box.x + x), 0, width - box.width))),
    y: Math.max(0, Math.floor(between(Math.round(box.y + y), 0, height - box.height))),
  };
}

/** Resizes the box by points at its right and bottom. */
export function sized(box: Box, x: number, y: number, page: Size): Box {
  return {
    ...box,
    width: Math.floor(between(Math.round(box.width + x), SMALLEST, page.width - box.x)),
    height: Math.floor(between(Math.round(box.height + y), SMALLEST, page.height - box.y)),
  };
}

/** The box that results from dragging, given the box at the start of the drag. */
export function dragged(start: { corner: Corner; box: Box } & Point, to: Point, page: Size): Box {
  const { corner, box } = start;
  if (corner === "inside") return moved(box, to.x - start.x, to.y - start.y, page);
  // The corner opposite to the dragged one, which stays in place.
  const fixed =
    corner === "new"
      ? { x: start.x, y: start.y }
      : { x: corner.endsWith("w") ? box.x + box.width : box.x, y: corner.startsWith("n") ? box.y + box.height : box.y };
  const across = spanned(fixed.x, to.x, page.width);
  const down = spanned(fixed.y, to.y, page.height);
  return { x: across.from, y: down.from, width: across.length, height: down.length };
}

function spanned(fixed: number, end: number, most: number): { from: number; length: number } {
  const limit = Math.floor(most);
  const from = Math.round(between(Math.min(fixed, end), 0, limit - SMALLEST));
  const to = Math.round(between(Math.max(fixed, end), from + SMALLEST, limit));
  return { from, length: to - from };
}
