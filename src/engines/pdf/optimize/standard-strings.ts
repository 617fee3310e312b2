/** Glyph names that Compact Font Format fonts refer to by number (Adobe Technical Note 5176, appendices A and B). */

/** The standard strings up to the last glyph of ISOAdobe, by their number (SID). */
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

/** Number of the first string that is in the font itself. */
export const FIRST_OWN_STRING = 391;

/** Codes of StandardEncoding in the order of their glyphs, which are the standard strings from 1: first and last of each range. */
const STANDARD_CODES = [
  [32, 126],
  [161, 175],
  [177, 180],
  [182, 189],
  [191, 191],
  [193, 200],
  [202, 203],
  [205, 208],
  [225, 225],
  [227, 227],
  [232, 235],
  [241, 241],
  [245, 245],
  [248, 251],
] as const;

/** Glyph names by code (ISO 32000-2, annex D.2). */
export const STANDARD_ENCODING: ReadonlyMap<number, string> = new Map(
  STANDARD_CODES.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, place) => first + place)).map(
    (code, index) => [code, STANDARD_STRINGS[index + 1] ?? ""],
  ),
);
