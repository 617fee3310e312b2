/** GitHub Flavored Markdown, with footnotes and a title in YAML front matter, as HTML. */
import { Marked, type TokenizerAndRendererExtension, type Tokens } from "marked";
import { Refusal } from "../errors.ts";
import type { Work } from "../work.ts";
import { escaped, escapedAttribute } from "./source/markup.ts";
import { limits } from "../../limits.ts";

export interface MarkdownPage {
  readonly body: string;
  readonly title: string | undefined;
  readonly language: string | undefined;
}

/** Fuel per character: marked takes up to 100 ns. */
const CHARACTER_WORK = 40;
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/**
 * @throws Refusal `limit_exceeded` (length, nesting, work)
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
  refuseCostly(text);
  work.spend(text.length * CHARACTER_WORK);
  await work.pause();
  const notes = new Footnotes();
  const marked = new Marked({ gfm: true, extensions: [notes.definition, notes.reference], renderer: RENDERER });
  try {
    const body = marked.parse(text, { async: false });
    return {
      body: body + notes.html((note) => marked.parse(note, { async: false })),
      title: field("title"),
      language: field("lang"),
    };
  } catch (error) {
    if (error instanceof RangeError) throw tooCostly();
    throw error;
  }
}

/** Runs of marks that make marked take the square of their length, and more of it inside each other than anybody writes. */
const COSTLY =
  /([[\]*_~`!<>(\\])\1{400}|(?:[>*+] ?){200}|(?:\[[^\]\n]{0,3}){300}|(?:[*_]{1,2}[^\s*_]{0,3} ){500}|\n[ \t]{100}|[^\n]{200000}/;

function refuseCostly(text: string): void {
  if (COSTLY.test(text)) throw tooCostly();
}

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

/** `[^name]` and `[^name]: text`, as on GitHub: at the end, in the order in which they are referred to. */
class Footnotes {
  readonly #texts = new Map<string, string>();
  readonly #order: string[] = [];
  readonly definition: TokenizerAndRendererExtension;
  readonly reference: TokenizerAndRendererExtension;

  constructor() {
    this.definition = {
      name: "footnoteDefinition",
      level: "block",
      start: (source) => /^\[\^[^\]\s]{1,100}\]:/m.exec(source)?.index,
      tokenizer: (source) => {
        const [raw, name, text = ""] =
          /^\[\^([^\]\s]{1,100})\]:[ \t]*([^\n]*(?:\n(?!\[\^)(?:(?: {2,}|\t)[^\n]*|[^\n\s][^\n]*))*)(?:\n|$)/.exec(
            source,
          ) ?? [];
        if (raw === undefined || name === undefined) return undefined;
        if (!this.#texts.has(name)) this.#texts.set(name, text.replace(/\n(?: {2,4}|\t)/g, "\n"));
        return { type: "footnoteDefinition", raw };
      },
      renderer: () => "",
    };
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
        if (!this.#order.includes(name)) this.#order.push(name);
        const number = this.#order.indexOf(name) + 1;
        return `<sup id="fnref-${number}"><a href="#fn-${number}">${number}</a></sup>`;
      },
    };
  }

  html(parse: (text: string) => string): string {
    if (this.#order.length === 0) return "";
    const items: string[] = [];
    // Notes may refer to further notes.
    for (let at = 0; at < this.#order.length; at++) {
      const text = this.#texts.get(this.#order[at] ?? "") ?? "";
      items.push(`<li id="fn-${at + 1}">${parse(text)}</li>`);
    }
    return `<hr><div style="font-size:0.88em"><ol>${items.join("")}</ol></div>`;
  }
}
