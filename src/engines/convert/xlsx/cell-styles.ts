/** The styles of cells (ECMA-376, part 1, 18.8). */
import { numberFormatTooLong } from "../../limit-errors.ts";
import { limits } from "../../../limits.ts";
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";

export interface CellStyle {
  /** The number of a number format. */
  readonly format: number;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly fill: string | undefined;
  readonly color: string | undefined;
  readonly align: "left" | "right" | "center" | undefined;
}

const PLAIN: CellStyle = { format: 0, bold: false, italic: false, fill: undefined, color: undefined, align: undefined };

/** An opaque color without a theme. Others keep the default. */
const colorOf = (element: XmlElement | undefined): string | undefined => {
  const [, rgb] = /^(?:[\da-f]{2})?([\da-f]{6})$/i.exec(attribute(element, "rgb") ?? "") ?? [];
  return rgb && `#${rgb}`;
};

const isOn = (element: XmlElement | undefined): boolean =>
  element !== undefined && !["0", "false"].includes(attribute(element, "val") ?? "1");

/** A number format as long as Excel lets it be. */
function shortFormat(code: string): string {
  const limit = limits.conversion.numberFormat;
  if (code.length > limit) throw numberFormatTooLong(code.length);
  return code;
}

export class CellStyles {
  readonly formats: ReadonlyMap<number, string>;
  readonly #styles: readonly CellStyle[];

  /** @throws Refusal `limit_exceeded` (the length of a number format) */
  constructor(root: XmlElement | undefined) {
    this.formats = new Map(
      elementsIn(elementAt(root, "numFmts"), "numFmt").map((format) => [
        Number(attribute(format, "numFmtId")),
        shortFormat(attribute(format, "formatCode") ?? ""),
      ]),
    );
    // Many formats may share a font or fill.
    const fonts = elementsIn(elementAt(root, "fonts"), "font").map((font) => ({
      bold: isOn(elementAt(font, "b")),
      italic: isOn(elementAt(font, "i")),
      color: colorOf(elementAt(font, "color")),
    }));
    const fills = elementsIn(elementAt(root, "fills"), "fill").map((fill) => {
      const pattern = elementAt(fill, "patternFill");
      return attribute(pattern, "patternType") === "solid" ? colorOf(elementAt(pattern, "fgColor")) : undefined;
    });
    this.#styles = elementsIn(elementAt(root, "cellXfs"), "xf").map((format) => {
      const font = fonts[Number(attribute(format, "fontId") ?? -1)];
      const align = attribute(elementAt(format, "alignment"), "horizontal");
      return {
        format: Number(attribute(format, "numFmtId") ?? 0),
        bold: font?.bold ?? false,
        italic: font?.italic ?? false,
        fill: fills[Number(attribute(format, "fillId") ?? -1)],
        color: font?.color,
        align:
          align === "left" || align === "right" || align === "center"
            ? align
            : align === "centerContinuous"
              ? "center"
              : undefined,
      };
    });
  }

  at(index: number): CellStyle {
    return this.#styles[index] ?? PLAIN;
  }
}
