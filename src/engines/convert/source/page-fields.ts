/** The pages that headers and footers are on, and their fields: numbers that are filled in for each page. */
import type { PageKind, RunningSection } from "./document.ts";
import { numbered } from "./numbers.ts";

/** In the order in which they are looked for. */
export const PAGE_KINDS: readonly PageKind[] = ["first", "even", "odd"];

/** The identifier of an empty element at the end of the HTML of a header or footer, by which its height is measured. */
export const RUNNING_END = "running-end";

/** The number of the page, of all pages, and of the pages of the section. */
export type PageField = "page" | "pages" | "sectionPages";

/** The numbers of one page. */
export interface PageNumbers extends Readonly<Record<PageField, number>> {
  readonly format: string;
}

/** A field in HTML, which is filled in for each page. `format`: "" for that of the section. Text is escaped, so that it cannot contain one. */
export const pageFieldHtml = (field: PageField, format: string): string => `<var title="${field} ${format}">1</var>`;

const FIELD = /<var title="(page|pages|sectionPages) (\w*)">1<\/var>/g;

/** Whether HTML has a field, of one kind if it is given. */
export const hasPageField = (html: string, field?: PageField): boolean =>
  html.matchAll(FIELD).some(([, name]) => field === undefined || name === field);

export const withPageNumbers = (html: string, numbers: PageNumbers): string =>
  html.replace(FIELD, (_, field: PageField, format: string) =>
    numbered(numbers[field], format || (field === "page" ? numbers.format : "decimal")),
  );

/** The kind of a page, by its number and whether it is the first of its section. */
export const pageKindOf = ({ hasFirst, hasEven }: RunningSection, number: number, isFirst: boolean): PageKind =>
  hasFirst && isFirst ? "first" : hasEven && number % 2 === 0 ? "even" : "odd";
