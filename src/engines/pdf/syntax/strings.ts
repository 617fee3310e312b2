/** Strings in their written form in files and content streams (ISO 32000-2, 7.3.4). */
import { hex } from "../../../bytes/hex.ts";
import { BACKSLASH, CLOSE, CR, GREATER, hexadecimalOf, isOctal, LF, OPEN } from "./characters.ts";

/** A string that was read. */
export interface ReadString {
  readonly value: Uint8Array<ArrayBuffer>;
  /** Offset after the closing delimiter; undefined if there is none. */
  readonly end: number | undefined;
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

/** The string with a value: in ASCII where that is all it has. */
export function writtenString(value: Uint8Array): string {
  if (!value.every((byte) => byte >= 0x20 && byte < 0x7f)) return `<${hex(value)}>`;
  let text = "";
  for (const byte of value)
    text += `${byte === OPEN || byte === CLOSE || byte === BACKSLASH ? "\\" : ""}${String.fromCharCode(byte)}`;
  return `(${text})`;
}

/** Reads the string whose opening delimiter is at `start`. */
export const readString = (bytes: Uint8Array, start: number): ReadString =>
  (bytes[start] === OPEN ? readLiteral : readHexadecimal)(bytes, start);

/** Reads the literal string (7.3.4.2) whose opening parenthesis is at `start`. */
function readLiteral(bytes: Uint8Array, start: number): ReadString {
  const value: number[] = [];
  let depth = 1;
  for (let at = start + 1; at < bytes.length; at++) {
    let byte = bytes[at] ?? 0;
    if (byte === BACKSLASH) {
      const next = bytes[++at] ?? 0;
      if (isOctal(next)) {
        let digits = next & 7;
        for (let more = 0; more < 2 && isOctal(bytes[at + 1]); more++) digits = digits * 8 + ((bytes[++at] ?? 0) & 7);
        value.push(digits & 0xff);
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

/** Reads the hexadecimal string (7.3.4.3) whose opening `<` is at `start`. Skips everything but digits; a missing last digit is 0. */
export function readHexadecimal(bytes: Uint8Array, start: number): ReadString {
  const value: number[] = [];
  let high: number | undefined;
  let at = start + 1;
  for (; at < bytes.length && bytes[at] !== GREATER; at++) {
    const digit = hexadecimalOf(bytes[at]);
    if (digit === undefined) continue;
    if (high === undefined) high = digit;
    else {
      value.push(high * 16 + digit);
      high = undefined;
    }
  }
  if (high !== undefined) value.push(high * 16);
  return { value: Uint8Array.from(value), end: at < bytes.length ? at + 1 : undefined };
}
