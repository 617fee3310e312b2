import { pageIssue } from "../engines/pdf/content/shown-box.ts";
import { openPdf } from "../engines/pdf/document/document.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { checkLength } from "../engines/pdf/stamps/labels.ts";
import { imageMark, textMark } from "../engines/pdf/stamps/mark.ts";
import { signaturePlace, stampSignature, withHairlines } from "../engines/pdf/stamps/signature.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { imageFile, pdfFile, text } from "./definition/fields.ts";
import { formBoolean, formChoice, PAGE_BOX, signatureBox, stampText } from "./definition/values.ts";

const BLACK = [0, 0, 0] as const;

export const sign = defineOperation({
  name: "sign",
  summary: "Add a visual signature",
  group: "Edit",
  aside: "(visually)",
  keywords: "esign e-sign signature autograph docusign handwritten initials",
  guidance:
    "To put a visible signature at one place of a page: a picture, or a typed name. It is no digital signature and proves nothing cryptographically: `seal` does.",
  description: `Draws a visual signature into a box on a page: a typed name in a script font, or an image. It is not a digital signature (\`seal\` makes those). It adds no certificate, and
does not show whether the document was changed later. The box refers to the page as a viewer shows it and must touch
the page; parts outside are cut off. The signature is scaled to fit the box; \`timestamp\`, \`signerName\`, and \`signerEmail\` add small lines below it, inside the box. Characters missing from
the script font are drawn in another font; characters that no font has fail with \`unsupported_text\`. In tagged documents, the signature is an
artifact.

Changes are appended to the file (an incremental update), unless it is damaged, so the earlier state stays in the file. Signed bytes do not change, but digital signatures do not allow the change
(\`X-Signature-Invalidated\`).`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    mode: text(formChoice("type", "image"), "Whether the signature is typed or an image.", {
      brief: "",
      required: true,
    }),
    field: text(signatureBox(), `The box for the signature. ${PAGE_BOX}`, {
      brief: "In points from the top left.",
      label: "Box",
      required: true,
    }),
    typedName: text(stampText(), "The name to sign with, up to 2,000 characters.", {
      brief: "",
      required: true,
      when: { mode: ["type"] },
    }),
    signatureImage: imageFile("The image of the signature: PNG, JPEG, WebP, TIFF, GIF, or BMP.", {
      required: true,
      when: { mode: ["image"] },
    }),
    timestamp: text(formBoolean(), "Adds the line `signed at` with the time in UTC (ISO 8601).", {
      brief: "Adds the time.",
    }),
    signerName: text(stampText(), "A line with the name of the signer.", { brief: "" }),
    signerEmail: text(
      stampText(),
      "A line with the email address of the signer. Together with `signerName`, up to 2,000 characters.",
      { brief: "" },
    ),
  },
  example: {
    file: "letter.pdf",
    mode: "type",
    typedName: "Ada Lovelace",
    field: '{"page":2,"x":72,"y":190,"width":200,"height":58}',
  },
  memory: { readsRanges: true },
  errors: ["unsupported_text"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  pageChecks: [
    ({ field }, pageCount) => {
      const issue = pageIssue(field, pageCount);
      return issue === undefined ? [] : [{ name: "field", issue }];
    },
  ],

  async run({ file, field, typedName = "", signatureImage, timestamp, signerName, signerEmail }, engines) {
    const signer = [signerName, signerEmail].filter((line) => line !== undefined);
    checkLength(typedName);
    checkLength(signer.join("\n"));
    const time = new Date().toISOString().replace(/\.\d+/, "");
    const lines = timestamp ? [...signer, `signed at ${time}`] : signer;
    using open = await openPdf(engines.pdf, file, { validateFor: "save" });
    const place = await signaturePlace(open, field);
    const look = { color: BLACK, align: "center" } as const;
    const signature = signatureImage
      ? await imageMark(open, engines, signatureImage)
      : withHairlines(await textMark(open, engines, typedName, { ...look, face: "GreatVibes" }));
    const footer = lines.length > 0 ? withHairlines(await textMark(open, engines, lines.join("\n"), look)) : undefined;
    await stampSignature(open, place, signature, footer);
    const { bytes, signatureInvalidated } = await saveChanges(open, { changed: [field.page - 1] });
    return {
      kind: "pdf",
      bytes,
      headers: resultHeadersOf([open], { pageCount: open.pageCount, signatureInvalidated }),
    };
  },
});
