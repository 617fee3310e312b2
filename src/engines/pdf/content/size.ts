import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { ContentMeter } from "./meter.ts";
import { idOf } from "./resources.ts";
import type { OpenPdf } from "../document/document.ts";
import { pageAt } from "../document/page-tree.ts";
import { objectNumber } from "../objects/objects.ts";
import { appearanceOf, streamsOf } from "./streams.ts";
import { decodedSize, largestSize } from "../objects/stream-size.ts";

/** Fuel per page, in addition to the cost of its contents. */
const PAGE_WORK = 1_000;
const ANNOTATION_WORK = 100;

/**
 * Refuses pages (0-based) that make an interpreter read more bytes of content than the limit, since MuPDF interprets without one. Everything that a
 * page draws (form XObjects, tiling patterns, soft masks, large glyphs of Type 3 fonts, appearances of annotations) counts each time it is drawn.
 * Pages that draw none of these, and that together cannot reach half of the limit even at maximum compression, are not measured.
 * For a file that is read in ranges this would fetch all pages at once, so only the work budget bounds their content.
 * @throws Refusal `limit_exceeded`
 */
export async function checkContents(open: OpenPdf, pages: readonly number[]): Promise<void> {
  const { engine } = open;
  if (engine.ranges) return;
  const meter = new ContentMeter(open);
  /** Sizes by object number: pages may share a stream, and each page interprets it. */
  const sizes = new Map<number, number>();
  let unread = 0;
  /** The same for the annotations of pages, which may share an array. */
  const annotated = new Map<number, number>();
  for (const index of pages) {
    engine.work.spend(PAGE_WORK);
    await engine.work.pause();
    await engine.scope(() => count(index));
  }

  async function count(index: number): Promise<void> {
    const page = pageAt(open, index);
    if (!page.isDictionary()) return;
    const object = page.getInheritable("Resources");
    const resources = { object, id: idOf(object, `p${index}`) };
    const streams = streamsOf(page);
    if (await meter.isPlain(resources)) for (const stream of streams) await countPlain(stream);
    else await meter.add(streams, resources);
    const annotations = page.get("Annots");
    const number = objectNumber(annotations);
    const size = annotated.get(number) ?? (await sizeOfAppearances(annotations));
    if (number > 0) annotated.set(number, size);
    meter.addBytes(size);
  }

  async function sizeOfAppearances(annotations: PDFObject): Promise<number> {
    let size = 0;
    for (let index = 0, length = annotations.isArray() ? annotations.length : 0; index < length; index++) {
      engine.work.spend(ANNOTATION_WORK);
      await engine.work.pause();
      await engine.scope(async () => {
        const appearance = appearanceOf(annotations.get(index));
        if (appearance !== undefined) size += await meter.sizeOfForm(appearance);
      });
    }
    return size;
  }

  async function countPlain(stream: PDFObject): Promise<void> {
    const bound = largestSize(stream);
    if (unread + bound <= limits.contentBytes / 2) {
      unread += bound;
      return;
    }
    const number = stream.asIndirect();
    const size = sizes.get(number) ?? (await decodedSize(engine, stream, meter.left));
    sizes.set(number, size);
    meter.addBytes(size);
  }
}
