/** The page of Rich Text (RTF 1.9.1, "Document Formatting Properties"). */
import type { PageRule } from "../source/html.ts";
import { isSide } from "../source/document.ts";

/** Twentieths of a point, in which lengths are. */
export const TWIPS = 20;
/** Margins are at most a third of a side: of the page, or of one in Letter. */
const LETTER_WIDTH = 612;

/** The values of control words, in twentieths of a point. */
export type PageWords = Partial<Record<"paperw" | "paperh" | "margl" | "margr" | "margt" | "margb", number>>;

export function pageRule({
  paperw = 12_240,
  paperh = 15_840,
  margl = 1_800,
  margr = 1_800,
  margt = 1_440,
  margb = 1_440,
}: PageWords): PageRule {
  const size = { width: paperw / TWIPS, height: paperh / TWIPS };
  const isSize = Object.values(size).every(isSide);
  const most = (isSize ? Math.min(size.width, size.height) : LETTER_WIDTH) / 3;
  const margin = (value: number): number => Math.min(Math.max(value / TWIPS, 0), most);
  const margins = { left: margin(margl), right: margin(margr), top: margin(margt), bottom: margin(margb) };
  return { ...(isSize && { size }), margins };
}
