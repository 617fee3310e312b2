/** Outlines as MuPDF draws them. */
import type { Outline } from "../../fonts/type1-outlines.ts";
import type { DrawnCode } from "./drawn-codes.ts";
import type { GlyphSource } from "./glyph-source.ts";

/** Relative difference of widths that comes from rounding. */
const SAME_SCALE = 0.01;

/**
 * The outline of a code, with another width in thousandths of the font size. MuPDF stretches the glyphs of a substitute to the widths that the
 * document declares.
 */
export function drawnOutline(source: GlyphSource, { glyph, ink, advance }: DrawnCode, width: number): Outline {
  const outline = source.outlineOf(glyph);
  const { steps } = outline;
  /** Thousandths for a unit of the font. */
  const unit = (source.matrix[0] ?? 0.001) * 1000;
  const [left = 0, , right = 0] = extentOf([outline]) ?? [];
  const measured = right > left && ink[1] > ink[0] ? (ink[1] - ink[0]) / ((right - left) * unit) : 1;
  const exact = [1, advance / (outline.width * unit)].find(
    (ratio) => Math.abs(ratio - measured) < SAME_SCALE * measured,
  );
  const scale = exact ?? measured;
  if (scale === 1) return { width: width / unit, steps };
  return {
    width: width / unit,
    // Stems are hints for the original shape.
    steps: steps.flatMap((step) =>
      step.kind === "stems"
        ? []
        : [{ kind: step.kind, points: step.points.map((value, at) => (at % 2 === 0 ? value * scale : value)) }],
    ),
  };
}

/** The least rectangle around these outlines and the original one, in whole units. */
export function boundsOfOutlines(
  outlines: Iterable<Outline>,
  own: readonly number[],
): [number, number, number, number] {
  const [left = 0, bottom = 0, right = 0, top = 0] = own;
  const [x0, y0, x1, y1] = extentOf(outlines) ?? [left, bottom, right, top];
  return [
    Math.min(left, Math.floor(x0)),
    Math.min(bottom, Math.floor(y0)),
    Math.max(right, Math.ceil(x1)),
    Math.max(top, Math.ceil(y1)),
  ];
}

/** Undefined if there are no points. */
function extentOf(outlines: Iterable<Outline>): readonly [number, number, number, number] | undefined {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { steps } of outlines) {
    for (const step of steps) {
      if (step.kind === "stems") continue;
      for (let at = 0; at < step.points.length; at += 2) {
        const [x = 0, y = 0] = [step.points[at], step.points[at + 1]];
        [left, bottom] = [Math.min(left, x), Math.min(bottom, y)];
        [right, top] = [Math.max(right, x), Math.max(top, y)];
      }
    }
  }
  return right >= left ? [left, bottom, right, top] : undefined;
}
