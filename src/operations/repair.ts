import { z } from "zod";
import { openPdf } from "../engines/pdf/document/document.ts";
import { dropMissing, findMissingPages } from "../engines/pdf/document/page-tree.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { rewritePdf } from "../engines/pdf/write/save.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF, returnsJson } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formChoice } from "./definition/values.ts";

const pageNumbers = z.array(z.int().min(1));
const report = z.object({
  damaged: z.boolean().describe("Whether any damage was found."),
  rebuilt: z
    .array(z.enum(["cross-references", "page-tree"]))
    .describe("What was read by searching the whole file, because it was damaged or missing."),
  lostPages: pageNumbers.describe("Pages of the damaged document that are not in the file. They are left out."),
  incompletePages: pageNumbers.describe(
    "Pages of the damaged document that lack content or resources, such as fonts and images. They are kept without it.",
  ),
  pageCount: z.int().describe("Pages of the repaired document."),
});

export const repair = defineOperation({
  name: "repair",
  summary: "Repair a damaged PDF",
  group: "Improve",
  keywords: "fix corrupt corrupted broken damaged recover restore xref",
  guidance:
    "For a PDF that other operations reject as damaged, or that viewers show incompletely. Others repair slight damage by themselves, so a document that works needs no repair.",
  description: `Writes the readable parts of a damaged document as a clean file, with new cross-references and a sound page tree. Pages that are not in the
file are left out, and those that lack some of their content are kept; other operations reject such documents. If even the list of pages is lost, pages are kept in the order in
which they were created. Encryption is kept. A document that has lost its encryption entries cannot be read and is rejected.

\`output=json\` returns a report of the damage and the losses instead. \`X-Pages-Lost\` counts the pages that are left out. A document without any readable page is
rejected with \`invalid_file\`.`,
  credits: 1,
  modes: { by: "output", values: { pdf: MAKES_PDF, json: { ...returnsJson(report), scope: "pdf:write" } } },
  fields: {
    file: pdfFile("The damaged PDF."),
    output: text(formChoice("pdf", "json"), "`pdf` returns the repaired document, `json` a report.", {
      brief: "",
      default: "pdf",
    }),
  },
  example: { file: "damaged.pdf" },
  furtherExamples: [{ file: "letter.pdf" }],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Pages-Lost", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ file, output }, { pdf }) {
    using open = await openPdf(pdf, file, { validateFor: "save", lenient: true });
    const { document, treeIsSound } = open;
    const found = await findMissingPages(pdf, document, open.pageCount);
    const pageCount = await dropMissing(open, found);
    const rebuilt: z.infer<typeof report>["rebuilt"] = [
      ...(document.wasRepaired() ? (["cross-references"] as const) : []),
      ...(treeIsSound ? [] : (["page-tree"] as const)),
    ];
    const lost = new Set(found.lost);
    const incompletePages = found.missing.filter((page) => !lost.has(page));
    const damaged = rebuilt.length > 0 || found.missing.length > 0;
    const signatureInvalidated = await hasIntactSignature(open);
    // Also for a report: whether the document can be repaired shows when it is written.
    const bytes = await rewritePdf(open);
    const headers = {
      ...resultHeadersOf([open], { pageCount, signatureInvalidated }),
      ...(damaged && { "X-Input-Repaired": "true" }),
      ...(lost.size > 0 && { "X-Pages-Lost": String(lost.size) }),
    };
    if (output === "pdf") return { kind: "pdf", bytes, headers };
    const value: z.infer<typeof report> = { damaged, rebuilt, lostPages: found.lost, incompletePages, pageCount };
    const { "X-Signature-Invalidated": _, "X-Conformance-Lost": __, ...reported } = headers;
    return { kind: "json", value, headers: reported };
  },
});
