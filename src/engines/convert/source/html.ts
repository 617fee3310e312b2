/** Prepares HTML for MuPDF: nothing in it runs or is fetched, and what MuPDF does not draw is named. */
import { base64Of } from "./base64.ts";
import type { Margins, PageSize } from "./document.ts";
import { escaped, withEmoji } from "./markup.ts";
import type { Work } from "../../work.ts";

/** Files that a document refers to, by their paths. */
export type Assets = ReadonlyMap<string, Uint8Array>;

export interface PreparedHtml {
  readonly html: string;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly pageRule: PageRule;
  readonly fonts: ReadonlyMap<string, Uint8Array>;
  readonly notConverted: ReadonlySet<string>;
}

/** What `@page` says (CSS Paged Media, 3), in points. */
export interface PageRule {
  readonly size?: PageSize;
  readonly margins?: Partial<Margins>;
}

const TEXT_WORK = 4;

/** Elements that are left out with their contents, and what they are called in the reference. Scripts are not missed. */
const LEFT_OUT: readonly (readonly [RegExp, string | undefined])[] = [
  [/<script\b[^>]*>[\s\S]*?(?:<\/script\s*>|$)/gi, undefined],
  [/<template\b[^>]*>[\s\S]*?(?:<\/template\s*>|$)/gi, undefined],
  [/<svg\b[^>]*>[\s\S]*?(?:<\/svg\s*>|$)/gi, "svg"],
  [/<math\b[^>]*>[\s\S]*?(?:<\/math\s*>|$)/gi, "formulas"],
  [/<iframe\b[^>]*>[\s\S]*?(?:<\/iframe\s*>|$)/gi, "frames"],
  [/<canvas\b[^>]*>[\s\S]*?(?:<\/canvas\s*>|$)/gi, "media"],
  [/<(?:video|audio|object|embed)\b[^>]*>/gi, "media"],
  [/<(?:input|textarea|select)\b(?![^>]*type\s*=\s*["']?hidden)[^>]*>/gi, "form-fields"],
];

/** Layout that MuPDF does not have: what is there follows one another instead. */
const NOT_LAID_OUT =
  /(?:display\s*:\s*(?:inline-)?(?:flex|grid)|float\s*:\s*(?:left|right)|position\s*:\s*(?:absolute|fixed))/i;

export async function prepareHtml(work: Work, source: string, assets: Assets, css: string): Promise<PreparedHtml> {
  work.spend(source.length * TEXT_WORK);
  await work.pause();
  const notConverted = new Set<string>();
  let html = source;
  for (const [pattern, name] of LEFT_OUT) {
    html = html.replace(pattern, () => {
      if (name !== undefined) notConverted.add(name);
      return "";
    });
  }
  html = withStyleSheets(html, assets, notConverted);
  html = withImages(html, assets, notConverted);
  const styles = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)(?:<\/style\s*>|$)/gi)]
    .map(([, style = ""]) => style)
    .join("\n");
  if (
    NOT_LAID_OUT.test(styles) ||
    NOT_LAID_OUT.test(css) ||
    /style\s*=\s*["'][^"']*(?:display\s*:\s*(?:flex|grid)|float\s*:|position\s*:\s*absolute)/i.test(html)
  )
    notConverted.add("css-layout");
  const all = `${styles}\n${css}`;
  html = withEmojiFont(withBreaks(html, all));
  return {
    html,
    title: titleOf(html),
    language: /<html\b[^>]*?\b(?:xml:)?lang\s*=\s*["']?([A-Za-z]{2,3}(?:-[\w-]{1,30})?)/i.exec(html)?.[1],
    pageRule: pageRuleOf(all),
    fonts: fontsOf(all, assets),
    notConverted,
  };
}

function titleOf(html: string): string | undefined {
  const [, title = ""] = /<title\b[^>]*>([\s\S]{0,2000}?)<\/title\s*>/i.exec(html) ?? [];
  return decodeEntities(title).replace(/\s+/g, " ").trim() || undefined;
}

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

const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    },
  );

const attributeOf = (tag: string, name: string): string | undefined => {
  const [, double, single, bare] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(tag) ?? [];
  const value = double ?? single ?? bare;
  return value === undefined ? undefined : decodeEntities(value);
};

/** A file by what a document calls it. */
function assetAt(assets: Assets, reference: string): Uint8Array | undefined {
  const path = reference
    .trim()
    .replace(/[?#].*$/, "")
    .replace(/^(?:\.?\/)+/, "");
  return assets.get(path) ?? assets.get(decodedPath(path));
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function withStyleSheets(html: string, assets: Assets, notConverted: Set<string>): string {
  return html.replace(/<link\b[^>]*>/gi, (tag) => {
    if (!/stylesheet/i.test(attributeOf(tag, "rel") ?? "")) return "";
    const sheet = assetAt(assets, attributeOf(tag, "href") ?? "");
    if (sheet === undefined) notConverted.add("external-style-sheets");
    return sheet === undefined ? "" : `<style>${new TextDecoder().decode(sheet).replaceAll("</", "<\\/")}</style>`;
  });
}

/** The media types of images that MuPDF decodes, by their first bytes. */
const IMAGES: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^BM/, "image/bmp"],
  [/^(II\*\0|MM\0\*)/, "image/tiff"],
];

/** An image in a URI of its own; undefined if it is of no kind that MuPDF decodes. */
export function imageUri(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 8));
  const type = IMAGES.find(([magic]) => magic.test(head))?.[1];
  return type && `data:${type};base64,${base64Of(bytes)}`;
}

function withImages(html: string, assets: Assets, notConverted: Set<string>): string {
  return html.replace(/<img\b(?:[^>"']|"[^"]*"|'[^']*')*>/gi, (tag) => {
    const source = attributeOf(tag, "src") ?? "";
    if (/^data:image\/(png|jpe?g|gif|bmp|tiff);base64,/i.test(source)) return tag;
    const asset = assetAt(assets, source);
    const uri = asset && imageUri(asset);
    if (uri !== undefined) return tag.replace(/\ssrc\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/i, ` src="${uri}"`);
    notConverted.add(asset || source.startsWith("data:") ? "unsupported-images" : "external-images");
    return `<span>${escaped(attributeOf(tag, "alt") ?? "")}</span>`;
  });
}

/** Emoji in the text after the head get their font. */
function withEmojiFont(html: string): string {
  const body = Math.max(html.search(/<body\b/i), html.search(/<\/head\s*>/i), 0);
  const text = html.slice(body);
  return (
    html.slice(0, body) +
    text.replace(/<(?:style|title)\b[\s\S]*?<\/(?:style|title)\s*>|<[^>]*>|[^<]+/gi, (token) =>
      token.startsWith("<") ? token : withEmoji(token),
    )
  );
}

/** Ends the page. MuPDF breaks after a block, but not before one. */
export const PAGE_BREAK = '<div style="page-break-after:always"></div>';
const BREAK_BEFORE = /(?:^|[;{\s"'])(?:page-)?break-before\s*:\s*(?:always|page|left|right|recto|verso)/i;

/** Page breaks before elements, by simple selectors and in `style`; before the first text there is none. */
function withBreaks(html: string, css: string): string {
  const selectors = Array.from(css.matchAll(/([^{}]{1,2000})\{([^{}]*)\}/g), ([, names = "", body = ""]) =>
    BREAK_BEFORE.test(body) ? names.replace(/\/\*[\s\S]*?\*\//g, "").split(",") : [],
  ).flat();
  const tests = selectors.flatMap((selector) => {
    const [whole, name, mark, value] = /^\s*([a-z][a-z\d]*)?(?:([.#])([\w-]+))?\s*$/i.exec(selector) ?? [];
    return whole === undefined || (!name && !value) ? [] : [{ name: name?.toLowerCase(), mark, value }];
  });
  const breaks = (tag: string, name: string): boolean =>
    BREAK_BEFORE.test(attributeOf(tag, "style") ?? "") ||
    tests.some((test) => {
      if (test.name !== undefined && test.name !== name) return false;
      if (test.value === undefined) return true;
      const words = attributeOf(tag, test.mark === "#" ? "id" : "class")?.split(/\s+/) ?? [];
      return words.includes(test.value);
    });
  const body = Math.max(html.search(/<body\b/i), html.search(/<\/head\s*>/i), 0);
  if (tests.length === 0 && !BREAK_BEFORE.test(html.slice(body))) return afterBreaks(html);
  let hasText = false;
  const broken = html
    .slice(body)
    .replace(
      /<(?:style|title)\b[\s\S]*?<\/(?:style|title)\s*>|<([a-z][a-z\d]*)\b(?:[^>"']|"[^"]*"|'[^']*')*>|<[^>]*>|[^<]+/gi,
      (token, name?: string) => {
        if (name === undefined) {
          hasText ||= !token.startsWith("<") && token.trim() !== "";
          return token;
        }
        hasText ||= name.toLowerCase() === "img";
        return hasText && breaks(token, name.toLowerCase()) ? `${PAGE_BREAK}${token}` : token;
      },
    );
  return afterBreaks(html.slice(0, body) + broken);
}

/** The current name of the property, as the one that MuPDF knows. */
const afterBreaks = (html: string): string =>
  html.replace(/([;{\s"'])break-after\s*:\s*(?:page|left|right|recto|verso)/gi, "$1page-break-after:always");

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
  let [size, margins]: [PageSize | undefined, Partial<Margins>] = [undefined, {}];
  for (const [, body = ""] of css.replace(/\/\*[\s\S]*?\*\//g, "").matchAll(/@page\s*\{((?:[^{}]|\{[^{}]*\})*)\}/gi)) {
    for (const declaration of body.replace(/@[\w-]+\s*\{[^{}]*\}/g, "").split(";")) {
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

function sizeOf(words: readonly string[]): PageSize | undefined {
  const named = words.flatMap((word) => NAMED_PAGES[word] ?? []);
  const lengths = words.flatMap((word) => pointsOf(word) ?? []);
  const [width, height = width] = named.length === 2 ? named : lengths;
  if (width === undefined || height === undefined || width < 72 || height < 72 || width > 14_400 || height > 14_400)
    return undefined;
  const sides = [width, height].sort((a, b) => a - b) as [number, number];
  if (words.includes("landscape")) return { width: sides[1], height: sides[0] };
  return words.includes("portrait") || named.length === 2 ? { width: sides[0], height: sides[1] } : { width, height };
}

function marginsOf(words: readonly string[]): Partial<Margins> {
  const [top, right = top, bottom = top, left = right] = words.map(pointsOf);
  return Object.fromEntries(Object.entries({ top, right, bottom, left }).filter(([, value]) => value !== undefined));
}

/** The fonts of `@font-face`, by family in lower case; the regular style if there are several. */
function fontsOf(css: string, assets: Assets): ReadonlyMap<string, Uint8Array> {
  const fonts = new Map<string, Uint8Array>();
  for (const [, body = ""] of css.matchAll(/@font-face\s*\{([^{}]*)\}/gi)) {
    const family = /font-family\s*:\s*["']?([^"';]{1,100})/i.exec(body)?.[1]?.trim().toLowerCase();
    const references = Array.from(body.matchAll(/url\(\s*["']?([^"')]{1,1000})/gi), ([, reference = ""]) => reference);
    const data = references
      .map((reference) => assetAt(assets, reference))
      .find((found) => found !== undefined && isFont(found));
    if (family && data && (!fonts.has(family) || !/bold|italic|[6-9]00/.test(body))) fonts.set(family, data);
  }
  return fonts;
}

/** TrueType and OpenType; MuPDF does not read WOFF. */
const isFont = (bytes: Uint8Array): boolean => FONT_MAGIC.has(String.fromCharCode(...bytes.subarray(0, 4)));
const FONT_MAGIC: ReadonlySet<string> = new Set(["\0\u0001\0\0", "OTTO", "true", "ttcf"]);
