/** Measures where the ink of text is. */
import type { PageBox } from "../../geometry.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { EM, type ShapedGlyph, type TypesetLine, type StampFont } from "../typesetting/line.ts";

/** The font size in text forms, and the width of image forms. */
export const MARK_SIZE = 100;

/** Pixels per em used to find ink, and the most pixels in a row or column. */
const LOOK_RESOLUTION = 40;
const MOST_PIXELS = 2000;

/** A line with its origin at a position, in units in which the font size is `MARK_SIZE`. */
export interface PlacedLine {
  readonly line: TypesetLine;
  readonly x: number;
  readonly y: number;
}

/** The bounding box of the ink, found by drawing it: the boxes in fonts are those of their largest glyphs. */
export function inkOf(engine: PdfEngine, placed: readonly PlacedLine[]): PageBox {
  const { Text, Pixmap, ColorSpace, DrawDevice } = engine.mupdf;
  const factor = MARK_SIZE / EM;
  const right = Math.max(...placed.map(({ line, x }) => x + line.width * factor)) + MARK_SIZE;
  const lowest = Math.min(...placed.map(({ y }) => y)) - MARK_SIZE;
  const whole: PageBox = [-MARK_SIZE, lowest, right, 2 * MARK_SIZE];
  const [width, height] = [whole[2] - whole[0], whole[3] - whole[1]];
  const scale = Math.min(LOOK_RESOLUTION / MARK_SIZE, MOST_PIXELS / width, MOST_PIXELS / height);
  return engine.scope(() => {
    const text = new Text();
    for (const { line, x, y } of placed) {
      for (const { font, id, ...glyph } of line.glyphs) {
        if (id < 0) continue;
        const matrix = [MARK_SIZE, 0, 0, MARK_SIZE, x + glyph.x * factor, y + glyph.y * factor] as const;
        text.showGlyph(font.font, [...matrix], id, 0);
      }
    }
    const [columns, rows] = [Math.ceil(width * scale), Math.ceil(height * scale)];
    const pixmap = new Pixmap(ColorSpace.DeviceGray, [0, 0, columns, rows], false);
    pixmap.clear(255);
    const device = new DrawDevice([1, 0, 0, 1, 0, 0], pixmap);
    device.fillText(text, [scale, 0, 0, -scale, -whole[0] * scale, whole[3] * scale], ColorSpace.DeviceGray, [0], 1);
    device.close();
    const [pixels, stride] = [pixmap.getPixels(), pixmap.getStride()];
    let [x0, y0, x1, y1] = [columns, rows, -1, -1];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        if ((pixels[row * stride + column] ?? 255) > 200) continue;
        [x0, y0, x1, y1] = [Math.min(x0, column), Math.min(y0, row), Math.max(x1, column), Math.max(y1, row)];
      }
    }
    // Whitespace alone has no ink, but still needs a box.
    if (x1 < 0) return [0, 0, MARK_SIZE, MARK_SIZE];
    const [left, top] = [whole[0], whole[3]];
    return [left + x0 / scale, top - (y1 + 1) / scale, left + (x1 + 1) / scale, top - y0 / scale];
  });
}

/** How far the ink of lines extends above and below their baselines, as a fraction of the font size. At least 0. */
export function extentOf(
  engine: PdfEngine,
  lines: readonly TypesetLine[],
): { readonly above: number; readonly below: number } {
  const seen = new Map<StampFont, Set<string>>();
  const glyphs: ShapedGlyph[] = [];
  for (const glyph of lines.flatMap((line) => line.glyphs)) {
    const known = seen.get(glyph.font) ?? new Set();
    seen.set(glyph.font, known);
    const key = `${glyph.id} ${glyph.y}`;
    if (known.has(key)) continue;
    known.add(key);
    // Overlaid, since only their height matters.
    glyphs.push({ ...glyph, x: 0 });
  }
  const width = glyphs.reduce((most, { advance }) => Math.max(most, advance), 0);
  const [, lowest, , highest] = inkOf(engine, [{ line: { text: "", glyphs, width }, x: 0, y: 0 }]);
  return { above: Math.max(0, highest / MARK_SIZE), below: Math.max(0, -lowest / MARK_SIZE) };
}
