/**
 * Reads the tags of HTML once, from left to right, so that patterns can be searched for in them. Afterwards every tag has its end, none has `<` or
 * `>` in its attributes, and scripts, templates, comments, and titles are removed.
 */
import { htmlHasTooMany } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { limits } from "../../../limits.ts";

export interface TidyHtml {
  readonly html: string;
  /** The contents of the first `title`, in their written form. */
  readonly title: string | undefined;
  /** The `lang` of `html`. */
  readonly language: string | undefined;
  /** Whether it has scripts, other than data. */
  readonly hasScripts: boolean;
}

/** Elements whose contents are no markup; of them, only style sheets are kept. */
const RAW = new Set(["script", "template", "style", "title"]);
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** Those that continue in the blocks that follow unless they have an end tag (HTML Standard, 13.2.4.3). */
const FORMATTING = new Set("a b big code em font i nobr s small strike strong tt u".split(" "));
/** Elements that the next of their kind ends, and the containers that limit the search for them. */
const KINDS: Readonly<Record<string, string>> = { th: "td", dd: "dt", thead: "tbody", tfoot: "tbody" };
const ENDED_BY_NEXT = new Set("p li dt option optgroup tr td tbody colgroup html head body".split(" "));
const BLOCKS = new Set(
  "p li dt option optgroup tr td tbody colgroup html head body table ul ol dl div section article main header footer nav blockquote pre center h1 h2 h3 h4 h5 h6".split(
    " ",
  ),
);
const SCOPES = new Set("table ul ol dl caption object".split(" "));

/**
 * @throws Refusal `limit_exceeded` (elements, depth, work)
 */
export async function tidied(work: Work, source: string, isXml = false): Promise<TidyHtml> {
  const html: string[] = [];
  const counted = new Elements();
  const meter = new ParseMeter(work, "html");
  let [title, language]: (string | undefined)[] = [];
  let hasScripts = false;
  for (let at = 0; at < source.length;) {
    const start = source.indexOf("<", at);
    html.push(source.slice(at, start < 0 ? source.length : start));
    if (start < 0) break;
    meter.bytes(start - at);
    meter.element();
    await meter.pause();
    const name = /^\/?[a-z][a-z\d:-]{0,30}/i.exec(source.slice(start + 1, start + 33))?.[0].toLowerCase();
    if (name === undefined) {
      at = afterOther(source, start);
      if (at === start + 1) html.push("&lt;");
      continue;
    }
    // A tag without an end is none, and nothing after it is a tag (HTML Standard, 13.2.5).
    const end = endOfTag(source, start + 1);
    if (end < 0) break;
    at = end + 1;
    meter.bytes(at - start);
    const tag = `<${source
      .slice(start + 1, end)
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")}>`;
    hasScripts ||= name === "script" && !DATA.test(tag);
    if (!RAW.has(name)) {
      counted.add(name, tag.endsWith("/>"));
      if (isXml) counted.refuseUnclosed();
      if (name === "html") language ??= /\b(?:xml:)?lang\s*=\s*["']?([A-Za-z]{2,3}(?:-[\w-]{1,30})?)/i.exec(tag)?.[1];
      html.push(tag);
      continue;
    }
    if (tag.endsWith("/>") && name !== "style" && name !== "script") continue;
    const close = new RegExp(`</${name}\\b`, "gi");
    close.lastIndex = at;
    const closing = close.exec(source)?.index ?? source.length;
    meter.bytes(closing - at);
    if (name === "title") title ??= source.slice(at, Math.min(closing, at + 2000));
    if (name === "style") html.push(tag, source.slice(at, closing).replaceAll("<", "\\3c "), "</style>");
    at = closing === source.length ? closing : source.indexOf(">", closing) + 1 || source.length;
  }
  return { html: html.join(""), title, language, hasScripts };
}

/** A script with data and no code (HTML Standard, 4.12.1). */
const DATA = /\stype\s*=\s*["']?(?!module\b|(?:text|application)\/(?:x-)?(?:java|ecma)script\b)[\w]/i;

/** Where a comment or declaration ends that begins with `<`; one character later if it is neither. */
function afterOther(source: string, start: number): number {
  const isComment = source.startsWith("<!--", start);
  if (!isComment && source[start + 1] !== "!" && source[start + 1] !== "?") return start + 1;
  const end = isComment ? source.indexOf("-->", start + 4) : source.indexOf(">", start);
  return end < 0 ? source.length : end + (isComment ? 3 : 1);
}

/** The `>` of a tag, which is in no value in quotes; -1 if there is none. */
function endOfTag(source: string, start: number): number {
  const mark = />|=\s*(["'])/g;
  for (let at = start; ;) {
    mark.lastIndex = at;
    const found = mark.exec(source);
    if (found === null) return -1;
    if (found[1] === undefined) return found.index;
    const quote = source.indexOf(found[1], mark.lastIndex);
    if (quote < 0) return -1;
    at = quote + 1;
  }
}

/**
 * Counts elements, and how deep they are inside each other: MuPDF calls itself for each level, and has room for few. The depth is never less than
 * the real one.
 */
class Elements {
  #count = 0;
  /** All tags that were not closed, as XML has it. */
  #unclosed = 0;
  readonly #open: string[] = [];
  readonly #formatting = new Map<string, number>();

  add(written: string, isEmpty: boolean): void {
    this.#count += 1;
    const { tags, depth } = limits.conversion;
    if (this.#count > tags) throw htmlHasTooMany("tags", this.#count);
    if (written.startsWith("/")) {
      this.#unclosed = Math.max(0, this.#unclosed - 1);
      this.#close(KINDS[written.slice(1)] ?? written.slice(1));
      return;
    }
    // In HTML, `/` at the end of a tag has no meaning.
    if (VOID.has(written)) return;
    if (!isEmpty) this.#unclosed += 1;
    const name = KINDS[written] ?? written;
    if (FORMATTING.has(name)) this.#formatting.set(name, name === "a" ? 1 : (this.#formatting.get(name) ?? 0) + 1);
    else {
      if (ENDED_BY_NEXT.has(name)) this.#close(name);
      this.#open.push(name);
    }
    const actual = this.#open.length + this.#formatting.values().reduce((sum, count) => sum + count, 0);
    if (actual > depth) throw htmlHasTooMany("depth", actual);
  }

  /** As XML, in which every element has an end tag. */
  refuseUnclosed(): void {
    const { depth } = limits.conversion;
    if (this.#unclosed > depth) throw htmlHasTooMany("depth", this.#unclosed);
  }

  #close(name: string): void {
    const count = this.#formatting.get(name) ?? 0;
    if (count > 0) this.#formatting.set(name, count - 1);
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const open = this.#open[at] ?? "";
      if (open === name) {
        this.#open.length = at;
        return;
      }
      // Within a table, the end tag of something around it is ignored.
      const inTable = name === "table" || name === "tr" || name === "tbody" || name === "td";
      if (SCOPES.has(open) || (open === "td" && !inTable)) return;
      // An inline element does not end a block.
      if (name === "span" || !BLOCKS.has(name)) return;
    }
  }
}
