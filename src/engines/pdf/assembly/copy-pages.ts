import type { EngineBytes } from "../../bytes/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { copyFrom, type PdfInput } from "../document/document.ts";
import { savePdf } from "../write/save.ts";
import { assemble, countAttachments } from "./assemble.ts";
import { createDocument } from "./new-document.ts";
import { readSource } from "./source.ts";

export interface CopiedPages {
  readonly bytes: EngineBytes;
  readonly pageCount: number;
  readonly repaired: boolean;
  /** Whether the source was signed. Its signatures are not valid for the copy. */
  readonly signed: boolean;
  /** The number of document-level attachments that were left out. */
  readonly attachmentsDropped: number;
}

/**
 * Makes a new PDF of pages of another, and frees the files of the request (`freeArena`) unless the copy shares their data. `choose` gets the number of pages and returns
 * 0-based pages in the order of the copy. What it throws ends the work.
 */
export async function copyPages(
  engine: PdfEngine,
  file: PdfInput,
  choose: (pageCount: number) => readonly number[],
  options: { readonly attachments: boolean },
): Promise<CopiedPages> {
  using stack = new DisposableStack();
  const { target, large, ...facts } = await copyFrom(engine, file, async (open) => {
    const pages = choose(open.pageCount);
    const source = await readSource(open, pages);
    const attachmentsDropped = options.attachments ? 0 : await countAttachments(source);
    const target = stack.adopt(createDocument(engine, open), (document) => document.destroy());
    await assemble(
      target,
      pages.map((page) => ({ source, page })),
      options,
    );
    const large = pages.length * 2 > open.pageCount;
    return {
      target,
      large,
      pageCount: pages.length,
      repaired: open.repaired,
      signed: source.signed,
      attachmentsDropped,
    };
  });
  if (!engine.sharesFiles) engine.freeArena();
  return { ...facts, bytes: await savePdf(engine, target, { large, field: file.field }) };
}
