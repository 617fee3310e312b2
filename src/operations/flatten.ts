import { openPdf } from "../engines/pdf/document/document.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { flattenDocument } from "../engines/pdf/forms/flatten-document.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formChoice } from "./definition/values.ts";

export const flatten = defineOperation({
  name: "flatten",
  summary: "Make form fields and annotations part of the pages",
  group: "Edit",
  keywords: "annotations comments form fields final static",
  guidance:
    "To make a filled-in form or a commented document final: it looks the same and can no longer be edited. To fill in fields and flatten in one step, use `fill-form`; to remove content for good, use `redact`.",
  description: `Form fields and annotations become part of the pages: they look the same and can no longer be changed. Hidden ones are removed, and so is the text of
comments that only opens in a window. Links, attached files, and media stay. Fields and annotations without an appearance get one, as viewers would draw them; an annotation of
an unknown kind without one stays.

A document with nothing to flatten is returned unchanged. With \`forms\` or \`all\`, digital signatures are removed, because they are fields (\`X-Signature-Invalidated\`).`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    what: text(formChoice("all", "forms", "annotations"), "What becomes part of the pages.", {
      brief: "",
      label: "What to flatten",
      default: "all",
    }),
  },
  example: { file: "form.pdf" },
  furtherExamples: [{ file: "letter.pdf" }],
  errors: ["unsupported_text", "unsupported_form"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ file, what }, { pdf, loadFont }) {
    using open = await openPdf(pdf, file, { validateFor: "save" });
    const { pageCount } = open;
    const isIntact = await hasIntactSignature(open);
    const lostForm = await flattenDocument(open, loadFont, {
      forms: what !== "annotations",
      annotations: what !== "forms",
    });
    const saved = await saveChanges(open, { rewrite: true });
    const signatureInvalidated = lostForm ? isIntact : saved.signatureInvalidated;
    return { kind: "pdf", bytes: saved.bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});
