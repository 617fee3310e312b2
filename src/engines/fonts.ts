/** The fonts for stamps, copied from npm packages by wasm/prepare.ts. */

/** By family; each is one TrueType file of that name. */
export const FONTS = ["NotoSans", "IBMPlexSansArabic", "NotoSansHebrew", "NotoSansThai", "GreatVibes"] as const;
export type FontName = (typeof FONTS)[number];

/** Reads a font file. Nothing is cached: a request holds only the fonts that its text needs. */
export type LoadFont = (name: FontName) => Promise<ArrayBuffer>;
