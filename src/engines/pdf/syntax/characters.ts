/** The classes of characters in PDF syntax (ISO 32000-2, 7.2.3). No other file of the engines lists them. */

const code = (character: string): number => character.charCodeAt(0);

/** White space and delimiters end all other tokens. `NUMERIC`: the regular characters that numbers have. */
export const [NUMERIC, WHITE, DELIMITER] = [1, 2, 3] as const;

/** The class of each byte; 0 for other regular characters. */
export const CLASSES = new Uint8Array(256);
for (const character of "\0\t\n\f\r ") CLASSES[code(character)] = WHITE;
for (const character of "()<>[]{}/%") CLASSES[code(character)] = DELIMITER;
for (const character of "0123456789+-.") CLASSES[code(character)] = NUMERIC;

export const [LF, CR, PERCENT, SLASH, BACKSLASH] = [10, 13, code("%"), code("/"), code("\\")] as const;
export const [OPEN, CLOSE, LESS, GREATER] = [code("("), code(")"), code("<"), code(">")] as const;

const [ZERO, SEVEN, NINE] = [code("0"), code("7"), code("9")] as const;

export const isWhite = (byte: number | undefined): boolean => byte !== undefined && CLASSES[byte] === WHITE;
/** Whether a byte continues a name, a number, or a keyword. */
export const isRegular = (byte: number | undefined): boolean => byte !== undefined && (CLASSES[byte] ?? WHITE) < WHITE;
export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;
export const isOctal = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= SEVEN;
export const isLetter = (byte: number): boolean => (byte | 0x20) >= code("a") && (byte | 0x20) <= code("z");

const NO_DIGIT = 16;
const DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase());
  return digit < 0 ? NO_DIGIT : digit;
});

/** The value of a hexadecimal digit; undefined for other bytes. */
export function hexadecimalOf(byte: number | undefined): number | undefined {
  const digit = DIGITS[byte ?? 0] ?? NO_DIGIT;
  return digit === NO_DIGIT ? undefined : digit;
}
export const isHexadecimal = (byte: number | undefined): boolean => hexadecimalOf(byte) !== undefined;

/** Offset of the first byte at or after `from` that is not white space. */
export function skipWhite(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isWhite(bytes[at])) at++;
  return at;
}

/** Whether there is nothing but white space between two offsets. */
export function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isWhite(bytes[at])) return false;
  return true;
}

/** Whether there is a delimiter between two offsets. */
export function hasDelimiter(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (CLASSES[bytes[at] ?? 0] === DELIMITER) return true;
  return false;
}
