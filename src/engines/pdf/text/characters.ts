/** Characters in the text of a page: how each code is normalized, and in which direction it is read. */

const REPLACEMENT = "\ufffd";

/**
 * The text for a character code from MuPDF. Any whitespace becomes a space. Control characters (including NUL), byte order
 * marks, and noncharacters are dropped. Lone surrogates, and glyphs whose font gives no character, become U+FFFD. A soft
 * hyphen is visible on the page, so it becomes a hyphen. Latin and Arabic presentation forms become the letters they
 * represent.
 */
export function characterOf(code: number): string {
  if (code > 0x20 && code < 0x7f) return ASCII[code - 0x20] ?? "";
  if (code <= 0x20 || (code >= 0x7f && code <= 0xa0)) return SPACES.has(code) ? " " : "";
  if (code === 0xad) return "-";
  if (code < 0x1680) return String.fromCharCode(code);
  if (SPACES.has(code)) return " ";
  if (code >= 0xd800 && code <= 0xdfff) return REPLACEMENT;
  if (code === 0xfeff || code > 0x10ffff || (code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)) return "";
  const text = String.fromCodePoint(code);
  return isPresentationForm(code) ? text.normalize("NFKC") : text;
}

const ASCII = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index));

/** Whitespace as in JavaScript's `\s`, which is also used to count words. */
const SPACES: ReadonlySet<number> = new Set(
  [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000].concat(
    Array.from({ length: 11 }, (_, index) => 0x2000 + index),
  ),
);

function isPresentationForm(code: number): boolean {
  // Excludes the ornate parentheses in the Arabic block.
  return (code >= 0xfb00 && code <= 0xfd3d) || (code >= 0xfd40 && code <= 0xfdfc) || (code >= 0xfe71 && code <= 0xfefc);
}

/** Scripts without spaces between words, in which a gap between characters has no meaning. */
export function isUnspaced(code: number): boolean {
  return (
    (code >= 0x0e00 && code <= 0x0eff) ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe4f) ||
    (code >= 0xff00 && code <= 0xffef) ||
    (code >= 0x1aff0 && code <= 0x1b2ff) ||
    (code >= 0x20000 && code <= 0x3ffff)
  );
}

/**
 * Reading direction of a character: right to left, left to right (including digits in all scripts), or that of its context.
 */
export type TextReading = "rtl" | "ltr" | "neutral";

export function readingOf(text: string): TextReading {
  const code = text.codePointAt(0) ?? 0;
  if (code < 0x590) return /[\p{L}\p{Nd}]/u.test(text) ? "ltr" : "neutral";
  if (isRightToLeft(code)) return /\p{Nd}/u.test(text) ? "ltr" : /[\p{L}\p{M}]/u.test(text) ? "rtl" : "neutral";
  return /[\p{L}\p{N}]/u.test(text) ? "ltr" : "neutral";
}

/** Whether a code belongs to a right-to-left script. */
export function isRightToLeft(code: number): boolean {
  return (
    (code >= 0x590 && code <= 0x8ff) ||
    (code >= 0xfb1d && code <= 0xfdff) ||
    (code >= 0xfe70 && code <= 0xfefc) ||
    (code >= 0x10800 && code <= 0x10fff) ||
    (code >= 0x1e800 && code <= 0x1efff)
  );
}

/** Hebrew and Arabic vowel signs, which belong to the preceding letter wherever they are drawn. */
export function isMark(code: number): boolean {
  return code >= 0x591 && code <= 0x8ff && /\p{Mn}/u.test(String.fromCharCode(code));
}

/** Letters and digits that form words and are read from left to right: Latin, Greek, and Cyrillic. */
export function isLatinLike(code: number): boolean {
  if (code < 0x80)
    return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  return (code >= 0xc0 && code <= 0x24f) || (code >= 0x370 && code <= 0x52f);
}
