/** The styles of a word processing document (ECMA-376, part 1, 17.7): the appearance of paragraphs and runs. */
import type { Work } from "../../work.ts";
import { bordersOf, type ParagraphBorders } from "./borders.ts";
import type { TabStop } from "./tab-stops.ts";
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";

/** Lengths in points. */
export interface RunStyle {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly hidden?: boolean;
  readonly caps?: boolean;
  readonly size?: number;
  readonly color?: string;
  readonly background?: string;
  readonly font?: string;
  readonly position?: "sub" | "sup";
}

export interface ParagraphStyle {
  /** 1 to 6 for headings. */
  readonly heading?: number;
  readonly align?: string;
  readonly left?: number;
  readonly right?: number;
  readonly first?: number;
  readonly before?: number;
  readonly after?: number;
  readonly line?: number;
  readonly breakBefore?: boolean;
  readonly rightToLeft?: boolean;
  readonly list?: { readonly id: string; readonly level: number };
  readonly background?: string;
  readonly borders?: ParagraphBorders;
  /** In the order of their places. `clear` removes one of the style. */
  readonly tabs?: readonly (TabStop | { readonly at: number; readonly align: "clear" })[];
}

/** A style with the changes of another one. */
export const withParagraphStyle = (style: ParagraphStyle, changes: ParagraphStyle): ParagraphStyle => ({
  ...style,
  ...changes,
  ...(style.tabs && changes.tabs && { tabs: withTabs(style.tabs, changes.tabs) }),
});

function withTabs(tabs: Required<ParagraphStyle>["tabs"], changes: Required<ParagraphStyle>["tabs"]): typeof tabs {
  const stops = new Map(tabs.map((tab) => [tab.at, tab]));
  for (const tab of changes) stops.set(tab.at, tab);
  return [...stops.values()].filter(({ align }) => align !== "clear").sort((a, b) => a.at - b.at);
}

interface Style {
  readonly name: string;
  readonly basedOn: string | undefined;
  readonly paragraph: ParagraphStyle;
  readonly run: RunStyle;
}

/** Twentieths of a point, in which most lengths are. */
const TWENTIETHS = 20;
/** How many styles are based on each other at most. */
const LONGEST_CHAIN = 20;
const STYLE_WORK = 3_000;

export const points = (text: string | undefined): number | undefined => {
  const value = text === undefined ? NaN : Number.parseFloat(text);
  return Number.isFinite(value) && Math.abs(value) < 40_000 ? value / TWENTIETHS : undefined;
};

/** A property that is on if it is there without a value. */
export function flag(properties: XmlElement | undefined, name: string): boolean | undefined {
  const element = elementAt(properties, name);
  if (element === undefined) return undefined;
  return !["0", "false", "off", "none"].includes(attribute(element, "val") ?? "true");
}

const present = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

export const colorOf = (text: string | undefined): string | undefined =>
  text && /^[\da-f]{6}$/i.test(text) ? `#${text}` : undefined;

const HIGHLIGHTS: Readonly<Record<string, string>> = {
  yellow: "#ffff00",
  green: "#00ff00",
  cyan: "#00ffff",
  magenta: "#ff00ff",
  blue: "#0000ff",
  red: "#ff0000",
  darkBlue: "#000080",
  darkCyan: "#008080",
  darkGreen: "#008000",
  darkMagenta: "#800080",
  darkRed: "#800000",
  darkYellow: "#808000",
  darkGray: "#808080",
  lightGray: "#c0c0c0",
  black: "#000000",
};

export function runStyleOf(properties: XmlElement | undefined): RunStyle {
  const half = Number(attribute(elementAt(properties, "sz"), "val"));
  const vertical = attribute(elementAt(properties, "vertAlign"), "val");
  const color = attribute(elementAt(properties, "color"), "val");
  const highlight = attribute(elementAt(properties, "highlight"), "val");
  const fonts = elementAt(properties, "rFonts");
  return present({
    bold: flag(properties, "b"),
    italic: flag(properties, "i"),
    underline: flag(properties, "u"),
    strike: flag(properties, "strike") ?? flag(properties, "dstrike"),
    hidden: flag(properties, "vanish"),
    caps: flag(properties, "caps"),
    size: half > 0 && half < 800 ? half / 2 : undefined,
    color: color === "auto" ? "#000000" : colorOf(color),
    background: highlight ? HIGHLIGHTS[highlight] : colorOf(attribute(elementAt(properties, "shd"), "fill")),
    font: attribute(fonts, "ascii") ?? attribute(fonts, "hAnsi"),
    position: vertical === "subscript" ? ("sub" as const) : vertical === "superscript" ? ("sup" as const) : undefined,
  });
}

export function paragraphStyleOf(properties: XmlElement | undefined): ParagraphStyle {
  const indent = elementAt(properties, "ind");
  const spacing = elementAt(properties, "spacing");
  const hanging = points(attribute(indent, "hanging"));
  const outline = Number(attribute(elementAt(properties, "outlineLvl"), "val") ?? NaN);
  const list = elementAt(properties, "numPr");
  const id = attribute(elementAt(list, "numId"), "val");
  const line = Number(attribute(spacing, "line"));
  const isMultiple = (attribute(spacing, "lineRule") ?? "auto") === "auto";
  return present({
    heading: outline >= 0 && outline <= 8 ? Math.min(outline + 1, 6) : undefined,
    align: attribute(elementAt(properties, "jc"), "val"),
    left: points(attribute(indent, "left") ?? attribute(indent, "start")),
    right: points(attribute(indent, "right") ?? attribute(indent, "end")),
    first: hanging === undefined ? points(attribute(indent, "firstLine")) : -hanging,
    before: points(attribute(spacing, "before")),
    after: points(attribute(spacing, "after")),
    line: isMultiple && line >= 120 && line <= 1200 ? line / 240 : undefined,
    breakBefore: flag(properties, "pageBreakBefore"),
    rightToLeft: flag(properties, "bidi"),
    list: id === undefined ? undefined : { id, level: levelOf(list) },
    background: colorOf(attribute(elementAt(properties, "shd"), "fill")),
    borders: bordersOf(properties),
    tabs: tabsOf(elementAt(properties, "tabs")),
  });
}

/** Tab stops that are kept. Word has 64. */
const MOST_TABS = 64;
const TAB_ALIGNMENTS: Readonly<Record<string, TabStop["align"] | "clear">> = {
  left: "left",
  start: "left",
  num: "left",
  center: "center",
  right: "right",
  end: "right",
  decimal: "right",
  clear: "clear",
};

function tabsOf(tabs: XmlElement | undefined): ParagraphStyle["tabs"] {
  if (tabs === undefined) return undefined;
  return elementsIn(tabs, "tab")
    .slice(0, MOST_TABS)
    .flatMap((tab) => {
      const align = TAB_ALIGNMENTS[attribute(tab, "val") ?? ""];
      const at = points(attribute(tab, "pos"));
      return align === undefined || at === undefined ? [] : [{ align, at }];
    })
    .sort((a, b) => a.at - b.at);
}

const levelOf = (list: XmlElement | undefined): number =>
  Math.min(8, Math.max(0, Math.floor(Number(attribute(elementAt(list, "ilvl"), "val") ?? 0)) || 0));

export class Styles {
  readonly #styles = new Map<string, Style>();
  readonly #paragraph: ParagraphStyle;
  readonly #run: RunStyle;
  #defaultParagraph: string | undefined;

  private constructor(root: XmlElement | undefined) {
    const defaults = elementAt(root, "docDefaults");
    this.#paragraph = paragraphStyleOf(elementAt(defaults, "pPrDefault", "pPr"));
    this.#run = runStyleOf(elementAt(defaults, "rPrDefault", "rPr"));
  }

  /** @throws Refusal `limit_exceeded` (work) */
  static async read(work: Work, root: XmlElement | undefined): Promise<Styles> {
    const styles = new Styles(root);
    for (const style of elementsIn(root, "style")) {
      work.spend(STYLE_WORK);
      await work.pause();
      styles.#add(style);
    }
    return styles;
  }

  #add(style: XmlElement): void {
    const id = attribute(style, "styleId") ?? "";
    if (attribute(style, "type") === "paragraph" && ["1", "true"].includes(attribute(style, "default") ?? ""))
      this.#defaultParagraph = id;
    this.#styles.set(id, {
      name: attribute(elementAt(style, "name"), "val") ?? "",
      basedOn: attribute(elementAt(style, "basedOn"), "val"),
      paragraph: paragraphStyleOf(elementAt(style, "pPr")),
      run: runStyleOf(elementAt(style, "rPr")),
    });
  }

  /** The style of a paragraph and of its runs, before their own properties. */
  paragraph(id = this.#defaultParagraph): { paragraph: ParagraphStyle; run: RunStyle } {
    const chain = this.#chain(id);
    const heading = chain
      .map(
        ({ name }) =>
          /^(?:heading|überschrift|titre) ([1-6])$/i.exec(name)?.[1] ?? (/^title$/i.test(name) ? "1" : undefined),
      )
      .findLast((level) => level !== undefined);
    const paragraph = chain.reduce((all, style) => withParagraphStyle(all, style.paragraph), this.#paragraph);
    const run = chain.reduce<RunStyle>((all, style) => ({ ...all, ...style.run }), this.#run);
    return { paragraph: { ...(heading && { heading: Number(heading) }), ...paragraph }, run };
  }

  /** The changes of a character style. */
  character(id: string | undefined): RunStyle {
    return this.#chain(id).reduce<RunStyle>((all, style) => ({ ...all, ...style.run }), {});
  }

  /** The styles that one is based on, the first of them first, and itself. */
  #chain(id: string | undefined): Style[] {
    const chain: Style[] = [];
    for (let next = id; next !== undefined && chain.length < LONGEST_CHAIN;) {
      const style = this.#styles.get(next);
      if (style === undefined) break;
      chain.unshift(style);
      next = style.basedOn;
    }
    return chain;
  }
}
