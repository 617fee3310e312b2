/**
 * Fields (ECMA-376, part 1, 17.16): a code in runs between `begin` and `separate`, and its result up to `end`. Hyperlinks become links, and in headers
 * and footers, numbers of pages are filled in for each page. Others show the result that is stored.
 */
import { escapedAttribute } from "../source/markup.ts";
import { type PageField, pageFieldHtml } from "../source/page-fields.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";

interface Field {
  code: string;
  hasResult: boolean;
  /** The chosen entry of a drop-down, which is its result if nothing else is. */
  chosen: string;
  readonly html: string[];
}

/** Fields within each other that are read, and characters of a code. */
const [DEEPEST, LONGEST_CODE] = [20, 4_096];

/** Collects the HTML of the runs of a paragraph. */
export class Fields {
  readonly #isRunning: boolean;
  readonly #open: Field[] = [{ code: "", hasResult: true, chosen: "", html: [] }];
  /** Fields that are too deep to be read. */
  #ignored = 0;

  /** `isRunning`: in a header or footer. */
  constructor(isRunning: boolean) {
    this.#isRunning = isRunning;
  }

  add(run: XmlElement, html: string): void {
    const marks = run.name === "r" ? elementsIn(run) : [];
    for (const mark of marks) {
      const kind = mark.name === "fldChar" ? attribute(mark, "fldCharType") : undefined;
      const field = this.#open.at(-1);
      if (kind === "begin") this.#begin();
      else if (kind === "separate" && field) field.hasResult = true;
      else if (mark.name === "instrText" && field && !field.hasResult) field.code += textIn(mark);
    }
    const isDropDown = marks.some((mark) => elementAt(mark, "ffData", "ddList") !== undefined);
    const field = this.#open.at(-1);
    if (field && isDropDown) field.chosen = html;
    else field?.html.push(html);
    for (const mark of marks) if (attribute(mark, "fldCharType") === "end") this.#close();
  }

  /** The HTML of all runs. A field may continue in the next paragraph. */
  end(): string {
    this.#ignored = 0;
    while (this.#open.length > 1) this.#close();
    return this.#open[0]?.html.join("") ?? "";
  }

  #begin(): void {
    if (this.#open.length > DEEPEST) this.#ignored += 1;
    else this.#open.push({ code: "", hasResult: false, chosen: "", html: [] });
  }

  #close(): void {
    if (this.#ignored > 0) {
      this.#ignored -= 1;
      return;
    }
    const field = this.#open.length > 1 ? this.#open.pop() : undefined;
    if (field === undefined) return;
    const result = field.html.join("");
    const hasText = result.replace(/<[^>]*>/g, "").trim() !== "";
    this.#open.at(-1)?.html.push(fieldHtml(field.code, hasText ? result : field.chosen + result, this.#isRunning));
  }
}

/** The HTML of a field with the HTML of its stored result. */
export function fieldHtml(code: string, result: string, isRunning: boolean): string {
  const number = isRunning ? numberOf(code) : undefined;
  return number === undefined ? linked(result, hyperlinkOf(code)) : withText(result, number);
}

const PAGE_FIELDS: Readonly<Record<string, PageField>> = {
  PAGE: "page",
  NUMPAGES: "pages",
  SECTIONPAGES: "sectionPages",
};
/** The formats of numbers (17.16.4.3.1). */
const NUMBER_FORMATS: Readonly<Record<string, string>> = {
  Arabic: "decimal",
  alphabetic: "lowerLetter",
  ALPHABETIC: "upperLetter",
  roman: "lowerRoman",
  ROMAN: "upperRoman",
};

/** The number of a page as HTML, if the code is for one (17.16.5.42, 17.16.5.44, 17.16.5.54). */
function numberOf(code: string): string | undefined {
  if (code.length > LONGEST_CODE) return undefined;
  const [, name = ""] = /^\s*(PAGE|NUMPAGES|SECTIONPAGES)\b/i.exec(code) ?? [];
  const field = PAGE_FIELDS[name.toUpperCase()];
  if (field === undefined) return undefined;
  const formats = Array.from(code.matchAll(/\\\*\s*(\w+)/g), ([, format = ""]) => format);
  return pageFieldHtml(field, formats.flatMap((format) => NUMBER_FORMATS[format] ?? []).at(-1) ?? "");
}

/** HTML with all of its text replaced by other HTML, in the style of the first of it. */
function withText(html: string, text: string): string {
  let isThere = false;
  const replaced = html.replace(/<[^>]*>|[^<]+/g, (token) => {
    if (token.startsWith("<") || token.trim() === "") return token;
    if (isThere) return "";
    isThere = true;
    return text;
  });
  return isThere ? replaced : replaced + text;
}

/** HTML as a link, if it leads anywhere and is more than nothing. */
export const linked = (html: string, to: string | undefined): string =>
  to === undefined || html === "" ? html : `<a href="${escapedAttribute(to)}">${html}</a>`;

/** Where the code of a field leads, such as `HYPERLINK "https://example.com" \l "place"`; undefined if it is none of a hyperlink. */
export function hyperlinkOf(code: string): string | undefined {
  if (code.length > LONGEST_CODE) return undefined;
  const [, rest] = /^\s*HYPERLINK\b([\s\S]*)$/i.exec(code) ?? [];
  if (rest === undefined) return undefined;
  let [target, place, option]: (string | undefined)[] = [];
  for (const [, name, quoted, bare] of rest.matchAll(/\\([a-z])|["\u201c]([^"\u201d]*)["\u201d]|([^\s"\\]\S*)/gi)) {
    const value = quoted ?? bare;
    if (option === "l") place ??= value;
    else if (option === undefined) target ??= value;
    // `\m` and `\n` have no value.
    option = name === undefined || /[mn]/i.test(name) ? undefined : name.toLowerCase();
  }
  return target === undefined && place === undefined
    ? undefined
    : `${target ?? ""}${place === undefined ? "" : `#${place}`}`;
}
