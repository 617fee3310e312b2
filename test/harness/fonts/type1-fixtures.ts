import { concatenate, latin1, noise } from "../fixtures/pdf-writer.ts";

/** A number in an outline (Adobe Type 1 Font Format, 6.2). */
const long = (value: number): number[] => [255, ...[24, 16, 8, 0].map((shift) => (value >> shift) & 255)];

function number(value: number): number[] {
  if (value >= -107 && value <= 107) return [value + 139];
  if (value >= 108 && value <= 1131) return [247 + ((value - 108) >> 8), (value - 108) & 255];
  if (value >= -1131 && value <= -108) return [251 + ((-value - 108) >> 8), (-value - 108) & 255];
  return long(value);
}

const OPERATORS: Readonly<Record<string, readonly number[]>> = {
  hstem: [1],
  vstem: [3],
  vmoveto: [4],
  rlineto: [5],
  hlineto: [6],
  vlineto: [7],
  rrcurveto: [8],
  closepath: [9],
  callsubr: [10],
  return: [11],
  hsbw: [13],
  endchar: [14],
  rmoveto: [21],
  hmoveto: [22],
  vhcurveto: [30],
  hvcurveto: [31],
  hstem3: [12, 2],
  seac: [12, 6],
  div: [12, 12],
  callothersubr: [12, 16],
  pop: [12, 17],
  setcurrentpoint: [12, 33],
};

/** Words of an outline: numbers and operators. */
const outline = (words: string): Uint8Array =>
  Uint8Array.from(words.split(/\s+/).flatMap((word) => OPERATORS[word] ?? number(Number(word))));

/** Sections 7.1 and 7.3. */
function encrypted(plain: Uint8Array, key: number): Uint8Array {
  let state = key;
  return concatenate([new Uint8Array(4), plain]).map((byte) => {
    const cipher = byte ^ (state >> 8);
    state = ((cipher + state) * 52_845 + 22_719) & 0xffff;
    return cipher;
  });
}

/** Flex (8.3) and the replacement of hints (8.1), as every font has them. */
const SUBROUTINES = [
  "3 0 callothersubr pop pop setcurrentpoint return",
  "0 1 callothersubr return",
  "0 2 callothersubr return",
  "return",
  "650 50 hstem 100 40 vstem return",
];

const GLYPHS: Readonly<Record<string, string>> = {
  ".notdef": "0 250 hsbw endchar",
  // Curves of each kind, and a width that is a fraction.
  A: "50 1401 2 div hsbw 0 60 hstem 0 80 vstem 10 hmoveto 300 600 rlineto 300 -600 rlineto -80 hlineto -20 50 -80 120 -60 40 rrcurveto -100 -90 -40 -60 hvcurveto -80 -60 -20 -70 vhcurveto closepath endchar",
  acute: "80 300 hsbw 650 vmoveto 120 150 rlineto 60 hlineto -90 -150 rlineto closepath endchar",
  // An accented letter.
  Aacute: "50 1401 2 div hsbw 80 330 20 65 194 seac",
  // A flex: seven points, of which the first is a reference.
  B: "60 640 hsbw -15 20 200 30 580 20 hstem3 500 vmoveto 1 callsubr 200 0 rmoveto 2 callsubr -150 -8 rmoveto 2 callsubr 60 8 rmoveto 2 callsubr 90 0 rmoveto 2 callsubr 90 0 rmoveto 2 callsubr 60 -8 rmoveto 2 callsubr 50 8 rmoveto 2 callsubr 50 460 500 0 callsubr -400 vlineto -400 hlineto closepath endchar",
  // Other stems for the second part.
  C: "30 600 hsbw 0 50 hstem 0 40 vstem 20 hmoveto 500 hlineto 300 vlineto -500 hlineto closepath 4 1 3 callothersubr pop callsubr 400 vmoveto 200 hlineto 250 vlineto -200 hlineto closepath endchar",
};

/** A Type 1 font whose other glyphs, far more than those above, nothing shows. */
export function type1Font(others: number): Uint8Array {
  const unused = Array.from({ length: others }, (_, glyph) => {
    const path = Array.from(noise(120, glyph + 1), (byte, at) => `${byte - 128}${at % 2 === 1 ? " rlineto" : ""}`);
    return [`unused${glyph}`, `0 500 hsbw 0 hmoveto ${path.join(" ")} closepath endchar`] as const;
  });
  const entry = (head: string, words: string, tail: string): Uint8Array => {
    const data = encrypted(outline(words), 4330);
    return concatenate([latin1(`${head} ${data.length} RD `), data, latin1(` ${tail}\n`)]);
  };
  const glyphs = [...Object.entries(GLYPHS), ...unused];
  const secret = concatenate([
    latin1("dup /Private 12 dict dup begin /RD {string currentfile exch readstring pop} executeonly def\n"),
    latin1("/BlueValues [-15 0 600 615] def /BlueScale 0.04379 def /StdHW [50] def /password 5839 def\n"),
    latin1(`/Subrs ${SUBROUTINES.length} array\n`),
    ...SUBROUTINES.map((words, index) => entry(`dup ${index}`, words, "NP")),
    latin1(`ND\n2 index /CharStrings ${glyphs.length} dict dup begin\n`),
    ...glyphs.map(([name, words]) => entry(`/${name}`, words, "ND")),
    latin1("end end readonly put noaccess put dup/FontName get exch definefont pop mark currentfile closefile\n"),
  ]);
  const clear = `%!PS-AdobeFont-1.0: Shapes 1.0
11 dict begin /FontInfo 2 dict dup begin end readonly def /FontName /Shapes def /PaintType 0 def /FontType 1 def
/FontMatrix [0.001 0 0 0.001 0 0] readonly def /Encoding 256 array 0 1 255 {1 index exch /.notdef put} for
dup 97 /A put dup 98 /Aacute put dup 99 /B put dup 100 /C put readonly def
/FontBBox {-200 -200 1000 1000} readonly def currentdict end currentfile eexec
`;
  return concatenate([latin1(clear), encrypted(secret, 55_665), latin1(`\n${"0".repeat(64)}\ncleartomark\n`)]);
}
