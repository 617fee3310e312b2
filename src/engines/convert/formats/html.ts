/** HTML and XHTML. */
import { Assets } from "../source/assets.ts";
import type { Conversion } from "../source/document.ts";
import { prepareHtml } from "../source/html.ts";
import type { DocumentParts } from "../source/document-parts.ts";
import type { TextFormat } from "./format.ts";
import { isMarkdownWithHtml } from "./markdown-marks.ts";

export const html: TextFormat = {
  kind: "text",
  name: "html",
  title: "HTML",
  keeps: `text with its styles, headings, lists, tables with spans, links, images (PNG, JPEG, GIF, BMP, TIFF) and style sheets in \`assets\` or in it, \`@page\` size and margins, page breaks`,
  drops: `\`css-layout\` (flexbox, grid, floats, positions: content is laid out in order), \`css-selectors\` (\`~\`, \`:is()\`, \`:has()\`, and those that depend on what follows), \`css-values\` (\`calc()\`, \`min()\`, \`max()\`, \`clamp()\`), \`generated-content\`, \`gradients\` (their mean color is drawn), \`background-images\`, \`svg\`, \`formulas\`, \`frames\`, \`media\`, \`form-fields\`, \`image-maps\`, \`external-images\`, \`external-style-sheets\``,
  takesAssets: true,

  detect({ text, start }) {
    if (XHTML_START.test(start)) return undefined;
    if (HTML_START.test(start)) return isMarkdownWithHtml(text) ? undefined : "certain";
    return /^<(\w+:)?\w+[^>]*>/.test(start) && /<\/html>/i.test(text) ? "likely" : undefined;
  },

  read: (text, parts) => readHtml(`\ufeff${text}`, parts),
};

export const xhtml: TextFormat = {
  ...html,
  name: "xhtml",
  title: "XHTML",
  detect: ({ start }) => (XHTML_START.test(start) ? "certain" : undefined),
  read: (text, parts) => readHtml(`\ufeff${text}`, parts, true),
};

const XHTML_START = /^(<!DOCTYPE html[^>]*xhtml|<html[^>]*xmlns=)/i;

/** HTML, or a fragment of it: with an element of HTML 5, or one that earlier versions had (HTML Standard, 4 and 16.2). */
export const HTML_START =
  /^<(?:!DOCTYPE html|(?:html|head|body|base|link|meta|style|title|article|section|nav|aside|h[1-6]|hgroup|header|footer|address|search|main|p|hr|pre|blockquote|ol|ul|menu|li|dl|dt|dd|figure|figcaption|div|a|em|strong|small|s|cite|q|dfn|abbr|ruby|data|time|code|var|samp|kbd|sub|sup|i|b|u|mark|bdi|bdo|span|br|wbr|ins|del|picture|img|iframe|embed|object|video|audio|map|table|caption|colgroup|tbody|thead|tfoot|tr|td|th|form|label|input|button|select|textarea|fieldset|legend|details|summary|dialog|script|noscript|template|canvas|svg|center|font|tt|big|strike|dir|frameset|nobr)[\s/>])/i;

/** The document of HTML, with the files that it refers to. */
export async function readHtml(source: string, parts: DocumentParts, isXml = false): Promise<Conversion> {
  const { engine, options, work } = parts;
  const assets = options.assets && new Assets(engine, options.assets);
  const prepared = await prepareHtml(work, source, { css: options.css, isXml, assets });
  const part = await parts.ofHtml(prepared.html, { isXml, rule: prepared.pageRule });
  const { notConverted = new Set() } = part;
  const needsBrowser = prepared.hasScriptsOrFonts || prepared.notConverted.union(notConverted).has("css-layout");
  if (!needsBrowser || !options.mayUseBrowser) assets?.refuseUnused();
  return { parts: [part], language: prepared.language, notConverted: prepared.notConverted, needsBrowser };
}
