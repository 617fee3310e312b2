/** What is erased of a page: some rectangles of it, or all but one. */
import type { PageBox } from "../../geometry.ts";
import { boundsOf, corners, covers, overlap, type Polygon } from "./geometry.ts";

export interface Area {
  /** Whether any of something lies in it. */
  touches(part: Polygon): boolean;
  /** Whether all of something lies in it. */
  covers(part: Polygon): boolean;
  /** Areas whose pixels are blanked: those that lie in one of `parts` with any part of them, or those of which no part lies in `outside`. */
  readonly pixels: { readonly within: readonly Polygon[] } | { readonly outside: Polygon };
}

/** Hairs: how much things may have in common with an area that they only adjoin, in units of the page. */
const ADJOINING = 1e-3;

/** The area of several convex ones. */
export function areaOf(parts: readonly Polygon[]): Area {
  const bounds = parts.map((part) => ({ part, box: boundsOf(part) }));
  const near = (other: Polygon): Polygon[] => {
    const [left, bottom, right, top] = boundsOf(other);
    return bounds
      .filter(({ box }) => box[0] <= right && box[2] >= left && box[1] <= top && box[3] >= bottom)
      .map(({ part }) => part);
  };
  return {
    touches: (other) => near(other).some((part) => overlap(part, other, ADJOINING)),
    covers: (other) => near(other).some((part) => covers(part, other)),
    pixels: { within: parts },
  };
}

/** All that lies outside of a rectangle. */
export function around(box: PageBox): Area {
  const inside = corners(box);
  const [left, bottom, right, top] = box;
  const wider = corners([left - ADJOINING, bottom - ADJOINING, right + ADJOINING, top + ADJOINING]);
  return {
    touches: (other) => !covers(wider, other),
    covers: (other) => !overlap(inside, other, ADJOINING),
    pixels: { outside: inside },
  };
}
