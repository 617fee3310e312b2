/** The facts that only the whole document shows: the size of its text, its headings, and the text that repeats from page to page. */
import type { VisibleBox as Box } from "../../geometry.ts";
import type { RawBlock, TableCell, TextBlock } from "./blocks.ts";
import { WrittenWords } from "./hyphenation.ts";
import { plainText, type Span } from "./spans.ts";
import { mostOf } from "./words.ts";

export interface RawPage {
  /** 1-based. */
  readonly pageNumber: number;
  readonly blocks: readonly RawBlock[];
}

/** A block as the API returns it, with its text in Markdown's terms. */
export type Block =
  | { readonly type: "heading"; readonly level: number; readonly spans: readonly Span[]; readonly bbox: Box }
  | {
      readonly type: "paragraph" | "caption";
      readonly spans: readonly Span[];
      readonly bbox: Box;
      readonly note?: string;
    }
  | { readonly type: "list-item"; readonly marker: string; readonly spans: readonly Span[]; readonly bbox: Box }
  | { readonly type: "code"; readonly lines: readonly string[]; readonly bbox: Box }
  | {
      readonly type: "table";
      readonly rows: number;
      readonly columns: number;
      readonly headerRows: number;
      readonly cells: readonly TableCell[];
      readonly bbox: Box;
    }
  | { readonly type: "figure"; readonly text: string; readonly bbox: Box };

/** A heading has at most this many lines and characters; of the size of the text, in bold, fewer. */
const [MOST_LINES, MOST_CHARACTERS] = [4, 220];
const [MOST_BOLD_LINES, MOST_BOLD_CHARACTERS] = [2, 120];
/** How much larger than the text a heading is, and a label with a number, such as `Exercise 3`, that is one. */
const [LARGER, LARGER_LABEL] = [1.09, 1.25];
/** How often a title in bold of the size of the text is there before it is known as a label, such as `Proof`. */
const LABEL_REPEATS = 3;
const DEEPEST = 6;
/** Pages on which a text at the edge appears before it is known to repeat. */
const LEAST_REPEATS = 3;

/** Gathers facts page by page, and then tells what each block is. */
export class DocumentFacts {
  readonly #sizes = new Map<number, number>();
  readonly #edges = new Map<string, number>();
  /** How many blocks in the form of a heading have each style, by their level in the outline (0: none). */
  readonly #headings = new Map<string, Map<number, number>>();
  /** What looks like a title. */
  readonly #titles = new Set<string>();
  /** How often a title is there, or another with the same first word and a number, letter, or name after it. */
  readonly #labels = new Map<string, number>();
  /** Whether tags mark some block as a heading: then they mark all of them. */
  #hasTaggedHeadings = false;
  readonly #words = new WrittenWords();
  #pages = 0;
  #body: number | undefined;
  #levels: ReadonlyMap<string, number> | undefined;

  add({ blocks }: RawPage): void {
    this.#pages++;
    const edges = new Set<string>();
    for (const block of blocks) {
      if (block.kind === "table") for (const { text } of block.cells) this.#words.add(text);
      if (block.kind !== "text") continue;
      this.#words.add(block.spans.map(({ text }) => text).join(""));
      const length = lengthOf(block);
      if (block.level !== undefined) this.#hasTaggedHeadings = true;
      if (block.edge === undefined) this.#sizes.set(block.size, (this.#sizes.get(block.size) ?? 0) + length);
      else edges.add(edgeKey(block));
      if (isTitleLike(block)) {
        const style = styleOf(block);
        const levels = this.#headings.get(style) ?? new Map<number, number>();
        levels.set(block.outlineLevel ?? 0, (levels.get(block.outlineLevel ?? 0) ?? 0) + 1);
        this.#headings.set(style, levels);
        const [title, label] = [titleOf(block), labelOf(block)];
        this.#titles.add(title);
        this.#labels.set(label, (this.#labels.get(label) ?? 0) + 1);
      }
    }
    for (const key of edges) this.#edges.set(key, (this.#edges.get(key) ?? 0) + 1);
  }

  /** The size of most of the text, in points. */
  get #bodySize(): number {
    return (this.#body ??= mostOf(this.#sizes) ?? 10);
  }

  /** Whether a block is a running header, a footer, or a page number. */
  isFurniture(block: RawBlock): boolean {
    if (block.kind !== "text" || block.edge === undefined) return false;
    const { place, alone } = block.edge;
    if (place === "side" || place === "artifact") return true;
    // A title that several chapters have, rather than the header above their text.
    if (!alone && block.bold && block.size >= LARGER_LABEL * this.#bodySize) return false;
    const repeats = this.#edges.get(edgeKey(block)) ?? 0;
    if (repeats >= LEAST_REPEATS || (repeats === 2 && this.#pages <= 4)) return true;
    const text = plainText(block.spans);
    if (isPageNumber(text)) return true;
    if (!alone || block.level !== undefined) return false;
    return block.lines <= 2 && text.length <= 120 && block.size <= this.#bodySize * 1.15 && !/[.:;,]$/.test(text);
  }

  /**
   * The levels of headings by style: the largest first. A style that titles of the outline have is on the level of most of them, and smaller
   * ones that none has are below it.
   */
  #levelsByStyle(): ReadonlyMap<string, number> {
    if (this.#levels !== undefined) return this.#levels;
    const styles = [...this.#headings.keys()]
      .map((style) => ({ style, size: Number(style.split(" ")[0]), bold: style.endsWith("bold") }))
      .filter(({ size, bold }) => this.#isHeadingStyle(size, bold))
      .toSorted((a, b) => b.size - a.size || Number(b.bold) - Number(a.bold));
    const levels = new Map<string, number>();
    let [level, last] = [0, Infinity];
    let lastBold = true;
    for (const { style, size, bold } of styles) {
      const counts = [...(this.#headings.get(style) ?? [])].filter(([outlined]) => outlined > 0);
      const outlined = mostOf(new Map(counts));
      if (outlined !== undefined) level = outlined;
      else if (last - size > 0.6 || bold !== lastBold) level++;
      [last, lastBold] = [size, bold];
      levels.set(style, Math.min(Math.max(level, 1), DEEPEST));
    }
    return (this.#levels = levels);
  }

  #isHeadingStyle(size: number, bold: boolean): boolean {
    const body = this.#bodySize;
    return size >= LARGER * body || (bold && size >= 0.97 * body);
  }

  headingLevel(block: TextBlock): number | undefined {
    if (block.level !== undefined) return block.level;
    if (block.tagged && this.#hasTaggedHeadings) return undefined;
    if (!isTitleLike(block) || !this.#isHeadingStyle(block.size, block.bold)) return undefined;
    const text = plainText(block.spans);
    if (this.#isEntry(text)) return undefined;
    if (block.size < LARGER_LABEL * this.#bodySize && LABEL.test(text)) return undefined;
    if (block.size < LARGER * this.#bodySize) {
      if (text.endsWith(":") || (this.#labels.get(labelOf(block)) ?? 0) >= LABEL_REPEATS) return undefined;
      if (block.lines > MOST_BOLD_LINES || text.length > MOST_BOLD_CHARACTERS) return undefined;
    }
    if (block.outlineLevel !== undefined) return Math.min(block.outlineLevel, DEEPEST);
    return this.#levelsByStyle().get(styleOf(block));
  }

  /** Whether it is an entry in a table of contents: a title and the number of its page. */
  #isEntry(text: string): boolean {
    const title = /^(.*?\p{L}.*?)[\s.\u2026]+\d{1,4}$/u.exec(text)?.[1];
    return title !== undefined && this.#titles.has(normalized(title));
  }

  /** The blocks of a page. `furniture`: also headers, footers and page numbers. */
  blocksOf({ blocks }: RawPage, { furniture }: { readonly furniture: boolean }): Block[] {
    return blocks.flatMap((block): Block[] => {
      if (!furniture && this.isFurniture(block)) return [];
      return [this.#blockOf(block)];
    });
  }

  #blockOf(block: RawBlock): Block {
    const { bbox } = block;
    if (block.kind === "table") {
      const { rows, columns, headerRows, cells } = block;
      return { type: "table", rows, columns, headerRows, cells, bbox };
    }
    if (block.kind === "figure") return { type: "figure", text: block.text, bbox };
    const { marker, code, note } = block;
    const spans = this.#words.resolved(block.spans);
    if (code !== undefined) return { type: "code", lines: code, bbox };
    if (block.caption === true) return { type: "caption", spans, bbox };
    const level = this.isFurniture(block) ? undefined : this.headingLevel(block);
    if (level !== undefined) {
      return {
        type: "heading",
        level,
        spans: marker === undefined ? spans : [{ text: `${marker} `, style: 0 }, ...spans],
        bbox,
      };
    }
    if (marker !== undefined) return { type: "list-item", marker, spans, bbox };
    return { type: "paragraph", spans, bbox, ...(note !== undefined && { note }) };
  }
}

/** Of about the size of the text: `Definition 3`, which begins a paragraph of its kind rather than a section. */
const LABEL =
  /^[^\p{L}\p{N}]*(?!(?:chapter|section|part|appendix|annex|article|unit|lesson|module|title|kapitel|abschnitt|teil|anhang|artikel|chapitre|annexe|cap[ií]tulo)\b)\p{Lu}\p{L}+ \d+(?:\.\d+)*\b/iu;

const normalized = (text: string): string => text.replaceAll(/\s+/g, " ").trim().toLowerCase();

/** The text of a title, to compare it. */
const titleOf = ({ marker, spans }: TextBlock): string =>
  normalized(`${marker === undefined ? "" : `${marker} `}${plainText(spans)}`).replace(/[:.]$/, "");

/** `Proof` of `Proof: (of the theorem)` and `Part a)`; of another title, all of it. */
const labelOf = (block: TextBlock): string => {
  const title = titleOf(block);
  return /^[^\p{L}\p{N}]*(\p{L}+)(?=:?\s*(?:\(|\d|\p{L}\)))/u.exec(title)?.[1] ?? title;
};

/** A word: shorter ones, in scripts with spaces between words, are formulas. */
const WORD = /\p{L}{3}|[\u0e00-\u0eff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]/u;

const lengthOf = (block: TextBlock): number => block.spans.reduce((sum, span) => sum + span.text.length, 0);

const styleOf = ({ size, bold }: TextBlock): string => `${Math.round(size * 2) / 2} ${bold ? "bold" : "plain"}`;

/** Whether a block has the form of a heading, in whatever font. */
function isTitleLike(block: TextBlock): boolean {
  if (block.caption === true || block.code !== undefined || block.note !== undefined) return false;
  if (block.lines > MOST_LINES) return false;
  const text = plainText(block.spans);
  if (text.length > MOST_CHARACTERS || !WORD.test(text)) return false;
  if (block.marker !== undefined && !/^\(?[\dA-ZIVX]+[.)]$/.test(block.marker)) return false;
  return !/[.;,]$/u.test(text) || (/^\S*\d/.test(text) && text.length < 60 && !/[;,]$/.test(text));
}

/** The same for pages whose numbers differ. */
const edgeKey = (block: TextBlock): string =>
  `${block.edge?.place ?? ""} ${Math.round(block.size)} ${plainText(block.spans).replaceAll(/\d+/g, "#").replaceAll(/\s+/g, " ").slice(0, 80)}`;

const isPageNumber = (text: string): boolean =>
  /^(?:(?:page|p\.|seite|página|page n°|стр\.)\s*)?[-–—|\s]*(?:\d{1,4}|[ivxlc]{1,8}|[A-Z]{1,2}[-–.]\d{1,3}|\d{1,2}\s*[-–.]\s*\d{1,3})[-–—|\s]*(?:(?:of|\/|von|de|sur)\s*\d{1,4})?$/iu.test(
    text.trim(),
  );
