/** Blocks as Markdown: CommonMark 0.31 with the tables and footnotes of GitHub. */
import type { Block } from "../layout/document.ts";
import { type Span, STYLES } from "../layout/spans.ts";
import { htmlTable } from "./html.ts";
import type { ExportedTable } from "./tables.ts";

/** The Markdown of a page. `pageNumber` makes the labels of footnotes unique in the document. */
export function markdownOf(blocks: readonly Block[], pageNumber: number): string {
  const notes = new Set(
    blocks.flatMap((block) => (block.type === "paragraph" && block.note !== undefined ? [block.note] : [])),
  );
  const inline = (spans: readonly Span[], options: InlineOptions = {}): string =>
    inlineOf(spans, { ...options, noteOf: (number) => (notes.has(number) ? label(pageNumber, number) : undefined) });
  const pieces: string[] = [];
  const last: string[] = [];
  let list: ListState | undefined;
  for (const block of blocks) {
    if (block.type === "list-item") {
      list ??= new ListState();
      const { indent, marker, isNew } = list.next(block.marker, block.bbox[0]);
      const text = inline(block.spans).replaceAll("\n", " ");
      const line = `${indent}${marker} ${text === "" ? "" : atLineStart(text)}`.trimEnd();
      // Two lists that follow each other need something between them.
      const separator = isNew && pieces.length > 0 && list.count > 1 ? "<!-- -->\n\n" : "";
      if (list.count > 1 && !isNew) pieces.push(`${pieces.pop() ?? ""}\n${line}`);
      else pieces.push(separator + line);
      continue;
    }
    list = undefined;
    if (block.type === "heading") {
      const text = inline(block.spans, { bold: false }).replaceAll("\n", " ");
      if (text !== "") pieces.push(`${"#".repeat(block.level)} ${text.replace(/(\s)(#+)$/, "$1\\$2")}`);
    } else if (block.type === "code") pieces.push(fenced(block.lines));
    else if (block.type === "table") pieces.push(tableOf(block));
    else if (block.type === "figure") {
      if (block.text !== "") pieces.push(atLineStart(escaped(block.text)));
    } else {
      const text = inline(block.spans);
      if (text === "") continue;
      if (block.type === "paragraph" && block.note !== undefined)
        last.push(`[^${label(pageNumber, block.note)}]: ${text}`);
      else pieces.push(atLineStart(text));
    }
  }
  return [...pieces, ...last].join("\n\n");
}

/** Labels of footnotes: letters replace signs, because a label has neither spaces nor brackets. */
const label = (pageNumber: number, number: string): string =>
  `${pageNumber}-${number.replaceAll(/[*†‡§¶]/gu, (sign) => `n${"*†‡§¶".indexOf(sign) + 1}`)}`;

/** Items that follow each other, and how deep each is. */
class ListState {
  readonly #levels: { x: number; ordered: boolean; width: number; number: number }[] = [];
  count = 0;

  next(marker: string, x: number): { indent: string; marker: string; isNew: boolean } {
    this.count++;
    const number = /^\(?\[?(\d{1,9})[.)\]]/.exec(marker)?.[1];
    const ordered = number !== undefined;
    while (this.#levels.length > 1 && x < (this.#levels.at(-1)?.x ?? 0) - 4) this.#levels.pop();
    let level = this.#levels.at(-1);
    let isNew = false;
    const value = Number(number ?? 0);
    if (level === undefined || x > level.x + 6) {
      level = { x, ordered, width: 0, number: value };
      this.#levels.push(level);
    } else if (level.ordered !== ordered) {
      this.#levels.pop();
      level = { x, ordered, width: 0, number: value };
      this.#levels.push(level);
      isNew = this.#levels.length === 1;
    }
    // Letters in parentheses and the like stay visible: Markdown has only numbers.
    const shown = ordered ? `${number}.` : /^[\p{L}(]/u.test(marker) && marker !== "o" ? `- ${escaped(marker)}` : "-";
    level.width = ordered ? shown.length + 1 : 2;
    const indent = " ".repeat(this.#levels.slice(0, -1).reduce((sum, outer) => sum + outer.width, 0));
    return { indent, marker: shown, isNew };
  }
}

interface InlineOptions {
  /** Whether bold type is marked. */
  readonly bold?: boolean;
  /** The label of the footnote with a number. */
  readonly noteOf?: (number: string) => string | undefined;
}

const { bold: BOLD, italic: ITALIC, monospaced: MONOSPACED, raised: RAISED } = STYLES;

function inlineOf(spans: readonly Span[], { bold = true, noteOf }: InlineOptions): string {
  const mask = ITALIC | MONOSPACED | RAISED | (bold ? BOLD : 0);
  let text = "";
  for (const run of merged(spans, mask)) text += runOf(run, noteOf);
  return text.trim();
}

/** Adjacent spans of the same style as one. White space has no style. */
function merged(spans: readonly Span[], mask: number): Span[] {
  const runs: Span[] = [];
  for (const span of spans) {
    const style = span.style & mask;
    const last = runs.at(-1);
    const isBlank = span.text.trim() === "";
    if (last !== undefined && last.link === span.link && (last.style === style || isBlank)) last.text += span.text;
    else runs.push({ ...span, style: isBlank ? 0 : style });
  }
  return runs;
}

function runOf({ text, style, link }: Span, noteOf: InlineOptions["noteOf"]): string {
  const [, before = "", core = "", after = ""] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
  if (core === "") return text === "" ? "" : " ";
  let written: string;
  const note = (style & RAISED) !== 0 ? noteOf?.(core) : undefined;
  if (note !== undefined) return `${before}[^${note}]${after}`;
  if ((style & MONOSPACED) !== 0) written = codeSpan(core);
  else {
    written = escaped(core);
    if ((style & RAISED) !== 0) written = `<sup>${written}</sup>`;
    const marks = ((style & BOLD) !== 0 ? "**" : "") + ((style & ITALIC) !== 0 ? "*" : "");
    // Emphasis needs a letter or digit at its ends (CommonMark, 6.2), and is not worth marking elsewhere.
    if (marks !== "" && /^[\p{L}\p{N}]/u.test(core) && /[\p{L}\p{N}]$/u.test(core)) {
      written = `${marks}${written}${[...marks].toReversed().join("")}`;
    }
  }
  if (link !== undefined) written = `[${written}](${destination(link)})`;
  return before + written + after;
}

/** Backslashes before characters that mean something within a line. */
function escaped(text: string): string {
  const plain = text.replaceAll(/[\\`*[\]<|]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
  return (plain.match(/~/g)?.length ?? 0) > 1 ? plain.replaceAll("~", "\\~") : plain;
}

/** Escapes the beginning of a block at the start of a line. */
function atLineStart(text: string): string {
  return text
    .replace(/^(#{1,6})(?=\s|$)/, "\\$1")
    .replace(/^([-+])(?=\s|$)/, "\\$1")
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2")
    .replace(/^(=+|-{2,}|_{3,})\s*$/, "\\$1")
    .replace(/^>/, "\\>");
}

/** The length of the longest run of backticks. */
function longestTicks(text: string): number {
  let longest = 0;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  return longest;
}

function codeSpan(text: string): string {
  const fence = "`".repeat(longestTicks(text) + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

function fenced(lines: readonly string[]): string {
  const text = lines.join("\n");
  const fence = "`".repeat(Math.max(2, longestTicks(text)) + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The address of a link, so that nothing in it ends the link. */
const destination = (uri: string): string =>
  `<${uri.replaceAll(/[<>\\\s]/g, (character) => encodeURIComponent(character))}>`;

/** GitHub's syntax has one header row and no merged cells; other tables are HTML. */
function tableOf(table: ExportedTable): string {
  const isPlain = table.cells.every((cell) => cell.rowSpan === 1 && cell.columnSpan === 1) && table.headerRows <= 1;
  return isPlain ? pipeTable(table) : htmlTable(table);
}

function pipeTable({ rows, columns, cells, headerRows }: ExportedTable): string {
  const grid = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ""));
  for (const { row, column, text } of cells) {
    const line = grid[row];
    if (line !== undefined) line[column] = escaped(text).replaceAll(/\s+/g, " ");
  }
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |`;
  // The syntax demands a header; it is empty where the table has none.
  const header = headerRows === 0 ? Array.from({ length: columns }, () => "") : (grid.shift() ?? []);
  return [line(header), line(header.map(() => "---")), ...grid.map(line)].join("\n");
}
