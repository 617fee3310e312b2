/** Numbers of lists in the formats that documents name (ECMA-376, part 1, 17.18.59). */
const ROMAN: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

function roman(value: number): string {
  let left = Math.min(value, 4_999);
  let text = "";
  for (const [size, sign] of ROMAN) for (; left >= size; left -= size) text += sign;
  return text;
}

const letter = (value: number): string =>
  String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.min(Math.floor((value - 1) / 26) + 1, 20));

/** `format` as DOCX names it; those that are not known are decimal. */
export function numbered(value: number, format: string): string {
  if (value < 1) return String(value);
  if (format === "lowerLetter") return letter(value);
  if (format === "upperLetter") return letter(value).toUpperCase();
  if (format === "lowerRoman") return roman(value);
  if (format === "upperRoman") return roman(value).toUpperCase();
  if (format === "decimalZero") return String(value).padStart(2, "0");
  return format === "none" ? "" : String(value);
}
