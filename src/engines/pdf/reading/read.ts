/** Reads the blocks of pages: by their tags if these cover a page, else by its layout. */
import type { PDFPage } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { blocksOf, type RawBlock } from "../layout/blocks.ts";
import type { RawPage } from "../layout/document.ts";
import { type OutlineLevels, withOutlineLevel } from "../layout/outline-levels.ts";
import { layoutOf } from "../layout/page.ts";
import type { LinkArea } from "../layout/spans.ts";
import { inTurns } from "../../steps.ts";
import { readSegments } from "../text/glyphs.ts";
import type { PageVisitor } from "../text/text.ts";
import { readPageContent } from "./content.ts";
import { isBare } from "./tagged-roles.ts";
import { taggedBlocks } from "./tagged-blocks.ts";
import { TaggedPages } from "./tagged-pages.ts";

/** Fuel for a character whose place is known from tags. */
const TAGGED_WORK = 200;
/** Bytes that the blocks of a page take per character. */
const BLOCK_BYTES = 40;

interface LayoutOptions {
  readonly levels: OutlineLevels;
  /** Whether the text of pages is wanted, too, as they show it. */
  readonly text: boolean;
}

/** Reads the blocks of the pages of a document: by its tags if they cover a page, else by the layout of the page. */
export async function layoutReader(open: OpenPdf, { levels, text }: LayoutOptions): Promise<PageVisitor<RawPage>> {
  const tagged = await TaggedPages.of(open);
  return {
    bytesPerCharacter: BLOCK_BYTES,
    async visit(page) {
      const { bounds, index } = page;
      const links = linksOf(page.page);
      const value = (blocks: readonly RawBlock[]): RawPage => ({
        pageNumber: index + 1,
        blocks: blocks.map((block) => withOutlineLevel(block, levels)),
      });
      const found = await tagged?.read(page);
      const content = found ?? (await readPageContent(open.engine, await page.read({ drawings: true }), page));
      const { work } = open.engine;
      const seen = async (): Promise<RawBlock[]> => {
        const layout = await inTurns(work, layoutOf({ ...content, links }));
        return await inTurns(work, blocksOf(layout, bounds));
      };
      if (found === undefined) return { segments: content.segments, value: value(await seen()) };
      work.spend(content.segments.reduce((sum, { length }) => sum + length * TAGGED_WORK, 0));
      const plain = text
        ? await inTurns(work, readSegments(open.engine, await page.read({ drawings: false }), page))
        : found.segments;
      const looked = isBare(found.root) ? await seen() : [];
      const blocks = looked.some(({ kind }) => kind === "table") ? looked : taggedBlocks(found, { bounds, links });
      return { segments: plain, value: value(blocks) };
    },
    empty: (pageNumber) => ({ pageNumber, blocks: [] }),
  };
}

/** The links to other places than this document. */
function linksOf(page: PDFPage): LinkArea[] {
  return page.getLinks().flatMap((link) => {
    const [uri, [x0, y0, x1, y1]] = [link.getURI(), link.getBounds()];
    return /^(?:https?:\/\/|mailto:)/i.test(uri) ? [{ x0, y0, x1, y1, uri }] : [];
  });
}
