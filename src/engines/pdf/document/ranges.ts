import { limits } from "../../../limits.ts";
import { pageRangeInvalid } from "../../parameter-errors.ts";

/** One item of a range, before the page count is known. `from` above `to` means descending. */
type Item =
  | { readonly kind: "span"; readonly from: number; readonly to: number | "end" }
  | { readonly kind: "tail"; readonly count: number }
  | { readonly kind: "odd" | "even" | "all" };

interface ListedItem {
  readonly item: Item;
  readonly leaveOut: boolean;
}

/** Characters of a range that a message quotes. */
const SHOWN = 200;

/**
 * A page range as given by the client: `n`, `a-b`, `a-end`, `b-a` (descending), `last`, `last-<n>` (the last n pages),
 * `odd`, `even`, `all`, `!item` (exclude), separated by commas, 1-based. Whitespace is ignored, except inside a number. A
 * list that begins with `!` starts from all pages. Parsing does not need a document; `resolve` does.
 */
export class PageRange {
  readonly text: string;
  /** The syntax error, or undefined. */
  readonly problem: string | undefined;
  readonly #items: readonly ListedItem[] = [];

  constructor(text: string) {
    this.text = text;
    const parts = text.split(",", MOST_ITEMS + 1);
    if (text.trim() === "") this.problem = "must list at least one page";
    else if (parts.length > MOST_ITEMS) this.problem = `must have at most ${count(MOST_ITEMS)} items`;
    else {
      const list = parts.map(parseItem);
      this.problem = list.find((item) => typeof item === "string");
      this.#items = list.filter((item) => typeof item !== "string");
    }
  }

  /** Why the range does not apply to a document with this many pages, or undefined. */
  problemIn(pageCount: number): string | undefined {
    const pages = this.#resolveSet(pageCount);
    return typeof pages === "string" ? pages : undefined;
  }

  /**
   * The 0-based pages in the given order, with duplicates. `field` names the parameter in the error.
   * @throws Refusal `invalid_page_range`: bad syntax, a page the document does not have, or an empty result. Never clamps.
   */
  resolve(field: string, pageCount: number): number[] {
    return this.#accepted(field, pageCount, this.#resolve(pageCount));
  }

  /** The 0-based pages as a set, in ascending order. Throws as `resolve` does. */
  resolveSet(field: string, pageCount: number): number[] {
    return this.#accepted(field, pageCount, this.#resolveSet(pageCount));
  }

  /** The 0-based pages that the range does not name, in ascending order. Throws as `resolve` does, and if it names every page. */
  resolveOthers(field: string, pageCount: number): number[] {
    const named = new Set(this.resolveSet(field, pageCount));
    const others = upTo(1, pageCount).filter((page) => !named.has(page - 1));
    return this.#accepted(field, pageCount, others.length === 0 ? EVERY_PAGE : others);
  }

  #resolve(pageCount: number): number[] | string {
    let pages: number[] = [];
    for (const named of this.#named(pageCount)) {
      if (typeof named === "string") return named;
      if (named.leaveOut) {
        const out = new Set(named.pages);
        pages = pages.filter((page) => !out.has(page));
      } else {
        for (const page of named.pages) pages.push(page);
        if (pages.length > limits.pages) return `selects more than ${count(limits.pages)} pages`;
      }
    }
    return pages;
  }

  #resolveSet(pageCount: number): number[] | string {
    const chosen = new Uint8Array(pageCount + 1);
    for (const named of this.#named(pageCount)) {
      if (typeof named === "string") return named;
      for (const page of named.pages) chosen[page] = named.leaveOut ? 0 : 1;
    }
    const pages = upTo(1, pageCount).filter((page) => chosen[page] === 1);
    return pages.length === 0 ? NO_PAGES : pages;
  }

  /**
   * The 1-based pages of each item, or its problem. A list that begins with an exclusion starts from all pages.
   */
  *#named(pageCount: number): Generator<{ pages: readonly number[]; leaveOut: boolean } | string> {
    if (this.problem !== undefined) yield this.problem;
    if (this.#items[0]?.leaveOut) yield { pages: upTo(1, pageCount), leaveOut: false };
    let total = 0;
    for (const { item, leaveOut } of this.#items) {
      const pages = expand(item, pageCount);
      if (typeof pages === "string") yield pages;
      else {
        total += pages.length;
        yield total > MOST_NAMED ? "repeats the same pages too often" : { pages, leaveOut };
      }
    }
  }

  #accepted(field: string, pageCount: number, pages: number[] | string): number[] {
    const problem = typeof pages === "string" ? pages : pages.length === 0 ? NO_PAGES : undefined;
    if (typeof pages !== "string" && problem === undefined) return pages.map((page) => page - 1);
    throw pageRangeInvalid(field, `${problem}`, this.text.slice(0, SHOWN), pageCount);
  }
}

/** Each item may cover all pages, so the number of items is limited. */
const MOST_ITEMS = limits.parameters.rangeItems;
const MOST_NAMED = limits.parameters.rangePages;
const NO_PAGES = "selects no pages";
const EVERY_PAGE = "names every page, and at least one must remain";
const FROM_ONE = "must count pages from 1";

const count = (number: number): string => number.toLocaleString("en-US");

function parseItem(part: string): ListedItem | string {
  // Ignores whitespace between symbols, but does not join two numbers.
  const compact = part.replace(/(?<!\w)\s+|\s+(?!\w)/g, "");
  const leaveOut = compact.startsWith("!");
  const text = leaveOut ? compact.slice(1) : compact;
  const item = parseName(text.toLowerCase());
  if (item === undefined) {
    const shown = text.length > 40 ? `${text.slice(0, 40)}...` : text;
    return `has an item that is not a page (3), a range (2-5, 3-end), last, last-2, odd, even, or all: "${shown}"`;
  }
  return typeof item === "string" ? item : { item, leaveOut };
}

function parseName(text: string): Item | string | undefined {
  if (text === "odd" || text === "even" || text === "all") return { kind: text };
  if (text === "last") return { kind: "tail", count: 1 };
  const tail = /^last-(\d{1,9})$/.exec(text);
  if (tail) return Number(tail[1]) > 0 ? { kind: "tail", count: Number(tail[1]) } : FROM_ONE;
  const span = /^(\d{1,9})(?:-(\d{1,9}|end))?$/.exec(text);
  if (!span) return undefined;
  const from = Number(span[1]);
  const to = span[2] === undefined ? from : span[2] === "end" ? "end" : Number(span[2]);
  return from === 0 || to === 0 ? FROM_ONE : { kind: "span", from, to };
}

function expand(item: Item, pageCount: number): number[] | string {
  const size = pageCount === 1 ? "1 page" : `${count(pageCount)} pages`;
  switch (item.kind) {
    case "all":
      return upTo(1, pageCount);
    case "odd":
      return upTo(1, pageCount).filter((page) => page % 2 === 1);
    case "even":
      return upTo(1, pageCount).filter((page) => page % 2 === 0);
    case "tail":
      return item.count > pageCount
        ? `names the last ${count(item.count)} pages, but the document has ${size}`
        : upTo(pageCount - item.count + 1, pageCount);
    case "span": {
      const from = item.from;
      const to = item.to === "end" ? pageCount : item.to;
      const beyond = Math.max(from, to);
      if (beyond > pageCount) return `names page ${count(beyond)}, but the document has ${size}`;
      return from <= to ? upTo(from, to) : upTo(to, from).reverse();
    }
  }
}

function upTo(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
