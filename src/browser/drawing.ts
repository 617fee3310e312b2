/** Lays out a drawing (SVG) on one page: in its own size, or as large as it fits. */
import { drawingTooLarge } from "../engines/parameter-errors.ts";
import { nothingToShow } from "../engines/file-errors.ts";
import type { PrintedDrawing, PrintSettings } from "../engines/services.ts";
import type { Page } from "./page.ts";
import { LONGEST_SIDE, SHORTEST_SIDE } from "../engines/geometry.ts";

/** Points in a pixel of CSS. */
const POINTS = 0.75;

/** Pixels of CSS. */
interface OwnSize {
  readonly width: number;
  readonly height: number;
  readonly hasAnimations: boolean;
}

/**
 * The size of the drawing, as SVG 2, 8.2 and 8.12, gives it: that of its root; else that of its `viewBox`. A side that neither has is that of the content.
 * Without a `viewBox` the drawing could not be scaled, and gets one. Animations are shown as they begin.
 */
const OWN_SIZE = `(() => {
  const root = document.documentElement;
  if (!(root instanceof SVGSVGElement)) return null;
  root.pauseAnimations();
  root.setCurrentTime(0);
  const side = (name) => {
    const { unitType, value } = root[name].baseVal;
    return root.hasAttribute(name) && unitType !== SVGLength.SVG_LENGTHTYPE_PERCENTAGE && value > 0 ? value : undefined;
  };
  let [width, height] = [side("width"), side("height")];
  const box = root.viewBox.baseVal;
  if (box?.width > 0 && box.height > 0) {
    const ratio = box.width / box.height;
    width ??= height === undefined ? box.width : height * ratio;
    height ??= width / ratio;
  } else {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const isSized = width !== undefined && height !== undefined;
    for (const shape of isSized ? [] : root.querySelectorAll("*")) {
      const shown = shape.getBoundingClientRect();
      if (shown.width === 0 && shown.height === 0) continue;
      const { stroke, strokeWidth } = getComputedStyle(shape);
      const matrix = shape instanceof SVGGeometryElement && stroke !== "none" ? shape.getScreenCTM() : null;
      const line = matrix === null ? 0 : (parseFloat(strokeWidth) / 2) * Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c));
      [left, top] = [Math.min(left, shown.left - line), Math.min(top, shown.top - line)];
      [right, bottom] = [Math.max(right, shown.right + line), Math.max(bottom, shown.bottom + line)];
    }
    if (width !== undefined) left = 0;
    if (height !== undefined) top = 0;
    width ??= right - left;
    height ??= bottom - top;
    root.setAttribute("viewBox", [left, top, width, height].join(" "));
    // The shape is the same but for rounding.
    root.setAttribute("preserveAspectRatio", "none");
  }
  const hasAnimations = root.querySelector("animate, animateMotion, animateTransform, set") !== null;
  return { width, height, hasAnimations };
})()`;

/**
 * Lays out the drawing that the page shows; undefined if it shows another document. The size is that of the page, in points.
 * @throws Refusal `invalid_parameters` if the scale makes it larger than the page, `invalid_file` if it is empty
 */
export async function layOutDrawing(
  page: Page,
  { width, height, scale, drawing: { isScaled, margins } }: PrintSettings,
): Promise<PrintedDrawing | undefined> {
  const own = (await page.evaluate(OWN_SIZE)) as OwnSize | null;
  if (own === null) return undefined;
  const [across, down] = [own.width * POINTS, own.height * POINTS];
  if (!(across > 0 && down > 0 && across < Infinity && down < Infinity)) throw nothingToShow();
  const [beside, above] = [margins.left + margins.right, margins.top + margins.bottom];
  const paper = isScaled ? { width, height } : { width: LONGEST_SIDE, height: LONGEST_SIDE };
  const room = { width: paper.width - beside, height: paper.height - above };
  const largest = Math.min(room.width / across, room.height / down);
  const least = SHORTEST_SIDE / Math.min(across, down);
  const factor = isScaled ? largest * scale : Math.min(largest, Math.max(scale, least));
  if (factor > largest) throw drawingTooLarge();
  const drawn = { width: across * factor, height: down * factor };
  const sides = isScaled
    ? paper
    : {
        width: Math.max(SHORTEST_SIDE, drawn.width + beside),
        height: Math.max(SHORTEST_SIDE, drawn.height + above),
      };
  const [left, top] = [(sides.width - beside - drawn.width) / 2, (sides.height - above - drawn.height) / 2];
  await page.addStyleSheet(styleOf(drawn, left, top));
  return { ...sides, hasAnimations: own.hasAnimations };
}

/** Of the root, in points. */
function styleOf(drawn: { readonly width: number; readonly height: number }, left: number, top: number): string {
  const rules = {
    display: "block",
    position: "static",
    float: "none",
    "box-sizing": "border-box",
    width: `${drawn.width}pt`,
    height: `${drawn.height}pt`,
    "min-width": "0",
    "min-height": "0",
    "max-width": "none",
    "max-height": "none",
    margin: `${top}pt 0 0 ${left}pt`,
  };
  return `:root{${Object.entries(rules)
    .map(([name, value]) => `${name}:${value}!important`)
    .join(";")}}`;
}
