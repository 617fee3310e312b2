/** The fonts of text that we set, copied from npm packages by wasm/prepare.ts. */

/** By family; each is one TrueType file of that name. */
export const FONTS = ["NotoSans", "IBMPlexSansArabic", "NotoSansHebrew", "NotoSansThai", "GreatVibes"] as const;
/** Further fonts: families with their styles for documents that are converted, and symbols. */
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

/** A font of the operator, with the family and the style that its file names. */
export interface OwnFont {
  /** Its name in the folder. */
  readonly file: string;
  readonly family: string;
  readonly bold: boolean;
  readonly italic: boolean;
}

/** One of ours by its name, or one of the operator. */
export type FontFace = FontName | OwnFont;

/** Reads a font file. Nothing is cached: a request holds only the fonts that its text needs. */
export interface LoadFont {
  (face: FontFace): Promise<ArrayBuffer>;
  /** The fonts of the operator. */
  readonly own?: readonly OwnFont[] | undefined;
}

/** The name of a font in a PDF. */
export const pdfNameOf = (face: FontFace): string =>
  typeof face === "string"
    ? face
    : `${face.family.replaceAll(/[^A-Za-z0-9]/g, "")}${face.bold ? "Bold" : ""}${face.italic ? "Italic" : ""}`;

/** The operator's font of a family, whatever the case, in the nearest style that there is. */
export function ownFont(
  { own = [] }: Pick<LoadFont, "own">,
  family: string,
  { bold = false, italic = false } = {},
): OwnFont | undefined {
  const wanted = family.toLowerCase();
  const distance = (font: OwnFont): number => Number(font.bold !== bold) + Number(font.italic !== italic);
  return own
    .filter((font) => font.family.toLowerCase() === wanted)
    .toSorted((a, b) => distance(a) - distance(b))
    .at(0);
}

/**
 * First, emoji with their joiners and modifiers (UTS 51), which are in none of the text fonts. Second, lines and blocks of which boxes are drawn.
 * Third, symbols, but for those of the standard font Symbol (the lozenge and the suits of cards). For these, MuPDF would look in the fonts of the
 * script before them.
 */
const PICTOGRAPHS =
  /((?:(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)(?:\ufe0f|\u200d|\p{Emoji_Modifier})*)+)|([\u2500-\u259f]+)|[\u25a0-\u25c9\u25cb-\u265f\u2661\u2662\u2664\u2667-\u27bf\u2b00-\u2bff]+?/gu;

/** Gives emoji and symbols in HTML text their fonts, by the names above. */
export const withSymbolFonts = (html: string): string =>
  html.replace(PICTOGRAPHS, (found, emoji?: string, drawn?: string) => {
    const font: FontName =
      emoji !== undefined ? "NotoEmoji" : drawn !== undefined ? "NotoSansMono" : "NotoSansSymbols2";
    return `<span style="font-family:${font}">${emoji === undefined ? found : emoji.replaceAll("\ufe0f", "")}</span>`;
  });
