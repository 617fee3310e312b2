/** Content that is drawn over a page after it was signed: the boxes of fields, and whether text or an image is below them. */
import type { PDFObject, PDFPage } from "mupdf";
import { limits } from "../../../limits.ts";
import { inTurns } from "../../steps.ts";
import { boxAround, hundredths, type Matrix, type PageBox, type VisibleBox } from "../../geometry.ts";
import { checkContents } from "../content/size.ts";
import type { OpenPdf } from "../document/document.ts";
import { boxOf } from "../document/page-facts.ts";
import { BLOCKS } from "../mupdf/abi.ts";
import { blocksIn, blockBoxOf } from "../mupdf/structured-text.ts";
import { readSegments } from "../text/glyphs.ts";
import { wordsOf } from "../text/lines.ts";

/** In points, from the top left of the visible page. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Coverage {
  readonly box: Box;
  /** Whether text or images of the page, in its content, are in the box. */
  readonly coversContent: boolean;
}

/** `F` of an annotation that is not shown (table 167). */
const HIDDEN = 2;

/** Where a field is seen, in units of its page; undefined if it is not. */
export function shownBox(widget: PDFObject): PageBox | undefined {
  const flags = widget.get("F");
  return flags.isNumber() && (flags.asNumber() & HIDDEN) !== 0 ? undefined : boxOf(widget.get("Rect"));
}

/**
 * Compares boxes on a page (0-based) with the page's content. Annotations do not count: a field may be in the place of its old appearance.
 * @throws Refusal `limit_exceeded` (contents, characters)
 */
export async function coverageOf(open: OpenPdf, index: number, boxes: readonly PageBox[]): Promise<Coverage[]> {
  const { engine, document } = open;
  await checkContents(open, [index]);
  engine.work.stage("readText");
  using stack = new DisposableStack();
  const page = stack.adopt(await engine.long.loadPage(document, index), (loaded) => loaded.destroy());
  const shown = boxes.map((box) => boxAround(box, page.getTransform() as unknown as Matrix));
  const seen = await shownIn(open, page, stack);
  const coverages: Coverage[] = [];
  for (const box of shown) {
    engine.work.spend(seen?.length ?? 0);
    await engine.work.pause();
    const [x0, y0, x1, y1] = box.map(hundredths) as VisibleBox;
    const sides = { x: x0, y: y0, width: hundredths(x1 - x0), height: hundredths(y1 - y0) };
    coverages.push({ box: sides, coversContent: seen?.some((one) => isTouched(one, box)) ?? true });
  }
  return coverages;
}

/** The boxes of words and images; undefined if the page cannot be drawn, so that another reader may show anything. */
async function shownIn(
  { engine }: OpenPdf,
  page: PDFPage,
  stack: DisposableStack,
): Promise<readonly VisibleBox[] | undefined> {
  try {
    const options = "clip=no,inhibit-spaces,preserve-images";
    const text = stack.adopt(await engine.long.textOfPage(page, options), (made) => made.destroy());
    const bounds = page.getBounds() as VisibleBox;
    const reading = { bounds, budget: limits.text.characters, boxes: true };
    const segments = await inTurns(engine.work, readSegments(engine, text, reading));
    const images = blocksIn(engine, text).filter(({ type }) => type === BLOCKS.image);
    return [
      ...segments.flatMap(wordsOf).map(({ bbox }) => bbox),
      ...images.map(({ block }) => blockBoxOf(engine, block)),
    ];
  } catch (error) {
    if (!engine.isFailure(error)) throw error;
    return undefined;
  }
}

const isTouched = (a: VisibleBox, b: VisibleBox): boolean =>
  Math.min(a[2], b[2]) > Math.max(a[0], b[0]) && Math.min(a[3], b[3]) > Math.max(a[1], b[1]);
