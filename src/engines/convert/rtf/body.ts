/** The paragraphs and tables of Rich Text as HTML. */
import { escaped, escapedAttribute, fontFamily, keepSpaces } from "../source/markup.ts";
import { PAGE_BREAK } from "../source/styled-html.ts";
import type { ShownBudget } from "../source/shown.ts";
import { PLAIN_PARAGRAPH, type ParagraphLook, type RunLook } from "./looks.ts";

interface Edge {
  /** From the left, in points. */
  readonly right: number;
  readonly merges: ReadonlySet<string>;
}

interface Row {
  readonly edges: readonly Edge[];
  readonly cells: readonly string[];
}

/** What paragraphs are added to: the document, a text box, or a note. */
interface Flow {
  readonly html: string[];
  /** The runs of the paragraph that has not ended. */
  readonly runs: { look: RunLook | undefined; text: string }[];
  /** Paragraphs of the cell that has not ended. */
  cell: string[];
  cells: string[];
  rows: Row[];
  edges: Edge[];
  merges: Set<string>;
}

const newFlow = (): Flow => ({ html: [], runs: [], cell: [], cells: [], rows: [], edges: [], merges: new Set() });
/** Columns of a table (RTF 1.9.1 has 63 in Word). */
const COLUMNS = 200;

export class RichTextWriter {
  readonly #shown: ShownBudget;
  readonly #outer: Flow[] = [];
  #flow = newFlow();

  constructor(shown: ShownBudget) {
    this.#shown = shown;
  }

  text(text: string, look: RunLook, paragraph: ParagraphLook): void {
    this.#leaveTable(paragraph);
    const last = this.#flow.runs.at(-1);
    this.#shown.added(text);
    if (last?.look !== undefined && isSame(last.look, look)) last.text += text;
    else this.#flow.runs.push({ look, text });
  }

  /** Something in the paragraph that is HTML already. */
  html(html: string, paragraph: ParagraphLook = PLAIN_PARAGRAPH): void {
    this.#leaveTable(paragraph);
    this.#flow.runs.push({ look: undefined, text: this.#shown.added(html) });
  }

  endParagraph(look: ParagraphLook): void {
    this.#leaveTable(look);
    const html = this.#paragraph(look, true);
    if (look.inTable) this.#flow.cell.push(html);
    else this.#flow.html.push(html);
  }

  pageBreak(look: ParagraphLook): void {
    if (look.inTable) return;
    this.#leaveTable(look);
    this.#flow.html.push(this.#paragraph(look, false), PAGE_BREAK);
  }

  beginRow(): void {
    this.#flow.edges = [];
    this.#flow.merges = new Set();
  }

  cellMerge(name: string): void {
    this.#flow.merges.add(name);
  }

  cellEdge(right: number): void {
    if (this.#flow.edges.length < COLUMNS) this.#flow.edges.push({ right, merges: this.#flow.merges });
    this.#flow.merges = new Set();
  }

  /** Cells of tables in cells are paragraphs of the outer one. */
  endCell(look: ParagraphLook, isNested: boolean): void {
    this.#flow.cell.push(this.#paragraph(look, false));
    if (isNested) return;
    if (this.#flow.cells.length < COLUMNS) this.#flow.cells.push(this.#flow.cell.join(""));
    this.#flow.cell = [];
  }

  endRow(): void {
    const { cells, edges } = this.#flow;
    if (cells.length > 0) this.#flow.rows.push({ cells, edges });
    this.#flow.cells = [];
  }

  beginBox(): void {
    this.#outer.push(this.#flow);
    this.#flow = newFlow();
  }

  /** The HTML of the box, which is the caller's. */
  takeBox(): string {
    const html = this.#close();
    this.#flow = this.#outer.pop() ?? this.#flow;
    return html;
  }

  /** The box is shown where it is in the text. */
  endBox(): void {
    const html = this.takeBox();
    if (html === "") return;
    this.#flow.html.push(
      this.#shown.added(`<div style="border:0.5pt solid #999;padding:3pt;margin:4pt 0">${html}</div>`, html.length),
    );
  }

  end(): string {
    while (this.#outer.length > 0) this.endBox();
    return this.#close();
  }

  #close(): string {
    if (this.#flow.runs.length > 0 || this.#flow.cell.length > 0) {
      const rest = this.#paragraph(PLAIN_PARAGRAPH, false);
      if (this.#flow.cells.length === 0 && this.#flow.cell.length === 0) {
        this.#endTable();
        this.#flow.html.push(rest);
      } else {
        this.#flow.cells.push([...this.#flow.cell, rest].join(""));
        this.#flow.cell = [];
      }
    }
    this.endRow();
    this.#endTable();
    return this.#flow.html.join("");
  }

  #leaveTable(look: ParagraphLook): void {
    if (look.inTable || this.#flow.cell.length > 0 || this.#flow.cells.length > 0) return;
    this.#endTable();
  }

  #endTable(): void {
    const { rows } = this.#flow;
    if (rows.length === 0) return;
    this.#flow.rows = [];
    const html = ["<table>"];
    for (const [index, row] of rows.entries()) html.push(`<tr>${this.#cells(rows, index, row)}</tr>`);
    html.push("</table>");
    this.#flow.html.push(this.#shown.added(html.join(""), 0));
  }

  #cells(rows: readonly Row[], index: number, { cells, edges }: Row): string {
    const html: string[] = [];
    for (const [column, content] of cells.entries()) {
      const merges = edges[column]?.merges;
      if (merges?.has("clmrg") || merges?.has("clvmrg")) continue;
      let [columns, span] = [1, 1];
      if (merges?.has("clmgf")) while (edges[column + columns]?.merges.has("clmrg")) columns += 1;
      if (merges?.has("clvmgf"))
        while (rows[index + span]?.edges[column]?.merges.has("clvmrg") && span < 1_000) span += 1;
      const width = (edges[column + columns - 1]?.right ?? 0) - (edges[column - 1]?.right ?? 0);
      html.push(
        `<td${columns > 1 ? ` colspan="${columns}"` : ""}${span > 1 ? ` rowspan="${span}"` : ""}${width > 12 && width < 14_400 ? ` style="width:${(width - 11).toFixed(1)}pt"` : ""}>${content}</td>`,
      );
    }
    return html.join("");
  }

  /** The paragraph of the runs so far. `isKept`: also without text. */
  #paragraph(look: ParagraphLook, isKept: boolean): string {
    const runs = this.#flow.runs.splice(0);
    if (runs.length === 0 && !isKept) return "";
    const content = runs.map(({ look: own, text }) => (own === undefined ? text : styled(text, own))).join("");
    const name = look.heading === undefined || content.trim() === "" ? "p" : `h${look.heading}`;
    const { left, right, first, before, after, align } = look;
    const css = [
      `margin:${clamped(before)}pt ${clamped(right)}pt ${clamped(after)}pt ${clamped(left)}pt`,
      first !== 0 && Math.abs(first) < 1_000 && `text-indent:${first}pt`,
      align !== undefined && `text-align:${align}`,
      name !== "p" && "font-size:1em;font-weight:normal",
    ].filter(Boolean);
    const html = `<${name}${look.rightToLeft ? ' dir="rtl"' : ""} style="${css.join(";")}">${content === "" ? "&nbsp;" : content}</${name}>`;
    return this.#shown.added(html, content.length);
  }
}

const clamped = (points: number): number => Math.min(Math.max(points, 0), 400);

const isSame = (a: RunLook, b: RunLook): boolean =>
  a === b || (Object.keys(a) as (keyof RunLook)[]).every((key) => a[key] === b[key]);

function styled(text: string, look: RunLook): string {
  const css = [
    look.b && "font-weight:bold",
    look.i && "font-style:italic",
    look.size !== undefined && `font-size:${look.size}pt`,
    look.color !== undefined && `color:${look.color}`,
    look.background !== undefined && `background-color:${look.background}`,
    look.family && fontFamily(look.family),
  ].filter(Boolean);
  let html = keepSpaces(escaped(look.caps ? text.toUpperCase() : text));
  if (css.length > 0) html = `<span style="${css.join(";")}">${html}</span>`;
  if (look.strike) html = `<s>${html}</s>`;
  if (look.ul) html = `<u>${html}</u>`;
  if (look.position !== undefined) html = `<${look.position}>${html}</${look.position}>`;
  return look.link === undefined ? html : `<a href="${escapedAttribute(look.link)}">${html}</a>`;
}
