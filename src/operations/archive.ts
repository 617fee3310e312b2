import { archive as archivePdf } from "../engines/pdf/archive/archive.ts";
import { conformsAlready, writeArchive } from "../engines/pdf/archive/prove.ts";
import { ARCHIVE_PROFILES } from "../engines/pdf/archive/target.ts";
import { openPdf, requireOwner } from "../engines/pdf/document/document.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { ARCHIVE_HEADERS, archiveHeaders } from "./definition/archive-headers.ts";
import { formChoice, languageTag, lineText } from "./definition/values.ts";

export const archive = defineOperation({
  name: "archive",
  summary: "Convert to PDF/A",
  group: "Convert",
  keywords: "pdfa archival conformance compliance long-term preservation iso 19005 convert standard",
  guidance:
    "To make a PDF that archives accept: it embeds what is missing and removes what PDF/A forbids. To only check a document, use `validate`.",
  description: `Converts a document to PDF/A (ISO 19005) by the smallest change of its objects. Pages are not drawn anew: text, tags, the outline, links, form fields, and layers stay.

The written file is validated before it is sent: a 200 conforms to \`profile\`, rule by rule, as \`validate\` checks it. A document that cannot be made to conform is refused with
422 \`not_conforming\` and the rules that it breaks; with \`onResidual=report\` it is returned without a claim (\`X-Conformance: none\`), and \`X-Rules-Broken\` lists them.
\`X-Changes\` counts the changes by their kind, \`X-Fonts-Substituted\` names fonts that others replace, and \`X-Removed\` lists what the output no longer has. Each page whose objects changed is drawn before and after at 72 dpi, and \`X-Pages-Changed\` lists the pages of which more than 0.1% of the samples differ by more than 4 of 255 levels.

A document that claims the profile and conforms is returned byte for byte, unless \`language\` or \`title\` is sent. Embedded files need part 3, such as \`profile=3b\`. The output is not encrypted, and if permissions are restricted, it needs the owner password. Signatures end with the
conversion (\`X-Signature-Invalidated\`); their pictures stay. Scripts, and actions other than links, are removed.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    profile: text(
      formChoice(...ARCHIVE_PROFILES),
      "The profile: part 2, or part 3, which allows attachments; level `u` also needs a meaning in Unicode for all text.",
      { default: "2b" },
    ),
    onResidual: text(
      formChoice("fail", "report"),
      "If the document cannot be made to conform: `fail` refuses it, `report` returns it without a claim.",
      { default: "fail" },
    ),
    language: text(languageTag(), "The language of the document, such as `en` or `pt-BR`. Default: the document's.", {
      brief: "",
    }),
    title: text(lineText(), "The title of the document. Default: the document's.", { brief: "" }),
  },
  example: { file: "letter.pdf", profile: "2b" },
  furtherExamples: [{ file: "form.pdf" }],
  errors: ["not_conforming", "owner_password_required", "unsupported_text"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", ...ARCHIVE_HEADERS, "X-Rules-Broken"],

  async run({ file, profile, onResidual, language, title }, { pdf, loadFont }) {
    using open = await openPdf(pdf, file, { validateFor: "save" });
    if (open.encrypted) requireOwner(open);
    const { pageCount } = open;
    const isAsSent = language === undefined && title === undefined && !open.repaired;
    if (isAsSent && (await conformsAlready(open, profile))) {
      const headers = { ...resultHeadersOf([open], { pageCount }), "X-Conformance": `PDF/A-${profile}` };
      return { kind: "pdf", bytes: file.bytes, headers };
    }
    const signatureInvalidated = await hasIntactSignature(open);
    // Copies of streams, which V8 frees late: about as much was measured for scans of 31 MiB.
    const copies = Math.ceil(file.bytes.length / 2);
    pdf.claim(copies);
    const archived = await archivePdf(open, { profile, loadFont, language, title });
    const headers = resultHeadersOf([open], { pageCount, signatureInvalidated });
    const written = await writeArchive(open, profile, archived, { keepsResidual: onResidual === "report" });
    pdf.claim(-copies);
    return { kind: "pdf", bytes: written.bytes, headers: { ...headers, ...archiveHeaders(archived, written) } };
  },
});
