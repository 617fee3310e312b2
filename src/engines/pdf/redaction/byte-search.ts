/** Finds texts in bytes, in every encoding that a file may have them in, and overwrites them. */
import type { Work } from "../../work.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import { fold } from "./search/folded-text.ts";

/** Shortest encoded text in bytes that is searched in binary data: shorter ones occur by chance. */
const LEAST = 5;

/** Most texts that are searched. */
const MOST_TEXTS = 20_000;

/** Most bytes that the search skips at once: a match that begins later ends after two bytes that were checked. */
const FARTHEST = LEAST - 1;

/** Fuel per byte: most are skipped. */
const WORK = 1;

/** Bytes after which the search yields to other requests. */
const STRETCH = 256 * 1024;

const utf8 = new TextEncoder();

const SAME = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x41 && byte <= 0x5a) || (byte >= 0xc0 && byte <= 0xde && byte !== 0xd7) ? byte + 0x20 : byte,
);

function utf16(text: string, high: 0 | 1): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    bytes[index * 2 + high] = unit & 0xff;
    bytes[index * 2 + 1 - high] = unit >> 8;
  }
  return bytes;
}

const upperHex = (bytes: Uint8Array): Uint8Array => bytesOf(latin1(hex(bytes)).toUpperCase());

const hex = (bytes: Uint8Array): Uint8Array =>
  bytesOf(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));

/** Latin-1 substitutes for PDFDocEncoding and for the bytes of content in a standard encoding. */
const isLatin1 = (text: string): boolean => /^[\0-\xff]*$/.test(text);

/** A text in each encoding. */
function encodings(text: string): Uint8Array[] {
  const plain = [utf8.encode(text), utf16(text, 1), utf16(text, 0), ...(isLatin1(text) ? [bytesOf(text)] : [])];
  return [...plain, ...plain.map(hex), ...plain.map(upperHex)];
}

/** From one offset up to another. */
export interface FoundBytes {
  readonly start: number;
  readonly end: number;
}

interface Searched {
  /** Texts in their form in the document. */
  readonly found: Iterable<string>;
  readonly ignoresCase: boolean;
}

export class ByteSearch {
  /**
   * For the fourth and fifth of the bytes at a place, how far ahead a text may begin at the earliest; 0: at the place itself. Of each text,
   * the first five bytes count (S. Wu and U. Manber, "A fast algorithm for multi-pattern searching", 1994).
   */
  readonly #skips = new Uint8Array(65_536).fill(FARTHEST);
  /** By their first four bytes. */
  readonly #texts = new Map<number, Uint8Array[]>();
  readonly #work: Work;

  readonly #byte: Uint8Array;

  constructor({ found, ignoresCase }: Searched, work: Work) {
    this.#work = work;
    this.#byte = ignoresCase ? LOWER : SAME;
    let count = 0;
    for (const text of found) {
      if (++count > MOST_TEXTS) break;
      const cases = ignoresCase ? [text.toLowerCase(), text.toUpperCase()] : [];
      const forms = new Set([text, text.normalize("NFC"), fold(text), ...cases]);
      for (const form of forms)
        for (const bytes of encodings(form)) this.#add(bytes.map((byte) => this.#byte[byte] ?? 0));
    }
  }

  #add(bytes: Uint8Array): void {
    const [a = 0, b = 0, c = 0, d = 0] = bytes;
    if (bytes.length < LEAST) return;
    const key = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
    const known = this.#texts.get(key) ?? [];
    if (known.some((other) => other.length === bytes.length && other.every((byte, at) => byte === bytes[at]))) return;
    for (let at = 0; at + 1 < LEAST; at++) {
      const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      this.#skips[pair] = Math.min(this.#skips[pair] ?? 0, LEAST - 2 - at);
    }
    this.#texts.set(key, [...known, bytes]);
  }

  /** Where texts are found, in order. The bytes must stay where they are. */
  async find(bytes: Uint8Array): Promise<FoundBytes[]> {
    const found: FoundBytes[] = [];
    if (this.#texts.size === 0) return found;
    const lower = (at: number): number => this.#byte[bytes[at] ?? 0] ?? 0;
    for (let at = 0, next = 0; at + LEAST <= bytes.length;) {
      if (at >= next) {
        this.#work.spend(Math.min(STRETCH, bytes.length - at) * WORK);
        await this.#work.pause();
        next = at + STRETCH;
      }
      const skip = this.#skips[(lower(at + LEAST - 2) << 8) | lower(at + LEAST - 1)] ?? 0;
      if (skip > 0) {
        at += skip;
        continue;
      }
      const key = ((lower(at) << 24) | (lower(at + 1) << 16) | (lower(at + 2) << 8) | lower(at + 3)) >>> 0;
      for (const text of this.#texts.get(key) ?? []) {
        let length = 4;
        while (length < text.length && lower(at + length) === text[length]) length++;
        if (length === text.length && at + length <= bytes.length) found.push({ start: at, end: at + length });
      }
      at++;
    }
    return found;
  }
}
