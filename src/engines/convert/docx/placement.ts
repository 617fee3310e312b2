/** Where drawings are that are not in the text: anchored ones (ECMA-376, part 1, 20.4.2), and the absolute positions of VML (part 4, 19.1.2.19). */
import type { PlacedBox, PlaceOnAxis } from "../source/document.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";

export interface DrawingPlacement extends Pick<PlacedBox, "horizontal" | "vertical" | "width" | "height" | "isBehind"> {
  /** Whether text may be at the same place. Otherwise it flows around, or leaves all of the lines free. */
  readonly wrap: "none" | "around" | "lines";
}

/** English Metric Units in a point. */
export const EMU = 12_700;
/** The largest distance in points. */
const FARTHEST = 14_400;

/** The beginnings of positions, as both kinds of drawings name them. */
const ORIGINS: Readonly<Record<string, PlaceOnAxis["from"]>> = {
  page: "page",
  margin: "margins",
  column: "margins",
  leftMargin: "before",
  "left-margin-area": "before",
  insideMargin: "before",
  topMargin: "before",
  "top-margin-area": "before",
  rightMargin: "after",
  "right-margin-area": "after",
  outsideMargin: "after",
  bottomMargin: "after",
  "bottom-margin-area": "after",
};
const ALIGNMENTS: Readonly<Record<string, PlaceOnAxis["align"]>> = {
  left: "start",
  inside: "start",
  top: "start",
  center: "center",
  right: "end",
  outside: "end",
  bottom: "end",
};

const bounded = (value: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(value, -FARTHEST), FARTHEST) : 0;

const originOf = (name: string | undefined, otherwise: PlaceOnAxis["from"]): PlaceOnAxis["from"] =>
  (name !== undefined && Object.hasOwn(ORIGINS, name) ? ORIGINS[name] : undefined) ?? otherwise;
const alignmentOf = (name: string): PlaceOnAxis["align"] =>
  Object.hasOwn(ALIGNMENTS, name) ? ALIGNMENTS[name] : undefined;

/** The place of a drawing; undefined if it is in the text. */
export function placementOfDrawing(drawing: XmlElement): DrawingPlacement | undefined {
  const anchor = elementAt(drawing, "anchor");
  if (anchor === undefined) return undefined;
  const axis = (name: string, otherwise: PlaceOnAxis["from"]): PlaceOnAxis => {
    const position = elementAt(anchor, name) ?? fallbackOf(anchor, name);
    return {
      from: originOf(attribute(position, "relativeFrom"), otherwise),
      align: alignmentOf(textIn(elementAt(position, "align")).trim()),
      offset: bounded(Number(textIn(elementAt(position, "posOffset"))) / EMU),
    };
  };
  const extent = elementAt(anchor, "extent");
  const wrap = elementsIn(anchor).find(({ name }) => name.startsWith("wrap"))?.name;
  return {
    horizontal: axis("positionH", "anchor"),
    vertical: axis("positionV", "anchor"),
    width: bounded(Number(attribute(extent, "cx")) / EMU),
    height: bounded(Number(attribute(extent, "cy")) / EMU),
    isBehind: ["1", "true"].includes(attribute(anchor, "behindDoc") ?? ""),
    wrap: wrap === "wrapTopAndBottom" ? "lines" : wrap === undefined || wrap === "wrapNone" ? "none" : "around",
  };
}

/** A position for readers that do not know those relative to the size of the page. */
const fallbackOf = (anchor: XmlElement, name: string): XmlElement | undefined =>
  elementsIn(anchor, "AlternateContent")
    .map((choices) => elementAt(choices, "Fallback", name))
    .find((position) => position !== undefined);

const LENGTH = /^(-?\d{0,6}(?:\.\d{1,9})?)(pt|in|cm|mm|px|pc)?$/;
const POINTS: Readonly<Record<string, number>> = { pt: 1, in: 72, cm: 72 / 2.54, mm: 72 / 25.4, px: 0.75, pc: 12 };

const lengthOf = (text = ""): number => {
  const [, value, unit] = LENGTH.exec(text) ?? [];
  // A number without a unit is in pixels.
  return value ? bounded(Number(value) * (POINTS[unit ?? "px"] ?? 0)) : 0;
};

/** The place of a VML shape or group; undefined if it is in the text. */
export function placementOfShape(shape: XmlElement): DrawingPlacement | undefined {
  const style = new Map(
    (attribute(shape, "style") ?? "").split(";").map((declaration) => {
      const [name = "", value = ""] = declaration.split(":");
      return [name.trim(), value.trim()] as const;
    }),
  );
  if (style.get("position") !== "absolute") return undefined;
  const axis = (name: string, margin: string, side: string): PlaceOnAxis => ({
    from: originOf(style.get(`mso-position-${name}-relative`), "anchor"),
    align: alignmentOf(style.get(`mso-position-${name}`) ?? ""),
    offset: lengthOf(style.get(margin)) + lengthOf(style.get(side)),
  });
  const wrap = attribute(elementAt(shape, "wrap"), "type");
  return {
    horizontal: axis("horizontal", "margin-left", "left"),
    vertical: axis("vertical", "margin-top", "top"),
    width: lengthOf(style.get("width")),
    height: lengthOf(style.get("height")),
    isBehind: (style.get("z-index") ?? "").startsWith("-"),
    wrap: wrap === "topAndBottom" ? "lines" : wrap === undefined || wrap === "none" ? "none" : "around",
  };
}
