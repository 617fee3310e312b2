/** Outlines as MuPDF draws them. */
import type { Outline, Step } from "../../fonts/type1-outlines.ts";
import type { DrawnCode } from "./drawn-codes.ts";
import type { GlyphSource } from "./glyph-source.ts";

/** Relative difference of widths that comes from rounding. */
const SAME_SCALE = 0.01;
/** New units per unit of a font. FreeType moves points to whole units, and those of stretched outlines are at fractions. */
const FINER = 10;
/** The largest distance of two points that an outline can have. */
const MOST_DISTANCE = 32_767;

/** A code, and its width in thousandths of the font size. */
export interface CodeOutline {
  readonly drawn: DrawnCode;
  readonly width: number;
}

type Box = readonly [left: number, bottom: number, right: number, top: number];

export interface DrawnOutlines extends Pick<GlyphSource, "hints"> {
  /** In the order of their codes. */
  readonly outlines: readonly Outline[];
  /** The units of the outlines, which may be finer than those of the source. */
  readonly fontMatrix: readonly number[];
  /** The rectangle around all outlines, in these units, and in thousandths of the font size. */
  readonly bbox: Box;
  readonly box: Box;
}

/** The outlines of codes as MuPDF draws them. It stretches the glyphs of a substitute to the widths that the document declares. */
export function drawnOutlines(source: GlyphSource, codes: readonly CodeOutline[]): DrawnOutlines {
  /** Thousandths for a unit of the font. */
  const unit = (source.matrix[0] ?? 0.001) * 1000;
  const found = codes.map(({ drawn, width }) => {
    const outline = source.outlineOf(drawn.glyph);
    return { outline, width: width / unit, scale: scaleOf(outline, drawn, unit) };
  });
  const isStretched = found.some(({ scale }) => scale !== 1);
  const units = isStretched && mayBeFiner(found) ? FINER : 1;
  const outlines = found.map(({ outline: { steps }, width, scale }) => ({
    width: width * units,
    steps: scaled(steps, scale, units),
  }));
  const bbox = boundsOf(
    outlines,
    source.bbox.map((value) => value * units),
  );
  const inThousandths = (at: number): number => Math.round(((bbox[at] ?? 0) * unit) / units);
  return {
    outlines,
    fontMatrix: source.matrix.map((value, at) => (at < 4 ? value / units : value)),
    bbox,
    box: [inThousandths(0), inThousandths(1), inThousandths(2), inThousandths(3)],
    // They are in units of the font.
    hints: units === 1 ? source.hints : [],
  };
}

function scaleOf(outline: Outline, { ink, advance }: DrawnCode, unit: number): number {
  const [left = 0, , right = 0] = extentOf([outline]) ?? [];
  const measured = right > left && ink[1] > ink[0] ? (ink[1] - ink[0]) / ((right - left) * unit) : 1;
  const exact = [1, advance / (outline.width * unit)].find(
    (ratio) => Math.abs(ratio - measured) < SAME_SCALE * measured,
  );
  return exact ?? measured;
}

/** Whether no two points are too far apart in finer units. */
function mayBeFiner(found: readonly { readonly outline: Outline; readonly width: number; readonly scale: number }[]) {
  return found.every(({ outline, width, scale }) => {
    const [left, bottom, right, top] = extentOf([outline]) ?? [0, 0, 0, 0];
    const across = (Math.max(right, 0) - Math.min(left, 0)) * scale;
    return Math.max(across, Math.max(top, 0) - Math.min(bottom, 0), width) * FINER <= MOST_DISTANCE;
  });
}

function scaled(steps: readonly Step[], scale: number, units: number): readonly Step[] {
  if (scale === 1 && units === 1) return steps;
  return steps.flatMap((step) =>
    // Stems are hints for the original shape.
    step.kind === "stems"
      ? []
      : [
          {
            kind: step.kind,
            points: step.points.map((value, at) => Math.round(value * units * (at % 2 === 0 ? scale : 1))),
          },
        ],
  );
}

/** The least rectangle around these outlines and the original one, in whole units. */
function boundsOf(outlines: Iterable<Outline>, own: readonly number[]): Box {
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
function extentOf(outlines: Iterable<Outline>): Box | undefined {
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
