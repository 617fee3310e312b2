/** The bytes that a signature covers (ISO 32000-2, 12.8.1): all of a revision but the signature itself. */
import type { PDFObject } from "mupdf";
import { find } from "../../bytes/find.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { unhex } from "../../bytes/hex.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { Unusable } from "../../cms/refusal.ts";
import { items } from "../objects/objects.ts";

/** The largest `Contents` in hexadecimal digits: 1 MiB. */
const MOST_DIGITS = 2 * 1024 * 1024;
/** Bytes of a signature dictionary besides its `Contents`. */
const DICTIONARY = 64 * 1024;

export interface Covered {
  /** The signed bytes are [0, gapStart) and [gapEnd, end). */
  readonly gapStart: number;
  readonly gapEnd: number;
  readonly end: number;
  /** The CMS signature, with the zeros that follow it. */
  readonly contents: Uint8Array<ArrayBuffer>;
}

/** The four numbers of a byte range, undefined if it has others. MuPDF returns numbers as floats, which are too small for offsets. */
function numbersOf(range: PDFObject): readonly [number, number, number, number] | undefined {
  const list = range.isArray() && range.length === 4 ? items(range) : [];
  const texts = list.map((one) => (one.isNumber() ? one.resolve().toString(true, true) : ""));
  if (list.length !== 4 || !texts.every((text) => /^\d{1,15}$/.test(text))) return undefined;
  const [start = 0, length = 0, after = 0, rest = 0] = texts.map(Number);
  return [start, length, after, rest];
}

/**
 * Where the revision ends that a signature covers, as it says; undefined if its byte range makes no sense.
 */
export function endOf(signature: PDFObject, file: EngineBytes): number | undefined {
  const [start, length, after, rest] = numbersOf(signature.get("ByteRange")) ?? [-1, 0, 0, 0];
  const end = after + rest;
  return start === 0 && length > 0 && after > length && end <= file.length ? end : undefined;
}

/**
 * Checks that a signature covers its revision from the first byte to the last, and leaves out nothing but its own `Contents`.
 * @param position of the object that has the signature dictionary, in bytes from the start of the file
 * @throws Unusable
 */
export function coveredBy(signature: PDFObject, file: EngineBytes, position: number | undefined): Covered {
  const end = endOf(signature, file);
  const [, gapStart = 0, gapEnd = 0] = numbersOf(signature.get("ByteRange")) ?? [];
  if (end === undefined) throw new Unusable("has a `ByteRange` that is not one of this file");
  if (gapEnd - gapStart > MOST_DIGITS) throw new Unusable("is larger than 1 MiB");
  const gap = latin1(file.view(gapStart, gapEnd));
  const [, digits] = /^<((?:[0-9A-Fa-f]{2})+)>$/.exec(gap) ?? [];
  if (digits === undefined) throw new Unusable("leaves more than its own value out of its `ByteRange`");
  // The string must be that of this dictionary, and the only one.
  const before =
    position === undefined || position >= gapStart
      ? ""
      : latin1(file.view(Math.max(position, gapStart - DICTIONARY), gapStart));
  const rest = file.view(gapEnd, Math.min(gapEnd + DICTIONARY, end));
  const close = find(rest, "endobj", 0);
  const after = latin1(rest.subarray(0, Math.max(0, close)));
  const isOwn = /\/Contents[\s\0]*$/.test(before) && !before.includes("endobj") && close >= 0;
  const contents = unhex(digits);
  if (!isOwn || occurrences(before + after, /\/Contents(?![A-Za-z0-9])/g) !== 1)
    throw new Unusable("leaves out of its `ByteRange` what is not its own value");
  if (occurrences(before + after, /\/ByteRange(?![A-Za-z0-9])/g) !== 1) throw new Unusable("has its `ByteRange` twice");
  return { gapStart, gapEnd, end, contents };
}

/** How often a name occurs, also written with numbers (ISO 32000-2, 7.3.5): `/Cont#65nts`. */
const occurrences = (text: string, pattern: RegExp): number =>
  text.replace(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).match(pattern)
    ?.length ?? 0;
