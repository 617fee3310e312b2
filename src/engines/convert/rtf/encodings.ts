/** The encodings of text in Rich Text (RTF 1.9.1, "Code Page Support" and `\fcharset`), as labels of the WHATWG Encoding Standard. */
import { escaped } from "../source/markup.ts";

const CODE_PAGES: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10_000: "macintosh",
  10_007: "x-mac-cyrillic",
  20_866: "koi8-r",
  21_866: "koi8-u",
  65_001: "utf-8",
};

/** Undefined if no text decoder has it. */
export const encodingOfCodePage = (page: number): string | undefined =>
  page >= 1250 && page <= 1258 ? `windows-${page}` : CODE_PAGES[page];

/** Of the character sets of fonts; those that are the code page of the document are not in it. */
export const CHARACTER_SETS: Readonly<Record<number, string>> = {
  0: "windows-1252",
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};
/** The character set of symbol fonts. */
export const SYMBOLS = 2;

const SYMBOL_CODES: Readonly<Record<number, string>> = {
  0xb7: "\u2022",
  0xa7: "\u25aa",
  0xfc: "\u2713",
  0xa8: "\u25a1",
  0x6f: "\u25e6",
  0xe0: "\u2192",
  0xd8: "\u27a2",
};
/** A character of a symbol font as HTML. */
export const symbolOf = (character: string): string =>
  escaped(SYMBOL_CODES[character.charCodeAt(0) & 0xff] ?? "\u2022");
