/**
 * Proof that the redacted content is gone and everything else is in place. This folder deliberately has a second reader, the only one besides the
 * owners of syntax, content, and fonts, so that a fault in the redactor cannot hide itself. It reads text and pixels from MuPDF's device interface,
 * and the written file with a reader of its own. It shares three things with the redactor: the targets of the request, the possible reading orders of
 * a page, and the decoding of strings, names, and filters. A fault in these is not found here.
 */
import type { PDFDocument } from "mupdf";
import type { EngineBytes } from "../../../memory/heap.ts";
import type { OpenPdf } from "../../document/document.ts";
import type { FileKey } from "../../encryption/parameters.ts";
import { readingOrders } from "../../layout/reading-orders.ts";
import { objectNumber } from "../../objects/objects.ts";
import { areBlank } from "./blank-regions.ts";
import { drawnContent } from "./drawn-content.ts";
import {
  visibleBoundsOf,
  compareGlyphs,
  type DocumentInEngine,
  type DrawnGlyph,
  drawnGlyphs,
  type Gap,
  gapsIn,
  type MatchArea,
  type Rectangle,
  shownRows,
  withGaps,
} from "./glyphs.ts";
import { findInFile, type Sought } from "./written-text.ts";
import { redactionFailed, textChanged } from "../../../result-errors.ts";

/** The areas removed from a page, in units of its content. */
export interface PageAreas {
  /** The areas that the request names. */
  readonly regions: readonly Rectangle[];
  readonly matches: readonly MatchArea[];
}

/** Fuel per glyph that is looked at for the gap behind it. */
const GAP_WORK = 5;

/** Where glyphs are gone, by page (0-based). */
export type Gaps = ReadonlyMap<number, readonly Gap[]>;

/** The text of a page before it was changed. */
export interface PageProof {
  readonly index: number;
  /** How many glyphs it holds: about 170 bytes for each. */
  readonly glyphs: number;
  /**
   * Compares them with those that the page has now, before boxes are drawn, and returns where glyphs are gone. `unknownMayGo`: whether glyphs
   * without Unicode may be gone, since their codes, which some readers show instead, were searched and erased.
   * @throws Refusal `redaction_failed`
   */
  check(options: { readonly unknownMayGo: boolean }): Promise<readonly Gap[]>;
}

/** Reads the text of a page (0-based) that is about to be changed. */
export async function proofOfPage(open: OpenPdf, index: number, { regions, matches }: PageAreas): Promise<PageProof> {
  const before = await glyphsOf(open, index);
  const check: PageProof["check"] = async ({ unknownMayGo }) => {
    open.engine.work.stage("redact");
    const after = await glyphsOf(open, index);
    const { fault, gone } = await compareGlyphs(open, before, after, { regions, matches, unknownMayGo });
    if (fault === "left") throw redactionFailed(`the text of page ${index + 1}`);
    if (fault === undefined) return gapsIn(before, gone);
    throw textChanged(index + 1, fault);
  };
  return { index, glyphs: before.length, check };
}

/**
 * Looks at the regions of a page (0-based), in units of its content, before boxes are drawn over them.
 * @throws Refusal `redaction_failed` if anything is drawn there
 */
export async function proveRegions(open: OpenPdf, index: number, regions: readonly Rectangle[]): Promise<void> {
  if (regions.length === 0) return;
  open.engine.work.stage("redact");
  if (!(await areBlank(open, index, regions))) throw redactionFailed(`a region of page ${index + 1}`);
}

async function glyphsOf(open: OpenPdf, index: number): Promise<DrawnGlyph[]> {
  const page = await open.engine.long.loadPage(open.document, index);
  return drawnGlyphs(open, page, { annotations: false, sized: true }).finally(() => page.destroy());
}

/**
 * Opens a written file and searches it. Needs nothing of the document that it was made of, which may be closed.
 * @param pages 0-based, on which text was redacted
 * @param gaps of the pages that were changed
 * @param key the file's, if it is encrypted
 * @throws Refusal `redaction_failed`
 */
export async function proveRedacted(
  open: OpenPdf,
  file: EngineBytes,
  sought: Sought,
  { pages, key, gaps }: { readonly pages: readonly number[]; readonly key: FileKey | undefined; readonly gaps: Gaps },
): Promise<void> {
  const { engine } = open;
  const stream = engine.streamOf(file);
  let document: PDFDocument | null = null;
  try {
    document = await engine.long.open(stream);
    if (!document) throw new Error("the written file is no PDF");
    if (key) engine.setFileKey(document, key.key);
    const written = { engine, document };
    for (const index of pages) {
      // Reading a page again may take as much as reading it at first.
      engine.work.stage("redact");
      if (await isOnPage(written, index, sought, gaps.get(index) ?? []))
        throw redactionFailed(`the text of page ${index + 1}`);
    }
    engine.work.stage("redact");
    const kept = await contentOfOtherPages(written, pages);
    const encryption = objectNumber(document.getTrailer().get("Encrypt"));
    const place = await findInFile(engine.work, file, sought, { key, kept, encryption });
    if (place !== undefined) throw redactionFailed(place);
  } finally {
    stream.destroy();
    document?.destroy();
  }
}

/**
 * Whether a page (0-based) has a match in any of its possible reading orders. Its gaps are read as characters. Otherwise they would divide lines into
 * columns, and text on both sides would be read as one word.
 */
async function isOnPage(open: DocumentInEngine, index: number, sought: Sought, gaps: readonly Gap[]): Promise<boolean> {
  const { engine, document } = open;
  const page = await engine.long.loadPage(document, index);
  try {
    const glyphs = await drawnGlyphs(open, page, { annotations: true, sized: false });
    engine.work.spend((glyphs.length + gaps.length) * GAP_WORK);
    const rows = shownRows(withGaps(glyphs, gaps));
    for await (const pieces of readingOrders(engine.work, rows, visibleBoundsOf(page)))
      if (await sought.isRead(pieces)) return true;
    return false;
  } finally {
    page.destroy();
  }
}

/** Object numbers of content that only pages draw on which nothing was redacted: their text stays. */
async function contentOfOtherPages(
  { engine, document }: DocumentInEngine,
  pages: readonly number[],
): Promise<ReadonlySet<number>> {
  const others = new Set(Array.from({ length: document.countPages() }, (_, index) => index)).difference(new Set(pages));
  if (others.size === 0) return others;
  const kept = await drawnContent(engine, document, others);
  return new Set(kept).difference(await drawnContent(engine, document, pages));
}
