import { copyPages } from "../engines/pdf/assembly/copy-pages.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { pageRange } from "./definition/values.ts";

export const extractPages = defineOperation({
  name: "extract-pages",
  summary: "Extract pages into a new PDF",
  group: "Organize",
  aside: "(to reorder pages, too)",
  keywords: "rearrange reorder order move duplicate keep pick select reverse subset",
  guidance:
    "For one PDF with only some of the pages, or with pages in another order or repeated. To leave out pages and keep everything else, use `delete-pages`; to get several PDFs, use `split`.",
  description: `Pages are returned in the order of \`range\`, and pages listed more than once are repeated. The outline entries, links, named destinations,
form fields, page labels, and tags of these pages are kept. Links to other pages are removed. Document-level attachments are dropped
(\`X-Attachments-Dropped\`). The output keeps the encryption, passwords, and permissions of the input. A repeated page gets form fields of its
own (\`name_2\`).`,
  credits: 1,
  modes: { ...MAKES_PDF, scope: "pdf:read" },
  fields: {
    file: pdfFile(),
    range: text(
      pageRange().meta({ format: "page-order" }),
      "The pages to extract, in this order. A page may be listed more than once.",
      { brief: "In this order; pages may repeat.", label: "Pages, in order", required: true },
    ),
  },
  example: { file: "letter.pdf", range: "last,1" },
  furtherExamples: [{ file: "hundred-pages.pdf", range: "odd" }],
  memory: { readsRanges: true, freesInput: true },
  headers: [
    "X-Page-Count",
    "X-Input-Repaired",
    "X-Attachments-Dropped",
    "X-Signature-Invalidated",
    "X-Conformance-Lost",
  ],

  async run({ file, range }, { pdf }) {
    const copied = await copyPages(pdf, file, (pageCount) => range.resolve("range", pageCount), { attachments: false });
    const { bytes, attachmentsDropped: dropped } = copied;
    const headers = dropped > 0 ? { "X-Attachments-Dropped": String(dropped) } : {};
    return { kind: "pdf", bytes, headers: { ...resultHeadersOf([copied], copied), ...headers } };
  },
});
