import { decryptParts } from "../engines/pdf/decrypt.ts";
import { openPdf, requireOwner } from "../engines/pdf/document.ts";
import { writeDecrypted } from "../engines/pdf/save.ts";
import { isSigned } from "../engines/pdf/form-fields.ts";
import type { InputBytes } from "../engines/pdf/heap.ts";
import type { PdfEngine } from "../engines/pdf/mupdf.ts";
import { latin1 } from "../engines/pdf/objects.ts";
import { METHODS, permissionTokens, readProtection } from "../engines/pdf/protection.ts";
import { Refusal } from "../engines/errors.ts";
import { defineOperation } from "./define.ts";
import { formText, pdfFile, text } from "./fields.ts";
import { notes } from "./notes.ts";

/** Longest password or list of permissions that is looked at, in characters. */
const MOST_CHARACTERS = 2000;

export const protect = defineOperation({
  name: "protect",
  summary: "Encrypt a PDF with passwords and permissions",
  description: `Encrypts the whole document, and replaces the encryption that it has. At least one password is needed; without an
\`ownerPassword\` a random one is set that nobody knows. Passwords must differ. An input whose permissions are restricted needs its
owner password in \`password\`. Before anything is sent, the result is opened again: cipher and permissions are as asked, each
password opens it, nothing else does (\`X-Encryption-Verified\`). Nothing is ever sent unencrypted.`,
  credits: 1,
  scope: "pdf:write",
  fields: {
    file: pdfFile(),
    userPassword: text(
      formText(MOST_CHARACTERS),
      `Needed to open the document. aes-256: 1 to 127 bytes of UTF-8, in the normal form NFKC (SASLprep); aes-128: 1 to 32
printable ASCII characters.`,
      { format: "password" },
    ),
    ownerPassword: text(formText(MOST_CHARACTERS), "Needed to change permissions; written as `userPassword`.", {
      format: "password",
    }),
    permissions: text(
      formText(MOST_CHARACTERS),
      `What is allowed with the user password, separated by commas: ${permissionTokens.map((token) => `\`${token}\``).join(", ")};
\`printing\` and \`copying\` are \`print\` and \`copy\`. \`print-high\` includes \`print\`, \`accessibility\` is always allowed. All where
it is not given.`,
    ),
    encryption: text(
      formText(MOST_CHARACTERS).meta({ type: "string", enum: [...METHODS] }),
      "The cipher, `aes-256` where it is not given. `aes-128` is for programs from before 2008.",
      { default: "aes-256" },
    ),
  },
  example: { file: "letter.pdf", userPassword: "open sesame" },
  produces: ["application/pdf"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Encryption", "X-Encryption-Verified"],

  check: (given) => readProtection(given).issues,

  async run({ file, ...given }, { pdf, encryption }) {
    const asked = readProtection(given).protection;
    const protection = { ...asked, ownerPassword: asked.ownerPassword || encryption.randomPassword() };
    using open = openPdf(pdf, file, { whole: "written" });
    requireOwner(open);
    const key = await encryption.prepare(protection);
    const { document, pageCount } = open;
    const trailer = document.getTrailer();
    const signed = isSigned(trailer.get("Root"));
    const id = trailer.get("ID", 0);
    const ownId = id.isString() ? latin1(id.asByteString()) : undefined;
    decryptParts(open);
    const plain = writeDecrypted(open);
    const headers = {
      ...notes([open], { pageCount, signed }),
      "X-Encryption": protection.method,
      "X-Encryption-Verified": "true",
    };
    open[Symbol.dispose]();
    pdf.freeArena();
    let bytes: InputBytes;
    try {
      bytes = await encryption.encrypt(pdf, plain, key, ownId);
      await encryption.verify(pdf, bytes, protection, pageCount, key);
    } catch (error) {
      throw failure(pdf, error);
    }
    return { kind: "pdf", bytes, headers };
  },
});

/** Want of memory is told as such; whatever else goes wrong from here on is a failed encryption. */
function failure(pdf: PdfEngine, error: unknown): Refusal {
  const meaning = pdf.explain(error);
  if (meaning instanceof Refusal && meaning.code !== "invalid_file") return meaning;
  const message = "The encrypted file did not pass its verification. Nothing of it was sent.";
  return new Refusal("encryption_failed", message, undefined, { cause: error });
}
