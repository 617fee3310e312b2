/** Draws boxes where something was redacted. */
import type { Engines } from "../../lease/engines.ts";
import { OwnColors } from "../conformance/own-colors.ts";
import { type Color, numbers } from "../content/operands.ts";
import { StampPages } from "../content/page-content.ts";
import type { OpenPdf } from "../document/document.ts";
import { type StampMark, textMark } from "../stamps/mark.ts";
import type { Quad } from "../text/glyphs.ts";

export interface Covering {
  readonly fill: Color;
  /** Text in the boxes. */
  readonly label: string | undefined;
}

interface PageToCover {
  /** 0-based. */
  readonly index: number;
  /** In units of the page. */
  readonly quads: readonly Quad[];
}

/** How much of the height and width of a box its label takes. */
const [HEIGHT, WIDTH] = [0.7, 0.94];

/** Draws boxes over everything else on pages. @throws Refusal `unsupported_text` */
export type CoverPages = (pages: readonly PageToCover[]) => Promise<void>;

/** Boxes in a color, with a label that is made when the first one is drawn. */
export function boxesOf(open: OpenPdf, engines: Engines, { fill: color, label }: Covering): CoverPages {
  let made: Promise<StampMark> | undefined;
  return async (pages) => {
    if (pages.length === 0) return;
    if (label !== undefined)
      made ??= textMark(open, engines, label, { color: contrastTo(color), align: "center", repeated: true });
    await draw(open, pages, color, await made);
  };
}

async function draw(
  open: OpenPdf,
  pages: readonly PageToCover[],
  color: Color,
  text: StampMark | undefined,
): Promise<void> {
  const stamps = await StampPages.of(
    open,
    pages.map(({ index }) => index),
    "over",
  );
  const colors = await OwnColors.of(open);
  for (const [place, page] of stamps.pages.entries()) {
    const quads = pages[place]?.quads ?? [];
    await stamps.draw(page, "over", (name) => {
      const boxes = quads.map(([ax, ay, bx, by, cx, cy, dx, dy]) =>
        [`${numbers(ax, ay)} m`, `${numbers(bx, by)} l`, `${numbers(dx, dy)} l`, `${numbers(cx, cy)} l h f`].join(" "),
      );
      const labels = text ? quads.map((quad) => labelIn(quad, text, name("XObject", text.silent ?? text.form))) : [];
      return [colors.fill(color, name), ...boxes, ...labels].join("\n");
    });
  }
}

function labelIn([ax, ay, bx, by, cx, cy]: Quad, { ink: [left, bottom, right, top] }: StampMark, name: string): string {
  const [width, height] = [Math.hypot(bx - ax, by - ay), Math.hypot(ax - cx, ay - cy)];
  if (!(width > 0) || !(height > 0)) return "";
  const scale = Math.min((width * WIDTH) / (right - left), (height * HEIGHT) / (top - bottom));
  const [ux, uy] = [(bx - ax) / width, (by - ay) / width];
  const [vx, vy] = [(ax - cx) / height, (ay - cy) / height];
  const [x, y] = [(bx + cx) / 2, (by + cy) / 2];
  const [mx, my] = [((left + right) / 2) * scale, ((bottom + top) / 2) * scale];
  const factors = [ux, uy, vx, vy].map((value) => (value * scale).toFixed(8)).join(" ");
  return `q ${factors} ${numbers(x - ux * mx - vx * my, y - uy * mx - vy * my)} cm /${name} Do Q`;
}

/** Black or white, whichever is read better on a color. */
function contrastTo([red, green, blue]: Color): Color {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? [0, 0, 0] : [1, 1, 1];
}
