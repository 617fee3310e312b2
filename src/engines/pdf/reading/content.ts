/** What is drawn on a page, from the structured text that MuPDF makes of it. */
import type { StructuredText } from "mupdf";
import type { PageContent } from "../layout/page.ts";
import type { Area } from "../layout/words.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { BOLD, type Box, ITALIC, MONOSPACED, readSegments } from "../text/glyphs.ts";
import { BLOCKS, blocksIn, RECTANGLE } from "../text/stext-blocks.ts";
import { isImageBox, type VisitedPage } from "../text/text.ts";

/** The bit of a vector's flags that tells lines from filled shapes. */
const STROKED = 1;
/** Bits of a character's flags: drawn in bold, filled, stroked. */
const [FAKE_BOLD, FILLED, OUTLINED] = [8, 16, 32];
/** Vectors that are looked at. More are a drawing. */
const MOST_VECTORS = 20_000;

/** The marked content that something belongs to, if that was asked for. */
interface Marked {
  readonly slot: number | undefined;
}

export interface DrawnContent extends Omit<PageContent, "links"> {
  readonly drawn: readonly (PageContent["drawn"][number] & Marked)[];
  readonly images: readonly (Area & Marked)[];
}

/** @throws Refusal `limit_exceeded` if there are more glyphs than `budget` */
export function readContent(
  engine: PdfEngine,
  text: StructuredText,
  { bounds, budget, boxes }: Pick<VisitedPage, "bounds" | "budget" | "boxes">,
): DrawnContent {
  const { lib } = engine;
  const styles = new Map<number, number>();
  const styleOf = (font: number, flags: number): number => {
    let style = styles.get(font);
    if (style === undefined) styles.set(font, (style = fontStyle(engine, font)));
    const isBold = (flags & FAKE_BOLD) !== 0 || (flags & (FILLED | OUTLINED)) === (FILLED | OUTLINED);
    return isBold ? style | BOLD : style;
  };
  const segments = readSegments(engine, text, { bounds, budget, boxes, styleOf });
  const drawn: DrawnContent["drawn"][number][] = [];
  const images: DrawnContent["images"][number][] = [];
  for (const { block, type, slot } of blocksIn(engine, text)) {
    if (type !== BLOCKS.vector && type !== BLOCKS.image) continue;
    const at = lib._wasm_stext_block_get_bbox(block) >> 2;
    const area = clipped(lib.HEAPF32.subarray(at, at + 4), bounds);
    if (area === undefined) continue;
    const color = type === BLOCKS.vector ? lib._wasm_stext_block_get_v_argb(block) >>> 0 : 0;
    if (type === BLOCKS.image || isImageBox(color)) images.push({ ...area, slot });
    else if (drawn.length < MOST_VECTORS) {
      const flags = lib._wasm_stext_block_get_v_flags(block);
      drawn.push({ ...area, slot, stroked: (flags & STROKED) !== 0, rectangle: (flags & RECTANGLE) !== 0, color });
    }
  }
  return { bounds, segments, drawn, images };
}

function clipped(box: Float32Array, [left, top, right, bottom]: Box): Area | undefined {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = box;
  const area = { x0: Math.max(x0, left), y0: Math.max(y0, top), x1: Math.min(x1, right), y1: Math.min(y1, bottom) };
  return area.x1 >= area.x0 && area.y1 >= area.y0 ? area : undefined;
}

const BOLD_NAME = /bold|black|heavy|semibold|demi(?!r)|CMBX|SFBX|-(?:bd|b)$/i;
const ITALIC_NAME = /italic|oblique|CMTI|SFTI|CMSL|-it$/i;
const MONO_NAME = /mono|courier|consol|typewriter|CMTT|SFTT|LMTT|menlo|fixed|code/i;

function fontStyle({ lib }: PdfEngine, font: number): number {
  if (font === 0) return 0;
  let name = "";
  const start = lib._wasm_font_get_name(font);
  for (let at = start; lib.HEAPU8[at] !== 0 && at < start + 100; at++) name += String.fromCharCode(lib.HEAPU8[at] ?? 0);
  const bold = lib._wasm_font_is_bold(font) !== 0 || BOLD_NAME.test(name);
  const italic = lib._wasm_font_is_italic(font) !== 0 || ITALIC_NAME.test(name);
  const mono =
    MONO_NAME.test(name) || (lib._wasm_font_is_monospaced(font) !== 0 && !/gothic|mincho|song|ming|hei/i.test(name));
  return (bold ? BOLD : 0) | (italic ? ITALIC : 0) | (mono ? MONOSPACED : 0);
}
