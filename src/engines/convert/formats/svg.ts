/** Drawings, which only a browser reads. */
import type { DrawingFormat } from "./format.ts";

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
const ROOT = /<svg(?=[\s/>])[^>]*/i;

/** With its namespace, which can be an entity. */
const SVG_START =
  /^<!DOCTYPE\s+(?:[\w-]+:)?svg[\s>[]|^<(?:[\w-]+:)?svg\s[^>]*\bxmlns(?::[\w-]+)?\s*=\s*["'](?:http:\/\/www\.w3\.org\/2000\/svg["']|&\w+;)/i;

export const svg: DrawingFormat = {
  kind: "drawing",
  name: "svg",
  title: "SVG",
  keeps: `with the engine \`browser\` only: one page in the size of the drawing, or scaled to fit \`pageSize\`; text, links, images in it or in \`assets\``,
  drops: "`animations` (as they begin), `scripts`, `external-images`, `external-style-sheets`, `external-fonts`",

  detect({ text, start, isCut }) {
    if (SVG_START.test(start)) return "certain";
    const isWhole = /^<svg[\s>]/i.test(start) && (isCut || /<\/svg\s*>\s*$/i.test(text));
    return isWhole ? "certain" : undefined;
  },

  prepare(text) {
    const root = ROOT.exec(text)?.[0];
    const missing = [
      ...(root === undefined || /\bxmlns\s*=/i.test(root) ? [] : [`xmlns="${SVG}"`]),
      ...(/\bxlink:href\s*=/.test(text) && !/\bxmlns:xlink\s*=/.test(text) ? [`xmlns:xlink="${XLINK}"`] : []),
    ];
    return missing.length === 0 ? text : text.replace(/<svg(?=[\s/>])/i, (tag) => [tag, ...missing].join(" "));
  },
};
