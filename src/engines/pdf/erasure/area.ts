/** The erased area of a page: some rectangles of it, or all but one. */
import type { PageBox } from "../../geometry.ts";
import type { Work } from "../../work.ts";
import { boundsOf, corners, covers, type HalfPlane, halfPlanesOf, overlap, type Polygon } from "./geometry.ts";
import { outlinesOf } from "./outlines.ts";

export interface ErasedArea {
  /** Whether any part of a polygon is in the area. */
  touches(part: Polygon): boolean;
  /** Whether all of a polygon is in the area. */
  covers(part: Polygon): boolean;
  /** Areas whose pixels are blanked: pixels with any part in one of `within`, or pixels with no part in `outside`. */
  readonly pixels: { readonly within: readonly Polygon[] } | { readonly outside: Polygon };
}

/** An area at which drawings are cut. */
export interface CutArea extends ErasedArea {
  /** Convex parts of it that are close to a box. Each is the intersection of half-planes. */
  parts(box: PageBox): readonly (readonly HalfPlane[])[];
  /** The result for drawings that touch the area and cannot be cut. */
  readonly uncut: "stays" | "goes";
  /** Outlines that are close to a box. Filled by the even-odd rule, they are the area. Undefined where the page ends at the area. */
  outlines?(box: PageBox): readonly Polygon[];
}

/** Hairs: how much things may have in common with an area that they only adjoin, in units of the page. */
const ADJOINING = 1e-3;

/** The area of several convex ones. */
export function joinedArea(parts: readonly Polygon[]): ErasedArea {
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

/** The area of several rectangles. */
export async function erasedRegions(work: Work, boxes: readonly PageBox[]): Promise<CutArea> {
  const isNear = (box: PageBox, [left, bottom, right, top]: PageBox): boolean =>
    box[0] <= right && box[2] >= left && box[1] <= top && box[3] >= bottom;
  const outlines = (await outlinesOf(work, boxes)).map((outline) => ({ outline, box: boundsOf(outline) }));
  return {
    ...joinedArea(boxes.map(corners)),
    uncut: "goes",
    parts: (near) => boxes.filter((box) => isNear(box, near)).map((box) => halfPlanesOf(corners(box))),
    outlines: (near) => outlines.filter(({ box }) => isNear(box, near)).map(({ outline }) => outline),
  };
}

/** Everything outside of a rectangle. */
export function allAround(box: PageBox): CutArea {
  const inside = corners(box);
  const [left, bottom, right, top] = box;
  const wider = corners([left - ADJOINING, bottom - ADJOINING, right + ADJOINING, top + ADJOINING]);
  return {
    touches: (other) => !covers(wider, other),
    covers: (other) => !overlap(inside, other, ADJOINING),
    uncut: "stays",
    parts: (other) =>
      halfPlanesOf(inside)
        .map(({ x, y, edge }) => ({ x: -x, y: -y, edge: -edge }))
        .filter(({ x, y, edge }) => corners(other).some(([px, py]) => x * px + y * py < edge))
        .map((side) => [side]),
    pixels: { outside: inside },
  };
}
