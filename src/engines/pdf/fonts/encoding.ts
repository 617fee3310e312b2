/**
 * Names, codes, and characters of glyphs: the encodings of simple fonts (ISO 32000-2, 9.6.5 and annex D), and the names that font programs
 * refer to by number.
 */
import type { PDFObject } from "mupdf";
import { items } from "../objects/objects.ts";

/** WinAnsiEncoding from 0x80 (annex D.2), with spaces for undefined codes. */
export const WIN_ANSI = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** MacRomanEncoding from 0x80, which is also the glyph order of a `post` table without names. */
const MAC_ROMAN =
  "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

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

/** The standard strings of the Compact Font Format up to the last glyph of ISOAdobe, by their number (SID; Adobe Technical Note 5176, appendix A). */
export const STANDARD_STRINGS: readonly string[] = (
  ".notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus " +
  "comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater " +
  "question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum " +
  "underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde " +
  "exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft " +
  "guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered paragraph bullet quotesinglbase " +
  "quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave acute circumflex tilde macron " +
  "breve dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE " +
  "ordmasculine ae dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus " +
  "Thorn onequarter divide brokenbar degree thorn threequarters twosuperior registered minus eth multiply " +
  "threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute Ecircumflex Edieresis " +
  "Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute " +
  "Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute acircumflex adieresis agrave aring atilde ccedilla " +
  "eacute ecircumflex edieresis egrave iacute icircumflex idieresis igrave ntilde oacute ocircumflex odieresis " +
  "ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron"
).split(" ");

const LETTERS = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z".split(" ");
const FIGURES = "zero one two three four five six seven eight nine".split(" ");

/** The standard strings after these: names of expert glyphs, versions, and weights. */
export const EXPERT_STRINGS: readonly string[] = (
  "exclamsmall Hungarumlautsmall dollaroldstyle dollarsuperior ampersandsmall Acutesmall parenleftsuperior " +
  `parenrightsuperior twodotenleader onedotenleader ${FIGURES.map((name) => `${name}oldstyle`).join(" ")} commasuperior ` +
  "threequartersemdash periodsuperior questionsmall asuperior bsuperior centsuperior dsuperior esuperior isuperior " +
  "lsuperior msuperior nsuperior osuperior rsuperior ssuperior tsuperior ff ffi ffl parenleftinferior parenrightinferior " +
  `Circumflexsmall hyphensuperior Gravesmall ${LETTERS.map((name) => `${name}small`).join(" ")} colonmonetary onefitted ` +
  "rupiah Tildesmall exclamdownsmall centoldstyle Lslashsmall Scaronsmall Zcaronsmall Dieresissmall Brevesmall Caronsmall " +
  "Dotaccentsmall Macronsmall figuredash hypheninferior Ogoneksmall Ringsmall Cedillasmall questiondownsmall oneeighth " +
  "threeeighths fiveeighths seveneighths onethird twothirds zerosuperior foursuperior fivesuperior sixsuperior " +
  `sevensuperior eightsuperior ninesuperior ${FIGURES.map((name) => `${name}inferior`).join(" ")} centinferior ` +
  "dollarinferior periodinferior commainferior Agravesmall Aacutesmall Acircumflexsmall Atildesmall Adieresissmall " +
  "Aringsmall AEsmall Ccedillasmall Egravesmall Eacutesmall Ecircumflexsmall Edieresissmall Igravesmall Iacutesmall " +
  "Icircumflexsmall Idieresissmall Ethsmall Ntildesmall Ogravesmall Oacutesmall Ocircumflexsmall Otildesmall " +
  "Odieresissmall OEsmall Oslashsmall Ugravesmall Uacutesmall Ucircumflexsmall Udieresissmall Yacutesmall Thornsmall " +
  "Ydieresissmall 001.000 001.001 001.002 001.003 Black Bold Book Light Medium Regular Roman Semibold"
).split(" ");

/** Number of the first string that is in the font itself. */
export const FIRST_OWN_STRING = 391;

/** Codes of StandardEncoding in the order of their glyphs, which are the standard strings from 1: first and last of each range. */
const STANDARD_CODES =
  "32-126 161-175 177-180 182-189 191-191 193-200 202-203 205-208 225-225 227-227 232-235 241-241 245-245 248-251";

/** StandardEncoding: glyph names by code (ISO 32000-2, annex D.2). */
export const STANDARD_ENCODING: ReadonlyMap<number, string> = new Map(
  STANDARD_CODES.split(" ")
    .flatMap((range) => {
      const [first = 0, last = 0] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, place) => first + place);
    })
    .map((code, index) => [code, STANDARD_STRINGS[index + 1] ?? ""]),
);

const SPACE = 0x20;

/** The character for a code in MacRomanEncoding. */
export const macCharacter = (code: number): number => (code < 0x80 ? code : (MAC_ROMAN.codePointAt(code - 0x80) ?? 0));

/** The characters for a code in each of the three base encodings of readers. */
export function charactersOf(code: number): number[] {
  const standard = characterOfName(STANDARD_ENCODING.get(code) ?? "") ?? (code < 0xa0 ? code : SPACE);
  const windows = code < 0x80 || code >= 0xa0 ? code : (WIN_ANSI.codePointAt(code - 0x80) ?? 0);
  return [...new Set([windows, macCharacter(code), standard])];
}

/** The character for a glyph name, if known here. */
export function characterOfName(name: string): number | undefined {
  const [, digits] = /^(?:uni|u)([0-9A-F]{4,6})$/.exec(name) ?? [];
  if (digits !== undefined) return Number.parseInt(digits, 16);
  return /^[A-Za-z]$/.test(name) ? name.charCodeAt(0) : NAMES.get(name)?.codePointAt(0);
}

/** Pairs of characters that some readers treat as equal. */
const ALIKE = [
  " \u00a0",
  "-\u00ad",
  "\u00af\u02c9",
  "\u00b5\u03bc",
  "\u00b7\u2219",
  "\u0394\u2206",
  "\u03a9\u2126",
  "\u2044\u2215",
];

/** The character, and another that some readers treat as equal. */
export function alike(character: number): number[] {
  const own = String.fromCodePoint(character);
  return Array.from(ALIKE.find((pair) => pair.includes(own)) ?? own, (one) => one.codePointAt(0) ?? 0);
}

/** The differences of an encoding: codes and names. A code may be there more than once, of which the last counts. */
export function* differencesOf(font: PDFObject): Generator<readonly [code: number, name: PDFObject]> {
  let code = 0;
  for (const item of items(font.get("Encoding", "Differences"))) {
    if (item.isNumber()) code = item.asNumber();
    else if (item.isName()) yield [code++, item];
  }
}

/** Glyph names by character, the usual ones first. */
const NAME_OF = new Map<number, string>();
for (let code = 65; code < 123; code++) if (code < 91 || code > 96) NAME_OF.set(code, String.fromCharCode(code));
for (const [name, character] of NAMES) {
  const code = character.codePointAt(0) ?? 0;
  if (!NAME_OF.has(code)) NAME_OF.set(code, name);
}

const nameOfCharacter = (character: number): string | undefined =>
  character === 0xa0 ? "space" : character === 0xad ? "hyphen" : NAME_OF.get(character);

/** The name of a code in an encoding that has a name (annex D): in StandardEncoding, if it is no other one. */
export function baseName(encoding: string | undefined, code: number): string | undefined {
  if (encoding === "WinAnsiEncoding") {
    const character = code < 0x80 || code >= 0xa0 ? code : (WIN_ANSI.codePointAt(code - 0x80) ?? SPACE);
    // Unused codes above 0o40 show a bullet.
    if (code === 0x7f || (code >= 0x80 && code < 0xa0 && character === SPACE)) return "bullet";
    return code < SPACE ? undefined : nameOfCharacter(character);
  }
  if (encoding === "MacRomanEncoding") return code < SPACE ? undefined : nameOfCharacter(macCharacter(code));
  return STANDARD_ENCODING.get(code);
}
