/** Prepares HTML for MuPDF: nothing in it runs or is fetched, and parts that MuPDF does not draw are reported. */
import { decodeStyleSheet } from "./decode-text.ts";
import type { AssetSource } from "./assets.ts";
import { base64 } from "../../../bytes/base64.ts";
import { isSide, type PaperMargins, type PaperSize } from "./document.ts";
import { CELL_WORDS, decodeEntities, LIST_MARKS } from "./markup.ts";
import { withSymbolFonts } from "../../fonts.ts";
import { isPrinted, stylePieces } from "./style-sheet.ts";
import { styledHtml } from "./styled-html.ts";
import { tidied } from "./tidy-html.ts";
import type { Work } from "../../work.ts";

export interface PreparedHtml {
  /** With the title of the document, which MuPDF reads. */
  readonly html: string;
  readonly language: string | undefined;
  readonly pageRule: PageRule;
  readonly notConverted: ReadonlySet<string>;
  /** Whether it has scripts, or fonts of its own. */
  readonly hasScriptsOrFonts: boolean;
}

/** The `@page` rule (CSS Paged Media, 3), in points. */
export interface PageRule {
  readonly size?: PaperSize;
  readonly margins?: Partial<PaperMargins>;
}

/**
 * Elements that are left out, and their names in the reference, unless no browser shows them. The HTML is tidied: no tag contains `<`, or `>` before
 * its end.
 */
const LEFT_OUT: readonly (readonly [RegExp, string | undefined])[] = [
  [/<svg\b[^>]*>[\s\S]*?(?:<\/svg\s*>|$)/gi, "svg"],
  [/<math\b[^>]*>[\s\S]*?(?:<\/math\s*>|$)/gi, "formulas"],
  [/<iframe\b[^>]*>[\s\S]*?(?:<\/iframe\s*>|$)/gi, "frames"],
  [/<frame\b[^>]*>/gi, "frames"],
  [/<canvas\b[^>]*>[\s\S]*?(?:<\/canvas\s*>|$)/gi, "media"],
  [/<datalist\b[^>]*>[\s\S]*?(?:<\/datalist\s*>|$)/gi, undefined],
  [/<dialog\b(?![^>]*\sopen\b)[^>]*>[\s\S]*?(?:<\/dialog\s*>|$)/gi, undefined],
  [/<(?:video|audio|object|embed|applet|bgsound)\b[^>]*>/gi, "media"],
  [/<(?:input|textarea|select|meter|progress)\b(?![^>]*type\s*=\s*["']?hidden)[^>]*>/gi, "form-fields"],
  [/<area\b[^>]*>/gi, "image-maps"],
];

/**
 * @throws Refusal `limit_exceeded` (elements, depth, work)
 */
export async function prepareHtml(
  work: Work,
  source: string,
  { css, isXml = false, assets }: { css: string; isXml?: boolean; assets?: AssetSource | undefined },
): Promise<PreparedHtml> {
  const { title, language, hasScripts, ...tidy } = await tidied(work, source, isXml);
  const notConverted = new Set<string>();
  let { html } = tidy;
  for (const [pattern, name] of LEFT_OUT) {
    html = html.replace(pattern, () => {
      if (name !== undefined) notConverted.add(name);
      return "";
    });
    await work.rest();
  }
  html = await withStyleSheets(html, assets, notConverted);
  const images = new Map<string, string>();
  html = await withImages(html, assets, images, notConverted);
  await work.rest();
  html = await styledHtml(work, html, { css, isXml, notConverted });
  const styles = Array.from(html.matchAll(/<style\b[^>]*>([^<]*)/gi), ([, style = ""]) => style).join("\n");
  html = withDefaults(withEmojiFont(html), title);
  if (images.size > 0)
    html = html.replace(/\ssrc="(asset-\d+)"/g, (_, name: string) => ` src="${images.get(name) ?? ""}"`);
  await work.rest();
  return {
    html,
    language,
    pageRule: pageRuleOf(`${styles}\n${css}`),
    notConverted,
    hasScriptsOrFonts: hasScripts || /@font-face\b/i.test(`${styles}\n${css}`),
  };
}

/** Paper does not scroll, so that lines are wrapped unless the document insists. Lists have marks that the text fonts have. */
const DEFAULTS = `<style>body{overflow-wrap:break-word}pre{white-space:pre-wrap}${LIST_MARKS}${CELL_WORDS}</style>`;

/** The title, and a style sheet before those of the document, which overrule it. */
function withDefaults(html: string, title = ""): string {
  const added = `<title>${title.replaceAll("<", "&lt;")}</title>${DEFAULTS}`;
  const head = /<head\b[^>]*>/i.exec(html);
  const start = head ?? /<html\b[^>]*>/i.exec(html) ?? /^\ufeff?\s*(?:<!doctype[^>]*>)?/i.exec(html);
  const at = start === null ? 0 : start.index + start[0].length;
  return `${html.slice(0, at)}${head ? added : `<head>${added}</head>`}${html.slice(at)}`;
}

/** An attribute in its written form. */
const writtenAttribute = (tag: string, name: string): string | undefined => {
  const [, double, single, bare] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(tag) ?? [];
  return double ?? single ?? bare;
};

const attributeOf = (tag: string, name: string): string | undefined => {
  const value = writtenAttribute(tag, name);
  return value === undefined ? undefined : decodeEntities(value);
};

/**
 * Removes links, except those to style sheets among the assets; the viewport, whose width MuPDF would lay out for; and the encoding, since MuPDF gets
 * UTF-8 for any document.
 */
async function withStyleSheets(
  html: string,
  assets: AssetSource | undefined,
  notConverted: Set<string>,
): Promise<string> {
  return replaced(
    html,
    /<(?:link\b|meta\b[^>]*\s(?:name\s*=\s*["']?viewport\b|charset\s*=|http-equiv\s*=))[^>]*>/gi,
    async (tag) => {
      if (!/stylesheet/i.test(attributeOf(tag, "rel") ?? "")) return "";
      const sheet = await assets?.at(attributeOf(tag, "href") ?? "");
      if (sheet === undefined) notConverted.add("external-style-sheets");
      return sheet === undefined || !isPrinted(attributeOf(tag, "media") ?? "")
        ? ""
        : `<style>${decodeStyleSheet(sheet).replaceAll("<", "")}</style>`;
    },
  );
}

/** A string with each match replaced by its result. */
async function replaced(text: string, pattern: RegExp, by: (match: string) => Promise<string>): Promise<string> {
  const pieces: string[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(text.slice(at, match.index), await by(match[0]));
    at = match.index + match[0].length;
  }
  return pieces.join("") + text.slice(at);
}

/** The media types of images that MuPDF decodes, by their first bytes. */
const IMAGES: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^BM/, "image/bmp"],
  [/^(II\*\0|MM\0\*)/, "image/tiff"],
];

/** An image as a data URI. Undefined if MuPDF does not decode its format. */
export function imageUri(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 8));
  const type = IMAGES.find(([magic]) => magic.test(head))?.[1];
  return type && `data:${type};base64,${base64(bytes)}`;
}

/** Images among the assets get a name in `images`, because their data would interfere with the changes to the text. */
async function withImages(
  html: string,
  assets: AssetSource | undefined,
  images: Map<string, string>,
  notConverted: Set<string>,
): Promise<string> {
  return replaced(html, /<img\b[^>]*>/gi, async (tag) => {
    const source = attributeOf(tag, "src") ?? "";
    if (/^data:image\/(png|jpe?g|gif|bmp|tiff);base64,/i.test(source)) return tag;
    const asset = await assets?.at(source);
    const uri = asset && imageUri(asset);
    if (uri !== undefined) {
      const name = `asset-${images.size}`;
      images.set(name, uri);
      return tag.replace(/\ssrc\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/i, ` src="${name}"`);
    }
    notConverted.add(asset || source.startsWith("data:") ? "unsupported-images" : "external-images");
    return `<span>${writtenAttribute(tag, "alt") ?? ""}</span>`;
  });
}

/** Emoji in the text after the head get their font. */
function withEmojiFont(html: string): string {
  const body = Math.max(html.search(/<body\b/i), html.search(/<\/head\s*>/i), 0);
  const text = html.slice(body);
  return (
    html.slice(0, body) +
    text.replace(/<style\b[^<]*(?:<\/style\s*>)?|<[^>]*>|[^<]+/gi, (token) =>
      token.startsWith("<") ? token : withSymbolFonts(token),
    )
  );
}

const LENGTH = /^(\d{1,5}(?:\.\d+)?)(pt|px|mm|cm|in|pc|q)?$/i;
const POINTS: Readonly<Record<string, number>> = {
  pt: 1,
  px: 0.75,
  mm: 72 / 25.4,
  cm: 72 / 2.54,
  in: 72,
  pc: 12,
  q: 72 / 101.6,
};
const NAMED_PAGES: Readonly<Record<string, readonly [number, number]>> = {
  a3: [842, 1191],
  a4: [595, 842],
  a5: [420, 595],
  b4: [709, 1001],
  b5: [499, 709],
  letter: [612, 792],
  legal: [612, 1008],
  ledger: [792, 1224],
};

function pointsOf(text: string): number | undefined {
  const [, value, unit] = LENGTH.exec(text) ?? [];
  return value === undefined || (unit === undefined && Number(value) !== 0)
    ? undefined
    : Number(value) * (POINTS[unit?.toLowerCase() ?? ""] ?? 0);
}

function pageRuleOf(css: string): PageRule {
  let [size, margins]: [PaperSize | undefined, Partial<PaperMargins>] = [undefined, {}];
  for (const { rule } of stylePieces(css)) {
    // Not those for the first, left, or right page.
    if (!rule?.applies || rule.prelude.toLowerCase() !== "@page") continue;
    for (const declaration of rule.body.replace(/@[\w-]+\s*\{[^{}]*\}/g, "").split(";")) {
      const [name = "", value = ""] = declaration.split(":").map((part) => part.trim().toLowerCase());
      const words = value.replace("!important", "").trim().split(/\s+/);
      if (name === "size") size = sizeOf(words) ?? size;
      if (name === "margin") margins = marginsOf(words);
      const side = /^margin-(top|right|bottom|left)$/.exec(name)?.[1];
      const points = pointsOf(words[0] ?? "");
      if (side && points !== undefined) margins = { ...margins, [side]: points };
    }
  }
  return { ...(size && { size }), ...(Object.keys(margins).length > 0 && { margins }) };
}

function sizeOf(words: readonly string[]): PaperSize | undefined {
  const named = words.flatMap((word) => NAMED_PAGES[word] ?? []);
  const lengths = words.flatMap((word) => pointsOf(word) ?? []);
  const [width, height = width] = named.length === 2 ? named : lengths;
  if (width === undefined || height === undefined || !isSide(width) || !isSide(height)) return undefined;
  const sides = [width, height].sort((a, b) => a - b) as [number, number];
  if (words.includes("landscape")) return { width: sides[1], height: sides[0] };
  return words.includes("portrait") || named.length === 2 ? { width: sides[0], height: sides[1] } : { width, height };
}

function marginsOf(words: readonly string[]): Partial<PaperMargins> {
  const [top, right = top, bottom = top, left = right] = words.map(pointsOf);
  return Object.fromEntries(Object.entries({ top, right, bottom, left }).filter(([, value]) => value !== undefined));
}
