/** GitHub Flavored Markdown, with footnotes and a title in YAML front matter, as HTML. */
import {
  Lexer,
  Marked,
  type MarkedOptions,
  Parser,
  type Tokenizer,
  type TokenizerAndRendererExtension,
  type Tokens,
} from "marked";
import { markdownHasTooMany, markdownRunHasTooMany, markdownTooCostly } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { escaped, escapedAttribute, htmlDocument } from "../source/markup.ts";
import type { TextFormat } from "./format.ts";
import { HTML_START, readHtml } from "./html.ts";
import { hasMarkdown, isMarkdownWithHtml } from "./markdown-marks.ts";
import { limits } from "../../../limits.ts";

export const markdown: TextFormat = {
  kind: "text",
  name: "markdown",
  title: "Markdown",
  keeps: `GitHub's: tables, task lists, code, footnotes; \`title\` and \`lang\` of YAML front matter; HTML in it`,
  drops: "as HTML",
  takesAssets: true,

  detect({ text, start }) {
    if (HTML_START.test(start)) return isMarkdownWithHtml(text) ? "certain" : undefined;
    return hasMarkdown(text) ? "likely" : undefined;
  },

  async read(text, parts) {
    const { title, language, body } = await markdownPage(parts.work, text);
    const read = await readHtml(htmlDocument({ title, body }), parts);
    return { ...read, title, language: language ?? read.language, needsBrowser: false };
  },
};

interface MarkdownPage {
  readonly body: string;
  readonly title: string | undefined;
  readonly language: string | undefined;
}

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/**
 * @throws Refusal `limit_exceeded` (length, nesting, marks, cells, definitions, work)
 */
async function markdownPage(work: Work, source: string): Promise<MarkdownPage> {
  if (source.length > limits.conversion.markdownCharacters)
    throw markdownHasTooMany("markdownCharacters", source.length);
  const front = FRONT_MATTER.exec(source);
  const text = front ? source.slice(front[0].length) : source;
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}[ \\t]*:[ \\t]*["']?([^\\n"']{1,500})`, "mi").exec(front?.[1] ?? "")?.[1]?.trim() || undefined;
  const meter = new ParseMeter(work, "markdown");
  const { rest, notes } = await definitionsIn(meter, text);
  const all = [rest, ...notes.values()].join("\n\n");
  refuseCostly(all);
  refuseLarge(all);
  const footnotes = new Footnotes(notes);
  const options: MarkedOptions = new Marked({
    gfm: true,
    extensions: [pieces, footnotes.reference],
    renderer: RENDERER,
    tokenizer: counters(),
  }).defaults;
  const body = await htmlOf(meter, rest, options);
  return {
    body: body + (await footnotes.html((note) => htmlOf(meter, note, options))),
    title: field("title"),
    language: field("lang"),
  };
}

/** As `marked.parse` does it, but with pauses between blocks and between the runs of text, whose length and marks are bounded. */
async function htmlOf(meter: ParseMeter, text: string, options: MarkedOptions): Promise<string> {
  try {
    const lexer = new Lexer(options);
    await readBlocks(meter, lexer, text.replace(/\r\n?/g, "\n"));
    const definitions = Object.keys(lexer.tokens.links).length;
    // Reading a run may not add to the queue: lists and quotes have been read.
    for (const { src, tokens } of lexer.inlineQueue) {
      meter.bytes(src.length);
      meter.element(definitions + comparisonsIn(src));
      await meter.pause();
      lexer.inlineTokens(src, tokens);
    }
    await meter.pause();
    return Parser.parse(lexer.tokens, options);
  } catch (error) {
    if (error instanceof RangeError) throw markdownTooCostly();
    throw error;
  }
}

/** Characters of blocks between two pauses; those of one block are read together. */
const PIECE = 50_000;
/** The token for the rest of the text after a piece. */
const LEFT = "left";

/** The start of the text that is being read, by its lexer: how many characters are left there. */
const begun = new WeakMap<Lexer, number>();

/** Ends the reading of blocks after a piece: the rest is one token, for `readBlocks` to read. */
const pieces: TokenizerAndRendererExtension = {
  name: LEFT,
  level: "block",
  tokenizer(source, tokens) {
    const { lexer } = this;
    // Lists and quotes read their own blocks.
    if (tokens !== lexer.tokens || (begun.get(lexer) ?? 0) - source.length < PIECE) return undefined;
    return { type: LEFT, raw: source };
  },
};

async function readBlocks(meter: ParseMeter, lexer: Lexer, text: string): Promise<void> {
  for (let rest = text; rest !== "";) {
    const { length } = rest;
    meter.bytes(Math.min(length, PIECE));
    await meter.pause();
    begun.set(lexer, length);
    lexer.blockTokens(rest, lexer.tokens);
    const { type, raw } = lexer.tokens.at(-1) ?? { type: "", raw: "" };
    rest = type === LEFT ? raw : "";
    if (type === LEFT) lexer.tokens.pop();
    meter.bytes(Math.max(0, length - rest.length - PIECE));
  }
  await meter.pause();
}

/** Possible beginnings and ends of emphasis: marked compares each with all later ones. */
const EMPHASIS = /\*+|_+|~+/g;
/** Where marked looks for something else, in the rest of the run. */
const SIGN = /[!<>[\](\\`]/g;
/** How far marked reads for 1 comparison of `SIGN`. */
const SIGN_READS = 50;
/** A word with which an address may begin: marked looks for its `@` from each of its characters. */
const WORD = /[a-zA-Z0-9.!#$%&'*+/=?_`{|}~-]+@?/g;
/** Characters of such words that are 1 comparison. */
const WORD_READS = 16;

/**
 * The comparisons that marked makes for a run of text: their number grows with the square of its marks and addresses.
 * @throws Refusal `limit_exceeded` (characters, marks of emphasis, characters of an address)
 */
function comparisonsIn(run: string): number {
  const { markdownRun, markdownMarks, markdownAddress } = limits.conversion;
  if (run.length > markdownRun) throw markdownRunHasTooMany("markdownRun", run.length);
  const marks = run.match(EMPHASIS)?.length ?? 0;
  if (marks > markdownMarks) throw markdownRunHasTooMany("markdownMarks", marks);
  let addresses = 0;
  for (const [word] of run.includes("@") ? run.matchAll(WORD) : []) {
    if (!word.endsWith("@")) continue;
    const { length } = word;
    if (length > markdownAddress) throw markdownRunHasTooMany("markdownAddress", length);
    addresses += length ** 2;
  }
  const signs = run.match(SIGN)?.length ?? 0;
  return marks ** 2 + Math.ceil((signs * run.length) / SIGN_READS + addresses / WORD_READS);
}

/** Runs of marks that make marked take the square of their length, and more of it inside each other than anybody writes. */
const COSTLY =
  /([[\]*_~`!<>(\\])\1{400}|(?:[>*+] ?){200}|(?:[>*+-] ){40}|(?:\[[^\]\n]{0,3}){300}|(?:[*_]{1,2}[^\s*_]{0,3} ){500}|\n[ \t]{100}/;

function refuseCostly(text: string): void {
  if (COSTLY.test(text)) throw markdownTooCostly();
}

/**
 * Counts the constructs that marked finds before it expands them: each row of a table gets as many cells as the header has, and each run of text is
 * searched for each definition.
 */
function counters(): { [name in "table" | "def"]: (this: Tokenizer, source: string) => false } {
  const counts = { cells: 0, definitions: 0 };
  const { cells, markdownDefinitions } = limits.conversion;
  return {
    table(source) {
      const [, header, , body = ""] = this.rules.block.table.exec(source) ?? [];
      if (header !== undefined) counts.cells += header.split("|").length * (1 + body.trim().split("\n").length);
      if (counts.cells > cells) throw markdownHasTooMany("cells", counts.cells);
      return false;
    },
    def(source) {
      if (this.rules.block.def.test(source)) counts.definitions += 1;
      if (counts.definitions > markdownDefinitions) throw markdownHasTooMany("markdownDefinitions", counts.definitions);
      return false;
    },
  };
}

/**
 * Refuses text for which marked takes more than the square of its length: lines that continue a list are read again for each of them. Lines of code
 * count as well, since only marked can recognize them.
 */
function refuseLarge(text: string): void {
  const { markdownItems, markdownLines, markdownBlockLines } = limits.conversion;
  let [all, block, items] = [0, 0, 0];
  for (const line of text.split("\n")) {
    if (/^[\s>]*$/.test(line)) {
      block = 0;
      continue;
    }
    all += 1;
    block += 1;
    if (block > markdownBlockLines) throw markdownHasTooMany("markdownBlockLines", block);
    items += /^(?:[\s>]*(?:[-*+]|\d{1,9}[.)])\s)+/.exec(line)?.[0].match(/[-*+.)]/g)?.length ?? 0;
  }
  if (all > markdownLines) throw markdownHasTooMany("markdownLines", all);
  if (items > markdownItems) throw markdownHasTooMany("markdownItems", items);
}

/** The mark of the code block that a line is in, begins, or ends. */
function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence === undefined) return mark;
  return mark?.startsWith(fence) && line.trim() === mark ? undefined : fence;
}

const RENDERER = {
  checkbox({ checked }: { checked: boolean }): string {
    return checked ? "\u2611 " : "\u2610 ";
  },
  heading(
    this: { parser: { parseInline(tokens: Tokens.Generic[]): string } },
    { tokens, depth, text }: Tokens.Heading,
  ): string {
    return `<h${depth} id="${escapedAttribute(slug(text))}">${this.parser.parseInline(tokens)}</h${depth}>`;
  },
  code({ text }: Tokens.Code): string {
    return `<pre><code>${escaped(text)}</code></pre>`;
  },
};

/** As GitHub makes the fragments of headings. */
const slug = (text: string): string =>
  text
    .replace(/<[^>]*>|[`*_~]/g, "")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** Footnotes, and the Markdown without them: lines that begin with `[^name]:`, and those that follow, up to an empty line. */
async function definitionsIn(
  meter: ParseMeter,
  text: string,
): Promise<{ rest: string; notes: ReadonlyMap<string, string> }> {
  const notes = new Map<string, string>();
  const rest: string[] = [];
  let fence: string | undefined;
  let note: { name: string; lines: string[] } | undefined;
  const end = (): void => {
    if (note && !notes.has(note.name)) notes.set(note.name, note.lines.join("\n"));
    note = undefined;
  };
  for (const line of text.split(/\r\n?|\n/)) {
    meter.element();
    await meter.pause();
    const [, name, first = ""] = fence === undefined ? (/^\[\^([^\]\s]{1,100})\]:[ \t]*(.*)$/.exec(line) ?? []) : [];
    fence = fenceAfter(line, fence);
    if (name !== undefined || line.trim() === "") end();
    if (name !== undefined) note = { name, lines: [first] };
    else if (note) note.lines.push(line.replace(/^(?: {2,4}|\t)/, ""));
    else rest.push(line);
  }
  end();
  return { rest: rest.join("\n"), notes };
}

/** `[^name]`, as on GitHub: the notes are at the end, in the order in which they are referred to. */
class Footnotes {
  readonly #texts: ReadonlyMap<string, string>;
  /** The number of each that is referred to. */
  readonly #numbers = new Map<string, number>();
  readonly reference: TokenizerAndRendererExtension;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
    this.reference = {
      name: "footnoteReference",
      level: "inline",
      start: (source) => {
        const at = source.indexOf("[^");
        return at < 0 ? undefined : at;
      },
      tokenizer: (source) => {
        const [raw, name] = /^\[\^([^\]\s]{1,100})\]/.exec(source) ?? [];
        if (raw === undefined || name === undefined || !this.#texts.has(name)) return undefined;
        return { type: "footnoteReference", raw, note: name };
      },
      renderer: (token) => {
        const name = String(token["note"]);
        const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
        this.#numbers.set(name, number);
        return `<sup id="fnref-${number}"><a href="#fn-${number}">${number}</a></sup>`;
      },
    };
  }

  async html(parse: (text: string) => Promise<string>): Promise<string> {
    if (this.#numbers.size === 0) return "";
    const items: string[] = [];
    // Notes may refer to further notes, which are added meanwhile.
    for (const [name, number] of this.#numbers)
      items.push(`<li id="fn-${number}">${await parse(this.#texts.get(name) ?? "")}</li>`);
    return `<hr><div style="font-size:0.88em"><ol>${items.join("")}</ol></div>`;
  }
}
