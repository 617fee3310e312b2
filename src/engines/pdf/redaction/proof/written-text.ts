/**
 * Searches all possible text in a written file, with a reader of its own for the file's bytes. MuPDF is not involved. It shares two things with
 * src/engines/pdf/syntax/, which owns PDF syntax: how strings and names are decoded (7.3.4, 7.3.5), and where the objects of a written file are. That
 * reader treats anything unexpected as an error. This file reads tokens, dictionaries, content, and markup itself, and uses nothing of
 * src/engines/markup/ or of the redactor. With the redactor it shares how text strings are decoded (7.9.2), but no list of names and streams that the
 * redactor leaves alone.
 */
import type { EngineBytes } from "../../../memory/heap.ts";
import { concat } from "../../../../bytes/concat.ts";
import { bytesOf, latin1 } from "../../../../bytes/latin1.ts";
import type { Work } from "../../../work.ts";
import type { FileKey } from "../../encryption/parameters.ts";
import { readString } from "../../syntax/strings.ts";
import type { TextPiece } from "../../layout/reading-orders.ts";
import { decodeText } from "../../objects/text-string.ts";
import { unescapeName } from "../../syntax/names.ts";
import { writtenObjects } from "../../objects/written-objects.ts";
import { decipher } from "./decipher.ts";
import { decodeFilters } from "./filters.ts";
import { COLLECTIONS, STANDARD_NAMES } from "./standard-names.ts";

/** Targets that must not be in the file. */
export interface Sought {
  /** Whether a term or pattern of the request is in a text. */
  isIn(text: string): boolean;
  /** The same for texts that may be long, yielding to other requests. */
  isInAny(texts: readonly string[]): Promise<boolean>;
  /** Whether it is in the text of a page, read in some order. */
  isRead(pieces: readonly TextPiece[]): Promise<boolean>;
  /** The texts that were redacted, and the terms. */
  readonly found: Iterable<string>;
  readonly ignoresCase: boolean;
}

/** Streams that are not searched as others are, by object number. */
export interface KnownStreams {
  /** Content of pages that were not redacted, which keeps its text. */
  readonly kept: ReadonlySet<number>;
  /** The encryption dictionary. */
  readonly encryption: number;
}

/** Shortest text in bytes that is searched for in binary data: shorter ones occur by chance. */
const LEAST = 5;

/** Most texts that are searched there. */
const MOST_TEXTS = 1_000;

/** Fuel per byte that is read, and per byte and text that is searched in it. */
const [READ_WORK, SEARCH_WORK] = [2, 0.05];

/** Most names that are remembered. */
const MOST_NAMES = 10_000;

/** Bytes after which the search yields to other requests. */
const STRETCH = 128 * 1024;

/** Longest decoded stream in bytes. */
const MOST_DECODED = 64 * 1024 * 1024;

/** Filters that decode to samples. The samples are not text, but the encoded data may contain some (7.4.8, 7.4.9). */
const WITH_METADATA = new Set(["DCTDecode", "JPXDecode"]);

/** Operators of content have at most three letters (annex A). */
const LONGEST_OPERATOR = 3;

/** Longest string in bytes that is no text in a section of a CMap, but a code, or one unit of UTF-16 (9.7.5.4, 9.10.3). */
const LONGEST_CODE = 2;

const END_OF_CODES = /^end(?:(?:bf|cid|notdef)(?:char|range)|codespacerange)$/;

const [MINUS, PLUS, POINT, SPACE_BYTE] = [0x2d, 0x2b, 0x2e, Uint8Array.of(0x20)];

/** An adjustment between shown strings, in thousandths of the font size, that is as wide as a space. */
const SPACE = -180;

/** Entries with the name of a font. */
const FONT_NAMES = new Set(["BaseFont", "FontName", "FontFamily"]);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

type Place = "a string" | "a name" | "the content of a page" | "a stream";

/** The place of a match in a file. Undefined if there is none. */
export async function findInFile(
  work: Work,
  file: EngineBytes,
  sought: Sought,
  { key, kept, encryption }: KnownStreams & { readonly key: FileKey | undefined },
): Promise<Place | undefined> {
  const forms = formsOf(sought);
  /** Whether names match, and their decoded form, by their written form. */
  const [names, written] = [new Map<string, boolean>(), new Map<string, string>()];
  /** Names of fonts that match, and of those that are in the file and so not needed to find them. */
  const [fontNames, embedded] = [new Set<string>(), new Set<string>()];
  for (const { number, generation, head, strings, stream, isXref } of writtenObjects(bytesAt(file), 0)) {
    work.spend((head.end - head.start) * READ_WORK);
    await work.pause();
    if (number === encryption) continue;
    const at = { number, generation };
    const headBytes = bytesAt(file).subarray(head.start, head.end);
    const values = new Map<number, Uint8Array>();
    for (const string of isXref ? [] : strings) {
      const value = string.valueIn(bytesAt(file));
      values.set(string.start - head.start, key ? await decipher(key, key.strings, at, value) : value);
    }
    const found = await searchSyntax(headBytes, isXref ? "trailer" : "object", values);
    if (found) return found;
    if (!stream || isXref) continue;
    const dictionary = latin1(headBytes);
    const raw = bytesAt(file).slice(stream.start, stream.end);
    const data = key && !isInClear(dictionary) ? await decipher(key, key.streams, at, raw) : raw;
    const inStream = await searchStream(dictionary, data, number);
    if (inStream) return inStream;
  }
  for (const name of fontNames) if (embedded.has(name)) return "a name";
  return undefined;

  async function searchStream(dictionary: string, data: Uint8Array, number: number): Promise<Place | undefined> {
    const filters = filtersIn(dictionary).filter((name) => name !== "Crypt" || !isInClear(dictionary));
    if (filters.some((name) => WITH_METADATA.has(name))) return (await isInBytes(data)) ? "a stream" : undefined;
    // Samples are no text (8.9.5, 7.10.2).
    if (/\/Subtype ?\/Image\b|\/FunctionType 0\b/.test(dictionary) || filters.includes("Crypt")) return undefined;
    const decoded = await decodeFilters(work, data, filters, MOST_DECODED);
    if (decoded === undefined) return undefined;
    work.spend(decoded.length * READ_WORK);
    await work.pause();
    if (/\/Type ?\/ObjStm\b/.test(dictionary)) return searchSyntax(decoded, "object");
    if (kept.has(number)) return undefined;
    if (isProgram(dictionary, decoded)) return searchSyntax(decoded, "content");
    const text = textIn(decoded);
    if (text === undefined) return (await isInBytes(decoded)) ? "a stream" : undefined;
    return (await sought.isInAny(readingsOf(text))) ? "a stream" : undefined;
  }

  /** Searches strings, names, and comments. `values`: those of strings that are decrypted, by their offset. */
  async function searchSyntax(
    bytes: Uint8Array,
    kind: "object" | "content" | "trailer",
    values: ReadonlyMap<number, Uint8Array> = new Map(),
  ): Promise<Place | undefined> {
    /** Of each open dictionary: the names of fonts in it, whether one that is a string matches, whether it describes a font, and has its file. */
    const open: { named: string[]; hasFamily: boolean; isDescriptor: boolean; hasFile: boolean }[] = [];
    let pending: Uint8Array[] = [];
    let name = "";
    let next = STRETCH;
    for (const token of tokensOf(bytes)) {
      if (token.start >= next) {
        next = token.start + STRETCH;
        await work.rest();
      }
      const { type, start, end } = token;
      if (type === "open") open.push({ named: [], hasFamily: false, isDescriptor: false, hasFile: false });
      else if (type === "close") {
        const last = open.pop();
        if (last?.hasFile) for (const font of last.named) embedded.add(font);
        if (last?.hasFamily && !last.isDescriptor) return "a string";
      } else if (type === "comment") {
        if (kind === "content" && (await sought.isInAny([decodeText(bytes.subarray(start, end))])))
          return "the content of a page";
      } else if (type === "string") {
        const value = values.get(start) ?? readString(bytes, start).value;
        if (kind === "content") pending.push(value);
        // Encryption before AES-256 derives its key from the identifier of the file (7.6.4.3).
        else if (kind === "trailer" && key !== undefined && key.strings !== "aes-256") continue;
        else if (kind === "object" && name === "FontFamily" && open.length > 0) {
          // A string, unlike the other names of a font (9.8.1).
          const inner = open.at(-1);
          const family = decodeText(value);
          inner?.named.push(family);
          if (inner && (await isInString(value, name))) {
            inner.hasFamily = true;
            fontNames.add(family);
          }
        }
        // A new identifier is random, and may have any letter by chance.
        else if (await (kind === "trailer" ? isInBytes(value) : isInString(value, name))) return "a string";
      } else if (type === "name") {
        const before = name;
        name = readName(bytes, start, end);
        const inner = open.at(-1);
        if (inner && /^FontFile[23]?$/.test(name)) inner.hasFile = true;
        if (inner && before === "Type" && name === "FontDescriptor") inner.isDescriptor = true;
        if (FONT_NAMES.has(before)) {
          inner?.named.push(name);
          if (isInName(name)) fontNames.add(name);
        } else if (isInName(name) && !((before === "Registry" || before === "Ordering") && COLLECTIONS.has(name)))
          return kind === "content" ? "the content of a page" : "a name";
        continue;
      } else if (type === "word" && kind === "content") {
        if (isNumber(bytes, start, end)) {
          if (bytes[start] === MINUS && Number(latin1(bytes.subarray(start, end))) < SPACE) pending.push(SPACE_BYTE);
          continue;
        }
        if (end - start > LONGEST_OPERATOR) {
          const word = latin1(bytes.subarray(start, end));
          if (END_OF_CODES.test(word)) pending = pending.filter(({ length }) => length > LONGEST_CODE);
          if (!PROGRAM_WORD.test(word) && (await sought.isInAny([word]))) return "a stream";
        }
        if (showsText(bytes, start, end)) {
          if (await isInBytes(concat(pending))) return "the content of a page";
        } else for (const value of pending) if (await isInString(value, "")) return "the content of a page";
        pending = [];
      }
      if (type !== "word" || kind === "content") name = type === "string" || type === "open" ? "" : name;
    }
    return undefined;
  }

  async function isInString(bytes: Uint8Array, key: string): Promise<boolean> {
    const text = decodeText(bytes);
    if ((key === "Registry" || key === "Ordering") && COLLECTIONS.has(text)) return false;
    if (isBinary(text)) return isInBytes(bytes);
    const unmarked = bytes.some((byte) => byte > 0x7f) ? textIn(bytes) : undefined;
    return sought.isInAny([text, ...(unmarked === undefined ? [] : [unmarked])].flatMap(readingsOf));
  }

  /** A document has most of its names many times. */
  function readName(bytes: Uint8Array, start: number, end: number): string {
    const syntax = latin1(bytes.subarray(start + 1, end));
    let name = written.get(syntax);
    if (name === undefined) {
      name = nameIn(syntax);
      if (written.size < MOST_NAMES) written.set(syntax, name);
    }
    return name;
  }

  function isInName(name: string): boolean {
    let isIn = names.get(name);
    if (isIn === undefined) {
      isIn = !STANDARD_NAMES.has(name) && sought.isIn(name);
      if (names.size < MOST_NAMES) names.set(name, isIn);
    }
    return isIn;
  }

  async function isInBytes(bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.length; at += STRETCH) {
      const part = latin1(bytes.subarray(at, at + STRETCH + 4 * 1024));
      const text = sought.ignoresCase ? part.toLowerCase() : part;
      work.spend(text.length * SEARCH_WORK * (1 + forms.length));
      await work.pause();
      if (forms.some((form) => text.includes(form))) return true;
    }
    return false;
  }
}

const bytesAt = (file: EngineBytes): Uint8Array => file.view(0, file.length);

/** The texts that were redacted as they may be in bytes, one character each. */
function formsOf({ found, ignoresCase }: Sought): string[] {
  const forms = new Set<string>();
  let count = 0;
  for (const text of found) {
    if (++count > MOST_TEXTS) break;
    for (const form of new Set([text, text.normalize("NFC"), ...(ignoresCase ? [text.toUpperCase()] : [])])) {
      const units = Array.from({ length: form.length }, (_, at) => form.charCodeAt(at));
      const pair = (unit: number): [string, string] => [
        String.fromCharCode(unit >> 8),
        String.fromCharCode(unit & 0xff),
      ];
      const encoded = [
        latin1(new TextEncoder().encode(form)),
        units.map((unit) => pair(unit).join("")).join(""),
        units.map((unit) => pair(unit).reverse().join("")).join(""),
        ...(units.every((unit) => unit < 256) ? [form] : []),
      ];
      for (const one of encoded) if (one.length >= LEAST) forms.add(ignoresCase ? one.toLowerCase() : one);
    }
  }
  return [...forms];
}

// oxlint-disable-next-line no-control-regex -- it looks for these characters
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
const isBinary = (text: string): boolean => CONTROLS.test(text) || text.includes("\ufffd");

/** The text that bytes are, in UTF-8 or marked UTF-16; undefined if they are something else. */
function textIn(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if ((first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe)) return decodeText(bytes);
  try {
    const text = utf8.decode(bytes);
    return CONTROLS.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const untagged = (text: string): string => text.replaceAll(/<[^<>]*>/g, "");

/** Replaces text up to the last end mark, and the rest separately, so that a beginning without an end is not searched repeatedly. */
function upToLast(text: string, end: string, by: (part: string) => string, inRest = (part: string) => part): string {
  const at = text.lastIndexOf(end) + end.length;
  return at < end.length ? inRest(text) : by(text.slice(0, at)) + inRest(text.slice(at));
}

/** A text itself, its reading as markup, and its reading as a script. */
function readingsOf(text: string): string[] {
  const readings = [text];
  if (/[<&]/.test(text)) {
    const literal = upToLast(text, "]]>", (part) =>
      part.replaceAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, inner: string) =>
        inner.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
      ),
    );
    const plain = upToLast(
      literal,
      "-->",
      (part) => part.replaceAll(/<!--[\s\S]*?-->|<[^<>]*>/g, ""),
      untagged,
    ).replaceAll(
      /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{2,4}));/g,
      (whole: string, decimal?: string, hex?: string, name?: string) =>
        decimal === undefined && hex === undefined
          ? (ENTITIES[name ?? ""] ?? whole)
          : character(hex ?? decimal, hex === undefined ? 10 : 16),
    );
    readings.push(plain);
  }
  if (/\\[ux\d]/.test(text)) {
    readings.push(
      text.replaceAll(
        /\\(?:u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|([0-3]?[0-7]{1,2}))/g,
        (_, a, b, c, d) => (d === undefined ? character(String(a ?? b ?? c), 16) : character(String(d), 8)),
      ),
    );
  }
  return readings;
}

function character(digits: string | undefined, base: number): string {
  const code = Number.parseInt(digits ?? "", base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/**
 * Whether a stream of an encrypted file is not encrypted, such as XMP for other programs (7.4.10). Its crypt filter has no name, or the name
 * `Identity`.
 */
const isInClear = (dictionary: string): boolean =>
  filtersIn(dictionary).includes("Crypt") && !/\/Name ?\/(?!Identity\b)/.test(dictionary);

/** The names of a stream's filters, in order. */
function filtersIn(dictionary: string): string[] {
  const written = /\/Filter ?(?:\[([^\]]*)\]|(\/[^\s/<>[\]()]+))/.exec(dictionary);
  return [...(written?.[1] ?? written?.[2] ?? "").matchAll(/\/([^\s/<>[\]()]+)/g)].map(([, name = ""]) => name);
}

/**
 * Whether a stream is content, a CMap, or a function, whose operators are not text. Regardless of its declared type, it has operators of these and no
 * control characters outside of strings.
 */
function isProgram(dictionary: string, bytes: Uint8Array): boolean {
  if (/\/Type ?\/Metadata|\/Subtype ?\/XML/.test(dictionary)) return false;
  const start = latin1(bytes.subarray(0, 4096)).replaceAll(/\((?:[^()\\]|\\[\s\S])*\)/g, "");
  return (
    !isBinary(start) &&
    (/\/FunctionType 4\b|\/Subtype ?\/Form\b|\/PatternType\b/.test(dictionary) ||
      /(?:^|[\s\]>)])(?:BT|BMC|BDC|Do|re|cm|d0|d1|begincmap|[-\d.]+ [ml])(?![\w*])/.test(start))
  );
}

/** Words of such a program: operators of content, and of the PostScript of CMaps and functions (7.10.5, 9.7.5). */
const PROGRAM_WORD =
  /^(?:(?:begin|end)(?:cmap|bfchar|bfrange|cidchar|cidrange|notdefchar|notdefrange|codespacerange|rearrangedfont|usematrix)?|findresource|defineresource|currentdict|CIDInit|CMapName|dict|usecmap|usefont|ceiling|floor|round|sqrt|trun(?:cate)?|atan|idiv|true|false|null|bitshift|ifelse|exch|copy|index|roll|abs|neg|cvi|cvr)$/;

/** Words are many: they are looked at byte by byte. */
function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte < 0x30 || byte > 0x39) && byte !== POINT && !(at === start && (byte === MINUS || byte === PLUS)))
      return false;
  }
  return true;
}

/** Whether a word is an operator that shows text: `Tj`, `TJ`, `'`, or `"` (9.4.3). */
function showsText(bytes: Uint8Array, start: number, end: number): boolean {
  const [first, second] = [bytes[start], bytes[start + 1]];
  if (end - start === 1) return first === 0x27 || first === 0x22;
  return end - start === 2 && first === 0x54 && (second === 0x6a || second === 0x4a);
}

function nameIn(syntax: string): string {
  const written = unescapeName(syntax);
  if (/^[\x20-\x7e]*$/.test(written)) return written;
  return textIn(bytesOf(written)) ?? written;
}

interface SyntaxToken {
  readonly type: "open" | "close" | "string" | "name" | "word" | "comment";
  readonly start: number;
  readonly end: number;
}

const [SPACE_KIND, DELIMITER] = [1, 2];
const KINDS = new Uint8Array(256);
for (const byte of bytesOf("\0\t\n\f\r ")) KINDS[byte] = SPACE_KIND;
for (const byte of bytesOf("()<>[]{}/%")) KINDS[byte] = DELIMITER;

/** The tokens of objects or content (7.2); inline images are skipped (8.9.7). */
function* tokensOf(bytes: Uint8Array): Generator<SyntaxToken, void> {
  const isRegular = (at: number): boolean => at < bytes.length && KINDS[bytes[at] ?? 0] === 0;
  for (let at = 0; at < bytes.length;) {
    const start = at;
    const byte = bytes[at++] ?? 0;
    if (KINDS[byte] === SPACE_KIND) continue;
    if (byte === 0x25) {
      while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++;
      yield { type: "comment", start, end: at };
    } else if (byte === 0x28) {
      for (let depth = 1; at < bytes.length && depth > 0; at++) {
        if (bytes[at] === 0x5c) at++;
        else if (bytes[at] === 0x28) depth++;
        else if (bytes[at] === 0x29) depth--;
      }
      yield { type: "string", start, end: at };
    } else if (byte === 0x3c && bytes[at] !== 0x3c) {
      while (at < bytes.length && bytes[at++] !== 0x3e);
      yield { type: "string", start, end: at };
    } else if (byte === 0x3c || byte === 0x3e) {
      at++;
      yield { type: byte === 0x3c ? "open" : "close", start, end: at };
    } else if (byte === 0x2f) {
      while (isRegular(at)) at++;
      yield { type: "name", start, end: at };
    } else if (KINDS[byte] === 0) {
      while (isRegular(at)) at++;
      yield { type: "word", start, end: at };
      if (at - start === 2 && byte === 0x49 && bytes[start + 1] === 0x44) at = afterImage(bytes, at);
    }
  }
}

/** After the data of an inline image. */
function afterImage(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at + 2 < bytes.length; at++) {
    const isEnd = bytes[at] === 0x45 && bytes[at + 1] === 0x49 && KINDS[bytes[at - 1] ?? 0] === SPACE_KIND;
    if (isEnd && (at + 2 === bytes.length || KINDS[bytes[at + 2] ?? 0] !== 0)) return at;
  }
  return bytes.length;
}
