/** The drawn contents of a page, from MuPDF's structured text. */
import type { VisibleBox } from "../../geometry.ts";
import type { StructuredText } from "mupdf";
import type { PageContent } from "../layout/page.ts";
import type { Area } from "../layout/words.ts";
import { inTurns } from "../../steps.ts";
import { BLOCKS, CHAR_FLAG } from "../mupdf/abi.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import {
  blocksIn,
  blockBoxOf,
  fontFacts,
  RECTANGLE,
  STROKED,
  vectorColor,
  vectorFlags,
} from "../mupdf/structured-text.ts";
import { BOLD, ITALIC, MONOSPACED, readSegments } from "../text/glyphs.ts";
import { isImageBox, type VisitedPage } from "../text/text.ts";

/** Filled and stroked. */
const THICKENED = CHAR_FLAG.filled | CHAR_FLAG.stroked;
/** Vectors that are looked at. More are a drawing. */
const MOST_VECTORS = 20_000;

/** The marked content that something belongs to, if that was requested. */
interface Marked {
  readonly slot: number | undefined;
}

export interface DrawnContent extends Omit<PageContent, "links"> {
  readonly drawn: readonly (PageContent["drawn"][number] & Marked)[];
  readonly images: readonly (Area & Marked)[];
}

/** @throws Refusal `limit_exceeded` if there are more glyphs than `budget` */
export async function readPageContent(
  engine: PdfEngine,
  text: StructuredText,
  { bounds, budget, boxes }: Pick<VisitedPage, "bounds" | "budget" | "boxes">,
): Promise<DrawnContent> {
  const styles = new Map<number, number>();
  const styleOf = (font: number, flags: number): number => {
    let style = styles.get(font);
    if (style === undefined) styles.set(font, (style = fontStyle(engine, font)));
    const isBold = (flags & CHAR_FLAG.fakeBold) !== 0 || (flags & THICKENED) === THICKENED;
    return isBold ? style | BOLD : style;
  };
  const segments = await inTurns(engine.work, readSegments(engine, text, { bounds, budget, boxes, styleOf }));
  const drawn: DrawnContent["drawn"][number][] = [];
  const images: DrawnContent["images"][number][] = [];
  for (const { block, type, slot } of blocksIn(engine, text)) {
    if (type !== BLOCKS.vector && type !== BLOCKS.image) continue;
    const area = clipped(blockBoxOf(engine, block), bounds);
    if (area === undefined) continue;
    const color = type === BLOCKS.vector ? vectorColor(engine, block) : 0;
    if (type === BLOCKS.image || isImageBox(color)) images.push({ ...area, slot });
    else if (drawn.length < MOST_VECTORS) {
      const flags = vectorFlags(engine, block);
      drawn.push({ ...area, slot, stroked: (flags & STROKED) !== 0, rectangle: (flags & RECTANGLE) !== 0, color });
    }
  }
  return { bounds, segments, drawn, images };
}

function clipped([x0, y0, x1, y1]: VisibleBox, [left, top, right, bottom]: VisibleBox): Area | undefined {
  const area = { x0: Math.max(x0, left), y0: Math.max(y0, top), x1: Math.min(x1, right), y1: Math.min(y1, bottom) };
  return area.x1 >= area.x0 && area.y1 >= area.y0 ? area : undefined;
}

const BOLD_NAME = /bold|black|heavy|semibold|demi(?!r)|CMBX|SFBX|-(?:bd|b)$/i;
const ITALIC_NAME = /italic|oblique|CMTI|SFTI|CMSL|-it$/i;
const MONO_NAME = /mono|courier|consol|typewriter|CMTT|SFTT|LMTT|menlo|fixed|code/i;

function fontStyle(engine: PdfEngine, font: number): number {
  if (font === 0) return 0;
  const { name, bold, italic, monospaced } = fontFacts(engine, font);
  const isMono = MONO_NAME.test(name) || (monospaced && !/gothic|mincho|song|ming|hei/i.test(name));
  return (
    (bold || BOLD_NAME.test(name) ? BOLD : 0) |
    (italic || ITALIC_NAME.test(name) ? ITALIC : 0) |
    (isMono ? MONOSPACED : 0)
  );
}
