/** Reads what is on a page from the structured text that MuPDF makes of it. */
import type { PDFPage, StructuredText } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { BOLD, type Box, ITALIC, MONOSPACED, readSegments } from "../text/glyphs.ts";
import type { PageContent } from "./page.ts";
import { BLOCKS, isImageBox, type PageVisitor, RECTANGLE, type VisitedPage } from "../text/text.ts";
import { blocksOf } from "./blocks.ts";
import type { RawPage } from "./document.ts";
import { type OutlineLevels, withOutlineLevel } from "./outline-levels.ts";
import { layoutOf } from "./page.ts";
import type { LinkArea } from "./spans.ts";
import type { Area } from "./words.ts";

/** The bit of a vector's flags that tells lines from filled shapes. */
const STROKED = 1;
/** Bits of a character's flags: drawn in bold, filled, stroked. */
const [FAKE_BOLD, FILLED, OUTLINED] = [8, 16, 32];
/** Fuel of the layout per glyph. */
const GLYPH_WORK = 200;
/** Vectors that are looked at. More are a drawing. */
const MOST_VECTORS = 20_000;

/** Bytes that the blocks of a page take per character. */
const BLOCK_BYTES = 40;

/** Reads the blocks of pages of a document with these titles in its outline. */
export const layoutReader = (levels: OutlineLevels): PageVisitor<RawPage> => ({
  bytesPerCharacter: BLOCK_BYTES,
  visit({ engine, page, pageNumber, structured, bounds, budget, boxes }) {
    const content = { ...readContent(engine, structured, { bounds, budget, boxes }), links: linksOf(page) };
    engine.work.spend(content.segments.reduce((sum, { length }) => sum + length * GLYPH_WORK, 0));
    const blocks = blocksOf(layoutOf(content), bounds).map((block) => withOutlineLevel(block, levels));
    return { segments: content.segments, value: { pageNumber, blocks } };
  },
  empty: (pageNumber) => ({ pageNumber, blocks: [] }),
});

/** The links to other places than this document. */
function linksOf(page: PDFPage): LinkArea[] {
  return page.getLinks().flatMap((link) => {
    const [uri, [x0, y0, x1, y1]] = [link.getURI(), link.getBounds()];
    return /^(?:https?:\/\/|mailto:)/i.test(uri) ? [{ x0, y0, x1, y1, uri }] : [];
  });
}

/** @throws Refusal `limit_exceeded` if there are more glyphs than `budget` */
function readContent(
  engine: PdfEngine,
  text: StructuredText,
  { bounds, budget, boxes }: Pick<VisitedPage, "bounds" | "budget" | "boxes">,
): Omit<PageContent, "links"> {
  const { lib } = engine;
  const styles = new Map<number, number>();
  const styleOf = (font: number, flags: number): number => {
    let style = styles.get(font);
    if (style === undefined) styles.set(font, (style = fontStyle(engine, font)));
    const isBold = (flags & FAKE_BOLD) !== 0 || (flags & (FILLED | OUTLINED)) === (FILLED | OUTLINED);
    return isBold ? style | BOLD : style;
  };
  const segments = readSegments(engine, text, { bounds, budget, boxes, styleOf });
  const [drawn, images]: [PageContent["drawn"][number][], Area[]] = [[], []];
  let block = lib._wasm_stext_page_get_first_block(text.pointer);
  for (; block !== 0; block = lib._wasm_stext_block_get_next(block)) {
    const type = lib._wasm_stext_block_get_type(block);
    if (type !== BLOCKS.vector && type !== BLOCKS.image) continue;
    const at = lib._wasm_stext_block_get_bbox(block) >> 2;
    const area = clipped(lib.HEAPF32.subarray(at, at + 4), bounds);
    if (area === undefined) continue;
    const color = type === BLOCKS.vector ? lib._wasm_stext_block_get_v_argb(block) >>> 0 : 0;
    if (type === BLOCKS.image || isImageBox(color)) images.push(area);
    else if (drawn.length < MOST_VECTORS) {
      const flags = lib._wasm_stext_block_get_v_flags(block);
      drawn.push({ ...area, stroked: (flags & STROKED) !== 0, rectangle: (flags & RECTANGLE) !== 0, color });
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
