import { decryptParts } from "../engines/pdf/write/decrypt.ts";
import { limits } from "../limits.ts";
import { openPdf, requireOwner } from "../engines/pdf/document/document.ts";
import { rewriteEncrypted } from "../engines/pdf/write/save.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { CipherFailure } from "../engines/pdf/encryption/object-cipher.ts";
import type { PdfEngine } from "../engines/pdf/mupdf/mupdf.ts";
import {
  isRestricted,
  METHODS,
  permissionChoices,
  permissionBits,
  permissionNames,
  readPassword,
} from "../engines/pdf/encryption/protection.ts";
import { Refusal } from "../engines/errors.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { type FieldIssue, pdfFile, text } from "./definition/fields.ts";
import { formChoice, formPermissions, formText } from "./definition/values.ts";
import { encryptionFailed } from "../engines/result-errors.ts";

/** Maximum length of a password or list of permissions, in characters. */
const MOST_CHARACTERS = limits.parameters.lineCharacters;

export const protect = defineOperation({
  name: "protect",
  summary: "Encrypt a PDF with a password",
  group: "Protect",
  aside: "with AES",
  keywords: "encrypt encryption password lock secure permissions restrict printing copying aes",
  guidance:
    "To set passwords and permissions, or to change them. This does not hide anything from people who have the password.",
  description: `Encrypts the document and replaces its existing encryption. At least one password is required. If both are the same, it allows everything, and \`permissions\` must be \`all\`. Without an
\`ownerPassword\`, a random one is set. If the input has restricted permissions, send its owner password in \`password\`.

The output is verified before it is sent: the cipher and permissions are as requested, each password opens it, and nothing else does
(\`X-Encryption-Verified\`). The document is never sent unencrypted.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    userPassword: text(
      formText(MOST_CHARACTERS),
      `The password to open the document. With aes-256, 1 to 127 bytes of UTF-8, normalized with SASLprep (NFKC); with
aes-128, 1 to 32 printable ASCII characters.`,
      { brief: "To open it.", format: "password" },
    ),
    ownerPassword: text(
      formText(MOST_CHARACTERS),
      "The password to change permissions. The rules of `userPassword` apply.",
      { brief: "To change permissions.", format: "password" },
    ),
    permissions: text(
      formPermissions(permissionNames, MOST_CHARACTERS).meta({ "x-choices": permissionChoices }),
      `What the user password allows, separated by commas: ${[...permissionNames, "all", "none"].map((name) => `\`${name}\``, { brief: "What the user password allows, separated by commas: `print`, `print-high`, `modify`, `copy`, `annotate`, `fill-forms`, `assemble`, `all`, `none`." }).join(", ")}.
The names that other programs have for them are accepted, too, such as \`printing\` and \`fillForms\`. Empty: \`none\`. \`print-high\` includes \`print\`; \`accessibility\` is always allowed.`,
      { default: "all", blank: "none" },
    ),
    encryption: text(formChoice(...METHODS), "The cipher. Use `aes-128` only for software from before 2008.", {
      brief: "",
      default: "aes-256",
    }),
  },
  oneOf: { fields: ["userPassword", "ownerPassword"] },
  example: { file: "letter.pdf", userPassword: "open sesame" },
  furtherExamples: [{ file: "five-megabytes.pdf", userPassword: "user" }],
  errors: ["owner_password_required", "encryption_failed", "encryption_unavailable"],
  headers: [
    "X-Page-Count",
    "X-Input-Repaired",
    "X-Signature-Invalidated",
    "X-Conformance-Lost",
    "X-Encryption",
    "X-Encryption-Verified",
  ],

  checks: [
    ({ encryption, userPassword }) => issues("userPassword", [readPassword(encryption, userPassword).issue]),
    ({ encryption, ownerPassword }) => issues("ownerPassword", [readPassword(encryption, ownerPassword).issue]),
    ({ encryption, userPassword, ownerPassword, permissions }) => {
      const [user, owner] = [userPassword, ownerPassword].map((password) => readPassword(encryption, password).value);
      const isRestricting = user !== "" && user === owner && isRestricted(permissionBits(permissions));
      return isRestricting
        ? issues("permissions", ["must be all where both passwords are the same, which then allows everything"])
        : [];
    },
  ],

  async run({ file, encryption: method, ...given }, { pdf, encryption }) {
    const protection = {
      method,
      userPassword: readPassword(method, given.userPassword).value,
      ownerPassword: readPassword(method, given.ownerPassword).value || encryption.randomPassword(),
      permissions: permissionBits(given.permissions),
    };
    using open = await openPdf(pdf, file, { validateFor: "save" });
    requireOwner(open);
    const key = await encryption.prepare(protection);
    const { pageCount } = open;
    const signatureInvalidated = await hasIntactSignature(open);
    await decryptParts(open);
    const bytes = await rewriteEncrypted(open, { ...key, cipher: encryption.cipher(key) }).catch((error: unknown) => {
      throw error instanceof CipherFailure ? failure(pdf, error) : error;
    });
    const headers = {
      ...resultHeadersOf([open], { pageCount, signatureInvalidated }),
      "X-Encryption": protection.method,
      "X-Encryption-Verified": "true",
    };
    open[Symbol.dispose]();
    pdf.files.free();
    try {
      await encryption.verify(pdf, bytes, protection, pageCount);
    } catch (error) {
      throw failure(pdf, error);
    }
    return { kind: "pdf", bytes, headers };
  },
});

const issues = (name: string, found: readonly (string | undefined)[]): FieldIssue[] =>
  found.flatMap((issue) => (issue === undefined ? [] : [{ name, issue }]));

/** Out of memory is reported as such; anything else that goes wrong from here on is a failed encryption. */
function failure(pdf: PdfEngine, error: unknown): Refusal {
  const meaning = pdf.explain(error);
  if (meaning instanceof Refusal && meaning.code !== "invalid_file") return meaning;
  return encryptionFailed(error);
}
