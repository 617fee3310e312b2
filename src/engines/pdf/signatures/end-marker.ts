/** The end of a revision (ISO 32000-2, 7.5.5): `startxref`, the offset of its cross-references, and `%%EOF`. */
import type { EngineBytes } from "../../memory/heap.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { CR, isDigit, LF, skipWhite } from "../syntax/characters.ts";

const ZERO = 48;
const START = bytesOf("startxref");
const END = bytesOf("%%EOF");
/** How far from the end of a revision its marker may begin: spaces may be in it. */
const LONGEST = 64;
/** Digits of an offset. */
const MOST_DIGITS = 10;

export interface EndMarker {
  /** In bytes from the header. */
  readonly startXref: number;
  /** Where the revision ends, in bytes from the start of the file: after the line end that follows. */
  readonly end: number;
}

const isAt = (bytes: Uint8Array, at: number, word: Uint8Array): boolean =>
  word.every((byte, index) => bytes[at + index] === byte);

/** The marker that begins at an offset; undefined if there is none. */
export function endMarkerAt(bytes: Uint8Array, from: number): EndMarker | undefined {
  if (!isAt(bytes, from, START)) return undefined;
  let at = skipWhite(bytes, from + START.length);
  if (at === from + START.length) return undefined;
  const digits = at;
  let startXref = 0;
  for (; isDigit(bytes[at]); at++) startXref = startXref * 10 + (bytes[at] ?? 0) - ZERO;
  if (at === digits || at - digits > MOST_DIGITS) return undefined;
  const marker = skipWhite(bytes, at);
  if (marker === at || marker - from > LONGEST || !isAt(bytes, marker, END)) return undefined;
  const end = marker + END.length;
  if (bytes[end] === CR && bytes[end + 1] === LF) return { startXref, end: end + 2 };
  return { startXref, end: bytes[end] === CR || bytes[end] === LF ? end + 1 : end };
}

/** The offset of the newest cross-references of a file that ends here; undefined if it does not end as a revision does. */
export function startXrefAt(file: EngineBytes, end: number): number | undefined {
  const from = Math.max(0, end - LONGEST - END.length);
  const bytes = file.view(from, end);
  for (let at = bytes.length - START.length; at >= 0; at--) {
    if (!isAt(bytes, at, START)) continue;
    const marker = endMarkerAt(bytes, at);
    const rest = marker && bytes.subarray(marker.end);
    return marker && rest?.every((byte) => byte === CR || byte === LF) && rest.length < 2
      ? marker.startXref
      : undefined;
  }
  return undefined;
}
