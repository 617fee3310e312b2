/** Content stream operators that show lines of text (ISO 32000-2, 9.4). */
import type { Matrix } from "../../geometry.ts";
import { type NameResource, numbers } from "../content/operands.ts";
import { hexCode, utf16 } from "../fonts/to-unicode.ts";
import type { StampFonts } from "./embedded-fonts.ts";
import { EM, type TypesetLine } from "./line.ts";

/**
 * A text object that shows a line from the origin of `matrix`, in points. Includes its original text as ActualText, because
 * glyphs do not determine it in scripts that join and reorder them (14.9.4).
 */
export function showLine(
  line: TypesetLine,
  size: number,
  matrix: Matrix,
  fonts: StampFonts,
  name: NameResource,
): string {
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
      shows.push(`/${font} ${numbers(size)} Tf`);
    }
    if (Math.abs(glyph.y - y) > 0.5) {
      end();
      y = glyph.y;
      shows.push(`${numbers((y * size) / EM)} Ts`);
    }
    const gap = Math.round(x - glyph.x);
    const code = `<${hexCode(used.code)}>`;
    if (gap !== 0) row += `${gap}${code}`;
    else row = row.endsWith(">") ? row.slice(0, -1) + code.slice(1) : code;
    x = x - gap + Math.round(glyph.advance);
  }
  end();
  if (y !== 0) shows.push("0 Ts");
  const text = `BT ${numbers(...matrix)} Tm ${shows.join(" ")} ET`;
  // Readers reverse an ActualText like right-to-left glyphs, but these carry their own text.
  if (line.glyphs.some(({ rightToLeft }) => rightToLeft)) return text;
  return `/Span <</ActualText ${textString(line.text)}>> BDC ${text} EMC`;
}

/** A text string in ASCII syntax (7.9.2.2). */
function textString(text: string): string {
  if (/^[ -~]*$/.test(text)) return `(${text.replace(/[\\()]/g, "\\$&")})`;
  return `<FEFF${utf16(text)}>`;
}
