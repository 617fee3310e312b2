/** Content stream operators that show lines of text (ISO 32000-2, 9.4). */
import type { PDFObject } from "mupdf";
import { type StampFonts, utf16 } from "./embedded-fonts.ts";
import { EM, type Line } from "./typesetter.ts";

/** Two numbers that map x, two that map y, and a shift (8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number];

/** Red, green and blue, 0 to 1. */
export type Colour = readonly [number, number, number];

/** Gives the name that a resource has where the operators will stand. */
export type NameResource = (category: "Font" | "XObject" | "ExtGState", object: PDFObject) => string;

/** A number as short as the eye allows. */
const number = (value: number): string => String(Math.round(value * 1e4) / 1e4 || 0);

export const numbers = (...values: readonly number[]): string => values.map(number).join(" ");

/** Does `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [g, h, i, j, k, l] = second;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}

export const fill = (colour: Colour): string => `${numbers(...colour)} rg`;

/**
 * A text object with a line from the origin of `matrix` on, whose unit is the point. The line stands in it as it was given,
 * too: where scripts join and reorder glyphs, those do not tell it (14.9.4).
 */
export function showLine(line: Line, size: number, matrix: Matrix, fonts: StampFonts, name: NameResource): string {
  const shows: string[] = [];
  let [font, y, x] = ["", 0, 0];
  let row = "";
  const end = (): void => {
    if (row !== "") shows.push(`[${row}] TJ`);
    row = "";
  };
  for (const glyph of line.glyphs) {
    const used = fonts.use(glyph);
    const fontName = name("Font", used.font);
    if (fontName !== font) {
      end();
      font = fontName;
      shows.push(`/${font} ${number(size)} Tf`);
    }
    if (Math.abs(glyph.y - y) > 0.5) {
      end();
      y = glyph.y;
      shows.push(`${number((y * size) / EM)} Ts`);
    }
    const gap = Math.round(x - glyph.x);
    const code = `<${used.code.toString(16).padStart(4, "0")}>`;
    if (gap !== 0) row += `${gap}${code}`;
    else row = row.endsWith(">") ? row.slice(0, -1) + code.slice(1) : code;
    x = x - gap + Math.round(glyph.advance);
  }
  end();
  if (y !== 0) shows.push("0 Ts");
  const text = `BT ${numbers(...matrix)} Tm ${shows.join(" ")} ET`;
  // Readers turn an ActualText round like glyphs that are read from right to left; these tell their text themselves.
  if (line.glyphs.some(({ rightToLeft }) => rightToLeft)) return text;
  return `/Span <</ActualText ${textString(line.text)}>> BDC ${text} EMC`;
}

/** A text string that is ASCII in a stream (7.9.2.2). */
function textString(text: string): string {
  if (/^[ -~]*$/.test(text)) return `(${text.replace(/[\\()]/g, "\\$&")})`;
  return `<FEFF${utf16(text)}>`;
}
