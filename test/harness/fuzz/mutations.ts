/** Ways to damage a file: of its bytes, and of what a PDF's syntax is made of (ISO 32000-2, 7.2 to 7.5). */
import { constants, deflateSync, inflateSync } from "node:zlib";
import { concatenate, latin1 } from "../fixtures/pdf-writer.ts";
import type { Random } from "./random.ts";

/** Gives the damaged bytes, or undefined where there is nothing of its kind to damage. `other` is a second file. */
type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array | undefined;

export interface Mutated {
  readonly bytes: Uint8Array;
  /** What was done, in order. */
  readonly names: readonly string[];
}

/** Longest piece that is moved, in bytes. */
const LONGEST_PIECE = 4096;
/** Bytes of a file beyond which it grows no more. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Bytes that a stream may have when it is opened to be damaged inside. */
const MOST_INSIDE = 1024 * 1024;

/** Applies one to six mutations, mostly those of the syntax: of random bytes most are noticed at once. */
export function mutate(bytes: Uint8Array, random: Random, other: Uint8Array): Mutated {
  const names: string[] = [];
  let mutated = bytes;
  const rounds = 1 + Math.min(random.below(6), random.below(6));
  for (let round = 0; round < rounds; round++) {
    const table = random.once(3) ? ofBytes : ofSyntax;
    const name = random.pick(Object.keys(table));
    const changed = table[name]?.(mutated, random, other);
    if (changed === undefined || changed.length > MOST_BYTES) continue;
    mutated = changed;
    names.push(name);
  }
  return { bytes: mutated, names };
}

const ofBytes: Readonly<Record<string, Mutation>> = {
  flip(bytes, random) {
    const copy = bytes.slice();
    for (let count = 1 + random.below(16); count > 0; count--) {
      const at = random.below(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    }
    return copy;
  },
  overwrite(bytes, random) {
    const [from, to] = piece(bytes, random, 64);
    const copy = bytes.slice();
    const value = random.pick([0, 0x20, 0x28, 0x3c, 0x5b, 0xff]);
    copy.fill(value, from, to);
    return copy;
  },
  cutEnd: (bytes, random) => bytes.slice(0, random.below(bytes.length)),
  cutStart: (bytes, random) => bytes.slice(random.below(Math.min(bytes.length, LONGEST_PIECE))),
  cutOut(bytes, random) {
    const [from, to] = piece(bytes, random);
    return replace(bytes, from, to);
  },
  duplicate(bytes, random) {
    const [from, to] = piece(bytes, random);
    const times = 1 + random.below(4);
    return replace(bytes, to, to, ...Array.from({ length: times }, () => bytes.subarray(from, to)));
  },
  move(bytes, random) {
    const [from, to] = piece(bytes, random);
    const at = random.below(bytes.length);
    return replace(bytes, at, at, bytes.subarray(from, to));
  },
  /** Its beginning and another's end. */
  splice: (bytes, random, other) =>
    concatenate([bytes.subarray(0, random.below(bytes.length)), other.subarray(random.below(other.length))]),
  insertOther(bytes, random, other) {
    const [from, to] = piece(other, random);
    const at = random.below(bytes.length);
    return replace(bytes, at, random.once(2) ? at : at + to - from, other.subarray(from, to));
  },
};

const NUMBERS = [
  ..."0 1 -1 2 255 256 65535 65536 2147483647 2147483648 -2147483648 4294967295 4294967296 1099511627776".split(" "),
  ..."99999999999999999999 0.000001 -0 1e30 3.4e38 .5 8388607 8388608 1000000 00000000000000000001".split(" "),
];
const VALUES = ["null", "true", "false", "0", "-1", "()", "<>", "[]", "<<>>", "/", "/X", "(\\377\\376)", "<FEFFD800>"];
const NAMES = (
  "Type Kids Count Parent Pages Page Catalog Root Info ID Encrypt Length Filter DecodeParms First N W Index Size Prev" +
  " XRefStm Extends FlateDecode LZWDecode ASCII85Decode RunLengthDecode DCTDecode JBIG2Decode JPXDecode CCITTFaxDecode" +
  " Crypt Predictor Columns Colors Contents Resources MediaBox CropBox Rotate UserUnit Annots AP AS Rect Subtype Widget" +
  " Link Dest Dests Names Nums Limits Outlines Title Next Last AcroForm Fields FT Tx Btn Ch Sig Opt Font XObject" +
  " Form Image Pattern Shading ColorSpace ExtGState SMask Mask Type0 Type1 Type3 TrueType CIDFontType0 DescendantFonts" +
  " ToUnicode Encoding Identity-H FontFile2 FontFile3 Widths CharProcs StructTreeRoot K Pg ParentTree RoleMap OCProperties" +
  " OCGs Metadata XML EmbeddedFiles EF ObjStm XRef PageLabels Perms Collection Group BBox Matrix ICCBased Indexed Separation"
).split(" ");
const KEYWORDS =
  "obj endobj stream endstream xref trailer startxref R null true false << >> [ ] n f BT ET q Q Do Tj TJ BI ID EI".split(
    " ",
  );

const ofSyntax: Readonly<Record<string, Mutation>> = {
  number: (bytes, random) => replaceMatch(bytes, random, /-?\d+(?:\.\d+)?/g, () => random.pick(NUMBERS)),
  digit: (bytes, random) => replaceMatch(bytes, random, /\d/g, () => String(random.below(10))),
  /** To an object of the file: cycles, and things of another type. */
  reference: (bytes, random) =>
    replaceMatch(bytes, random, /\d+ \d+ R\b/g, (found) => {
      const number = Number.parseInt(found, 10);
      const numbers = [
        number - 1,
        number + 1,
        1,
        2,
        3,
        1 + random.below(50),
        1 + random.below(Math.max(2 * number, 9)),
      ];
      return `${random.pick(numbers)} ${random.once(8) ? 1 : 0} R`;
    }),
  referenceToValue: (bytes, random) => replaceMatch(bytes, random, /\d+ \d+ R\b/g, () => random.pick(VALUES)),
  valueToReference: (bytes, random) =>
    replaceMatch(bytes, random, /(?<=\/[A-Za-z]+ ?)(?:\d+|\/\w+|\([^()]*\)|true|false)/g, () => {
      return ` ${1 + random.below(50)} 0 R`;
    }),
  name: (bytes, random) => replaceMatch(bytes, random, /\/[A-Za-z][A-Za-z0-9]*/g, () => `/${random.pick(NAMES)}`),
  nameAway: (bytes, random) => replaceMatch(bytes, random, /\/[A-Za-z][A-Za-z0-9]*/g, (found) => `/x${found.slice(2)}`),
  keyword: (bytes, random) =>
    replaceMatch(bytes, random, /\b(?:obj|endobj|stream|endstream|xref|trailer|startxref|R)\b|<<|>>|[[\]]/g, () =>
      random.pick(KEYWORDS),
    ),
  insertKeyword(bytes, random) {
    const at = random.below(bytes.length);
    return replace(bytes, at, at, latin1(` ${random.pick([...KEYWORDS, ...VALUES])} `));
  },
  xrefRow: (bytes, random) =>
    replaceMatch(bytes, random, /\d{10} \d{5} [nf]/g, () => {
      const offset = random.pick([0, 1, bytes.length, 9_999_999_999, random.below(bytes.length)]);
      const generation = random.pick(["00000", "65535", "00001"]);
      return `${String(offset).padStart(10, "0")} ${generation} ${random.pick(["n", "f"])}`;
    }),
  startxref: (bytes, random) =>
    replaceMatch(bytes, random, /startxref\s+\d+/g, () => `startxref\n${random.below(2 * bytes.length)}`),
  entry: (bytes, random) =>
    replaceMatch(
      bytes,
      random,
      /\/(?:Length|Kids|Count|Type|Parent|Prev|Size|W|Index|N|First|Filter|Root|Next|Resources|Contents|Annots|Rotate|MediaBox)\b\s*(?:\d+ \d+ R|\[[^\]]*\]|\/\w+|-?\d+)/g,
      (found) => {
        const key = /^\/\w+/.exec(found)?.[0] ?? "";
        const values = [...NUMBERS, ...VALUES, `[${random.below(20)} 0 R]`, `${random.below(20)} 0 R`, "[1 1 1]"];
        return `${key} ${random.pick(values)}`;
      },
    ),
  nesting: (bytes, random) =>
    replaceMatch(bytes, random, /\[|<</g, (found) => found.repeat(random.pick([2, 30, 3000]))),
  inside: insideStream,
};

/** Inflates a Flate stream, damages what is in it, and deflates it again, in the same place where that fits. */
function insideStream(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array | undefined {
  const text = textOf(bytes);
  const head = findFrom(text, /\/FlateDecode\b[^]{0,400}?\bstream\r?\n/g, random);
  if (head === undefined) return undefined;
  const start = head.index + head[0].length;
  const end = text.indexOf("endstream", start);
  if (end < 0) return undefined;
  let plain: Uint8Array;
  try {
    plain = inflateSync(bytes.subarray(start, end), {
      maxOutputLength: MOST_INSIDE,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch {
    return undefined;
  }
  if (plain.length === 0) return undefined;
  const table = random.once(4) ? ofBytes : ofSyntax;
  const name = random.pick(Object.keys(table).filter((each) => each !== "inside"));
  const damaged = table[name]?.(new Uint8Array(plain), random, other);
  if (damaged === undefined) return undefined;
  const packed = new Uint8Array(deflateSync(damaged, { level: 9 }));
  const room = end - start;
  // What stands after the end of deflated data is not read; so nothing else moves.
  if (packed.length <= room) return replace(bytes, start, end, packed, new Uint8Array(room - packed.length));
  const moved = replace(bytes, start, end, packed);
  const length = /\/Length +\d+/.exec(text.slice(Math.max(0, head.index - 200), start));
  if (length === null) return moved;
  const at = Math.max(0, head.index - 200) + length.index;
  return replace(moved, at, at + length[0].length, latin1(`/Length ${packed.length}`));
}

function piece(bytes: Uint8Array, random: Random, longest = LONGEST_PIECE): [number, number] {
  const from = random.below(bytes.length);
  return [from, Math.min(bytes.length, from + 1 + random.below(random.once(2) ? 32 : longest))];
}

function replace(bytes: Uint8Array, from: number, to: number, ...by: readonly Uint8Array[]): Uint8Array {
  return concatenate([bytes.subarray(0, from), ...by, bytes.subarray(to)]);
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** The first match after a random place, or from the start where there is none after it. */
function findFrom(text: string, pattern: RegExp, random: Random): RegExpExecArray | undefined {
  // A quarter of the time near the end, where the cross-references and the trailer are.
  const from = random.once(4) ? Math.max(0, text.length - 2048) + random.below(2048) : random.below(text.length);
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  if (found !== null) return found;
  pattern.lastIndex = 0;
  return pattern.exec(text) ?? undefined;
}

function replaceMatch(
  bytes: Uint8Array,
  random: Random,
  pattern: RegExp,
  by: (found: string) => string,
): Uint8Array | undefined {
  const found = findFrom(textOf(bytes), pattern, random);
  if (found === undefined) return undefined;
  return replace(bytes, found.index, found.index + found[0].length, latin1(by(found[0])));
}
