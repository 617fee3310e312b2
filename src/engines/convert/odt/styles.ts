/** The styles of OpenDocument (ODF 1.3, part 3, 16 and 20) as CSS. */
import type { Work } from "../../work.ts";
import type { PageRule } from "../source/html.ts";
import type { SheetCell } from "../source/sheet.ts";
import { numbered as numberedAs } from "../source/numbers.ts";
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";
import { isSide } from "../source/document.ts";

const LENGTH = /^(-?\d{1,6}(?:\.\d{1,10})?)(cm|mm|in|pt|pc|px)$/;
const POINTS: Readonly<Record<string, number>> = { cm: 72 / 2.54, mm: 72 / 25.4, in: 72, pt: 1, pc: 12, px: 0.75 };

/** In points; undefined if it is none. */
export function lengthOf(text: string | undefined): number | undefined {
  const [, number, unit = ""] = LENGTH.exec(text ?? "") ?? [];
  return number === undefined ? undefined : Number(number) * (POINTS[unit] ?? 0);
}

/** Styles that one is derived from. */
const DEEPEST = 30;
const STYLE_WORK = 500;
const COLOR = /^#[\da-f]{6}$/i;
const BORDER = /^[\d.]{1,10}(?:pt|cm|mm|in|px) (?:solid|double|dashed|dotted) #[\da-f]{6}$/i;

const BOLD = /^(?:bold|[6-9]00)$/;
const ALIGNS: Readonly<Record<string, "left" | "right" | "center">> = {
  start: "left",
  left: "left",
  center: "center",
  end: "right",
  right: "right",
};

type Properties = Readonly<Record<string, string>>;

const localNames = (element: XmlElement | undefined): Properties =>
  Object.fromEntries(
    Object.entries(element?.attributes ?? {}).map(([name, value]) => [name.slice(name.indexOf(":") + 1), value]),
  );

interface Run {
  readonly css: string;
  readonly tags: readonly string[];
  readonly isHidden: boolean;
}

interface Paragraph {
  readonly css: string;
  readonly breakBefore: boolean;
  readonly breakAfter: boolean;
}

export class TextStyles {
  readonly #work: Work;
  /** By family and name. */
  readonly #styles = new Map<string, XmlElement>();
  readonly #lists = new Map<string, ReadonlyMap<number, XmlElement>>();
  readonly #fonts = new Map<string, string>();
  readonly #known = new Map<string, Properties>();
  #layout: XmlElement | undefined;

  constructor(work: Work, roots: readonly (XmlElement | undefined)[]) {
    this.#work = work;
    const layouts = new Map<string, XmlElement>();
    for (const root of roots) {
      for (const font of elementsIn(elementAt(root, "font-face-decls"), "font-face"))
        this.#fonts.set(attribute(font, "name") ?? "", attribute(font, "font-family") ?? "");
      for (const group of ["styles", "automatic-styles"])
        for (const style of elementsIn(elementAt(root, group))) {
          const name = attribute(style, "name") ?? "";
          if (style.name === "style") this.#styles.set(`${attribute(style, "family") ?? ""}:${name}`, style);
          if (style.name === "page-layout") layouts.set(name, style);
          if (style.name === "list-style")
            this.#lists.set(
              name,
              new Map(elementsIn(style).map((level) => [Number(attribute(level, "level")), level])),
            );
        }
    }
    const pages = elementsIn(elementAt(roots[0], "master-styles"), "master-page");
    const main = pages.find((page) => attribute(page, "name") === "Standard") ?? pages[0];
    this.#layout = layouts.get(attribute(main, "page-layout-name") ?? "");
  }

  /** The properties of a kind of a style and of those that it is derived from. */
  #properties(family: string, name: string | undefined, kind: string): Properties {
    const key = `${kind}:${family}:${name ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const chain: Properties[] = [];
    for (let next = name; next !== undefined && chain.length < DEEPEST;) {
      this.#work.spend(STYLE_WORK);
      const style = this.#styles.get(`${family}:${next}`);
      chain.unshift(localNames(elementAt(style, `${kind}-properties`)));
      next = attribute(style, "parent-style-name");
    }
    const found = Object.assign({}, ...chain) as Properties;
    this.#known.set(key, found);
    return found;
  }

  page(): PageRule {
    const {
      "page-width": width,
      "page-height": height,
      margin,
      ...own
    } = localNames(elementAt(this.#layout, "page-layout-properties"));
    const size = { width: lengthOf(width) ?? 0, height: lengthOf(height) ?? 0 };
    const isSize = Object.values(size).every(isSide);
    if (!isSize) return {};
    const margins = Object.fromEntries(
      ["top", "right", "bottom", "left"].flatMap((side) => {
        const points = lengthOf(own[`margin-${side}`] ?? margin);
        return points === undefined
          ? []
          : [[side, Math.min(Math.max(points, 0), Math.min(size.width, size.height) / 3)]];
      }),
    );
    return { size, margins };
  }

  run(name: string | undefined): Run {
    return this.#runOf(this.#properties("text", name, "text"));
  }

  #runOf(own: Properties): Run {
    const line = (kind: string): boolean => (own[`text-${kind}-style`] ?? "none") !== "none";
    const position = own["text-position"] ?? "";
    const tags = [
      line("underline") && "u",
      line("line-through") && "s",
      /^(?:sub|-[1-9])/.test(position) && "sub",
      /^(?:super|[1-9])/.test(position) && "sup",
    ].filter((tag) => tag !== false);
    return { css: this.#textCss(own), tags, isHidden: own["display"] === "none" };
  }

  #textCss(own: Properties): string {
    const size = lengthOf(own["font-size"]);
    const family = own["font-family"] ?? this.#fonts.get(own["font-name"] ?? "");
    return [
      BOLD.test(own["font-weight"] ?? "") && "font-weight:bold",
      own["font-weight"] === "normal" && "font-weight:normal",
      /^(?:italic|oblique|normal)$/.test(own["font-style"] ?? "") && `font-style:${own["font-style"]}`,
      size !== undefined && size >= 1 && size <= 400 && `font-size:${size}pt`,
      COLOR.test(own["color"] ?? "") && `color:${own["color"]}`,
      COLOR.test(own["background-color"] ?? "") && `background-color:${own["background-color"]}`,
      own["text-transform"] === "uppercase" && "text-transform:uppercase",
      family && `font-family:'${family.replace(/['"\\;]/g, "").slice(0, 100)}',sans-serif`,
    ]
      .filter(Boolean)
      .join(";");
  }

  paragraph(name: string | undefined): Paragraph {
    const own = this.#properties("paragraph", name, "paragraph");
    const side = (which: string, most = 400): string =>
      `${Math.min(Math.max(lengthOf(own[`margin-${which}`] ?? own["margin"]) ?? 0, 0), most).toFixed(1)}pt`;
    const indent = lengthOf(own["text-indent"]) ?? 0;
    const align = { center: "center", end: "right", right: "right", justify: "justify" }[own["text-align"] ?? ""];
    const borders = ["", "-top", "-right", "-bottom", "-left"].map(
      (which) => BORDER.test(own[`border${which}`] ?? "") && `border${which}:${own[`border${which}`]}`,
    );
    const css = [
      `margin:${side("top")} ${side("right")} ${side("bottom")} ${side("left")}`,
      indent !== 0 && Math.abs(indent) < 1_000 && `text-indent:${indent.toFixed(1)}pt`,
      align && `text-align:${align}`,
      COLOR.test(own["background-color"] ?? "") && `background-color:${own["background-color"]}`,
      ...borders,
      this.#textCss(this.#properties("paragraph", name, "text")),
    ];
    return {
      css: css.filter(Boolean).join(";"),
      breakBefore: own["break-before"] === "page",
      breakAfter: own["break-after"] === "page",
    };
  }

  cell(name: string | undefined): string {
    const own = this.#properties("table-cell", name, "table-cell");
    const borders = ["", "-top", "-right", "-bottom", "-left"].flatMap((which) =>
      BORDER.test(own[`border${which}`] ?? "") ? [`border${which}:${own[`border${which}`]}`] : [],
    );
    return [
      "border:none",
      ...borders,
      ...(COLOR.test(own["background-color"] ?? "") ? [`background-color:${own["background-color"]}`] : []),
    ].join(";");
  }

  /** The look of a cell of a spreadsheet. */
  sheetCell(name: string | undefined): Pick<SheetCell, "align" | "bold" | "italic" | "fill" | "color"> {
    const text = this.#properties("table-cell", name, "text");
    const fill = this.#properties("table-cell", name, "table-cell")["background-color"] ?? "";
    const align = this.#properties("table-cell", name, "paragraph")["text-align"] ?? "";
    return {
      align: ALIGNS[align],
      bold: BOLD.test(text["font-weight"] ?? ""),
      italic: /^(?:italic|oblique)$/.test(text["font-style"] ?? ""),
      fill: COLOR.test(fill) ? fill : undefined,
      color: COLOR.test(text["color"] ?? "") ? text["color"] : undefined,
    };
  }

  /** In points. */
  columnWidth(name: string | undefined): number | undefined {
    return lengthOf(this.#properties("table-column", name, "table-column")["column-width"]);
  }

  isTableShown(name: string | undefined): boolean {
    return this.#properties("table", name, "table")["display"] !== "false";
  }

  listLevel(style: string, level: number): { readonly start: number } {
    const start = Number(attribute(this.#lists.get(style)?.get(level), "start-value"));
    return { start: Number.isSafeInteger(start) && start > 0 ? start : 1 };
  }

  /** The number or bullet of an item. */
  mark(style: string, level: number, counts: readonly number[]): string {
    const levels = this.#lists.get(style);
    const own = levels?.get(level);
    if (own?.name !== "list-level-style-number") return "\u2022";
    const format = attribute(own, "num-format") ?? "";
    if (format === "") return "";
    const shown = Math.min(Math.max(Number(attribute(own, "display-levels")) || 1, 1), level);
    const numbers = counts
      .slice(level - shown, level)
      .map((count, index) => numbered(count, attribute(levels?.get(level - shown + index + 1), "num-format") ?? "1"));
    return `${attribute(own, "num-prefix") ?? ""}${numbers.join(".")}${attribute(own, "num-suffix") ?? ""}`.slice(
      0,
      255,
    );
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  a: "lowerLetter",
  A: "upperLetter",
  i: "lowerRoman",
  I: "upperRoman",
};
const numbered = (value: number, format: string): string => numberedAs(value, FORMATS[format] ?? "decimal");
