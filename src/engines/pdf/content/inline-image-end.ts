/** Where the data of an inline image ends: nothing but `EI` says so, and that can stand in the data, too (ISO 32000-2, 8.9.7). */

/** Bytes behind an `EI` that must look like content for it to be the end. */
const LOOK_AHEAD = 24;

const isSpace = (byte: number | undefined): boolean =>
  byte === 0 || byte === 9 || byte === 10 || byte === 12 || byte === 13 || byte === 32;

/**
 * Where the data and where its `EI` end; undefined where there is none. White space belongs before the `EI`; some writers put
 * none there.
 */
export function inlineImageEnd(bytes: Uint8Array, start: number): { data: number; operator: number } | undefined {
  return endAfter(bytes, start, isSpace) ?? endAfter(bytes, start, () => true);
}

function endAfter(
  bytes: Uint8Array,
  start: number,
  mayPrecede: (byte: number | undefined) => boolean,
): { data: number; operator: number } | undefined {
  for (let at = bytes.indexOf(0x45, start); at >= 0; at = bytes.indexOf(0x45, at + 1)) {
    if (bytes[at + 1] !== 0x49) continue;
    const after = bytes[at + 2];
    if (after !== undefined && !isSpace(after)) continue;
    if (at > start && !mayPrecede(bytes[at - 1])) continue;
    if (!looksLikeContent(bytes, at + 2)) continue;
    return { data: at > start && isSpace(bytes[at - 1]) ? at - 1 : at, operator: at + 2 };
  }
  return undefined;
}

/** Content is text: a byte that is none of it, so soon, is image data. */
function looksLikeContent(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < Math.min(bytes.length, from + LOOK_AHEAD); at++) {
    const byte = bytes[at] ?? 0;
    // Strings may hold anything.
    if (byte === 0x28 || byte === 0x3c) return true;
    if (byte > 0x7e || (byte < 0x20 && !isSpace(byte)) || byte === 0) return false;
  }
  return true;
}
