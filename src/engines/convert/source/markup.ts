/** HTML that is made here, and the characters that HTML refers to. */
import { withSymbolFonts } from "../../fonts.ts";
import type { Work } from "../../work.ts";
import type { ShownBudget } from "./shown.ts";
import type { XmlElement } from "./xml.ts";

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Characters that HTML cannot contain (HTML Standard, 13.1.4). */
const NO_TEXT = /[^\P{Cc}\t\n\f\r]/gu;
/** Text in HTML. */
export const escaped = (text: string): string => withSymbolFonts(escapedAttribute(text));

/** Fuel for a character that is escaped, and characters that are escaped at a time. */
const [CHARACTER_WORK, STEP] = [8, 32_768];

/** The same for text of any length, with pauses. */
export async function escapedText(work: Work, text: string): Promise<string> {
  const html: string[] = [];
  for (let at = 0; at < text.length;) {
    const cut = at + STEP;
    // Not within a character of two units.
    const end = isLowSurrogate(text.charCodeAt(cut)) ? cut + 1 : cut;
    const step = text.slice(at, end);
    work.spend(step.length * CHARACTER_WORK);
    await work.pause();
    html.push(escaped(step));
    at = end;
  }
  return html.join("");
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Text in an attribute in double quotes. */
export const escapedAttribute = (text: string): string =>
  text.replace(NO_TEXT, "").replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** Spaces in HTML, of which it would show only one. */
export const keepSpaces = (html: string): string =>
  html.replace(/ {2,}/g, (spaces) => `${"&nbsp;".repeat(spaces.length - 1)} `);

/** A declaration of a font by its name. */
export const fontFamily = (name: string): string =>
  `font-family:'${escapedAttribute(name.replace(/['\\]/g, ""))}',sans-serif`;

/** Fuel for an element or a piece of text that becomes HTML. */
export const NODE_WORK = 2_000;

/** The content of an element that has text beside elements. `inline`: the HTML of an element. */
export async function mixedContent(
  { work, shown }: { readonly work: Work; readonly shown: ShownBudget },
  parent: XmlElement,
  inline: (element: XmlElement) => Promise<string>,
): Promise<string> {
  const html: string[] = [];
  for (const node of parent.children) {
    work.spend(NODE_WORK);
    await work.pause();
    html.push(typeof node === "string" ? shown.added(await escapedText(work, node)) : await inline(node));
  }
  return html.join("");
}

/** The number of a footnote or endnote in the text. It and the note link to each other. `prefix` and `place` make their identifiers. */
export const noteReference = (prefix: string, place: number, number: string | number = place): string =>
  `<sup><a href="#${prefix}-${place}" id="${prefix}-ref-${place}">${number}</a></sup>`;

/** A note at the end of the document. */
export const noteHtml = (prefix: string, place: number, html: string, number: string | number = place): string =>
  `<div id="${prefix}-${place}" style="font-size:0.85em"><p><a href="#${prefix}-ref-${place}">${number}</a>.</p>${html}</div>`;

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "\u2013",
  mdash: "\u2014",
  copy: "\u00a9",
};

/** Text of HTML, or of an attribute: character references and the most common names. */
export const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    },
  );

/**
 * Ampersands in HTML, as references or unescaped. In attributes, names without `;` before `=` and letters are no references (HTML Standard,
 * 13.2.5.73).
 */
const [IN_TEXT, IN_TAG] = ["(?:amp|AMP);?", "(?:amp|AMP)(?:;|(?![\\w=]))"].map(
  (name) =>
    new RegExp(`&(?:${name}|#0*38(?!\\d);?|#[xX]0*26(?![\\da-fA-F]);?|(?!#\\d|#[xX][\\da-fA-F]|[a-zA-Z]))`, "g"),
) as [RegExp, RegExp];

/** Escapes HTML so that it is right after MuPDF: MuPDF decodes the output of its HTML parser a second time, as XML. */
export const forMuPdf = {
  text: (html: string): string => html.replace(IN_TEXT, "&amp;amp;"),
  tag: (html: string): string => html.replace(IN_TAG, "&amp;amp;"),
  /** In elements whose text has no references. */
  raw: (text: string): string => text.replaceAll("&", "&amp;"),
};

/** MuPDF has circles and squares for lists in lists, which the text fonts lack, and does not know `type`. */
export const LIST_MARKS = `body ul ul,body ul ul ul{list-style-type:disc}${Object.entries({
  "1": "decimal",
  a: "lower-alpha",
  A: "upper-alpha",
  i: "lower-roman",
  I: "upper-roman",
  none: "none",
})
  .map(([type, mark]) => `ol[type="${type}"],ol>li[type="${type}"]{list-style-type:${mark}}`)
  .join("")}ul[type="none"]{list-style-type:none}`;

/** Cells are as wide as their words at least: `bounded-html.ts` divides those for which there is no room. */
export const CELL_WORDS = "table{overflow-wrap:normal}";

/** The style of text without a style of its own: of Markdown, office documents, and sheets. */
const BASE_STYLE = `body{font-family:sans-serif;margin:0;line-height:1.35;overflow-wrap:break-word}
h1{font-size:1.8em;margin:0.7em 0 0.4em}h2{font-size:1.45em;margin:0.8em 0 0.4em}h3{font-size:1.2em;margin:0.8em 0 0.3em}
h4,h5,h6{font-size:1em;margin:0.8em 0 0.3em}p{margin:0.5em 0}
table{border-collapse:collapse;margin:0.6em 0}td,th{border:0.75pt solid #999;padding:2pt 5pt;vertical-align:top}th{background-color:#eee}
pre{background-color:#f3f3f3;padding:5pt;font-size:0.88em;white-space:pre-wrap;line-height:1.25}code{font-size:0.92em}pre code{font-size:1em}
blockquote{margin:0.6em 0 0.6em 1em;padding-left:0.8em;border-left:2pt solid #bbb;color:#444}
a{color:#0645ad}ul,ol{margin:0.4em 0}${LIST_MARKS}${CELL_WORDS}`;

interface Page {
  readonly title?: string | undefined;
  readonly style?: string;
  readonly body: string;
}

/** A whole document. */
export const htmlDocument = ({ title, style = "", body }: Page): string =>
  `\ufeff<!DOCTYPE html><html><head><meta charset="utf-8"><title>${escapedAttribute(title ?? "")}</title><style>${BASE_STYLE}\n${style}</style></head><body>${body}</body></html>`;
