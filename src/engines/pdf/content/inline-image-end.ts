/** Finds the end of inline image data. Only `EI` marks it, and that can occur in the data as well (ISO 32000-2, 8.9.7). */
import { isWhite, LESS, OPEN } from "../syntax/characters.ts";

/** Bytes after an `EI` that must look like content for it to be the end. */
const LOOK_AHEAD = 24;

/**
 * The end of the data and of its `EI`, or undefined if there is none. The standard requires whitespace before `EI`; some
 * writers omit it.
 */
export function inlineImageEnd(bytes: Uint8Array, start: number): { data: number; operator: number } | undefined {
  return endAfter(bytes, start, isWhite) ?? endAfter(bytes, start, () => true);
}

function endAfter(
  bytes: Uint8Array,
  start: number,
  mayPrecede: (byte: number | undefined) => boolean,
): { data: number; operator: number } | undefined {
  for (let at = bytes.indexOf(0x45, start); at >= 0; at = bytes.indexOf(0x45, at + 1)) {
    if (bytes[at + 1] !== 0x49) continue;
    const after = bytes[at + 2];
    if (after !== undefined && !isWhite(after)) continue;
    if (at > start && !mayPrecede(bytes[at - 1])) continue;
    if (!looksLikeContent(bytes, at + 2)) continue;
    return { data: at > start && isWhite(bytes[at - 1]) ? at - 1 : at, operator: at + 2 };
  }
  return undefined;
}

/** Content is text: any other byte this early means image data. */
function looksLikeContent(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < Math.min(bytes.length, from + LOOK_AHEAD); at++) {
    const byte = bytes[at] ?? 0;
    // Strings may contain any bytes.
    if (byte === OPEN || byte === LESS) return true;
    if (byte > 0x7e || (byte < 0x20 && !isWhite(byte)) || byte === 0) return false;
  }
  return true;
}
