/**
 * Reads the CMaps of a document: which bytes of a shown string are one code, the CID of a code (ISO 32000-2, 9.7.5 and 9.7.6), and its
 * meaning (9.10.3).
 */
import { concat } from "../../../bytes/concat.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { limits } from "../../../limits.ts";
import { cmapTooLarge } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { ContentLexer } from "../content/lexer.ts";
import { readHexadecimal } from "../syntax/strings.ts";
import { hexCode } from "./to-unicode.ts";

/** How a font with several bytes per code is read. */
export interface CodeMap {
  readonly vertical: boolean;
  /** Bytes of the code at an offset, at least one. */
  lengthAt(bytes: Uint8Array, at: number): number;
  /** The largest CID that an embedded CMap gives; 0 for others. */
  readonly largestCid: number;
  /** The CID of a code of so many bytes; undefined if it is not known here. */
  cidOf(code: number, length: number): number | undefined;
}

/** Fuel to look at one range of codes of some length. */
const SPACE_WORK = 8;

const MOST_BYTES = 4;

/** Most codes whose meaning is read: all that two bytes can be. */
const MOST_CODES = 65_536;
/** Bytes of the text of a code (Adobe Technical Note 5411, 1.4.1). */
const MOST_TEXT = 512;

type LengthAt = CodeMap["lengthAt"];

/** Operators of CMaps, and words of the PostScript around them (9.7.5.4). */
export const CMAP_WORD =
  /^(?:(?:begin|end)(?:(?:bf|cid|notdef)(?:char|range)|cmap|codespacerange|rearrangedfont|usematrix)?|(?:find|define)resource|currentdict|CMapName|dict|usecmap|usefont)$/;

/** How many codes an entry has before its text, in the section that an operator begins. All strings are codes in sections without text. */
export function codesPerEntry(operator: string): number {
  const section = /^begin(bfchar|bfrange|(?:cid|notdef)(?:char|range)|codespacerange)$/.exec(operator)?.[1];
  if (section === undefined) return 0;
  return section === "bfchar" ? 1 : section === "bfrange" ? 2 : Infinity;
}

const twoBytes: LengthAt = () => 2;

/** Codes whose first byte is in one of the ranges have two bytes, others one. */
const ledBy =
  (...ranges: readonly (readonly [number, number])[]): LengthAt =>
  (bytes, at) =>
    ranges.some(([first, last]) => (bytes[at] ?? 0) >= first && (bytes[at] ?? 0) <= last) ? 2 : 1;

/** The predefined CMaps (9.7.5.2) by parts of their names. */
const PREDEFINED: readonly (readonly [RegExp, LengthAt])[] = [
  [/UTF32/, () => 4],
  [/UTF16/, (bytes, at) => ((bytes[at] ?? 0) >= 0xd8 && (bytes[at] ?? 0) <= 0xdb ? 4 : 2)],
  [/UTF8/, (bytes, at) => ((lead) => (lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4))(bytes[at] ?? 0)],
  [/^Identity-|UCS2|^(?:Ext-|Add-|78-|NWP-)?[HV]$|^KSC-[HV]$|^GB-[HV]$/, twoBytes],
  [/RKSJ/, ledBy([0x81, 0x9f], [0xe0, 0xfc])],
  [
    /GBK2K/,
    (bytes, at) => ((bytes[at] ?? 0) < 0x81 ? 1 : (bytes[at + 1] ?? 0) >= 0x30 && (bytes[at + 1] ?? 0) <= 0x39 ? 4 : 2),
  ],
  [/CNS-EUC/, (bytes, at) => (bytes[at] === 0x8e ? 4 : (bytes[at] ?? 0) >= 0xa1 ? 2 : 1)],
  [/^EUC-/, ledBy([0x8e, 0x8e], [0xa1, 0xfe])],
  [/EUC|GB|UHC|KSC|B5|HKscs/, ledBy([0x81, 0xfe])],
];

/** A CMap by its name. Its CIDs are known here only if they are the codes. */
export function predefinedMap(name: string): CodeMap {
  const lengthAt = PREDEFINED.find(([form]) => form.test(name))?.[1] ?? twoBytes;
  const isIdentity = name.startsWith("Identity-");
  return {
    vertical: /(?:^|-)V$/.test(name),
    lengthAt,
    largestCid: 0,
    cidOf: (code) => (isIdentity ? code : undefined),
  };
}

type Value = Uint8Array | number | "[" | "]";

/** A word and its operands. */
interface Operation {
  readonly word: string;
  /** Strings, numbers, and where arrays begin and end. */
  readonly values: readonly Value[];
  /** The last name. */
  readonly name: string;
  /** The writing mode, if that is set here. */
  readonly mode: number | undefined;
}

async function* operations(cmap: Uint8Array, meter: ParseMeter): AsyncGenerator<Operation> {
  const lexer = new ContentLexer(cmap);
  let [read, name] = [0, ""];
  let values: Value[] = [];
  let [mode, isMode]: [number | undefined, boolean] = [undefined, false];
  for (let token = lexer.next(); token; token = lexer.next()) {
    meter.bytes(lexer.end - read);
    read = lexer.end;
    meter.element();
    await meter.pause();
    if (values.length > limits.cmaps.sectionValues) throw cmapTooLarge("sectionValues", values.length);
    const text = token === "hex" ? "" : lexer.text(lexer.start, Math.min(lexer.end, lexer.start + 64));
    if (token === "hex") values.push(readHexadecimal(cmap.subarray(lexer.start, lexer.end), 0).value);
    else if (token === "[" || token === "]") values.push(token);
    else if (token === "number") {
      values.push(Number.parseFloat(text));
      if (isMode) mode = Number.parseFloat(text);
    } else if (token === "word") {
      yield { word: text, values, name, mode };
      [values, mode] = [[], undefined];
    }
    isMode = token === "name" && text === "/WMode";
    if (token === "name") name = text.slice(1);
  }
}

/** Reads a CMap of codes. `base`: the one that it refers to. */
export async function readCodeMap(cmap: Uint8Array, work: Work, base: CodeMap | undefined): Promise<CodeMap> {
  const spaces: { readonly length: number; readonly low: Uint8Array; readonly high: Uint8Array }[] = [];
  /** By length of the codes: first and last code, and the CID of the first one. */
  const ranges: (readonly [length: number, first: number, last: number, cid: number])[] = [];
  const meter = new ParseMeter(work, "cmap");
  let [vertical, named] = [base?.vertical ?? false, base];
  let largestCid = 0;
  for await (const { word, values, name, mode } of operations(cmap, meter)) {
    if (mode !== undefined) vertical = mode === 1;
    if (word === "usecmap") named = predefinedMap(name);
    const pairs = word === "endcodespacerange" ? values.length : 0;
    if (spaces.length + pairs / 2 > limits.cmaps.codeRanges)
      throw cmapTooLarge("codeRanges", spaces.length + pairs / 2);
    for (let at = 0; at + 1 < pairs; at += 2) {
      const [low, high] = [values[at], values[at + 1]];
      if (low instanceof Uint8Array && high instanceof Uint8Array) spaces.push({ length: low.length, low, high });
    }
    const step = word === "endcidrange" ? 3 : word === "endcidchar" ? 2 : Infinity;
    for (let at = 0; at + step <= values.length; at += step) {
      meter.element();
      const [first, last, cid] = [values[at], values[at + step - 2], values[at + step - 1]];
      if (!(first instanceof Uint8Array) || !(last instanceof Uint8Array) || typeof cid !== "number") continue;
      const range = [first.length, codeOf(first), codeOf(last), cid] as const;
      largestCid = Math.max(largestCid, cid + range[2] - range[1]);
      ranges.push(range);
    }
  }
  const sorted = ranges.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  return {
    vertical,
    largestCid,
    lengthAt(bytes, at) {
      work.spend(SPACE_WORK * spaces.length);
      for (let length = 1; length <= MOST_BYTES; length++) {
        if (spaces.some((space) => space.length === length && isInside(bytes, at, space))) return length;
      }
      if (named && spaces.length === 0) return named.lengthAt(bytes, at);
      return Math.max(1, Math.min(MOST_BYTES, ...spaces.map(({ length }) => length)));
    },
    cidOf(code, length) {
      let [from, to] = [0, sorted.length];
      while (from < to) {
        const middle = (from + to) >> 1;
        const [size = 0, first = 0] = sorted[middle] ?? [];
        if (size < length || (size === length && first <= code)) from = middle + 1;
        else to = middle;
      }
      const [size, first = 0, last = 0, cid = 0] = sorted[from - 1] ?? [];
      return size === length && code >= first && code <= last ? cid + code - first : named?.cidOf(code, length);
    },
  };
}

function isInside(bytes: Uint8Array, at: number, { low, high }: { low: Uint8Array; high: Uint8Array }): boolean {
  return low.every(
    (byte, index) => (bytes[at + index] ?? -1) >= byte && (bytes[at + index] ?? -1) <= (high[index] ?? 0),
  );
}

/** A code of several bytes as a number. */
export const codeOf = (bytes: Uint8Array): number => bytes.reduce((code, byte) => code * 256 + byte, 0);

/** The UTF-16BE of each code of a ToUnicode CMap; undefined if it refers to another one. Codes above two bytes are left out. */
export async function readToUnicode(cmap: Uint8Array, work: Work): Promise<Map<number, Uint8Array> | undefined> {
  const meanings = new Map<number, Uint8Array>();
  const meter = new ParseMeter(work, "cmap");
  for await (const { word, values } of operations(cmap, meter)) {
    if (word === "usecmap") return undefined;
    if (word === "endbfchar") characters(values);
    if (word === "endbfrange") await ranges(values);
  }
  return meanings;

  function add(code: number, text: Uint8Array): void {
    meter.element();
    if (code < MOST_CODES && text.length <= MOST_TEXT) meanings.set(code, text);
  }

  function characters(items: readonly Value[]): void {
    for (let at = 0; at + 1 < items.length; at += 2) {
      const [code, text] = [items[at], items[at + 1]];
      if (code instanceof Uint8Array && text instanceof Uint8Array) add(codeOf(code), text);
    }
  }

  async function ranges(items: readonly Value[]): Promise<void> {
    for (let at = 0; at + 2 < items.length; at += 3) {
      await meter.pause();
      const [first, last, text] = [items[at], items[at + 1], items[at + 2]];
      if (!(first instanceof Uint8Array) || !(last instanceof Uint8Array)) return;
      let code = codeOf(first);
      const end = Math.min(codeOf(last), MOST_CODES - 1);
      if (text instanceof Uint8Array) {
        if (text.length > MOST_TEXT) continue;
        for (let step = 0; code <= end; step++) add(code++, increased(text, step));
      } else {
        for (at++; at + 2 < items.length && items[at + 2] !== "]"; at++) {
          const own = items[at + 2];
          if (own instanceof Uint8Array && code <= end) add(code++, own);
        }
      }
    }
  }
}

/** Text whose last UTF-16 unit is increased. */
function increased(text: Uint8Array, by: number): Uint8Array {
  const result = text.slice();
  const [high, low] = [text.length - 2, text.length - 1];
  const unit = ((text[high] ?? 0) << 8) + (text[low] ?? 0) + by;
  if (low >= 0) result[low] = unit & 0xff;
  if (high >= 0) result[high] = unit >> 8;
  return result;
}

/** A CMap of codes of two bytes. `ranges`: first and last code, and the CID of the first one. */
export function writeCodeMap(
  name: string,
  isVertical: boolean,
  ranges: readonly (readonly [first: number, last: number, cid: number])[],
): string {
  const lines = ranges.map(([first, last, cid]) => `<${hexCode(first)}> <${hexCode(last)}> ${cid}`);
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /${name} def /CMapType 1 def /WMode ${isVertical ? 1 : 0} def
1 begincodespacerange <0000> <ffff> endcodespacerange
${lines.length} begincidrange ${lines.join("\n")} endcidrange
endcmap CMapName currentdict /CMap defineresource pop end end`;
}

/** A CMap with this writing mode, which it sets after all others. */
export function withWritingMode(cmap: Uint8Array, isVertical: boolean): Uint8Array {
  const lexer = new ContentLexer(cmap);
  for (let token = lexer.next(); token; token = lexer.next()) {
    if (token !== "word" || lexer.text(lexer.start, lexer.end) !== "endcmap") continue;
    const mode = bytesOf(`/WMode ${isVertical ? 1 : 0} def `);
    return concat([cmap.subarray(0, lexer.start), mode, cmap.subarray(lexer.start)]);
  }
  return cmap;
}
