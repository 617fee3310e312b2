/** Reads Type 1 font programs (Adobe Type 1 Font Format, version 1.1). */
import { bytesOf, latin1 } from "../../bytes/latin1.ts";
import { STANDARD_ENCODING } from "../fonts/encoding.ts";

export interface Type1Program {
  readonly name: string;
  readonly fontMatrix: readonly number[];
  readonly bbox: readonly number[];
  /** Glyph names by code, in the encoding of the font itself. */
  readonly encoding: ReadonlyMap<number, string>;
  /** Numbers of the Private dictionary. */
  readonly hints: ReadonlyMap<string, readonly number[]>;
  /** Decrypted, by number. */
  readonly subroutines: ReadonlyMap<number, Uint8Array>;
  /** Decrypted outlines by glyph name. */
  readonly outlines: ReadonlyMap<string, Uint8Array>;
}

/** Keys of the eexec encryption and of outlines (section 7.1), and how many random bytes precede what eexec encrypts. */
const [EEXEC, CHARSTRING, EEXEC_RANDOM] = [55_665, 4330, 4];
/** Random bytes before each outline, unless the font says otherwise. */
const LEN_IV = 4;
/** Numbers of the Private dictionary that readers use to place outlines on pixels (section 5). */
const HINTS = [
  "BlueValues",
  "OtherBlues",
  "FamilyBlues",
  "FamilyOtherBlues",
  "StdHW",
  "StdVW",
  "BlueScale",
  "BlueShift",
  "BlueFuzz",
  "StemSnapH",
  "StemSnapV",
  "LanguageGroup",
] as const;

/** Undefined if the program has anything unexpected: several designs, outlines that are stroked, a file in segments. */
export function readType1(file: Uint8Array): Type1Program | undefined {
  const text = latin1(file);
  const eexec = /\beexec[ \t\r\n]+/.exec(text);
  if (!eexec || !text.startsWith("%!")) return undefined;
  const clear = text.slice(0, eexec.index);
  const secret = file.subarray(eexec.index + eexec[0].length);
  const isHex = /^[0-9A-Fa-f]{4}/.test(latin1(secret.subarray(0, 4)));
  const hidden = latin1(decrypted(isHex ? fromHex(secret) : secret, EEXEC, EEXEC_RANDOM));
  const whole = clear + hidden;
  if (/\/(?:WeightVector|BlendDesignMap)\b/.test(whole) || (numbersOf(clear, "PaintType")?.[0] ?? 0) !== 0)
    return undefined;
  if (hidden.split("/CharStrings").length !== 2 || hidden.split("/Subrs").length > 2) return undefined;
  const encoding = readEncoding(clear);
  const lenIv = numbersOf(hidden, "lenIV")?.[0] ?? LEN_IV;
  const outlines = new Map<string, Uint8Array>();
  for (const [key, data] of readEntries(hidden, /\/CharStrings\b[^/]*?\bbegin/g, /\s*\/(\S+)\s+(\d+)\s+\S+ /y)) {
    outlines.set(key, outlineOf(data, lenIv));
  }
  const subroutines = new Map<number, Uint8Array>();
  for (const [key, data] of readEntries(hidden, /\/Subrs\s+\d+\s+array/g, /\s*dup\s+(\d+)\s+(\d+)\s+\S+ /y)) {
    subroutines.set(Number(key), outlineOf(data, lenIv));
  }
  const hints = new Map<string, readonly number[]>();
  for (const key of HINTS) {
    const numbers = numbersOf(hidden, key);
    if (numbers) hints.set(key, numbers);
  }
  if (/\/ForceBold\s+true/.test(hidden)) hints.set("ForceBold", [1]);
  const [fontMatrix, bbox] = [numbersOf(clear, "FontMatrix"), numbersOf(clear, "FontBBox")];
  const name = /\/FontName\s*\/([^\s/]+)/.exec(clear)?.[1];
  if (!encoding || outlines.size === 0 || fontMatrix?.length !== 6 || bbox?.length !== 4 || name === undefined) {
    return undefined;
  }
  return { name, fontMatrix, bbox, encoding, hints, subroutines, outlines };
}

function fromHex(bytes: Uint8Array): Uint8Array {
  const digits = latin1(bytes).replaceAll(/[^0-9A-Fa-f]/g, "");
  return Uint8Array.from({ length: digits.length >> 1 }, (_, at) =>
    Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
  );
}

/** Decrypts and drops the random bytes at the beginning (section 7.1). */
function decrypted(cipher: Uint8Array, key: number, random: number): Uint8Array {
  const plain = new Uint8Array(cipher.length);
  let state = key;
  for (let at = 0; at < cipher.length; at++) {
    const byte = cipher[at] ?? 0;
    plain[at] = byte ^ (state >> 8);
    state = ((byte + state) * 52_845 + 22_719) & 0xffff;
  }
  return plain.subarray(random);
}

/** A negative `lenIv` means that outlines are not encrypted. */
function outlineOf(data: Uint8Array, lenIv: number): Uint8Array {
  return lenIv < 0 ? data : decrypted(data, CHARSTRING, lenIv);
}

/** The numbers of an entry: one, or an array. */
function numbersOf(text: string, key: string): number[] | undefined {
  const value = new RegExp(`/${key}\\s{0,100}(?:[\\[{]([^\\]}]{0,2000})[\\]}]|([-+.\\dEe]{1,100}))`).exec(text);
  if (!value) return undefined;
  const numbers = (value[1] ?? value[2] ?? "").split(/\s+/).filter(Boolean).map(Number);
  return numbers.every(Number.isFinite) ? numbers : undefined;
}

function readEncoding(clear: string): ReadonlyMap<number, string> | undefined {
  if (/\/Encoding\s+StandardEncoding\s+def/.test(clear)) return STANDARD_ENCODING;
  const start = clear.indexOf("/Encoding");
  if (start < 0) return undefined;
  const encoding = new Map<number, string>();
  for (const [, code, name = ""] of clear.slice(start).matchAll(/\bdup\s+(\d+)\s*\/(\S+)\s+put\b/g)) {
    if (Number(code) < 256 && name !== ".notdef") encoding.set(Number(code), name);
  }
  // Written in a way that is not known here, such as `[ /a /b ]` or octal codes.
  const isPlain = /^\/Encoding\s+\d+\s+array/.test(clear.slice(start));
  return isPlain && !/\bdup\s+\d+#/.test(clear.slice(start)) ? encoding : undefined;
}

/** Binary entries: what identifies each, its length in bytes, a word that reads it, one space, and the bytes. */
function* readEntries(text: string, beginning: RegExp, head: RegExp): Generator<[string, Uint8Array]> {
  if (!beginning.test(text)) return;
  for (let at = beginning.lastIndex; ;) {
    head.lastIndex = at;
    const found = head.exec(text);
    if (!found) return;
    const [, key = "", length = "0"] = found;
    const end = head.lastIndex + Number(length);
    yield [key, bytesOf(text.slice(head.lastIndex, end))];
    // Up to the next entry there are one or two words, such as `ND` or `noaccess put`.
    const rest = /\s*(?:noaccess\s+|readonly\s+)?[^\s/]+/y;
    rest.lastIndex = end;
    if (!rest.test(text)) return;
    at = rest.lastIndex;
  }
}
