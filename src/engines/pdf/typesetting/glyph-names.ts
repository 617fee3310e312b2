/** Names and codes of glyphs in the encodings of simple fonts (ISO 32000-2, annex D). */

/** What WinAnsiEncoding has from 0x80 on (annex D.2); a space where it has nothing. */
export const WIN_ANSI = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** What MacRomanEncoding has from 0x80 on, which is also the order of the glyphs that a table `post` does not name. */
export const MAC_ROMAN =
  "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

/** What StandardEncoding has from 0xa0 on; a space where it has nothing. */
const STANDARD = " ¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß    ";

/** Glyph names of annex D.2 that are no letter's own, for encodings that differ from a known one. */
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

/** The characters that a code means in one of the three encodings that readers begin with. */
export function charactersOf(code: number): number[] {
  const high = (list: string, start: number): number => (code < start ? code : (list.codePointAt(code - start) ?? 0));
  // These two are other quotes in StandardEncoding.
  const standard = code === 0x27 ? 0x2019 : code === 0x60 ? 0x2018 : high(STANDARD, 0xa0);
  const windows = code < 0xa0 ? high(WIN_ANSI, 0x80) : code;
  return [...new Set([windows, high(MAC_ROMAN, 0x80), standard])];
}

/** The character that a glyph's name says, where it is known here. */
export function characterOf(name: string): number | undefined {
  const [, digits] = /^(?:uni|u)([0-9A-F]{4,6})$/.exec(name) ?? [];
  if (digits !== undefined) return Number.parseInt(digits, 16);
  return /^[A-Za-z]$/.test(name) ? name.charCodeAt(0) : NAMES.get(name)?.codePointAt(0);
}
