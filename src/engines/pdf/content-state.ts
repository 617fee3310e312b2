/** What a content stream leaves behind when it ends (ISO 32000-2, 7.8.2 and 8.4.2). */

export interface ContentState {
  /** `q` without its `Q`. */
  saved: number;
  /** `BT` without its `ET`. */
  inText: boolean;
  /** `BMC` and `BDC` without their `EMC`. */
  marked: number;
}

/** Bytes of a stream from one place up to another. */
export type Range = readonly [from: number, to: number];

const WHITE = 1;
const DELIMITER = 2;
const KINDS = new Uint8Array(256);
for (const character of "\0\t\n\f\r ") KINDS[character.charCodeAt(0)] = WHITE;
for (const character of "()<>[]{}/%") KINDS[character.charCodeAt(0)] = DELIMITER;

const code = (character: string): number => character.charCodeAt(0);
const [LF, CR, OPEN, CLOSE, ESCAPE] = [10, 13, code("("), code(")"), code("\\")];
const [LESS, GREATER, PERCENT, SLASH] = [code("<"), code(">"), code("%"), code("/")];
const [LEFT, RIGHT] = [code("["), code("]")];
/** Bytes after `EI` that must look like content for the image to end there. */
const LOOKED_AT = 12;

/**
 * Reads a stream from a state on, and changes that to what the stream leaves behind. Gives back what must be blanked before
 * anything can follow the stream: a `Q` with nothing to restore, which readers pass over until a `q` is put before it, and an
 * array, string or image that does not end.
 */
export function readContent(bytes: Uint8Array, state: ContentState): Range[] {
  const blanked: Range[] = [];
  const length = bytes.length;
  let [at, nesting, opened] = [0, 0, 0];
  while (at < length) {
    const byte = bytes[at] ?? 0;
    const kind = KINDS[byte];
    const start = at;
    if (kind === WHITE) {
      at++;
    } else if (byte === PERCENT) {
      while (at < length && bytes[at] !== LF && bytes[at] !== CR) at++;
    } else if (byte === OPEN) {
      at = endOfString(bytes, at);
      if (at > length) blanked.push([start, length]);
    } else if (byte === LESS && bytes[at + 1] !== LESS) {
      const end = bytes.indexOf(GREATER, at);
      if (end < 0) blanked.push([start, length]);
      at = end < 0 ? length : end + 1;
    } else if (byte === LEFT || byte === LESS) {
      if (nesting++ === 0) opened = start;
      at += byte === LESS ? 2 : 1;
    } else if (byte === RIGHT || byte === GREATER) {
      nesting = Math.max(0, nesting - 1);
      at += byte === GREATER && bytes[at + 1] === GREATER ? 2 : 1;
    } else if (kind === DELIMITER) {
      at++;
      if (byte === SLASH) while (at < length && KINDS[bytes[at] ?? 0] === 0) at++;
    } else {
      while (at < length && KINDS[bytes[at] ?? 0] === 0) at++;
      if (at - start > 3) continue;
      const [a, b, c] = [byte, at - start > 1 ? bytes[start + 1] : 0, at - start > 2 ? bytes[start + 2] : 0];
      const word = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
      if (WORDS.has(word)) {
        // Whoever writes an operator has ended the operands.
        nesting = 0;
        if (word === INLINE_IMAGE) {
          at = endOfImage(bytes, at);
          if (at > length) blanked.push([start, length]);
        } else if (!follow(word, state)) blanked.push([start, at]);
      }
    }
  }
  if (nesting > 0) blanked.push([opened, length]);
  return blanked;
}

const word = (text: string): number =>
  [0, 1, 2].reduce((value, place) => (value << 8) | (place < text.length ? text.charCodeAt(place) : 0), 0);
const [SAVE, RESTORE, BEGIN_TEXT, END_TEXT] = [word("q"), word("Q"), word("BT"), word("ET")];
const [MARK, MARK_WITH, END_MARK, INLINE_IMAGE] = [word("BMC"), word("BDC"), word("EMC"), word("ID")];
const WORDS = new Set([SAVE, RESTORE, BEGIN_TEXT, END_TEXT, MARK, MARK_WITH, END_MARK, INLINE_IMAGE]);

/** Whether the operator has an effect. */
function follow(operator: number, state: ContentState): boolean {
  if (operator === SAVE) state.saved++;
  else if (operator === RESTORE) {
    if (state.saved === 0) return false;
    state.saved--;
  } else if (operator === BEGIN_TEXT) state.inText = true;
  else if (operator === END_TEXT) state.inText = false;
  else if (operator === END_MARK) state.marked = Math.max(0, state.marked - 1);
  else state.marked++;
  return true;
}

/** Beyond the bytes where the string does not end. */
function endOfString(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === ESCAPE) at++;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return at + 1;
  }
  return bytes.length + 1;
}

/** The end of an inline image from behind its `ID` on (8.9.7): `EI` between white space, and content behind it. */
function endOfImage(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x45, from); at >= 0; at = bytes.indexOf(0x45, at + 1)) {
    const ends = bytes[at + 1] === 0x49 && KINDS[bytes[at - 1] ?? 0] === WHITE;
    if (!ends || (at + 2 < bytes.length && KINDS[bytes[at + 2] ?? 0] !== WHITE)) continue;
    const after = bytes.subarray(at + 2, at + 2 + LOOKED_AT);
    if (after.every((byte) => KINDS[byte] === WHITE || (byte >= 0x20 && byte < 0x7f))) return at + 2;
  }
  return bytes.length + 1;
}
