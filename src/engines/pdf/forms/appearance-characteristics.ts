/** How a widget looks apart from its value: its box, border, and background (ISO 32000-2, 12.5.6.19 and 12.5.4). */
import type { Matrix } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import { items } from "../objects/objects.ts";
import { numbers } from "../content/operands.ts";

export interface AppearanceCharacteristics {
  /** Size of the upright box in points. Its origin is at its bottom left. */
  readonly width: number;
  readonly height: number;
  /** Rotates the box like the widget. */
  readonly matrix: Matrix;
  /** Points between the box and its content. */
  readonly inset: number;
  /** Border width in points. Nothing covers the border. */
  readonly border: number;
  /** Operators that draw background and border. */
  frame(): string;
  /** Operators that draw the lines between the cells of a comb. */
  cells(count: number): string;
}

/** Undefined if the widget has no area to draw on. */
export function readAppearanceCharacteristics(widget: PDFObject): AppearanceCharacteristics | undefined {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = items(widget.get("Rect")).map((item) => item.asNumber());
  const [across, up] = [Math.abs(x1 - x0), Math.abs(y1 - y0)];
  if (!(across > 0 && up > 0 && Number.isFinite(across + up))) return undefined;
  const turned = (((Math.round(widget.get("MK", "R").asNumber() / 90) * 90) % 360) + 360) % 360;
  const matrices: Readonly<Record<number, Matrix>> = {
    90: [0, 1, -1, 0, across, 0],
    180: [-1, 0, 0, -1, across, up],
    270: [0, -1, 1, 0, 0, up],
  };
  const [width, height] = turned % 180 === 0 ? [across, up] : [up, across];
  const stroke = colorOf(widget.get("MK", "BC"));
  const fill = colorOf(widget.get("MK", "BG"));
  const style = widget.get("BS", "S").isName() ? widget.get("BS", "S").asName() : "S";
  const line = borderWidth(widget);
  const raised = style === "B" || style === "I";
  return {
    width,
    height,
    matrix: matrices[turned] ?? [1, 0, 0, 1, 0, 0],
    inset: raised ? 2 * line : line,
    border: raised ? 2 * line : stroke === undefined ? 0 : line,
    frame: () => {
      const parts = fill === undefined ? [] : [`${fill.fill} 0 0 ${numbers(width, height)} re f`];
      if (raised && line > 0) parts.push(bevel(width, height, line, style === "I"));
      if (stroke !== undefined && line > 0) {
        const dash = style === "D" ? `[${dashOf(widget)}] 0 d ` : "";
        const path =
          style === "U"
            ? `0 ${numbers(line / 2)} m ${numbers(width, line / 2)} l s`
            : `${numbers(line / 2, line / 2, width - line, height - line)} re s`;
        parts.push(`${stroke.stroke} ${numbers(line)} w ${dash}${path}`);
      }
      return parts.length === 0 ? "" : `q ${parts.join(" ")} Q`;
    },
    cells: (count) => {
      if (stroke === undefined || line <= 0) return "";
      const edges = Array.from({ length: count - 1 }, (_, index) => numbers(((index + 1) * width) / count));
      const lines = edges.map((x) => `${x} 0 m ${x} ${numbers(height)} l S`);
      return `q ${stroke.stroke} ${numbers(line)} w ${lines.join(" ")} Q`;
    },
  };
}

function borderWidth(widget: PDFObject): number {
  const width = widget.get("BS", "W");
  const old = items(widget.get("Border"))[2];
  const points = width.isNumber() ? width.asNumber() : old?.isNumber() ? old.asNumber() : 1;
  return points >= 0 && points <= 100 ? points : 1;
}

/** Light comes from the top left: it brightens the edges of a raised box facing it, and darkens the others. */
function bevel(width: number, height: number, line: number, sunken: boolean): string {
  const [left, bottom, right, top] = [line, line, width - line, height - line];
  const inner = [left + line, bottom + line, right - line, top - line] as const;
  const lit = `${numbers(left, bottom)} m ${numbers(left, top)} l ${numbers(right, top)} l ${numbers(inner[2], inner[3])} l ${numbers(inner[0], inner[3])} l ${numbers(inner[0], inner[1])} l f`;
  const dark = `${numbers(right, top)} m ${numbers(right, bottom)} l ${numbers(left, bottom)} l ${numbers(inner[0], inner[1])} l ${numbers(inner[2], inner[1])} l ${numbers(inner[2], inner[3])} l f`;
  return sunken ? `0.5 g ${lit} 0.75 g ${dark}` : `1 g ${lit} 0.5 g ${dark}`;
}

function dashOf(widget: PDFObject): string {
  const lengths = items(widget.get("BS", "D"))
    .map((item) => item.asNumber())
    .filter((length) => length >= 0);
  return lengths.some((length) => length > 0) ? numbers(...lengths) : "3";
}

/** A color in MK (table 192), or undefined for transparent. */
function colorOf(array: PDFObject): { readonly fill: string; readonly stroke: string } | undefined {
  const parts = items(array).map((item) => item.asNumber());
  const operators = { 1: ["g", "G"], 3: ["rg", "RG"], 4: ["k", "K"] }[parts.length];
  if (!operators) return undefined;
  return { fill: `${numbers(...parts)} ${operators[0]}`, stroke: `${numbers(...parts)} ${operators[1]}` };
}
