import type { Target } from "../engines/pdfjs-page.ts";
import type { Json, Plain } from "../engines/pdfjs-values.ts";

/** Where an output page comes from. */
export interface PageOrigin {
  /** Index into the sources. */
  readonly source: number;
  /** 0-based page of that source. */
  readonly page: number;
  /** Clockwise degrees by which the operation turned it. */
  readonly rotate?: number;
  /** Text that the operation adds behind the page's own. */
  readonly stamp?: string;
}

export interface Mapping {
  /**
   * `merge`: all of all sources, shifted. `rotate`: all of one source. `select`: what belongs to the kept pages of one
   * source, as split, extract-pages, and delete-pages promise it.
   */
  readonly kind: "merge" | "rotate" | "select";
  /** Of `select`: whether document-level attachments are kept, as by delete-pages. */
  readonly keepsAttachments?: boolean;
  /** Whether pages are drawn in another way that looks alike: images encoded anew, fonts cut down. */
  readonly redrawn?: boolean;
  /** And in gray, annotations too. */
  readonly recolored?: boolean;
  /** Whether fields that were left to the viewer to draw are drawn, and XFA is gone. */
  readonly fieldsDrawn?: boolean;
  /** One origin for each output page. */
  readonly pages: readonly PageOrigin[];
  /** merge's `bookmarks`; `keep` where it is not given. */
  readonly outline?: "keep" | "per-file" | "none";
  /** The names of the top entries with `per-file`. */
  readonly fileNames?: readonly string[];
  /** Info entries that the call set itself (merge's title and author, metadata's). */
  readonly info?: Plain;
  /** The encryption that protect or unlock was asked for, as pdf.js names it. */
  readonly encryption?: { readonly encryptFilter: string | null; readonly permissions: readonly number[] | null };
}

export interface Difference {
  /** 1-based output page, or null for the document. */
  readonly page: number | null;
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

export const describe = ({ page, what, expected, actual }: Difference): string =>
  `${page === null ? "document" : `page ${page}`}: ${what}: expected ${expected}, got ${actual}`;

/** The same text for the same value, whatever the order of its keys. */
export function canonical(value: unknown): string {
  if (value === undefined) return "nothing";
  return JSON.stringify(value, (_key, entry: unknown) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}

/** The same value without its entries that are colors. */
function withoutColors(value: Json | object | undefined): Json | object | undefined {
  if (value === undefined) return undefined;
  const entry = (key: string, inner: unknown): unknown => (/color$/i.test(key) ? undefined : inner);
  return JSON.parse(JSON.stringify(value, entry)) as Json;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : canonical(value));

/** Characters of a value that a difference shows, and how many of them stand before the first that differs. */
const SHOWN = 300;
const SHOWN_BEFORE = 80;

/** The part of a long text around the place where it begins to differ. */
function around(text: string, place: number): string {
  if (text.length <= SHOWN) return text;
  const from = Math.max(0, place - SHOWN_BEFORE);
  return `${from > 0 ? "..." : ""}${text.slice(from, from + SHOWN)}${from + SHOWN < text.length ? "..." : ""}`;
}

/** Follows pages from sources to the output, and collects what differs. */
export class Trace {
  readonly mapping: Mapping;
  readonly differences: Difference[] = [];
  readonly #kept: ReadonlySet<string>;

  constructor(mapping: Mapping) {
    this.mapping = mapping;
    this.#kept = new Set(mapping.pages.map(({ source, page }) => `${source} ${page}`));
  }

  isKept(source: number, page: number): boolean {
    return this.#kept.has(`${source} ${page}`);
  }

  report(page: number | null, what: string, expected: unknown, actual: unknown): void {
    const [wanted, got] = [asText(expected), asText(actual)];
    let place = 0;
    while (place < wanted.length && wanted[place] === got[place]) place++;
    this.differences.push({ page, what, expected: around(wanted, place), actual: around(got, place) });
  }

  /** A value as far as it must be the same. */
  seen(value: Json | object | undefined): Json | object | undefined {
    return this.mapping.recolored === true ? withoutColors(value) : value;
  }

  /** Reports where two values are not the same JSON. */
  equal(
    page: number | null,
    what: string,
    expected: Json | object | undefined,
    actual: Json | object | undefined,
  ): void {
    if (this.mapping.recolored === true && /color$/i.test(what)) return;
    if (canonical(this.seen(expected)) !== canonical(this.seen(actual))) this.report(page, what, expected, actual);
  }

  /** `equal` for each key, so that a difference names what differs. */
  equalEntries(page: number | null, what: string, expected: Plain, actual: Plain): void {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      this.equal(page, `${what} ${key}`, expected[key], actual[key]);
    }
  }

  /**
   * Whether a target of the output is the moved target of a source. A page that stands in the output more than once may be
   * meant by any of its copies. One that did not resolve in the source must not lead anywhere now.
   */
  leadsToSame(source: number, expected: Target | undefined, actual: Target | undefined): boolean {
    if (expected === undefined) return actual === undefined;
    if (expected.page === null) return actual === undefined || actual.page === null;
    if (actual === undefined || actual.page === null) return false;
    const origin = this.mapping.pages[actual.page];
    if (origin?.source !== source || origin.page !== expected.page) return false;
    return canonical(expected.fit) === canonical(actual.fit);
  }

  /** A target in words: in source pages, which is what a reader of a difference wants to see. */
  targetText(target: Target | undefined): string {
    if (target === undefined) return "no target";
    const place = target.page === null ? "nowhere" : `page ${target.page + 1}`;
    return `${place} ${canonical(target.fit)}`;
  }
}

/**
 * Checks names of form fields: the first source to have a name keeps it, a later one may carry `_2`, `_3`, ... at one of its
 * parts; one name of a source is always the same name of the output, and two sources never share one.
 */
export class FieldNames {
  readonly #trace: Trace;
  readonly #given = new Map<string, string>();
  readonly #owner = new Map<string, string>();

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** What a source's field is called in the output, as far as its widgets have told. */
  of(source: number, name: string): string {
    return this.#given.get(`${source} ${name}`) ?? name;
  }

  check(page: number, source: number, expected: string, actual: string, isCopy: boolean): void {
    const parts = expected.split(".");
    const got = actual.split(".");
    const renamed = parts.length === got.length && parts.every((part, index) => isNumbered(part, got[index] ?? ""));
    if (expected !== actual && !(renamed && (source > 0 || isCopy))) {
      this.#trace.report(page, "field name", expected, actual);
      return;
    }
    // A page taken twice has its widgets twice: as more widgets of the same field, or as fields of their own.
    if (isCopy) return;
    const key = `${source} ${expected}`;
    const before = this.#given.get(key);
    if (before !== undefined && before !== actual)
      this.#trace.report(page, `field ${expected} has two names`, before, actual);
    const owner = this.#owner.get(actual);
    if (owner !== undefined && owner !== key) this.#trace.report(page, `field name ${actual} is shared`, owner, key);
    this.#given.set(key, actual);
    this.#owner.set(actual, key);
  }
}

const isNumbered = (part: string, actual: string): boolean =>
  actual === part || (actual.startsWith(`${part}_`) && /^\d+$/.test(actual.slice(part.length + 1)));
