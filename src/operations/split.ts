import { assemble, countAttachments } from "../engines/pdf/assembly/assemble.ts";
import { openPdf } from "../engines/pdf/document/document.ts";
import { mayHaveEmptyNames } from "../engines/pdf/objects/empty-names.ts";
import { makePdf } from "../engines/pdf/write/save.ts";
import { chunksOf } from "../engines/memory/chunks.ts";
import type { EngineBytes } from "../engines/memory/heap.ts";
import type { PdfEngine } from "../engines/pdf/mupdf/mupdf.ts";
import type { PageRange } from "../engines/pdf/document/ranges.ts";
import { readSource, type Source } from "../engines/pdf/assembly/source.ts";
import { readStructureElements } from "../engines/pdf/assembly/join-structure.ts";
import { createDocument } from "../engines/pdf/assembly/new-document.ts";
import { tooManyPagesInParts, tooManyParts, tooManyRanges } from "./definition/limit-errors.ts";
import { limits } from "../limits.ts";
import { defineOperation, type OutputFile, resultHeadersOf } from "./definition/define.ts";
import { type Mode } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formChoice, formInteger, pageRanges } from "./definition/values.ts";
import { invalidParameter } from "../engines/errors.ts";

/** Maximum length of the list of ranges, in characters: each item may name all pages. */
const MOST_CHARACTERS = limits.parameters.rangeCharacters;

/** One part is a PDF, several are an archive. */
const MAKES_PARTS: Mode = { scope: "pdf:write", returns: ["application/zip", "application/pdf"] };

export const split = defineOperation({
  name: "split",
  summary: "Split a PDF",
  group: "Organize",
  keywords: "separate divide burst cut break apart one file per page chunks",
  guidance:
    "For one PDF that becomes several: by ranges, by a number of pages, or by its outline. To get a single PDF with some of the pages, use `extract-pages`.",
  description: `Returns a PDF if there is one part, otherwise a ZIP archive with the entries \`<file>-001.pdf\`, \`<file>-002.pdf\`, and so on. Each part
keeps the outline entries, links, named destinations, form fields, page labels, and tags of its pages. Document-level attachments are
dropped (\`X-Attachments-Dropped\`). Every part keeps the encryption, passwords, and permissions of the input.`,
  credits: 1,
  modes: {
    by: "mode",
    values: {
      ranges: { ...MAKES_PARTS, isPdf: ({ ranges }) => Array.isArray(ranges) && ranges.length === 1 },
      chunks: MAKES_PARTS,
      pages: MAKES_PARTS,
      bookmarks: MAKES_PARTS,
    },
  },
  fields: {
    file: pdfFile("The PDF to split."),
    mode: text(
      formChoice("ranges", "chunks", "pages", "bookmarks"),
      `\`ranges\`: one part per range in \`ranges\`. \`chunks\`: parts of \`chunkSize\` pages. \`pages\`: one part per page.
\`bookmarks\`: one part per top-level outline entry; pages before the first entry go into the first part.`,
      { brief: "`bookmarks`: a part per top-level outline entry.", required: true },
    ),
    ranges: text(
      pageRanges(MOST_CHARACTERS),
      "Page ranges separated by `|`. The pages of each part stay in document order.",
      { brief: "Separated by `|`.", label: "Parts", required: true, when: { mode: ["ranges"] } },
    ),
    chunkSize: text(formInteger(1, limits.pages), "Pages per part. The last part holds the remaining pages.", {
      brief: "Pages per part.",
      label: "Pages per part",
      required: true,
      when: { mode: ["chunks"] },
    }),
  },
  example: { file: "letter.pdf", mode: "pages" },
  furtherExamples: [{ file: "hundred-pages.pdf", mode: "chunks", chunkSize: "10" }],
  memory: { readsRanges: true },
  headers: [
    "X-Page-Count",
    "X-Input-Repaired",
    "X-Attachments-Dropped",
    "X-Signature-Invalidated",
    "X-Conformance-Lost",
  ],

  async run({ file, mode, ranges, chunkSize }, { pdf }) {
    using stack = new DisposableStack();
    const open = stack.use(await openPdf(pdf, file, { validateFor: "graft" }));
    const { pageCount } = open;
    // Check syntax and bounds before splitting the document.
    const fromRanges = resolveRanges(ranges ?? [], pageCount);
    const source = await readSource(open);
    const parts =
      mode === "ranges"
        ? fromRanges
        : mode === "bookmarks"
          ? byBookmarks(source)
          : chunks(pageCount, mode === "pages" ? 1 : (chunkSize ?? 1));
    if (parts.length > limits.zipEntries) throw tooManyParts(parts.length);
    const pages = parts.reduce((sum, part) => sum + part.length, 0);
    if (pages > limits.splitPages) throw tooManyPagesInParts(pages);
    const dropped = await countAttachments(source);
    const headers = {
      ...resultHeadersOf([open], { signatureInvalidated: source.signed }),
      ...(dropped > 0 ? { "X-Attachments-Dropped": String(dropped) } : {}),
    };
    const [only] = parts;
    if (parts.length === 1 && only) {
      const lostRules = new Set<string>();
      const bytes = await makePart(pdf, source, only, lostRules);
      const ofPart = resultHeadersOf([{ ...open, lostRules }], { pageCount: only.length });
      return { kind: "pdf", bytes, headers: { ...headers, ...ofPart } };
    }
    // Read what the parts share before the first part, which frees everything it reads.
    await readStructureElements(source);
    // The document stays open until the last part is produced.
    const owned = stack.move();
    return { kind: "zip", entries: makeParts(pdf, source, parts, file.stem, owned), headers };
  },
});

async function* makeParts(
  pdf: PdfEngine,
  source: Source,
  parts: readonly (readonly number[])[],
  stem: string,
  owned: DisposableStack,
): AsyncGenerator<OutputFile> {
  using _ = owned;
  const digits = Math.max(3, String(parts.length).length);
  for (const [index, pages] of parts.entries()) {
    const name = `${stem}-${String(index + 1).padStart(digits, "0")}.pdf`;
    yield { name, bytes: partOf(pdf, source, pages) };
  }
}

/** Produced when it is read. */
async function* partOf(pdf: PdfEngine, source: Source, pages: readonly number[]): AsyncGenerator<Uint8Array, void> {
  const before = pdf.claimed;
  yield* chunksOf(await makePart(pdf, source, pages));
  // Nothing of the part is held any longer.
  pdf.claim(before - pdf.claimed);
}

/** `lostRules`: as in `savePdf`. Parts of an archive, of which the headers are sent before they are made, keep the claim of their source. */
async function makePart(
  pdf: PdfEngine,
  source: Source,
  pages: readonly number[],
  lostRules?: Set<string>,
): Promise<EngineBytes> {
  const make = async () => {
    const target = await createDocument(pdf, source.open);
    await assemble(
      target,
      pages.map((page) => ({ source, page })),
      { attachments: false },
    );
    return target;
  };
  await pdf.work.pause();
  const { document, input } = source.open;
  const large = pages.length * 2 > source.pages.length;
  const mayHaveEmpty = mayHaveEmptyNames(document);
  return makePdf(pdf, make, { large, field: input.field, mayHaveEmptyNames: mayHaveEmpty, lostRules });
}

function resolveRanges(ranges: readonly PageRange[], pageCount: number): number[][] {
  if (ranges.length > limits.zipEntries) throw tooManyRanges(ranges.length);
  return ranges.map((range) => range.resolveSet("ranges", pageCount));
}

function chunks(pageCount: number, size: number): number[][] {
  return Array.from({ length: Math.ceil(pageCount / size) }, (_, index) =>
    Array.from({ length: Math.min(size, pageCount - index * size) }, (__, page) => index * size + page),
  );
}

/** From each entry's page up to the next entry's. Entries that share a page each get that page. */
function byBookmarks(source: Source): number[][] {
  const starts = source.outline.flatMap(({ page }) => (page === undefined ? [] : [page])).sort((a, b) => a - b);
  if (starts.length === 0) {
    throw invalidParameter(
      "mode",
      "cannot be `bookmarks`: the outline of the document has no entries that lead to pages",
    );
  }
  return starts.map((start, index) => {
    const from = index === 0 ? 0 : start;
    const to = Math.max(start, (starts[index + 1] ?? source.pages.length) - 1);
    return Array.from({ length: to - from + 1 }, (_, page) => from + page);
  });
}
