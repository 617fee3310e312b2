/** The fonts of text that we set, copied from npm packages by wasm/prepare.ts. */

/** By family; each is one TrueType file of that name. */
export const FONTS = ["NotoSans", "IBMPlexSansArabic", "NotoSansHebrew", "NotoSansThai", "GreatVibes"] as const;
/** Further fonts of documents that are converted: families with their styles, and symbols. */
export const DOCUMENT_FONTS = [
  "NotoSansBold",
  "NotoSansItalic",
  "NotoSansBoldItalic",
  "NotoSerif",
  "NotoSerifBold",
  "NotoSerifItalic",
  "NotoSerifBoldItalic",
  "NotoSansMono",
  "NotoSansMonoBold",
  "NotoSansSymbols2",
  "NotoEmoji",
] as const;
export type FontName = (typeof FONTS)[number] | (typeof DOCUMENT_FONTS)[number];

/** Reads a font file. Nothing is cached: a request holds only the fonts that its text needs. */
export type LoadFont = (name: FontName) => Promise<ArrayBuffer>;
