/** Where boxes are on their pages. */
import type { PageFormat, PlacedBox, PlaceOnAxis } from "./source/document.ts";

/** The top left of a box in points from the top left of the page. `anchor`: that of its element. */
export function placeOf(
  { horizontal, vertical, width, height }: PlacedBox,
  { margins, ...page }: PageFormat,
  anchor: { readonly x: number; readonly y: number },
): { readonly x: number; readonly y: number } {
  return {
    x: onAxis(horizontal, width, { length: page.width, before: margins.left, after: margins.right }, anchor.x),
    y: onAxis(vertical, height, { length: page.height, before: margins.top, after: margins.bottom }, anchor.y),
  };
}

function onAxis(
  { from, align, offset }: PlaceOnAxis,
  size: number,
  { length, before, after }: { readonly length: number; readonly before: number; readonly after: number },
  anchor: number,
): number {
  const [start, room] = {
    page: [0, length],
    margins: [before, length - before - after],
    before: [0, before],
    after: [length - after, after],
    anchor: [anchor, length - after - anchor],
  }[from] as [number, number];
  if (align === undefined || align === "start") return start + (align === undefined ? offset : 0);
  return start + (align === "center" ? (room - size) / 2 : room - size);
}
