import { decryptParts } from "../engines/pdf/write/decrypt.ts";
import { openPdf, requireOwner } from "../engines/pdf/document/document.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { rewriteDecrypted } from "../engines/pdf/write/save.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile } from "./definition/fields.ts";

export const unlock = defineOperation({
  name: "unlock",
  summary: "Remove the password of a PDF",
  group: "Protect",
  keywords: "decrypt remove password restrictions open encrypted",
  guidance:
    "For a PDF whose password is known and no longer wanted. It cannot recover a password. Other operations open encrypted files with `password` and keep the encryption, so they do not need this first; to change the password, use `protect`.",
  description: `Returns the document without encryption, passwords, and permissions. Send its password in \`password\`: if permissions are restricted, the owner
password. A document that opens without a password needs none unless its permissions are restricted. A document that is not encrypted is returned byte for byte.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: { file: pdfFile() },
  example: { file: "locked.pdf", password: "open sesame" },
  furtherExamples: [{ file: "locked-five-megabytes.pdf", password: "user" }],
  errors: ["owner_password_required"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ file }, { pdf }) {
    using open = await openPdf(pdf, file, { validateFor: "save" });
    const { pageCount, encrypted } = open;
    if (!encrypted) {
      return { kind: "pdf", bytes: file.bytes, headers: resultHeadersOf([], { pageCount }) };
    }
    requireOwner(open);
    const signatureInvalidated = await hasIntactSignature(open);
    await decryptParts(open);
    const bytes = await rewriteDecrypted(open);
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});
