/** Paragraphs as HTML (ECMA-376, part 1, 17.3.1). */
import { fontFamily } from "../source/markup.ts";
import { betweenHtml, boxCss } from "./borders.ts";
import type { Context } from "./context.ts";
import type { ParagraphStyle, RunStyle } from "./styles.ts";
import { hasTabs, tabRows, withoutTabs } from "./tab-stops.ts";

/** The replacement of a tab. */
export const TAB = "\u2003";

/** A paragraph before it is HTML. */
export interface Paragraph {
  readonly name: string;
  readonly style: ParagraphStyle;
  readonly run: RunStyle;
  readonly content: string;
}

interface ParagraphInRows extends Paragraph {
  /** Lines with tabs, in place of the content. */
  readonly rows: ReturnType<typeof tabRows>;
}

const ALIGNMENTS: Readonly<Record<string, string>> = {
  center: "center",
  right: "right",
  end: "right",
  both: "justify",
  distribute: "justify",
};

/** Writes the paragraphs of a text, a cell, or a box. Neighbors with the same borders and indents share a box. */
export class ParagraphWriter {
  readonly #context: Context;
  #group: { readonly key: string; readonly paragraphs: ParagraphInRows[] } | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Adds a paragraph to the box of those before, or returns its HTML and that of their box. */
  add(written: Paragraph, isInTable: boolean): string {
    const { isRunning, width, fontSize, shown } = this.#context;
    const { style, run } = written;
    const { left = 0, first = 0 } = style;
    const stops = (style.tabs ?? []).flatMap(({ at, align }) => (align === "clear" ? [] : [{ at, align }]));
    const line = { stops, width: width - (style.right ?? 0), left, first, size: run.size ?? fontSize };
    const isTabbed = isRunning && hasTabs(written.content);
    const rows = isTabbed && !isInTable ? tabRows(written.content, line) : undefined;
    const content = isTabbed ? withoutTabs(written.content, TAB) : written.content;
    const paragraph = { ...written, content, rows };
    const key = groupOf(style);
    const before = key !== undefined && this.#group?.key === key ? "" : this.end();
    const html = shown.added(paragraphHtml(paragraph), content.length);
    if (key === undefined) return before + html;
    this.#group ??= { key, paragraphs: [] };
    this.#group.paragraphs.push(paragraph);
    return before;
  }

  /** The box of the paragraphs so far. */
  end(): string {
    const { paragraphs } = this.#group ?? {};
    this.#group = undefined;
    const [first, last] = [paragraphs?.[0], paragraphs?.at(-1)];
    if (!paragraphs || !first || !last) return "";
    const { borders = {}, background, before = 0, after = 0 } = { ...first.style, after: last.style.after };
    const { left, right } = indentsOf(first.style);
    const inside = paragraphs.map((paragraph) =>
      paragraphHtml({
        ...paragraph,
        style: {
          ...paragraph.style,
          left: (paragraph.style.left ?? 0) - left,
          right: 0,
          ...(paragraph === first && { before: 0 }),
          ...(paragraph === last && { after: 0 }),
        },
      }),
    );
    const fill = background === undefined ? "" : `;background-color:${background}`;
    const css = `${boxCss(borders, { left, right })};margin-top:${before}pt;margin-bottom:${after}pt${fill}`;
    const html = inside.join(betweenHtml(borders));
    return this.#context.shown.added(`<div style="${css}">${html}</div>`, html.length);
  }
}
/** The indents of all lines of a paragraph, in points. */
const indentsOf = ({
  left = 0,
  right = 0,
  first = 0,
}: ParagraphStyle): { readonly left: number; readonly right: number } => ({
  left: left + Math.min(first, 0),
  right,
});

/** What paragraphs in one box have in common; undefined if it has neither borders nor a background. */
function groupOf({ borders = {}, background, ...style }: ParagraphStyle): string | undefined {
  if (background === undefined && Object.keys(borders).length === 0) return undefined;
  return JSON.stringify([borders, background, indentsOf(style)]);
}

function paragraphHtml({ name, style, run, content, rows }: ParagraphInRows): string {
  if (rows === undefined) return `<${name}${attributesOf(style, run)}>${content === "" ? "&nbsp;" : content}</${name}>`;
  const tables = rows.map((cells, index) => {
    const { before = 0, after = 0 } = style;
    const space = { before: index === 0 ? before : 0, after: index === rows.length - 1 ? after : 0 };
    const html = cells.map((cell) => {
      const attributes = attributesOf({ ...style, ...space, left: 0, right: 0, first: 0, align: cell.align }, run);
      const text = cell.html === "" ? "&nbsp;" : cell.html;
      return `<td style="border:none;padding:0;width:${cell.width.toFixed(1)}pt"><${name}${attributes}>${text}</${name}></td>`;
    });
    return `<table style="border:none;margin:0"><tr>${html.join("")}</tr></table>`;
  });
  return tables.join("");
}

function attributesOf(paragraph: ParagraphStyle, run: RunStyle): string {
  const { left = 0, right = 0, first = 0, before = 0, after = 0 } = paragraph;
  const css = [
    `margin:${before}pt ${right}pt ${after}pt ${left}pt`,
    first !== 0 && `text-indent:${first}pt`,
    paragraph.align && ALIGNMENTS[paragraph.align] && `text-align:${ALIGNMENTS[paragraph.align]}`,
    paragraph.line && `line-height:${(paragraph.line * 1.2).toFixed(2)}`,
    `font-weight:${run.bold ? "bold" : "normal"}`,
    run.italic && "font-style:italic",
    run.size && `font-size:${run.size}pt`,
    run.color && `color:${run.color}`,
    run.font && fontFamily(run.font),
  ].filter(Boolean);
  return `${paragraph.rightToLeft ? ' dir="rtl"' : ""} style="${css.join(";")}"`;
}
