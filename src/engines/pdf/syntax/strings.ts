/** Strings as they are written in files and content streams (ISO 32000-2, 7.3.4). */

/** A string that was read. */
export interface ReadString {
  readonly value: Uint8Array<ArrayBuffer>;
  /** Offset after the closing delimiter; undefined if there is none. */
  readonly end: number | undefined;
}

const [BACKSLASH, OPEN, CLOSE, GREATER] = [0x5c, 0x28, 0x29, 0x3e];
const [LF, CR, ZERO, SEVEN] = [0x0a, 0x0d, 0x30, 0x37];
const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

const NO_DIGIT = 16;

/** The value of each byte as a hexadecimal digit. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase());
  return digit < 0 ? NO_DIGIT : digit;
});

/** Reads the literal string (7.3.4.2) whose opening parenthesis is at `start`. */
export function readLiteral(bytes: Uint8Array, start: number): ReadString {
  const value: number[] = [];
  let depth = 1;
  for (let at = start + 1; at < bytes.length; at++) {
    let byte = bytes[at] ?? 0;
    if (byte === BACKSLASH) {
      const next = bytes[++at] ?? 0;
      if (next >= ZERO && next <= SEVEN) {
        const digits = octalDigits(bytes, at);
        value.push(Number.parseInt(digits, 8) & 0xff);
        at += digits.length - 1;
      } else if (next === CR) at += bytes[at + 1] === LF ? 1 : 0;
      else if (next !== LF) value.push(ESCAPES[String.fromCharCode(next)] ?? next);
      continue;
    }
    if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return { value: Uint8Array.from(value), end: at + 1 };
    else if (byte === CR) {
      // A line end of any form is one byte.
      if (bytes[at + 1] === LF) at++;
      byte = LF;
    }
    value.push(byte);
  }
  return { value: Uint8Array.from(value), end: undefined };
}

/** One to three octal digits. */
function octalDigits(bytes: Uint8Array, at: number): string {
  return /^[0-7]+/.exec(String.fromCharCode(...bytes.subarray(at, at + 3)))?.[0] ?? "";
}

/** Reads the hexadecimal string (7.3.4.3) whose opening `<` is at `start`. Skips everything but digits; a missing last digit is 0. */
export function readHexadecimal(bytes: Uint8Array, start: number): ReadString {
  const value: number[] = [];
  let high: number | undefined;
  let at = start + 1;
  for (; at < bytes.length && bytes[at] !== GREATER; at++) {
    const digit = DIGITS[bytes[at] ?? 0] ?? NO_DIGIT;
    if (digit === NO_DIGIT) continue;
    if (high === undefined) high = digit;
    else {
      value.push(high * 16 + digit);
      high = undefined;
    }
  }
  if (high !== undefined) value.push(high * 16);
  return { value: Uint8Array.from(value), end: at < bytes.length ? at + 1 : undefined };
}
