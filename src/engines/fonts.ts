/** The fonts that stamps are set in: from npm packages, put in place by wasm/prepare.ts. */

/** By family; each is one TrueType file of that name. */
export const FONTS = ["NotoSans", "IBMPlexSansArabic", "NotoSansHebrew", "NotoSansThai", "GreatVibes"] as const;
export type FontName = (typeof FONTS)[number];

/** Reads a font's file. Nothing is kept: a request holds the fonts that its text needs, and no other does. */
export type LoadFont = (name: FontName) => Promise<ArrayBuffer>;
