import { openPdf } from "../engines/pdf/document/document.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { namedSizes } from "../engines/pdf/embed/image-page.ts";
import { flattenDocument } from "../engines/pdf/forms/flatten-document.ts";
import { arrange } from "../engines/pdf/n-up/sheets.ts";
import { rewritePdf } from "../engines/pdf/write/save.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formBoolean, formChoice, formInteger } from "./definition/values.ts";

/** The widest margin in points. How much fits depends on the sheet. */
const WIDEST_MARGIN = 720;

export const nUp = defineOperation({
  name: "n-up",
  summary: "Put several pages on each sheet",
  group: "Organize",
  aside: "and booklets",
  keywords: "booklet imposition handout several pages per sheet 2-up 4-up brochure",
  guidance:
    "For handouts, proofs, and booklets: several pages of one PDF on each sheet of paper. To put several files together, use `merge` first; to cut pages, use `crop`.",
  description: `Scales pages to fit side by side on sheets, row by row. Send \`pagesPerSheet\`, or \`layout=booklet\`: two pages per side, in the order for printing on both
sides, with the short edge as the binding, and folding all sheets together. Documents that are read from right to left are arranged from right to left.

Sheets are turned so that the pages are as large as possible. Pages appear as a viewer shows them, with their rotation and crop box applied. Text stays text. Links, the
outline, named destinations, tags, layers, and attachments are kept and lead to the pages on their sheets. Form fields and comments become part of the page, and digital
signatures become invalid (\`X-Signature-Invalidated\`). Page labels are removed.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    pagesPerSheet: text(formChoice("2", "4", "6", "9", "16"), "The number of pages on each sheet.", { brief: "" }),
    layout: text(formChoice("booklet"), "`booklet`: pages in the order for a folded booklet."),
    pageSize: text(
      formChoice("auto", "a4", "letter", "legal"),
      "The size of the sheets. `auto`: the size of the first page.",
      { brief: "Of the sheets.", default: "auto" },
    ),
    marginPt: text(formInteger(0, WIDEST_MARGIN), "Space around the sheet and between its pages, in points.", {
      brief: "In points.",
      default: 0,
    }),
    border: text(formBoolean(), "Draws a thin line around each page.", { brief: "" }),
  },
  oneOf: { fields: ["pagesPerSheet", "layout"], exactly: true },
  example: { file: "letter.pdf", pagesPerSheet: "2", border: "true" },
  furtherExamples: [{ file: "letter.pdf", layout: "booklet" }],
  errors: ["unsupported_text", "unsupported_form"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ file, pagesPerSheet = "2", layout, pageSize, marginPt, border }, { pdf, loadFont }) {
    using open = await openPdf(pdf, file, { validateFor: "save" });
    const signatureInvalidated = await hasIntactSignature(open);
    await flattenDocument(open, loadFont, { forms: true, annotations: true });
    const [width, height] = pageSize === "auto" ? [] : namedSizes[pageSize];
    const pageCount = await arrange(open, {
      pagesPerSheet,
      booklet: layout === "booklet",
      sheet: width === undefined || height === undefined ? undefined : { width, height },
      margin: marginPt,
      border,
    });
    const bytes = await rewritePdf(open);
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});
