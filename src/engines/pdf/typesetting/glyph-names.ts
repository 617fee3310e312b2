/** Names and codes of glyphs in the encodings of simple fonts (ISO 32000-2, annex D). */

/** WinAnsiEncoding from 0x80 (annex D.2), with spaces for undefined codes. */
export const WIN_ANSI = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** MacRomanEncoding from 0x80, which is also the glyph order of a `post` table without names. */
export const MAC_ROMAN =
  "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

/** StandardEncoding from 0xa0, with spaces for undefined codes. */
const STANDARD = " ¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß    ";

/** Glyph names in annex D.2 that are not the letter itself, for encodings with differences. */
export const NAMES: ReadonlyMap<string, string> = new Map(
  [
    "space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen period slash",
    " !\"#$%&'()*+,-./",
    "zero one two three four five six seven eight nine colon semicolon less equal greater question at",
    "0123456789:;<=>?@",
    "bracketleft backslash bracketright asciicircum underscore grave braceleft bar braceright asciitilde",
    "[\\]^_`{|}~",
    "Euro quotesinglbase florin quotedblbase ellipsis dagger daggerdbl circumflex perthousand Scaron guilsinglleft OE Zcaron",
    "€‚ƒ„…†‡ˆ‰Š‹ŒŽ",
    "quoteleft quoteright quotedblleft quotedblright bullet endash emdash tilde trademark scaron guilsinglright oe zcaron Ydieresis",
    "‘’“”•–—˜™š›œžŸ",
    "breve caron dotaccent hungarumlaut ogonek ring fraction minus fi fl Lslash lslash dotlessi",
    "˘ˇ˙˝˛˚⁄−ﬁﬂŁłı",
    "exclamdown cent sterling currency yen brokenbar section dieresis copyright ordfeminine guillemotleft logicalnot registered macron",
    "¡¢£¤¥¦§¨©ª«¬®¯",
    "degree plusminus twosuperior threesuperior acute mu paragraph periodcentered cedilla onesuperior ordmasculine guillemotright",
    "°±²³´µ¶·¸¹º»",
    "onequarter onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adieresis Aring AE Ccedilla Egrave Eacute",
    "¼½¾¿ÀÁÂÃÄÅÆÇÈÉ",
    "Ecircumflex Edieresis Igrave Iacute Icircumflex Idieresis Eth Ntilde Ograve Oacute Ocircumflex Otilde Odieresis multiply",
    "ÊËÌÍÎÏÐÑÒÓÔÕÖ×",
    "Oslash Ugrave Uacute Ucircumflex Udieresis Yacute Thorn germandbls agrave aacute acircumflex atilde adieresis aring ae ccedilla",
    "ØÙÚÛÜÝÞßàáâãäåæç",
    "egrave eacute ecircumflex edieresis igrave iacute icircumflex idieresis eth ntilde ograve oacute ocircumflex otilde odieresis",
    "èéêëìíîïðñòóôõö",
    "divide oslash ugrave uacute ucircumflex udieresis yacute thorn ydieresis",
    "÷øùúûüýþÿ",
  ].flatMap((names, index, all) => {
    const characters = Array.from(all[index + 1] ?? "");
    return index % 2 === 0 ? names.split(" ").map((name, place) => [name, characters[place] ?? ""] as const) : [];
  }),
);

/** The characters for a code in each of the three base encodings of readers. */
export function charactersOf(code: number): number[] {
  const high = (list: string, start: number): number => (code < start ? code : (list.codePointAt(code - start) ?? 0));
  // These two are different quotation marks in StandardEncoding.
  const standard = code === 0x27 ? 0x2019 : code === 0x60 ? 0x2018 : high(STANDARD, 0xa0);
  const windows = code < 0xa0 ? high(WIN_ANSI, 0x80) : code;
  return [...new Set([windows, high(MAC_ROMAN, 0x80), standard])];
}

/** The character for a glyph name, if known here. */
export function characterOfName(name: string): number | undefined {
  const [, digits] = /^(?:uni|u)([0-9A-F]{4,6})$/.exec(name) ?? [];
  if (digits !== undefined) return Number.parseInt(digits, 16);
  return /^[A-Za-z]$/.test(name) ? name.charCodeAt(0) : NAMES.get(name)?.codePointAt(0);
}
