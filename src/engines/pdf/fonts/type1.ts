/** Reads Type 1 font programs (Adobe Type 1 Font Format, version 1.1). */
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import { STANDARD_ENCODING } from "./encoding.ts";
import { UnknownFont } from "./unknown-font.ts";

/** Largest file in bytes, which is read as text, and how often each byte is read: it is decrypted twice. */
const [MOST_BYTES, READS] = [1024 * 1024, 16];

export class Type1Font {
  readonly name: string;
  readonly fontMatrix: readonly number[];
  readonly bbox: readonly number[];
  /** Glyph names by code, in the encoding of the font itself. */
  readonly encoding: ReadonlyMap<number, string>;
  /** The encrypted part, as text. */
  readonly #private: string;
  /** Decrypted, by number. */
  readonly subroutines: ReadonlyMap<number, Uint8Array>;
  /** Decrypted outlines by glyph name. */
  readonly outlines: ReadonlyMap<string, Uint8Array>;

  /** @throws UnknownFont also for several designs, outlines that are stroked, and a file in segments */
  constructor(file: Uint8Array, meter: ParseMeter) {
    if (file.length > MOST_BYTES) throw new UnknownFont();
    meter.bytes(file.length * READS);
    const text = latin1(file);
    const eexec = /\beexec[ \t\r\n]+/.exec(text);
    if (!eexec || !text.startsWith("%!")) throw new UnknownFont();
    const clear = text.slice(0, eexec.index);
    const secret = file.subarray(eexec.index + eexec[0].length);
    const isHex = /^[0-9A-Fa-f]{4}/.test(latin1(secret.subarray(0, 4)));
    const hidden = latin1(decrypted(isHex ? fromHex(secret) : secret, EEXEC, EEXEC_RANDOM));
    if (/\/(?:WeightVector|BlendDesignMap)\b/.test(clear + hidden)) throw new UnknownFont();
    if ((numbersOf(clear, "PaintType")?.[0] ?? 0) !== 0) throw new UnknownFont();
    if (hidden.split("/CharStrings").length !== 2 || hidden.split("/Subrs").length > 2) throw new UnknownFont();
    const lenIv = numbersOf(hidden, "lenIV")?.[0] ?? LEN_IV;
    this.outlines = readOutlines(hidden, GLYPHS, lenIv);
    this.subroutines = new Map([...readOutlines(hidden, SUBROUTINES, lenIv)].map(([key, code]) => [Number(key), code]));
    meter.element(this.outlines.size + this.subroutines.size);
    this.encoding = readEncoding(clear);
    this.#private = hidden;
    this.name = /\/FontName\s*\/([^\s/]+)/.exec(clear)?.[1] ?? "";
    this.fontMatrix = numbersOf(clear, "FontMatrix") ?? [];
    this.bbox = numbersOf(clear, "FontBBox") ?? [];
    if (this.name === "" || this.fontMatrix.length !== 6 || this.bbox.length !== 4) throw new UnknownFont();
    if (this.outlines.size === 0) throw new UnknownFont();
  }

  /** The numbers of an entry of the Private dictionary (section 5); 1 for true. */
  hint(key: string): readonly number[] | undefined {
    return numbersOf(this.#private, key) ?? (new RegExp(`/${key}\\s+true`).test(this.#private) ? [1] : undefined);
  }
}

/** Keys of the eexec encryption and of outlines (section 7.1), and the number of random bytes before the data that eexec encrypts. */
const [EEXEC, CHARSTRING, EEXEC_RANDOM] = [55_665, 4330, 4];
/** Random bytes before each outline, unless the font has another number. */
const LEN_IV = 4;

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

/** The numbers of an entry: one, or an array. */
function numbersOf(text: string, key: string): number[] | undefined {
  const value = new RegExp(`/${key}\\s{0,100}(?:[\\[{]([^\\]}]{0,2000})[\\]}]|([-+.\\dEe]{1,100}))`).exec(text);
  if (!value) return undefined;
  const numbers = (value[1] ?? value[2] ?? "").split(/\s+/).filter(Boolean).map(Number);
  return numbers.every(Number.isFinite) ? numbers : undefined;
}

function readEncoding(clear: string): ReadonlyMap<number, string> {
  if (/\/Encoding\s+StandardEncoding\s+def/.test(clear)) return STANDARD_ENCODING;
  const start = clear.indexOf("/Encoding");
  if (start < 0) throw new UnknownFont();
  const encoding = new Map<number, string>();
  for (const [, code, name = ""] of clear.slice(start).matchAll(/\bdup\s+(\d+)\s*\/(\S+)\s+put\b/g)) {
    if (Number(code) < 256 && name !== ".notdef") encoding.set(Number(code), name);
  }
  // Written in a way that is not known here, such as `[ /a /b ]` or octal codes.
  const isPlain = /^\/Encoding\s+\d+\s+array/.test(clear.slice(start));
  if (!isPlain || /\bdup\s+\d+#/.test(clear.slice(start))) throw new UnknownFont();
  return encoding;
}

/** The beginning of a list of binary entries, and of each entry: its key, its length in bytes, a word that reads it, and one space. */
interface List {
  readonly beginning: RegExp;
  readonly head: RegExp;
}

const GLYPHS: List = { beginning: /\/CharStrings\b[^/]*?\bbegin/g, head: /\s*\/(\S+)\s+(\d+)\s+\S+ /y };
const SUBROUTINES: List = { beginning: /\/Subrs\s+\d+\s+array/g, head: /\s*dup\s+(\d+)\s+(\d+)\s+\S+ /y };
/** Up to the next entry there are one or two words, such as `ND` or `noaccess put`. */
const REST = /\s*(?:noaccess\s+|readonly\s+)?[^\s/]+/y;

/** Outlines by their keys, decrypted. */
function readOutlines(text: string, { beginning, head }: List, lenIv: number): Map<string, Uint8Array> {
  const outlines = new Map<string, Uint8Array>();
  beginning.lastIndex = 0;
  if (!beginning.test(text)) return outlines;
  for (let at = beginning.lastIndex; ;) {
    head.lastIndex = at;
    const [, key, length] = head.exec(text) ?? [];
    if (key === undefined) return outlines;
    const end = head.lastIndex + Number(length);
    const data = bytesOf(text.slice(head.lastIndex, end));
    // A negative `lenIV` means that outlines are not encrypted.
    outlines.set(key, lenIv < 0 ? data : decrypted(data, CHARSTRING, lenIv));
    REST.lastIndex = end;
    if (!REST.test(text)) return outlines;
    at = REST.lastIndex;
  }
}

/** The data of a Type 1 font in segments (Adobe Technical Note 5040). */
export function withoutSegments(data: Uint8Array): Uint8Array {
  if (data[0] !== 0x80) return data;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 0; at + 6 <= data.length && data[at] === 0x80 && (data[at + 1] ?? 3) < 3;) {
    const length = view.getUint32(at + 2, true);
    parts.push(data.subarray(at + 6, at + 6 + length));
    at += 6 + length;
  }
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
