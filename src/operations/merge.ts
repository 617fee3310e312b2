import { assemble, type PageSelection } from "../engines/pdf/assembly/assemble.ts";
import { type OpenPdf, openPdf, requireOwner } from "../engines/pdf/document/document.ts";
import { mayHaveEmptyNames } from "../engines/pdf/objects/empty-names.ts";
import { joinClaims } from "../engines/pdf/conformance/keep.ts";
import { savePdf } from "../engines/pdf/write/save.ts";
import { changeMetadata } from "../engines/pdf/metadata/metadata.ts";
import { keptOutline, type NewItem } from "../engines/pdf/assembly/join-outline.ts";
import { attachedStreams } from "../engines/pdf/document/attachments.ts";
import { decryptAttachments } from "../engines/pdf/write/decrypt.ts";
import type { Graft } from "../engines/pdf/assembly/graft.ts";
import { readSource, type Source } from "../engines/pdf/assembly/source.ts";
import { createDocument } from "../engines/pdf/assembly/new-document.ts";
import { mergesTooManyPages } from "./definition/limit-errors.ts";
import { limits } from "../limits.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFiles, text, type UploadedFile } from "./definition/fields.ts";
import { formBoolean, formChoice, formText } from "./definition/values.ts";

/** Maximum length of a title or author, in characters. */
const MOST_CHARACTERS = limits.parameters.lineCharacters;

export const merge = defineOperation({
  name: "merge",
  summary: "Combine PDFs into one",
  group: "Organize",
  keywords: "join combine concatenate concat append stitch bind assemble interleave together files",
  guidance:
    "For several PDFs that become one, in order or interleaved. To use only some of their pages, extract those first; images become a PDF with `from-images`.",
  description: `Combines the pages of all files into one document, in the order of their numbers. Links, named destinations, form fields, tags,
layers, page labels, and attachments are kept. If two files use the same name for a form field, a destination, or an attachment, the
later one is renamed (\`name_2\`). Metadata and document settings come from the first file.

The output is not encrypted. Files with restricted permissions need their owner password. XFA forms and article threads are removed, and
digital signatures become invalid.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    files: pdfFiles("file", { min: 2, max: limits.files }, "The PDFs, in order."),
    interleave: text(
      formBoolean(),
      "Takes one page from each document in turn. When a document runs out of pages, the others continue.",
      { brief: "Pages of all documents in turn." },
    ),
    title: text(formText(MOST_CHARACTERS), "The title of the result. By default, that of the first document.", {
      brief: "",
    }),
    author: text(formText(MOST_CHARACTERS), "The author of the result. By default, that of the first document.", {
      brief: "",
    }),
    bookmarks: text(
      formChoice("keep", "per-file", "none"),
      `The outline of the result. \`keep\`: the outlines of all documents, one after the other. \`per-file\`: one entry per
document, named after its file, with the document's outline below it. \`none\`: no outline.`,
      { brief: "The outline: `per-file` is an entry per document above its own.", default: "keep" },
    ),
  },
  example: { file0: "letter.pdf", file1: "enclosure.pdf" },
  furtherExamples: [{ file0: "hundred-pages.pdf", file1: "five-megabytes.pdf" }],
  memory: { freesInput: true },
  errors: ["owner_password_required"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ files, interleave, title, author, bookmarks }, { pdf }) {
    using stack = new DisposableStack();
    const opened: OpenPdf[] = [];
    for (const file of files) {
      const open = stack.use(await openPdf(pdf, file, { validateFor: "graft" }));
      requireOwner(open);
      opened.push(open);
    }
    const pageCount = opened.reduce((sum, open) => sum + open.pageCount, 0);
    if (pageCount > limits.pages) throw mergesTooManyPages(pageCount);
    const sources: Source[] = [];
    for (const open of opened) sources.push(await readSource(open));
    const picks = interleave ? inTurn(sources) : sources.flatMap((source) => pagesOf(source));
    for (const { open, names } of sources) {
      const files = [...(names.get("EmbeddedFiles")?.values() ?? [])];
      await decryptAttachments(
        open,
        files.flatMap((file) => attachedStreams(open, file)),
      );
    }
    const target = stack.adopt(await createDocument(pdf), (document) => document.destroy());
    await assemble(target, picks, {
      attachments: true,
      ...(bookmarks === "none" ? { outline: () => [] } : {}),
      ...(bookmarks === "per-file" ? { outline: (grafts) => perFile(grafts, sources, files) } : {}),
    });
    const given = Object.entries({ Title: title, Author: author }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as const],
    );
    await changeMetadata(pdf, target, { entries: new Map(given), clears: "none" });
    const signatureInvalidated = sources.some(({ signed }) => signed);
    const repaired = opened.some((open) => open.repaired);
    const lostRules = new Set<string>();
    await joinClaims({ engine: pdf, document: target, lostRules }, opened);
    const room = {
      large: true,
      mayHaveEmptyNames: opened.some(({ document }) => mayHaveEmptyNames(document)),
      lostRules,
    };
    for (const open of opened) open[Symbol.dispose]();
    if (!pdf.sharesFiles) pdf.files.free();
    const bytes = await savePdf(pdf, target, room);
    const headers = resultHeadersOf([{ repaired, lostRules }], { pageCount, signatureInvalidated });
    return { kind: "pdf", bytes, headers };
  },
});

function pagesOf(source: Source): PageSelection[] {
  return source.pages.map((_, page) => ({ source, page }));
}

function inTurn(sources: readonly Source[]): PageSelection[] {
  const longest = Math.max(...sources.map(({ pages }) => pages.length));
  return Array.from({ length: longest }, (_, page) => page).flatMap((page) =>
    sources.filter(({ pages }) => page < pages.length).map((source) => ({ source, page })),
  );
}

/** One entry per file that leads to its first page, with the file's own outline below it, closed. */
function perFile(grafts: readonly Graft[], sources: readonly Source[], files: readonly UploadedFile[]): NewItem[] {
  return grafts.map((graft) => ({
    write: async () => {
      const item = graft.target.newDictionary();
      const file = files[sources.indexOf(graft.source)];
      item.put("Title", graft.target.newString(file?.stem ?? ""));
      const destination = graft.target.newArray();
      destination.push(graft.pages.get(0));
      destination.push(graft.target.newName("Fit"));
      item.put("Dest", destination);
      return item;
    },
    open: false,
    kids: keptOutline(graft),
  }));
}
