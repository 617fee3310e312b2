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
import { Refusal } from "../errors.ts";
import type { Work } from "../work.ts";
import { escaped, escapedAttribute } from "./source/markup.ts";
import { limits } from "../../limits.ts";

export interface MarkdownPage {
  readonly body: string;
  readonly title: string | undefined;
  readonly language: string | undefined;
}

/** Fuel per character that marked divides into blocks. */
const CHARACTER_WORK = 40;
/** Fuel per line. */
const LINE_WORK = 50;
/** Fuel per square of a character in one run of text: marked looks for the end of marks again and again. */
const RUN_WORK = 0.6;
/** Fuel per definition of a link, for each run of text that is searched for it. */
const DEFINITION_WORK = 10;
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/**
 * @throws Refusal `limit_exceeded` (length, nesting, cells, definitions, work)
 */
export async function markdownPage(work: Work, source: string): Promise<MarkdownPage> {
  const limit = limits.conversion.markdownCharacters;
  if (source.length > limit)
    throw new Refusal("limit_exceeded", `Markdown can have up to ${limit} characters.`, {
      limit,
      actual: source.length,
    });
  const front = FRONT_MATTER.exec(source);
  const text = front ? source.slice(front[0].length) : source;
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}[ \\t]*:[ \\t]*["']?([^\\n"']{1,500})`, "mi").exec(front?.[1] ?? "")?.[1]?.trim() || undefined;
  const { rest, notes } = await definitionsIn(work, text);
  const all = [rest, ...notes.values()].join("\n\n");
  refuseCostly(all);
  refuseLarge(all);
  const footnotes = new Footnotes(notes);
  const options: MarkedOptions = new Marked({
    gfm: true,
    extensions: [footnotes.reference],
    renderer: RENDERER,
    tokenizer: counters(),
  }).defaults;
  const body = await htmlOf(work, rest, options);
  return {
    body: body + (await footnotes.html((note) => htmlOf(work, note, options))),
    title: field("title"),
    language: field("lang"),
  };
}

/** As `marked.parse` does it, but with pauses between the runs of text, whose length is bounded. */
async function htmlOf(work: Work, text: string, options: MarkedOptions): Promise<string> {
  work.spend(text.length * CHARACTER_WORK);
  await work.pause();
  try {
    const lexer = new Lexer(options);
    lexer.blockTokens(text.replace(/\r\n?/g, "\n"), lexer.tokens);
    // Reading a run may not add to the queue: lists and quotes have been read.
    for (const { src, tokens } of lexer.inlineQueue) {
      const limit = limits.conversion.markdownRun;
      if (src.length > limit) throw tooLong(limit, src.length);
      const definitions = Object.keys(lexer.tokens.links).length;
      work.spend(definitions * DEFINITION_WORK + src.length * (CHARACTER_WORK + RUN_WORK * src.length));
      await work.pause();
      lexer.inlineTokens(src, tokens);
    }
    await work.pause();
    return Parser.parse(lexer.tokens, options);
  } catch (error) {
    if (error instanceof RangeError) throw tooCostly();
    throw error;
  }
}

/** Runs of marks that make marked take the square of their length, and more of it inside each other than anybody writes. */
const COSTLY =
  /([[\]*_~`!<>(\\])\1{400}|(?:[>*+] ?){200}|(?:[>*+-] ){40}|(?:\[[^\]\n]{0,3}){300}|(?:[*_]{1,2}[^\s*_]{0,3} ){500}|\n[ \t]{100}/;

function refuseCostly(text: string): void {
  if (COSTLY.test(text)) throw tooCostly();
}

/**
 * Counts what marked finds before it makes more of it, wherever it finds it: each row of a table gets as many cells as the header has, and each run of
 * text is searched for each definition.
 */
function counters(): { [name in "table" | "def"]: (this: Tokenizer, source: string) => false } {
  const counts = { cells: 0, definitions: 0 };
  const { cells, markdownDefinitions } = limits.conversion;
  return {
    table(source) {
      const [, header, , body = ""] = this.rules.block.table.exec(source) ?? [];
      if (header !== undefined) counts.cells += header.split("|").length * (1 + body.trim().split("\n").length);
      if (counts.cells > cells) throw tooMany("cells of tables", cells, counts.cells);
      return false;
    },
    def(source) {
      if (this.rules.block.def.test(source)) counts.definitions += 1;
      if (counts.definitions > markdownDefinitions)
        throw tooMany("definitions of links", markdownDefinitions, counts.definitions);
      return false;
    },
  };
}

/**
 * Refuses what takes marked more than the square of its length: lines that go on with a list are read again for each of them. Those of code count as
 * well, as only marked knows which they are.
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
    if (block > markdownBlockLines) throw tooMany("lines without an empty one between them", markdownBlockLines, block);
    items += /^(?:[\s>]*(?:[-*+]|\d{1,9}[.)])\s)+/.exec(line)?.[0].match(/[-*+.)]/g)?.length ?? 0;
  }
  if (all > markdownLines) throw tooMany("lines", markdownLines, all);
  if (items > markdownItems) throw tooMany("list items", markdownItems, items);
}

/** The mark of the code block that a line is in, begins, or ends. */
function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence === undefined) return mark;
  return mark?.startsWith(fence) && line.trim() === mark ? undefined : fence;
}

const tooMany = (what: string, limit: number, actual: number): Refusal =>
  new Refusal("limit_exceeded", `Markdown can have up to ${limit} ${what}.`, { limit, actual });

const tooLong = (limit: number, actual: number): Refusal =>
  new Refusal("limit_exceeded", `A paragraph, heading, or cell of Markdown can have up to ${limit} characters.`, {
    limit,
    actual,
  });

const tooCostly = (): Refusal =>
  new Refusal("limit_exceeded", "The Markdown has marks nested too deeply or paragraphs that are too long.", {
    limit: "work",
  });

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
async function definitionsIn(work: Work, text: string): Promise<{ rest: string; notes: ReadonlyMap<string, string> }> {
  const notes = new Map<string, string>();
  const rest: string[] = [];
  let fence: string | undefined;
  let note: { name: string; lines: string[] } | undefined;
  const end = (): void => {
    if (note && !notes.has(note.name)) notes.set(note.name, note.lines.join("\n"));
    note = undefined;
  };
  for (const line of text.split(/\r\n?|\n/)) {
    work.spend(LINE_WORK);
    await work.pause();
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
