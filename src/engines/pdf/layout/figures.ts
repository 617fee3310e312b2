/** Pictures and drawings on a page. */
import type { Drawn } from "./rules.ts";
import { type Area, areaOf } from "./words.ts";

export interface Figures {
  /** Pictures that are not the page's background. */
  readonly images: readonly Area[];
  /** Where curves and slanted lines are drawn: charts, mostly. */
  readonly drawings: readonly Area[];
}

/** Smaller pictures are symbols and rules, in points. */
const LEAST_SIDE = 24;
/** Share of the page from which a picture is its background, or a scan. */
const BACKGROUND = 0.8;
/** Shapes this close belong to one drawing, in points; and how many make one. */
const [NEAR, LEAST_SHAPES] = [12, 4];
/** Shapes that are looked at. */
const MOST_SHAPES = 2000;

export function figuresOf(images: readonly Area[], drawn: readonly Drawn[], page: Area): Figures {
  const size = (area: Area): number => (area.x1 - area.x0) * (area.y1 - area.y0);
  const isFigure = (area: Area): boolean =>
    area.x1 - area.x0 >= LEAST_SIDE && area.y1 - area.y0 >= LEAST_SIDE && size(area) < BACKGROUND * size(page);
  const shapes = drawn.filter((box) => !box.rectangle).slice(0, MOST_SHAPES);
  return {
    images: clusters(images.slice(0, MOST_SHAPES), 2)
      .map(({ area }) => area)
      .filter(isFigure),
    drawings: clusters(shapes, NEAR)
      .filter(({ count }) => count >= LEAST_SHAPES)
      .map(({ area }) => area)
      .filter(isFigure),
  };
}

interface Cluster {
  readonly area: Area;
  readonly count: number;
}

/** Areas in groups of those that are near each other. */
function clusters(areas: readonly Area[], distance: number): Cluster[] {
  const done: Cluster[] = [];
  /** Those that areas further down can still be near to. */
  let open: Cluster[] = [];
  for (const area of areas.toSorted((a, b) => a.y0 - b.y0)) {
    let [joined, count] = [area, 1];
    const apart: Cluster[] = [];
    for (const cluster of open) {
      const { x0, x1, y0, y1 } = cluster.area;
      if (y1 < area.y0 - distance) done.push(cluster);
      else if (x0 > area.x1 + distance || x1 < area.x0 - distance || y0 > area.y1 + distance) apart.push(cluster);
      else [joined, count] = [areaOf([joined, cluster.area]), count + cluster.count];
    }
    open = [...apart, { area: joined, count }];
  }
  return [...done, ...open];
}

/** Whether what looks like a table is a chart with its labels. */
export function isChart(table: Area, { drawings }: Figures): boolean {
  return drawings.some((drawing) => {
    const width = Math.min(table.x1, drawing.x1) - Math.max(table.x0, drawing.x0);
    const height = Math.min(table.y1, drawing.y1) - Math.max(table.y0, drawing.y0);
    const own = (drawing.x1 - drawing.x0) * (drawing.y1 - drawing.y0);
    const all = (table.x1 - table.x0) * (table.y1 - table.y0);
    return width > 0 && height > 0 && width * height > 0.3 * own && width * height > 0.15 * all;
  });
}
