/** The bytes that a signature covers (ISO 32000-2, 12.8.1): all of a revision but the signature itself. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { find } from "../../../bytes/find.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import {
  byteRangeLeavesMoreOut,
  byteRangeLeavesOtherOut,
  byteRangeOfOtherFile,
  byteRangeTwice,
  larger,
} from "../../cms/problems.ts";
import { items } from "../objects/objects.ts";
import { GREATER, isDigit, isBlank, isHexadecimal, isLetter, LESS } from "../syntax/characters.ts";
import { possibleNames } from "../syntax/names.ts";
import { readHexadecimal } from "../syntax/strings.ts";

/** Bytes of a signature dictionary besides its `Contents`. */
const DICTIONARY = 64 * 1024;
const KEY = "/Contents";

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

/** The end of the revision that a signature covers, from its byte range. Undefined if the byte range is invalid. */
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
  if (end === undefined) throw byteRangeOfOtherFile();
  if (gapEnd - gapStart > 2 * limits.certificates.signedDataBytes) throw larger(limits.certificates.signedDataBytes);
  const gap = file.view(gapStart, gapEnd);
  const digits = gap.subarray(1, -1);
  const isDigits = digits.length > 0 && digits.length % 2 === 0 && digits.every(isHexadecimal);
  const isString = isDigits && gap[0] === LESS && gap.at(-1) === GREATER;
  if (!isString) throw byteRangeLeavesMoreOut();
  // The string must be that of this dictionary, and the only one.
  const before =
    position === undefined || position >= gapStart
      ? new Uint8Array()
      : file.view(Math.max(position, gapStart - DICTIONARY), gapStart);
  const rest = file.view(gapEnd, Math.min(gapEnd + DICTIONARY, end));
  const close = find(rest, "endobj", 0);
  const around = [before, rest.subarray(0, Math.max(0, close))];
  // There may be only one, which is counted below.
  const key = find(before, KEY, 0);
  const isNext = key >= 0 && isBlank(before, key + KEY.length, before.length);
  const isOwn = isNext && find(before, "endobj", 0) < 0 && close >= 0;
  const { value: contents } = readHexadecimal(gap, 0);
  if (!isOwn || occurrences(around, "Contents") !== 1) throw byteRangeLeavesOtherOut();
  if (occurrences(around, "ByteRange") !== 1) throw byteRangeTwice();
  return { gapStart, gapEnd, end, contents };
}

/**
 * Number of times that a reader may see a name, including in strings and at the start of a longer name that continues with anything but a letter or a
 * digit.
 */
function occurrences(parts: readonly Uint8Array[], name: string): number {
  const goesOn = (next: number): boolean => isDigit(next) || isLetter(next);
  const names = parts.flatMap((part) => Array.from(possibleNames(part)));
  return names.filter((one) => one.startsWith(name) && !goesOn(one.charCodeAt(name.length))).length;
}
