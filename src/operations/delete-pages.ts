import { copyPages } from "../engines/pdf/assembly/copy-pages.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { pageRange } from "./definition/values.ts";

export const deletePages = defineOperation({
  name: "delete-pages",
  summary: "Delete pages",
  group: "Organize",
  keywords: "delete remove pages drop omit discard",
  guidance:
    "To remove pages from a PDF and keep everything else. To choose the pages that stay, or to reorder them, use `extract-pages`.",
  description: `Deleted pages and their content are removed from the file. The other pages keep their order, outline entries, links, named destinations, form
fields, page labels, and tags; document-level attachments are kept too. Links and outline entries that lead to deleted pages are removed, except
entries with others below them, which lose their destination. At least one page must remain. The output keeps the encryption, passwords, and permissions of the input.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    pages: text(pageRange(), "The pages to delete.", { brief: "", required: true }),
  },
  example: { file: "letter.pdf", pages: "2" },
  furtherExamples: [{ file: "hundred-pages.pdf", pages: "2-50" }],
  memory: { readsRanges: true, freesInput: true },
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ file, pages }, { pdf }) {
    const copied = await copyPages(pdf, file, (pageCount) => pages.resolveOthers("pages", pageCount), {
      attachments: true,
    });
    return { kind: "pdf", bytes: copied.bytes, headers: resultHeadersOf([copied], copied) };
  },
});
