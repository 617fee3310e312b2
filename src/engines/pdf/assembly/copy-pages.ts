import type { EngineBytes } from "../../memory/heap.ts";
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
  /** Whether the source has a signature that is intact, which is not valid for the copy. */
  readonly signatureInvalidated: boolean;
  /** The number of document-level attachments that were left out. */
  readonly attachmentsDropped: number;
  /** The clauses of ISO 19005 because of which the copy does not claim to conform to PDF/A, as its source does. */
  readonly lostRules: Set<string>;
}

/**
 * Makes a new PDF of pages of another, and frees the files of the request (`RequestFiles.free`) unless the copy shares their data.
 * `choose` gets the number of pages and returns 0-based pages in the order of the copy. Its errors end the work.
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
    const target = stack.adopt(await createDocument(engine, open), (document) => document.destroy());
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
      signatureInvalidated: source.signed,
      attachmentsDropped,
    };
  });
  if (!engine.sharesFiles) engine.files.free();
  const lostRules = new Set<string>();
  const bytes = await savePdf(engine, target, { large, field: file.field, lostRules });
  return { ...facts, bytes, lostRules };
}
