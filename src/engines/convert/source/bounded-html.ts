/** The HTML of a document as MuPDF lays it out: its words, rules, and elements in numbers that MuPDF can handle, and what that takes. */
import { tooManyAttributes, tooManyMarks, tooManyStyleMatches, wordTooLong } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { limits } from "../../../limits.ts";
import { decodeEntities, forMuPdf } from "./markup.ts";
import { TableReader } from "./cell-widths.ts";
import { type DocumentNames, reducedStyleSheet } from "./style-sheet.ts";
import { widthInEms } from "./text-width.ts";

export interface BoundedHtml {
  /** In UTF-8. */
  readonly content: Uint8Array;
  /** The style sheet that overrules those in it. */
  readonly css: string;
  /** Fuel that laying it out may take. */
  readonly fuel: number;
  readonly hasLinks: boolean;
  /** Parts of its style sheets that are not drawn, by the names of the reference. */
  readonly notConverted: ReadonlySet<string>;
}

/**
 * Fuel that a character of text or of an attribute, an element, and a selector that is compared with an element may take. Real documents take a
 * third of it.
 */
const [CHARACTER_FUEL, ELEMENT_FUEL, MATCH_FUEL] = [8_000, 20_000, 200];
/** Characters of a word that MuPDF is given at a time. It shapes all of the rest for each line that it breaks one into. */
const PIECE = 500;
/** The same at least of a word that its cell is too narrow for, and the most pieces of it where they fit. */
const [LEAST_PIECE, MOST_PIECES] = [4, 125];
/** A broad character in ems. */
const BROAD = 0.7;
/** Where a line may end. The space without a width is hidden, as it would be a space in the text of the PDF. */
export const DIVISION = '<span style="display:inline;visibility:hidden">\u200b</span>';
/** Their contents are no markup. */
const RAW_TEXT = /^<(?:xmp|noembed|noframes|plaintext)\b/i;
/** Theirs are text alone. */
const TEXT_ALONE = /^<(?:title|textarea)\b/i;
const TOKEN = /(<style\b[^>]*>)([^<]*)(?:<\/style\s*>)?|<[^>]*>|[^<]+/gi;
const START = /^<([a-z][a-z\d:-]*)/i;
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
const GAP = /[ \t\r\n\f\u200b]/;
/** Characters of text that are charged at a time. */
const CHARGED = 65_536;
/** A character in its written form. */
const CHARACTER = /&#?\w{1,31};|[\s\S]/gu;
/** Characters that belong to the one before. */
const JOINED = /^(?:\p{M}|\p{Emoji_Modifier}|\u200c|\u200d)/u;
/** Elements that the HTML parser adds to a document. */
const IMPLIED = ["html", "head", "body", "colgroup", "tbody", "tr", "p", "br", "img"];

const same = (html: string): string => html;
const AS_IT_IS: typeof forMuPdf = { text: same, tag: same, raw: same };

export interface BoundedOptions {
  readonly isXml?: boolean;
  /** The width of the page between its margins, in ems of text without a size of its own. */
  readonly emsOfPage?: number;
}

/** @throws Refusal `limit_exceeded` (selectors and elements, attributes, the length of a word, marks of a character, work) */
export async function boundedHtml(
  work: Work,
  html: string,
  css: string,
  { isXml = false, emsOfPage = Infinity }: BoundedOptions = {},
): Promise<BoundedHtml> {
  const written = isXml ? AS_IT_IS : forMuPdf;
  const meter = new ParseMeter(work, "html");
  const found = new Names();
  const pieces: string[] = [];
  const sheets: { at: number; css: string }[] = [];
  let styleCharacters = 0;
  let kind: "markup" | "text" | "raw" = "markup";
  const widest = await cellLimits(meter, html, emsOfPage);
  const tables = new TableReader();
  for (const [token, open, sheet = ""] of html.matchAll(TOKEN)) {
    if (open !== undefined) {
      found.add(open);
      sheets.push({ at: pieces.length + 1, css: sheet });
      pieces.push(written.tag(open), sheet, "</style>");
      styleCharacters += sheet.length;
      continue;
    }
    if (!token.startsWith("<")) {
      const { cell } = tables;
      // A cell in several columns has room enough.
      const limit = cell?.span === 1 ? widest[cell.table]?.[cell.column] : undefined;
      const text = kind === "markup" ? await withShortWords(meter, token, found, limit) : token;
      pieces.push(kind === "raw" ? written.raw(text) : written.text(text));
    } else {
      meter.bytes(token.length);
      await meter.pause();
      kind = RAW_TEXT.test(token) ? "raw" : TEXT_ALONE.test(token) ? "text" : "markup";
      if (found.add(token)) meter.element();
      tables.tag(token);
      pieces.push(/^<wbr\b/i.test(token) ? DIVISION : written.tag(token));
    }
  }
  const styles = new ParseMeter(work, "css");
  const notConverted = new Set<string>();
  let selectors = 0;
  for (const sheet of sheets) {
    const reduced = await reducedStyleSheet(styles, sheet.css, found, notConverted);
    pieces[sheet.at] = written.raw(reduced.css);
    selectors += reduced.selectors;
  }
  const overruling = await reducedStyleSheet(styles, css, found, notConverted);
  selectors += overruling.selectors;
  refuseMatches(selectors * found.count);
  const characters = html.length - styleCharacters;
  return {
    content: new TextEncoder().encode(pieces.join("")),
    css: overruling.css,
    fuel: characters * CHARACTER_FUEL + found.count * (ELEMENT_FUEL + selectors * MATCH_FUEL),
    hasLinks: found.elements.has("a"),
    notConverted,
  };
}

/** The names of a document, and the number of its elements. */
class Names implements DocumentNames {
  readonly elements = new Set(IMPLIED);
  readonly classes = new Set<string>();
  readonly ids = new Set<string>();
  readonly attributes = new Set<string>();
  count = 0;

  /** Returns whether it is the tag of an element. */
  add(tag: string): boolean {
    const [start, name] = START.exec(tag) ?? [];
    if (start === undefined || name === undefined) return false;
    this.count += 1;
    this.elements.add(name.toLowerCase());
    const limit = limits.conversion.attributes;
    let count = 0;
    for (const [, attribute = "", double, single, bare] of tag.slice(start.length).matchAll(ATTRIBUTE)) {
      count += 1;
      if (count > limit) throw tooManyAttributes(count);
      const key = attribute.toLowerCase();
      this.attributes.add(key);
      const value = decodeEntities(double ?? single ?? bare ?? "");
      if (key === "id") this.ids.add(value);
      if (key === "class") for (const word of value.split(/\s+/)) this.classes.add(word);
    }
    return true;
  }
}

function refuseMatches(actual: number): void {
  if (actual <= limits.conversion.styleMatches) return;
  throw tooManyStyleMatches(actual);
}

/** The widest that words may be in the columns of all tables, in ems. */
async function cellLimits(meter: ParseMeter, html: string, emsOfPage: number): Promise<(readonly number[])[]> {
  const tables = new TableReader();
  if (emsOfPage === Infinity || !/<table\b/i.test(html)) return [];
  for (const [token, open] of html.matchAll(TOKEN)) {
    if (open !== undefined) continue;
    if (token.startsWith("<")) {
      meter.bytes(token.length);
      await meter.pause();
      tables.tag(token);
    } else await inSteps(meter, token, (step) => tables.text(step));
  }
  return tables.limits(emsOfPage);
}

/** Text in pieces of a bounded length, with pauses between them. */
async function inSteps(meter: ParseMeter, text: string, read: (step: string) => void): Promise<void> {
  for (let at = 0; at < text.length; at += CHARGED) {
    const step = text.slice(at, at + CHARGED);
    meter.bytes(step.length);
    await meter.pause();
    read(step);
  }
}

/** Text whose long words are divided: those of many characters, and those wider than `limit` in ems. */
async function withShortWords(meter: ParseMeter, text: string, found: Names, limit = Infinity): Promise<string> {
  const pieces: string[] = [];
  const { wordCharacters } = limits.conversion;
  const gap = new RegExp(GAP, "g");
  for (let at = 0, [from, charged] = [0, 0]; ;) {
    const end = gap.exec(text)?.index ?? text.length;
    if (end - at > wordCharacters) throw wordTooLong(end - at);
    if (end - charged > CHARGED || end === text.length) {
      meter.bytes(end - charged);
      charged = end;
      await meter.pause();
    }
    const isWide = limit < Infinity && end - at <= PIECE && emsOf(text.slice(at, end)) > limit;
    if (end - at > PIECE || isWide) {
      const most = Math.max(LEAST_PIECE, Math.floor(limit / BROAD));
      const length = Math.min(PIECE, most, Math.max(LEAST_PIECE, Math.ceil((end - at) / MOST_PIECES)));
      pieces.push(
        text.slice(from, at),
        await divided(meter, text.slice(at, end), limit < Infinity ? length : PIECE, found),
      );
      from = end;
    }
    if (end === text.length) return pieces.length === 0 ? text : pieces.join("") + text.slice(from);
    at = end + 1;
  }
}

const emsOf = (word: string): number =>
  word.matchAll(CHARACTER).reduce((width, [character]) => width + widthInEms(character), 0);

/** A word in pieces of a length, none of which begins with a character that belongs to the one before. */
async function divided(meter: ParseMeter, word: string, most: number, found: Names): Promise<string> {
  const { marks } = limits.conversion;
  const pieces: string[] = [];
  let [start, length, joined] = [0, 0, 0];
  for (const { 0: character, index } of word.matchAll(CHARACTER)) {
    joined = JOINED.test(character) ? joined + 1 : 0;
    if (joined > marks) throw tooManyMarks(joined);
    if (length >= most && joined === 0) {
      pieces.push(word.slice(start, index), DIVISION);
      [start, length] = [index, 0];
      found.count += 1;
      meter.element();
      await meter.pause();
    }
    length += 1;
  }
  return pieces.join("") + word.slice(start);
}
