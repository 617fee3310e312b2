/** Writes HTML so that MuPDF, which supports a part of CSS, draws the meaning of its style sheets and attributes. The HTML is tidied. */
import type { Work } from "../../work.ts";
import { limits } from "../../../limits.ts";
import { DIVISION } from "./bounded-html.ts";
import { Cascade, type StyledElement } from "./cascade.ts";
import { backgroundColor, composed, declarationsInPrint, type CssColor, WHITE, written } from "./declarations.ts";
import { escapedAttribute } from "./markup.ts";
import { isPrinted } from "./style-sheet.ts";

/** Ends the page. MuPDF breaks after a block, but not before one. */
export const PAGE_BREAK = '<div style="page-break-after:always"></div>';

const TOKEN = /<style\b([^>]*)>[^<]*(?:<\/style\s*>)?|<[^>]*>|[^<]+/gi;
const ROW_GROUPS: ReadonlySet<string> = new Set(["thead", "tbody", "tfoot"]);

/** A list with the numbers of its items. */
interface List {
  /** Where the start tag is among the pieces that MuPDF counts from. */
  at: number;
  readonly tag: string;
  readonly step: 1 | -1;
  /** The number of the next item, and the one that MuPDF gives it. */
  next: number;
  counted: number;
}

/**
 * @throws Refusal `limit_exceeded` (selectors and elements, work)
 */
export async function styledHtml(
  work: Work,
  html: string,
  { css, isXml, notConverted }: { css: string; isXml: boolean; notConverted: Set<string> },
): Promise<string> {
  const source = html.replace(TOKEN, (token, attributes: string | undefined) =>
    attributes === undefined || isPrinted(mediaOf(attributes)) ? token : "",
  );
  await work.rest();
  const sheets = Array.from(source.matchAll(/<style\b[^>]*>([^<]*)/gi), ([, sheet = ""]) => sheet);
  const cascade = await Cascade.of(work, [...sheets, css], isXml);
  const reversed = await countsOfReversed(work, source);
  const lists = new WeakMap<StyledElement, List>();
  /** The color behind the text of elements. */
  const backdrops = new WeakMap<StyledElement, CssColor>();
  const inCells = new WeakMap<StyledElement, Lines>();
  const divisions = { left: limits.conversion.tags };
  const pieces: string[] = [];
  const body = Math.max(source.search(/<body\b/i), source.search(/<\/head\s*>/i), 0);
  let hasText = false;
  for (const { 0: token, 1: styleAttributes, index } of source.matchAll(TOKEN)) {
    work.spend(token.length);
    await work.pause();
    if (styleAttributes !== undefined) pieces.push(token);
    else if (!token.startsWith("<")) {
      hasText ||= index >= body && token.trim() !== "";
      const lines = cascade.innermost && inCells.get(cascade.innermost);
      if (lines === "one") pieces.push(token.replace(/[ \t\r\n\f]+/g, "\u00a0"));
      else pieces.push(lines === "anywhere" ? await withDivisions(work, token, divisions) : token);
    } else if (token.startsWith("</")) {
      cascade.leave(token);
      pieces.push(token);
    } else {
      const element = await cascade.enter(token);
      if (element === undefined) {
        pieces.push(token);
        continue;
      }
      const before = element.winners.get("page-break-before")?.value;
      hasText ||= element.name === "img";
      if (hasText && before !== undefined && BREAKS.test(before)) pieces.push(PAGE_BREAK);
      const lines = linesOf(element, inCells);
      if (lines !== undefined) inCells.set(element, lines);
      const tag = withStyle(token, element, backdrops, notConverted);
      if (element.name === "ol") {
        const isReversed = element.attributes.has("reversed");
        const start = Number.parseInt(element.attributes.get("start") ?? "", 10);
        const count = isReversed ? (reversed.shift() ?? 0) : 0;
        const next = Number.isNaN(start) ? (isReversed ? count : 1) : start;
        lists.set(element, {
          at: pieces.length,
          tag,
          step: isReversed ? -1 : 1,
          next,
          counted: Number.isNaN(start) ? 1 : start,
        });
      }
      const list = element.name === "li" && element.parent ? lists.get(element.parent) : undefined;
      if (list !== undefined) pieces.push(...numbered(list, element, pieces));
      pieces.push(tag);
    }
  }
  return pieces.join("");
}

const BREAKS = /^(?:always|page|left|right|recto|verso)\b/i;

const mediaOf = (attributes: string): string => {
  const [, double, single, bare] = /\smedia\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes) ?? [];
  return double ?? single ?? bare ?? "";
};

/** How many items each reversed list has, in the order of their start tags. */
async function countsOfReversed(work: Work, html: string): Promise<number[]> {
  const counts: { items: number }[] = [];
  const open: ({ items: number } | undefined)[] = [];
  for (const [token, close, name = ""] of html.matchAll(/<(\/?)(ol|ul|li)\b[^>]*>/gi)) {
    work.spend(token.length);
    await work.pause();
    const list = open.at(-1);
    if (name.toLowerCase() === "li") {
      if (list !== undefined && close === "") list.items += 1;
    } else if (close !== "") open.pop();
    else {
      const isReversed = name.toLowerCase() === "ol" && /\sreversed\b/i.test(token);
      const count = isReversed ? { items: 0 } : undefined;
      if (count !== undefined) counts.push(count);
      open.push(count);
    }
  }
  return counts.map(({ items }) => items);
}

/** Tags that start the list anew before an item, so that MuPDF gives it its number: it counts from the start of a list. */
function numbered(list: List, { attributes }: StyledElement, pieces: string[]): string[] {
  const value = Number.parseInt(attributes.get("value") ?? "", 10);
  const number = Number.isNaN(value) ? list.next : value;
  const isCounted = number === list.counted;
  list.next = number + list.step;
  list.counted = number + 1;
  if (isCounted) return [];
  const start = (tag: string): string => withAttribute(tag, "start", String(number));
  // It is the first of the list.
  if (pieces.slice(list.at + 1).every((piece) => piece.trim() === "")) {
    pieces[list.at] = start(pieces[list.at] ?? "");
    return [];
  }
  pieces[list.at] = withAddedStyle(pieces[list.at] ?? "", "margin-bottom:0");
  const next = start(withAddedStyle(withoutAttribute(list.tag, "id"), "margin-top:0"));
  list.at = pieces.length + 1;
  return ["</ol>", next];
}

/** How the lines of text in cells end: MuPDF makes cells as wide as their words, and no wider for those that do not wrap. */
type Lines = "one" | "anywhere" | "words";

function linesOf(element: StyledElement, inCells: WeakMap<StyledElement, Lines>): Lines | undefined {
  const { name, attributes, parent } = element;
  const around = parent && inCells.get(parent);
  const isCell = name === "td" || name === "th";
  if (!isCell && around === undefined) return undefined;
  const own = ownLines(element) ?? (isCell && attributes.has("nowrap") ? "one" : undefined);
  if (own !== undefined || around !== undefined) return own ?? around;
  // The elements around the cell may set it, too.
  for (let at = parent; at !== undefined; at = at.parent) {
    const lines = ownLines(at);
    if (lines !== undefined) return lines;
  }
  return "words";
}

function ownLines({ winners }: StyledElement): Lines | undefined {
  const value = (name: string): string | undefined => winners.get(name)?.value.toLowerCase();
  const whiteSpace = value("white-space");
  if (whiteSpace === "nowrap") return "one";
  if (value("overflow-wrap") === "anywhere" || /^break-(?:all|word)$/.test(value("word-break") ?? ""))
    return "anywhere";
  return whiteSpace === undefined || /^(?:inherit|unset)$/.test(whiteSpace) ? undefined : "words";
}

const CHARACTER = /&#?\w{1,31};|[\s\S]/gu;
/** Characters of a word that may be broken anywhere, between which it is. */
const PIECE = 4;

/** Characters between two pauses. */
const STRETCH = 16 * 1024;

/** Text whose words may be broken. `left`: how many divisions the document may still have. */
async function withDivisions(work: Work, text: string, divisions: { left: number }): Promise<string> {
  const pieces: string[] = [];
  let [length, due] = [0, STRETCH];
  for (const { 0: character, index } of text.matchAll(CHARACTER)) {
    if (index >= due) {
      due = index + STRETCH;
      await work.rest();
    }
    if (/^\s/.test(character)) length = 0;
    else if (length >= PIECE && divisions.left > 0 && !/^[\p{M}\u200c\u200d]/u.test(character)) {
      pieces.push(DIVISION);
      divisions.left -= 1;
      length = 1;
    } else length += 1;
    pieces.push(character);
  }
  return pieces.join("");
}

/** A start tag with the style of its element as MuPDF knows it. */
function withStyle(
  tag: string,
  element: StyledElement,
  backdrops: WeakMap<StyledElement, CssColor>,
  notConverted: Set<string>,
): string {
  const { own, resolved, parent, attributes } = element;
  const declarations = [...own, ...resolved].flatMap((declaration) => declarationsInPrint(declaration, notConverted));
  const below = (parent && backdrops.get(parent)) ?? WHITE;
  const background = backgroundOf(element, notConverted);
  const shown = background === undefined || background.a === 0 ? below : composed(background, below);
  backdrops.set(element, shown);
  // MuPDF draws no row groups, and a background once more behind its text.
  const isDrawn = element.winners.has("background-color") && background?.a === 1;
  if (background !== undefined && background.a > 0 && !isDrawn) declarations.push(`background-color:${written(shown)}`);
  if (declarations.length === 0 && !attributes.has("style")) return tag;
  const rest = withoutAttribute(tag, "style");
  // In a `style` attribute, nothing is more important than the rest to MuPDF.
  const style = declarations.map((declaration) => declaration.replace(/!important$/, "")).join(";");
  return style === "" ? rest : withAttribute(rest, "style", style);
}

/** The color of an element's background; a row has that of its group. */
function backgroundOf(
  { name, parent, winners, attributes }: StyledElement,
  notConverted: Set<string>,
): CssColor | undefined {
  const own = winners.get("background-color");
  if (own !== undefined) return backgroundColor(own.value, notConverted);
  const isInGroup = name === "tr" && parent !== undefined && ROW_GROUPS.has(parent.name);
  return isInGroup && !attributes.has("bgcolor") ? backgroundOf(parent, notConverted) : undefined;
}

const withoutAttribute = (tag: string, name: string): string =>
  tag.replace(new RegExp(`\\s${name}\\s*=\\s*(?:"[^"]*"|'[^']*'|[^\\s"'>]+)`, "gi"), "");

const withAttribute = (tag: string, name: string, value: string): string =>
  withoutAttribute(tag, name).replace(/\s*(\/?)>$/, ` ${name}="${escapedAttribute(value)}"$1>`);

function withAddedStyle(tag: string, declaration: string): string {
  const [whole, style] = /\sstyle="([^"]*)"/.exec(tag) ?? [];
  if (whole === undefined) return withAttribute(tag, "style", declaration);
  return tag.replace(whole, () => ` style="${style};${declaration}"`);
}
