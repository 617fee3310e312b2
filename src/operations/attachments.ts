import { keepWithAttachment } from "../engines/pdf/conformance/keep.ts";
import { z } from "zod";
import {
  addAttachment,
  type Attachment,
  decryptAll,
  describeAttachments,
  readAttachment,
  readAttachments,
  RELATIONSHIPS,
  removeAttachments,
} from "../engines/pdf/attachments/attachments.ts";
import { type OpenPdf, openPdf } from "../engines/pdf/document/document.ts";
import { pdfDateOf } from "../engines/pdf/objects/dates.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { invalidParameter } from "../engines/errors.ts";
import { tooManyAttachments } from "./definition/limit-errors.ts";
import { limits, MiB } from "../limits.ts";
import { defineOperation, type OutputFile, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF, returnsJson } from "./definition/modes.ts";
import { anyFile, pdfFile, text } from "./definition/fields.ts";
import { entryNames, safeFileName } from "./definition/file-names.ts";
import { formChoice, lineText } from "./definition/values.ts";

const list = z.object({
  attachments: z.array(
    z.object({
      name: z.string(),
      size: z
        .int()
        .nullable()
        .describe("In bytes. Null if the document does not say, and is over 32 MiB or the attachment over 128 MiB."),
      contentType: z.string().nullable().describe("The media type that the document names, which may be wrong."),
      description: z.string().nullable(),
      modified: z.string().nullable().describe("ISO 8601. Without an offset if the document has none."),
      relationship: z.string().nullable().describe("How the file relates to the document, such as `Source` or `Data`."),
      page: z.int().nullable().describe("The page that the file is pinned to. Null if it is attached to the document."),
    }),
  ),
});

export const attachments = defineOperation({
  name: "attachments",
  summary: "List, extract, add, or remove attachments",
  group: "Edit",
  keywords: "embed embedded files portfolio zugferd factur-x enclosure",
  guidance:
    "For the files inside a PDF, such as the XML of an electronic invoice: to list, extract, add, or remove them. To combine the pages of documents, use `merge`.",
  description: `\`list\` and \`extract\` return the attached files, those that are pinned to pages included: their names and sizes as JSON, or the
files themselves. A single file is returned directly, several as a ZIP archive. \`add\` and \`remove\` return the PDF. Portfolios and associated files
(PDF/A-3, electronic invoices) are supported.

A file is added with \`attachment\`, and its name must not be taken. If several files have the same name, \`extract\` and \`remove\` mean all of them. A file with several names is listed under each, and
stays until the last one is removed.

An added file is appended (an incremental update), unless the document is damaged. Signed documents, and stored ones over ${limits.references.heldBytes / MiB} MiB (by default: see \`GET /limits\`), are always updated incrementally: a removed file
stays in their earlier revision.
Signatures do not allow the change (\`X-Signature-Invalidated\`).`,
  credits: 1,
  modes: {
    by: "action",
    values: {
      list: returnsJson(list),
      extract: { scope: "pdf:read", returns: ["application/zip", "application/octet-stream"] },
      add: MAKES_PDF,
      remove: MAKES_PDF,
    },
  },
  fields: {
    file: pdfFile(),
    action: text(formChoice("list", "extract", "add", "remove"), "What to do.", { brief: "", required: true }),
    name: text(
      lineText(),
      "The name of the attachment. `extract` returns all files without it, and `add` uses the name of the uploaded file.",
      { brief: "", when: { action: ["extract", "add", "remove"] } },
    ),
    attachment: anyFile("The file to attach, of any format.", { required: true, when: { action: ["add"] } }),
    description: text(lineText(), "A description of the file.", { brief: "", when: { action: ["add"] } }),
    relationship: text(formChoice(...RELATIONSHIPS), "How the file relates to the document (`AFRelationship`).", {
      brief: "",
      default: "Unspecified",
      when: { action: ["add"] },
    }),
  },
  example: { file: "letter.pdf", action: "add", attachment: "receipt.png", description: "The receipt" },
  furtherExamples: [{ file: "letter.pdf", action: "list" }],
  memory: { readsRanges: true },
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  checks: [
    ({ action, name }) => (action === "remove" && name === undefined ? [{ name: "name", issue: "is required" }] : []),
  ],

  async run({ file, action, name, attachment, description, relationship }, { pdf }) {
    using stack = new DisposableStack();
    const changes = action === "add" || action === "remove";
    const open = stack.use(await openPdf(pdf, file, { validateFor: changes ? "save" : undefined }));
    const { pageCount } = open;
    const found = await readAttachments(open);
    const headers = resultHeadersOf([open]);
    if (action === "list") {
      const value: z.infer<typeof list> = { attachments: await describeAttachments(open, found) };
      return { kind: "json", value, headers };
    }
    const chosen = name === undefined ? found : found.filter((one) => one.name === name);
    let changed: number[] = [];
    if (action === "add" && attachment) {
      const own = name ?? attachment.fileName ?? "attachment";
      if (found.some((one) => one.name === own))
        throw invalidParameter("name", `\`${own}\` is already attached: remove it first`);
      const modified = pdfDateOf(new Date().toISOString()) ?? "";
      await keepWithAttachment(open, attachment.bytes);
      await addAttachment(open, { name: own, bytes: attachment.bytes, description, relationship, modified });
    } else {
      if (name === undefined && chosen.length === 0)
        throw invalidParameter("action", "cannot be `extract`: the document has no attachments");
      if (chosen.length === 0) throw invalidParameter("name", "is not the name of an attachment of the document");
      if (action === "extract") {
        await decryptAll(open, chosen);
        const [only] = chosen;
        if (chosen.length === 1 && only) {
          return { kind: "file", name: safeFileName(only.name), bytes: await readAttachment(open, only), headers };
        }
        // Before the response starts: it could only break off later.
        if (chosen.length > limits.zipEntries) throw tooManyAttachments(chosen.length);
        return { kind: "zip", entries: files(open, chosen, stack.move()), headers };
      }
      changed = await removeAttachments(open, chosen, found);
    }
    const { bytes, signatureInvalidated } = await saveChanges(open, { changed, rewrite: action === "remove" });
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});

async function* files(
  open: OpenPdf,
  chosen: readonly Attachment[],
  owned: DisposableStack,
): AsyncGenerator<OutputFile> {
  using _ = owned;
  const names = entryNames(chosen.map(({ name }) => name));
  for (const [index, one] of chosen.entries()) {
    yield { name: names[index] ?? "attachment", bytes: await readAttachment(open, one) };
    await open.engine.work.pause();
  }
}
