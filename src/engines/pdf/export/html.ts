/** Blocks as semantic HTML, without styles and scripts. All text of the document is escaped, and links lead only where a reader expects. */
import type { Block } from "../layout/document.ts";
import { type Span, STYLES } from "../layout/spans.ts";
import { escapedMarkup } from "./markup.ts";
import { captionOf, type PageBlocks, type ExportedTable } from "./tables.ts";

const { bold: BOLD, italic: ITALIC, monospaced: MONOSPACED, raised: RAISED } = STYLES;

/** Schemes of links that are kept. */
const LINK = /^(?:https?|mailto|tel):/i;

/** How far right a list within a list begins, and how far left it ends, in points. */
const [DEEPER, SHALLOWER] = [6, 4];

/** A document with a section for each page, in pieces. */
export async function* exportedHtml(title: string, pages: AsyncIterable<PageBlocks>): AsyncGenerator<string, void> {
  yield `<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>${escapedMarkup(title)}</title>\n</head>\n<body>\n`;
  for await (const page of pages) yield htmlOfPage(page);
  yield "</body>\n</html>\n";
}

function htmlOfPage({ pageNumber, blocks }: PageBlocks): string {
  const lists = new Lists();
  const lines: string[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.type === "list-item") {
      lines.push(lists.item(block));
      continue;
    }
    lines.push(lists.end());
    // A table has its caption inside.
    const isOfTable =
      block.type === "caption" &&
      [index - 1, index + 1].some((at) => blocks[at]?.type === "table" && hasCaption(blocks, at, index));
    if (!isOfTable) lines.push(htmlOf(block, index, blocks, pageNumber));
  }
  lines.push(lists.end());
  const content = lines
    .filter((line) => line !== "")
    .map((line) => (line.startsWith("</li>") ? line : `\n${line}`))
    .join("");
  return `<section id="page-${pageNumber}">${content}\n</section>\n`;
}

/** Whether the caption at an index is that of the adjacent table. */
function hasCaption(blocks: readonly Block[], table: number, caption: number): boolean {
  if (captionOf(blocks, table) === "") return false;
  return caption < table || blocks[table - 1]?.type !== "caption";
}

function htmlOf(
  block: Exclude<Block, { type: "list-item" }>,
  index: number,
  blocks: readonly Block[],
  page: number,
): string {
  if (block.type === "heading") return `<h${block.level}>${inline(block.spans, BOLD)}</h${block.level}>`;
  if (block.type === "code") return `<pre><code>${escapedMarkup(block.lines.join("\n"))}</code></pre>`;
  if (block.type === "table") return htmlTable(block, captionOf(blocks, index));
  if (block.type === "figure") return block.text === "" ? "" : `<figure>${escapedMarkup(block.text)}</figure>`;
  const text = inline(block.spans);
  if (block.type === "caption") return `<figure><figcaption>${text}</figcaption></figure>`;
  return block.note === undefined
    ? `<p>${text}</p>`
    : `<p role="doc-footnote" id="note-${page}-${escapedMarkup(block.note)}">${text}</p>`;
}

/** Spans with their styles. `without`: styles that are not marked. */
function inline(spans: readonly Span[], without = 0): string {
  return spans
    .map(({ text, style, link }) => {
      const own = style & ~without;
      let html = escapedMarkup(text);
      if (text.trim() === "") return html;
      if ((own & MONOSPACED) !== 0) html = `<code>${html}</code>`;
      if ((own & ITALIC) !== 0) html = `<em>${html}</em>`;
      if ((own & BOLD) !== 0) html = `<strong>${html}</strong>`;
      if ((own & RAISED) !== 0) html = `<sup>${html}</sup>`;
      return link !== undefined && LINK.test(link) ? `<a href="${escapedMarkup(link)}">${html}</a>` : html;
    })
    .join("")
    .trim()
    .replaceAll("\n", "<br>");
}

/** Lists that are open, from the outermost. */
class Lists {
  readonly #open: { readonly x: number; readonly tag: "ol" | "ul" }[] = [];

  item({ marker, spans, bbox: [x] }: Extract<Block, { type: "list-item" }>): string {
    const number = /^\(?\[?(\d{1,9})[.)\]]/.exec(marker)?.[1];
    const tag = number === undefined ? "ul" : "ol";
    let html = "";
    while (this.#open.length > 0) {
      const last = this.#open.at(-1);
      const isSame = last !== undefined && x >= last.x - SHALLOWER && (last.tag === tag || x > last.x + DEEPER);
      if (isSame) break;
      html += this.#close();
    }
    const last = this.#open.at(-1);
    if (last === undefined || x > last.x + DEEPER) {
      this.#open.push({ x, tag });
      html += `<${tag}>`;
    } else html += "</li>";
    // A letter or a sign that HTML has no list for stays visible.
    const shown =
      number === undefined && /^[\p{L}(]/u.test(marker) && marker !== "o" ? `${escapedMarkup(marker)} ` : "";
    return `${html}\n<li${number === undefined ? "" : ` value="${Number(number)}"`}>${shown}${inline(spans)}`;
  }

  end(): string {
    let html = "";
    while (this.#open.length > 0) html += this.#close();
    return html;
  }

  #close(): string {
    const { tag } = this.#open.pop() ?? { tag: "ul" };
    return `</li></${tag}>`;
  }
}

/** A table with its merged cells; the rows at its top that are headers are its `thead`. */
export function htmlTable({ rows, columns, cells, headerRows }: ExportedTable, caption = ""): string {
  /** By row and column: the cell that begins there, or `covered` by one that begins elsewhere. */
  const places = Array.from({ length: rows }, () =>
    Array.from<(typeof cells)[number] | "covered" | undefined>({ length: columns }),
  );
  for (const cell of cells) {
    const covered = places.slice(cell.row, cell.row + cell.rowSpan);
    for (const line of covered) line.fill("covered", cell.column, cell.column + cell.columnSpan);
    const line = places[cell.row];
    if (line) line[cell.column] = cell;
  }
  const lines = places.map((line, row) => {
    const tag = row < headerRows ? "th" : "td";
    const written = line.map((cell) => {
      if (cell === "covered") return "";
      const { text = "", rowSpan = 1, columnSpan = 1 } = cell ?? {};
      const spans = (rowSpan > 1 ? ` rowspan="${rowSpan}"` : "") + (columnSpan > 1 ? ` colspan="${columnSpan}"` : "");
      return `<${tag}${spans}>${escapedMarkup(text)}</${tag}>`;
    });
    return `<tr>${written.join("")}</tr>`;
  });
  const [head, body] = [lines.slice(0, headerRows), lines.slice(headerRows)];
  return [
    "<table>",
    ...(caption === "" ? [] : [`<caption>${escapedMarkup(caption)}</caption>`]),
    ...(head.length > 0 ? ["<thead>", ...head, "</thead>"] : []),
    ...(body.length > 0 ? ["<tbody>", ...body, "</tbody>"] : []),
    "</table>",
  ].join("\n");
}
