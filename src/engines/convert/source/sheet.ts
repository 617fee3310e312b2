/** A table as wide as its cells, as HTML for pages of that width or narrower ones. */
import type { Work } from "../../work.ts";
import type { PaperMargins, PaperSize, DocumentPart } from "./document.ts";
import { boundedHtml } from "./bounded-html.ts";
import { escapedAttribute, escapedText, htmlDocument } from "./markup.ts";
import { isWideScript, widthInEms } from "./text-width.ts";
import { LONGEST_SIDE } from "../../geometry.ts";

export interface SheetCell {
  readonly text: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly align?: "left" | "right" | "center" | undefined;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly fill?: string | undefined;
  readonly color?: string | undefined;
  readonly link?: string | undefined;
  readonly header?: boolean;
}

export interface Sheet {
  readonly name?: string;
  /** Undefined: covered by a cell that spans. */
  readonly rows: readonly (readonly (SheetCell | undefined)[])[];
  /** The width of each column in points; undefined: as its cells need. */
  readonly widths: readonly (number | undefined)[];
}

export interface SheetOptions {
  readonly page: PaperSize;
  readonly margins: PaperMargins;
  readonly fontSize: number;
  /** Whether a sheet that is too wide is scaled down to the page, or the page made wider. */
  readonly scaled: boolean;
  readonly css: string;
}

/** The width of a column in addition to its text, and the widths of the narrowest and the widest column. */
const [PADDING, LEAST, MOST] = [12, 24, 260];
/** The smallest scale at which a sheet is still legible. Pages of wider sheets are made wider. */
const LEAST_SCALE = 0.35;
const CELL_WORK = 300;

function widthOf(text: string, fontSize: number): { full: number; word: number } {
  let [full, word, line] = [0, 0, 0];
  let run = 0;
  for (const character of text.slice(0, 2_000)) {
    if (character === "\n") {
      full = Math.max(full, line);
      [line, run] = [0, 0];
      continue;
    }
    const own = widthInEms(character);
    line += own;
    run = /\s/.test(character) || isWideScript(character) ? 0 : run + own;
    word = Math.max(word, run);
  }
  return { full: Math.max(full, line) * fontSize, word: word * fontSize };
}

/** The sheet as a part of a document. */
export async function sheetPart(work: Work, sheet: Sheet, options: SheetOptions): Promise<DocumentPart> {
  const { fontSize, margins } = options;
  const columns = sheet.widths.length;
  const full = new Float64Array(columns);
  const word = new Float64Array(columns);
  for (const row of sheet.rows) {
    work.spend(CELL_WORK * (row.length + 1));
    await work.pause();
    row.forEach((cell, column) => {
      if (cell === undefined || (cell.columns ?? 1) > 1) return;
      const needed = widthOf(cell.text, cell.bold || cell.header ? fontSize * 1.08 : fontSize);
      full[column] = Math.max(full[column] ?? 0, needed.full);
      word[column] = Math.max(word[column] ?? 0, needed.word);
    });
  }
  const widths = sheet.widths.map((given, column) => {
    const least = Math.min(word[column] ?? 0, MOST * 2) + PADDING;
    return Math.max(LEAST, least, given ?? Math.min((full[column] ?? 0) + PADDING, MOST));
  });
  const needed = widths.reduce((sum, width) => sum + width, 2);
  const available = options.page.width - margins.left - margins.right;
  const most = LONGEST_SIDE - margins.left - margins.right;
  const fitting = options.scaled ? Math.max(available / needed, LEAST_SCALE) : 1;
  const scale = Math.min(1, fitting, most / needed);
  const inner = Math.max(needed, available / scale);
  const unscaled = (value: number): number => value / scale;
  const page = {
    width: inner + unscaled(margins.left) + unscaled(margins.right),
    height: unscaled(options.page.height),
    margins: {
      top: unscaled(margins.top),
      right: unscaled(margins.right),
      bottom: unscaled(margins.bottom),
      left: unscaled(margins.left),
    },
  };
  const body = await tableOf(work, sheet, widths);
  const style = "table{margin:0}td,th{padding:1.5pt 4pt;border-color:#bbb}";
  return {
    ...(await boundedHtml(work, htmlDocument({ title: sheet.name, style, body }), options.css, {
      emsOfPage: inner / fontSize,
    })),
    type: "text/html",
    page,
    scale,
    fontSize,
    ...(sheet.name !== undefined && { bookmark: sheet.name }),
  };
}

async function tableOf(work: Work, { rows }: Sheet, widths: readonly number[]): Promise<string> {
  const html: string[] = ["<table>"];
  for (const row of rows) {
    work.spend(CELL_WORK * (row.length + 1));
    await work.pause();
    html.push("<tr>");
    for (const [column, cell] of row.entries()) {
      if (cell === undefined) continue;
      const width = widths.slice(column, column + (cell.columns ?? 1)).reduce((sum, one) => sum + one, 0);
      html.push(await cellOf(work, cell, width));
    }
    html.push("</tr>");
  }
  html.push("</table>");
  return html.join("");
}

async function cellOf(work: Work, cell: SheetCell, width: number): Promise<string> {
  const style = [
    `width:${(width - 9).toFixed(1)}pt`,
    cell.align && `text-align:${cell.align}`,
    cell.bold && "font-weight:bold",
    cell.italic && "font-style:italic",
    cell.fill && `background-color:${cell.fill}`,
    cell.color && `color:${cell.color}`,
  ].filter(Boolean);
  const spans = `${(cell.columns ?? 1) > 1 ? ` colspan="${cell.columns}"` : ""}${(cell.rows ?? 1) > 1 ? ` rowspan="${cell.rows}"` : ""}`;
  const text = (await escapedText(work, cell.text)).replace(/\r\n?|\n/g, "<br>");
  const content = cell.link === undefined ? text : `<a href="${escapedAttribute(cell.link)}">${text}</a>`;
  const name = cell.header ? "th" : "td";
  return `<${name}${spans} style="${style.join(";")}">${content}</${name}>`;
}
