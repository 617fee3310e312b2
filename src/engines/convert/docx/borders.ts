/** The borders and shading of paragraphs (ECMA-376, part 1, 17.3.1.24 and 17.3.1.31). */
import { attribute, elementAt, type XmlElement } from "../source/xml.ts";

const SIDES = ["top", "right", "bottom", "left"] as const;
type Side = (typeof SIDES)[number];

interface Border {
  /** In points. */
  readonly width: number;
  readonly space: number;
  readonly color: string;
}

export type ParagraphBorders = Readonly<Partial<Record<Side | "between", Border>>>;

/** Widths are in eighths of a point, of a quarter to six points (17.18.2). */
const [EIGHTHS, THINNEST, THICKEST] = [8, 0.25, 6];
/** The largest space between a border and the text, in points. */
const MOST_SPACE = 31;

/** Undefined if the properties name none. */
export function bordersOf(properties: XmlElement | undefined): ParagraphBorders | undefined {
  const all = elementAt(properties, "pBdr");
  if (all === undefined) return undefined;
  const sides = [...SIDES, "between" as const].flatMap((side) => {
    const border = borderOf(elementAt(all, side));
    return border ? [[side, border] as const] : [];
  });
  return Object.fromEntries(sides);
}

function borderOf(element: XmlElement | undefined): Border | undefined {
  const kind = attribute(element, "val") ?? "nil";
  if (kind === "nil" || kind === "none") return undefined;
  const size = Number(attribute(element, "sz") ?? 4);
  const space = Number(attribute(element, "space") ?? 0);
  const color = attribute(element, "color") ?? "auto";
  return {
    width: Math.min(Math.max(size > 0 ? size / EIGHTHS : 0, THINNEST), THICKEST),
    space: space > 0 ? Math.min(space, MOST_SPACE) : 0,
    color: /^[\da-f]{6}$/i.test(color) ? `#${color}` : "#000000",
  };
}

const lineOf = ({ width, color }: Border): string => `${width}pt solid ${color}`;

/** The style of an element around paragraphs, whose borders are outside of their text. `left` and `right`: its indents in points. */
export function boxCss(
  borders: ParagraphBorders,
  { left, right }: { readonly left: number; readonly right: number },
): string {
  const outside = (side: Side): number => (borders[side] ? borders[side].width + borders[side].space : 0);
  return [
    ...SIDES.flatMap((side) => {
      const border = borders[side];
      return border ? [`border-${side}:${lineOf(border)}`, `padding-${side}:${border.space}pt`] : [];
    }),
    `margin-left:${left - outside("left")}pt`,
    `margin-right:${right - outside("right")}pt`,
  ].join(";");
}

/** The line between two paragraphs. */
export const betweenHtml = ({ between }: ParagraphBorders): string =>
  between
    ? `<div style="border-top:${lineOf(between)};margin-top:${between.space}pt;padding-bottom:${between.space}pt"></div>`
    : "";
