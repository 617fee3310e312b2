import { readPem, readPkcs12, type Credentials } from "../engines/cms/credentials.ts";
import { signatureRoom, signDigest } from "../engines/cms/sign.ts";
import { signerOf, subjectOf } from "../engines/cms/signer.ts";
import { TIMESTAMP_ROOM, timeStamp } from "../engines/cms/time-stamp-request.ts";
import { invalidParameter } from "../engines/errors.ts";
import { openPdf } from "../engines/pdf/document/document.ts";
import { findField } from "../engines/pdf/seal/field.ts";
import { sealPdf } from "../engines/pdf/seal/seal.ts";
import { checkLength } from "../engines/pdf/stamps/labels.ts";
import { imageMark, textMark } from "../engines/pdf/stamps/mark.ts";
import { withHairlines } from "../engines/pdf/stamps/signature.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { anyFile, imageFile, pdfFile, text, type UploadedFile } from "./definition/fields.ts";
import { formChoice, formText, lineText, PAGE_BOX, signatureBox } from "./definition/values.ts";

const BLACK = [0, 0, 0] as const;

/** Levels of DocMDP (ISO 32000-2, table 257). */
const PERMISSIONS = { "no-changes": 1, "form-filling": 2, annotations: 3 } as const;

/** A chain of RSA certificates in PEM has about 10 KB. */
const LONGEST_PEM = 100_000;

export const seal = defineOperation({
  name: "seal",
  summary: "Sign with a certificate",
  guidance:
    "To sign a PDF digitally with the client's own certificate and private key (PAdES), so that anyone can verify who signed it and that it has not changed. To draw a signature that proves nothing, use `sign`.",
  description: `Adds a digital signature: PAdES (ETSI EN 319 142-1), level B-B or, with a time stamp, B-T. It proves that whoever has the private key signed exactly these bytes; how far a reader trusts
the certificate is up to its issuer and to the reader.

Send \`certificate\`, a PKCS#12 file (.p12, .pfx) with its password, or \`privateKey\` and \`chain\` in PEM. Keys are RSA (2,048 to 4,096 bits, PKCS#1 v1.5; PSS if the certificate says so), P-256, or P-384. Send the issuers' certificates too, since readers need them. Keys and passwords
are only used for the request.

Changes are appended to the file, so every byte before them stays, and earlier signatures stay valid. The signature is put into the empty signature field \`fieldName\`, or
into a new one: invisible, or visible in the box \`field\`. What a field requires of its signature (its seed value) and what it locks is respected, and so are the limits of earlier signatures: a signature that they
do not allow fails with \`signature_forbidden\`. Damaged files and forms with XFA are refused.

\`X-Signature-Field\` is the name of the field, and \`X-Signature-Level\` the level.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    certificate: anyFile("A PKCS#12 file with one private key, its certificate, and the certificates of the issuers."),
    privateKey: text(formText(LONGEST_PEM), "Instead of `certificate`: the private key, PKCS#8 in PEM.", {
      format: "multiline",
    }),
    chain: text(
      formText(LONGEST_PEM),
      "With `privateKey`: the certificates in PEM, the signer's and those of the issuers.",
      { format: "multiline" },
    ),
    certificatePassword: text(formText(1_000), "The password of `certificate` or `privateKey`.", {
      format: "password",
    }),
    level: text(
      formChoice("b-b", "b-t"),
      "The PAdES level: `b-b` is a signature, `b-t` also has a time stamp over it, from a time-stamp service.",
      { default: "b-b" },
    ),
    timestampUrl: text(
      formText(2_048),
      "The HTTPS URL of the time-stamp service (RFC 3161). Default: the service's own, if it has one.",
      { when: { level: ["b-t"] } },
    ),
    digest: text(formChoice("sha256", "sha384", "sha512"), "The digest.", { default: "sha256" }),
    reason: text(lineText(500), "The reason for signing."),
    location: text(lineText(500), "The place of signing."),
    contactInfo: text(lineText(500), "How the signer can be reached."),
    signerName: text(lineText(500), "The name of the signer. Default: the subject of the certificate."),
    fieldName: text(
      lineText(500),
      "The full name of an empty signature field, or the name of the new one. Default: a new field, `Signature1`.",
    ),
    field: text(signatureBox(), `The box of a new field, which makes the signature visible. ${PAGE_BOX}`),
    appearance: text(
      formChoice("text", "image", "both"),
      "What a visible signature shows: name, time, reason, and location as `text`, or `image`, or `both` side by side.",
      { default: "text" },
    ),
    image: imageFile("The image of a visible signature: PNG, JPEG, or WebP.", {
      required: true,
      when: { appearance: ["image", "both"] },
    }),
    certify: text(
      formChoice("no-changes", "form-filling", "annotations"),
      "Certifies the document, and says which changes are allowed afterwards: none, filling in forms and signing, or annotations as well. Only for the first signature.",
    ),
  },
  oneOf: { fields: ["certificate", "privateKey"], exactly: true },
  example: {
    file: "letter.pdf",
    certificate: "signer.p12",
    certificatePassword: "example",
    reason: "Approved",
    field: '{"page":2,"x":72,"y":190,"width":200,"height":58}',
  },
  memory: { readsRanges: true },
  errors: [
    "invalid_certificate",
    "signature_forbidden",
    "already_signed",
    "timestamp_failed",
    "unsupported_text",
    "unsupported_form",
  ],
  headers: ["X-Page-Count", "X-Signature-Field", "X-Signature-Level"],

  checks: [
    ({ privateKey, chain }) =>
      privateKey !== undefined && chain === undefined
        ? [{ name: "chain", issue: "is required with `privateKey`" }]
        : [],
  ],

  async run(input, engines) {
    const { file, level, timestampUrl, digest = "sha256", reason, location, contactInfo, image } = input;
    const { timestampService } = engines;
    const hasTimestamp = level === "b-t";
    if (hasTimestamp && timestampUrl === undefined && timestampService?.hasDefault !== true)
      throw invalidParameter(
        "timestampUrl",
        "is required for `level` b-t: this service has no time-stamp service of its own",
      );
    const signer = await signerOf(await credentialsOf(input), digest);
    const signerName = input.signerName ?? subjectOf(signer.certificate);
    const signedAt = new Date();
    using open = await openPdf(engines.pdf, file, { validateFor: "save" });
    const certify = input.certify && PERMISSIONS[input.certify];
    const field = await findField(open, {
      name: input.fieldName,
      certify,
      isVisible: input.field !== undefined,
      digest,
      reason,
      hasTimestamp,
    });
    if (field.existing && input.field)
      throw invalidParameter("field", `is for new fields: \`${field.name}\` is there and has its own box`);
    const bytes = await sealPdf(open, {
      field,
      certify,
      signedAt,
      texts: { Name: signerName, Reason: reason, Location: location, ContactInfo: contactInfo },
      box: input.field,
      look: async () => {
        const { appearance = "text" } = input;
        if (appearance !== "text" && image === undefined) throw new Error("the image is missing");
        const lines = [signerName, signedAt.toISOString().replace(/\.\d+/, ""), reason, location];
        const shown = lines.filter((line) => line !== undefined).join("\n");
        checkLength(shown);
        return {
          ...(appearance !== "image" && {
            text: withHairlines(await textMark(open, engines, shown, { color: BLACK, align: "left" })),
          }),
          ...(appearance !== "text" && image && { image: await imageMark(open, engines, image) }),
        };
      },
      digest,
      room: signatureRoom(signer) + (hasTimestamp ? TIMESTAMP_ROOM : 0),
      sign: (hashed) =>
        signDigest(
          signer,
          digest,
          hashed,
          hasTimestamp && timestampService
            ? (signature) => timeStamp(timestampService, timestampUrl, digest, signature)
            : undefined,
        ),
    });
    return {
      kind: "pdf",
      bytes,
      headers: {
        ...resultHeadersOf([open], { pageCount: open.pageCount, signed: false }),
        "X-Signature-Field": encodeURIComponent(field.name.toWellFormed()),
        "X-Signature-Level": hasTimestamp ? "b-t" : "b-b",
      },
    };
  },
});

function credentialsOf({
  certificate,
  privateKey = "",
  chain = "",
  certificatePassword,
}: {
  readonly certificate: UploadedFile | undefined;
  readonly privateKey: string | undefined;
  readonly chain: string | undefined;
  readonly certificatePassword: string | undefined;
}): Promise<Credentials> {
  if (certificate === undefined) return readPem(privateKey, chain, certificatePassword);
  const { field, bytes } = certificate;
  return readPkcs12(field, bytes.view(0, bytes.length).slice(), certificatePassword);
}
