import { z } from "zod";
import { openPdf } from "../engines/pdf/document.ts";
import { saveSigned } from "../engines/pdf/save-signed.ts";
import { checkLength } from "../engines/pdf/stamp-labels.ts";
import { imageMark, textMark } from "../engines/pdf/stamp-mark.ts";
import { signaturePlace, stampSignature, withHairlines } from "../engines/pdf/stamp-signature.ts";
import { defineOperation } from "./define.ts";
import {
  type FieldIssue,
  formBoolean,
  formChoice,
  imageFile,
  jsonField,
  pdfFile,
  required,
  stampText,
  text,
} from "./fields.ts";
import { notes } from "./notes.ts";

const number = z.number({ error: "must be a number" });
/** Smaller than a point is a mistake, not a signature. */
const length = number.min(1, { error: "must be at least 1" });
const ORIGINS = ["top-left", "bottom-left"] as const;

const signatureField = z.strictObject({
  page: z.int({ error: "must be a whole number" }).min(1, { error: "must be at least 1" }),
  x: number,
  y: number,
  width: length,
  height: length,
  origin: z.enum(ORIGINS, { error: `must be one of ${ORIGINS.join(", ")}` }).default("top-left"),
});

const BLACK = [0, 0, 0] as const;

export const sign = defineOperation({
  name: "sign",
  summary: "Apply a visual signature",
  description: `Draws a signature in a box of one page: a name typed in a script face, or an image. It is a visual mark only: no
certificate, no digital signature, and nothing that shows whether the document was changed later. The box is placed as a person
sees the page: /Rotate, CropBox and UserUnit are taken into account; it must lie on the page. The signature is as large as the
box holds it. \`timestamp\`, \`signerName\` and \`signerEmail\` write small lines at the bottom of the box, below the signature.
Text can be searched and copied; characters that the script face lacks come from another font, and one that no font has is
\`unsupported_text\`. An image keeps its transparency and is turned as EXIF says. In tagged documents the mark is an artifact.
Signed documents are saved as an incremental update, so that their digital signatures stay verifiable;
\`X-Signature-Invalidated\` tells where one breaks all the same.`,
  credits: 1,
  scope: "pdf:write",
  fields: {
    file: pdfFile(),
    mode: text(required(formChoice("type", "image")), "How it is signed."),
    field: text(
      required(jsonField(signatureField)),
      'Where: `{"page": 1, "x": 72, "y": 650, "width": 200, "height": 60}`; `page` from 1; the rest in points from the top left of the page as it is shown, or with `"origin": "bottom-left"` from its bottom left, to the same corner of the box.',
    ),
    typedName: text(stampText(), "For `mode=type`: the name, 2,000 characters at most; markup in it is text, too.", {
      when: { mode: ["type"] },
    }),
    signatureImage: imageFile("For `mode=image`: a PNG, JPEG or WebP.", { when: { mode: ["image"] } }),
    timestamp: text(formBoolean(), "Adds `signed at` and the time in ISO 8601, UTC. Default false."),
    signerName: text(stampText(), "A line above the time."),
    signerEmail: text(stampText(), "A line above the time. With `signerName` 2,000 characters at most."),
  },
  example: {
    file: "letter.pdf",
    mode: "type",
    typedName: "Ada Lovelace",
    field: '{"page":2,"x":72,"y":190,"width":200,"height":58}',
  },
  produces: ["application/pdf"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated"],

  check({ mode, typedName, signatureImage, ...footer }) {
    const issues: FieldIssue[] = [];
    const given = { typedName: typedName !== undefined, signatureImage: signatureImage !== undefined };
    const [own, foreign] =
      mode === "type" ? (["typedName", "signatureImage"] as const) : (["signatureImage", "typedName"] as const);
    if (!given[own]) issues.push({ name: own, issue: `is required for mode=${mode}` });
    if (given[foreign]) issues.push({ name: foreign, issue: `does not belong to mode=${mode}` });
    const texts = { typedName, signerName: footer.signerName, signerEmail: footer.signerEmail };
    for (const [name, value] of Object.entries(texts)) {
      if (value?.trim() === "") issues.push({ name, issue: "must not be white space alone" });
    }
    return issues;
  },

  async run({ file, field, typedName = "", signatureImage, timestamp, signerName, signerEmail }, engines) {
    const signer = [signerName, signerEmail].filter((line) => line !== undefined);
    checkLength(typedName);
    checkLength(signer.join("\n"));
    const time = new Date().toISOString().replace(/\.\d+/, "");
    const lines = timestamp ? [...signer, `signed at ${time}`] : signer;
    using open = openPdf(engines.pdf, file);
    const place = signaturePlace(open, field);
    const look = { colour: BLACK, align: "center" } as const;
    const signature = signatureImage
      ? await imageMark(open, engines, signatureImage)
      : withHairlines(await textMark(open, engines, typedName, { ...look, face: "GreatVibes" }));
    const footer = lines.length > 0 ? withHairlines(await textMark(open, engines, lines.join("\n"), look)) : undefined;
    stampSignature(place, signature, footer);
    const { bytes, broken } = saveSigned(open);
    return { kind: "pdf", bytes, headers: notes([open], { pageCount: open.pageCount, signed: broken }) };
  },
});
