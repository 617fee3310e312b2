import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";

/** One item of a range, before the number of pages is known. `from` above `to` is a descending item. */
type Item =
  | { readonly kind: "span"; readonly from: Bound; readonly to: Bound }
  | { readonly kind: "tail"; readonly count: number }
  | { readonly kind: "odd" | "even" | "all" };
type Bound = number | "end";

/** How much of a range a message repeats. */
const SHOWN = 200;

/**
 * A page range as it was given: `n`, `a-b`, `a-end`, `b-a` (descending), `last`, `last-<n>` (the last n pages), `odd`,
 * `even`, `all`, `!item` (leave out), joined by commas, white space ignored, 1-based. A list that begins with `!` starts
 * from all pages. Reading the syntax needs no document; `resolve` does.
 */
export class PageRange {
  readonly text: string;
  /** What is wrong with the syntax, or undefined. */
  readonly problem: string | undefined;
  readonly #items: readonly { item: Item; leaveOut: boolean }[] = [];

  constructor(text: string) {
    this.text = text;
    const compact = text.replace(/\s+/g, "");
    if (compact === "") {
      this.problem = "must name at least one page";
      return;
    }
    const list: { item: Item; leaveOut: boolean }[] = [];
    const parts = compact.split(",", MOST_ITEMS + 1);
    if (parts.length > MOST_ITEMS) {
      this.problem = `lists more than ${MOST_ITEMS} items`;
      return;
    }
    for (const part of parts) {
      const leaveOut = part.startsWith("!");
      const item = parseItem(leaveOut ? part.slice(1) : part);
      if (typeof item === "string") {
        this.problem = item;
        return;
      }
      list.push({ item, leaveOut });
    }
    this.#items = list;
  }

  /**
   * The 0-based pages, in the given order with repeats. `field` names the parameter in the error.
   * @throws Refusal `invalid_page_range`: bad syntax, a page the document does not have, or nothing left; never clamped.
   */
  resolve(field: string, pageCount: number): number[] {
    let pages: number[] = [];
    for (const { named, leaveOut } of this.#named(field, pageCount)) {
      if (leaveOut) {
        const out = new Set(named);
        pages = pages.filter((page) => !out.has(page));
      } else {
        for (const page of named) pages.push(page);
        if (pages.length > limits.pages) throw this.#refusal(field, pageCount, `names more than ${limits.pages} pages`);
      }
    }
    return this.#notEmpty(field, pageCount, pages);
  }

  /** The 0-based pages as a set, ascending; refuses as `resolve` does. */
  resolveSet(field: string, pageCount: number): number[] {
    const chosen = new Uint8Array(pageCount + 1);
    for (const { named, leaveOut } of this.#named(field, pageCount)) {
      for (const page of named) chosen[page] = leaveOut ? 0 : 1;
    }
    const pages = upTo(1, pageCount).filter((page) => chosen[page] === 1);
    return this.#notEmpty(field, pageCount, pages);
  }

  /** The pages that each item names; a list that begins by leaving out begins with all. */
  *#named(field: string, pageCount: number): Generator<{ named: readonly number[]; leaveOut: boolean }> {
    if (this.problem !== undefined) throw this.#refusal(field, pageCount, this.problem);
    if (this.#items[0]?.leaveOut) yield { named: upTo(1, pageCount), leaveOut: false };
    let total = 0;
    for (const { item, leaveOut } of this.#items) {
      const named = expand(item, pageCount);
      if (typeof named === "string") throw this.#refusal(field, pageCount, named);
      total += named.length;
      if (total > MOST_NAMED) throw this.#refusal(field, pageCount, "names the same pages too often");
      yield { named, leaveOut };
    }
  }

  #notEmpty(field: string, pageCount: number, pages: readonly number[]): number[] {
    if (pages.length === 0) throw this.#refusal(field, pageCount, "leaves no page");
    return pages.map((page) => page - 1);
  }

  #refusal(field: string, pageCount: number, problem: string): Refusal {
    return new Refusal("invalid_page_range", `${field}: ${problem}.`, {
      field,
      range: this.text.slice(0, SHOWN),
      maxPage: pageCount,
    });
  }
}

/** Each item may walk all pages, so their number is bounded. */
const MOST_ITEMS = 10_000;
const MOST_NAMED = 1_000_000;

function parseItem(text: string): Item | string {
  if (text === "odd" || text === "even" || text === "all") return { kind: text };
  if (text === "last") return { kind: "tail", count: 1 };
  const tail = /^last-(\d{1,9})$/.exec(text);
  if (tail) {
    const count = Number(tail[1]);
    return count > 0 ? { kind: "tail", count } : `"${text}" names no page: last-<n> counts from 1`;
  }
  const span = /^(\d{1,9})(?:-(\d{1,9}|end))?$/.exec(text);
  if (!span) {
    const shown = text.length > 40 ? `${text.slice(0, 40)}...` : text;
    return `"${shown}" is not a page, a range (2-5, 3-end), last, last-<n>, odd, even or all`;
  }
  const from = Number(span[1]);
  const to = span[2] === undefined ? from : span[2] === "end" ? "end" : Number(span[2]);
  if (from === 0 || to === 0) return "pages count from 1";
  return { kind: "span", from, to };
}

function expand(item: Item, pageCount: number): number[] | string {
  switch (item.kind) {
    case "all":
      return upTo(1, pageCount);
    case "odd":
      return upTo(1, pageCount).filter((page) => page % 2 === 1);
    case "even":
      return upTo(1, pageCount).filter((page) => page % 2 === 0);
    case "tail":
      return item.count > pageCount
        ? `the document has ${pageCount} pages, fewer than ${item.count}`
        : upTo(pageCount - item.count + 1, pageCount);
    case "span": {
      const from = item.from === "end" ? pageCount : item.from;
      const to = item.to === "end" ? pageCount : item.to;
      const beyond = Math.max(from, to);
      if (beyond > pageCount) return `page ${beyond} is beyond the last page, ${pageCount}`;
      return from <= to ? upTo(from, to) : upTo(to, from).reverse();
    }
  }
}

function upTo(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
