import { limits } from "../limits.ts";
import { base64, fromBase64 } from "../bytes/base64.ts";
import { der, Unexpected } from "../engines/cms/asn1.ts";
import { readPem, readPkcs12, type Credentials } from "../engines/cms/credentials.ts";
import { evidenceFor } from "../engines/cms/evidence.ts";
import { readCertificates } from "../engines/cms/pem.ts";
import { Unusable } from "../engines/cms/refusal.ts";
import { otherDigestThanParameter, ownContent } from "../engines/cms/problems.ts";
import { Revocations } from "../engines/cms/revocation.ts";
import { digestOf, signatureRoom, signDigest, signedAttributes } from "../engines/cms/sign.ts";
import { ID_DATA, readSignedData, readStampOver, verifySignedData } from "../engines/cms/signed-data.ts";
import { DIGESTS, type DigestName, signerElsewhere, signerOf, subjectOf } from "../engines/cms/signer.ts";
import { TIMESTAMP_ROOM, timeStamp } from "../engines/cms/time-stamp-request.ts";
import type { EngineBytes } from "../engines/memory/heap.ts";
import { invalidParameter } from "../engines/errors.ts";
import type { Services } from "../engines/services.ts";
import type { Engines } from "../engines/lease/engines.ts";
import type { Work } from "../engines/work.ts";
import { type OpenPdf, openPdf, type PdfInput } from "../engines/pdf/document/document.ts";
import { findField } from "../engines/pdf/seal/field.ts";
import { readPrepared } from "../engines/pdf/seal/complete.ts";
import { appendEvidence } from "../engines/pdf/seal/long-term.ts";
import { isSigned } from "../engines/pdf/signatures/fields.ts";
import { breaksSignature } from "../engines/pdf/signatures/invalidation.ts";
import { sealPdf } from "../engines/pdf/seal/seal.ts";
import { fillPlace } from "../engines/pdf/seal/value.ts";
import { checkLength } from "../engines/pdf/stamps/labels.ts";
import { imageMark, textMark } from "../engines/pdf/stamps/mark.ts";
import { withHairlines } from "../engines/pdf/stamps/signature.ts";
import { defineOperation, type Output, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { anyFile, type FieldIssue, imageFile, pdfFile, text, type UploadedFile } from "./definition/fields.ts";
import { restarting } from "./definition/run.ts";
import { formChoice, formText, lineText, PAGE_BOX, signatureBox } from "./definition/values.ts";

const BLACK = [0, 0, 0] as const;

/** Levels of DocMDP (ISO 32000-2, table 257). */
const PERMISSIONS = { "no-changes": 1, "form-filling": 2, annotations: 3 } as const;

/** Levels of PAdES (EN 319 142-1, 6). */
const LEVELS = ["b-b", "b-t", "b-lt", "b-lta"] as const;
type Level = (typeof LEVELS)[number];
const STAMPED = ["b-t", "b-lt", "b-lta"] as const;
const isStamped = (level: Level | undefined): boolean => level !== undefined && level !== "b-b";

const SIGN = { mode: ["sign"] };
const COMPLETE = { mode: ["complete"] };
const PLACE = { mode: ["sign", "prepare"] };

/** Base64 of the largest RSA signature, and of a CMS signature with a time stamp. */
const LONGEST_SIGNATURE = limits.parameters.signatureCharacters;
const LONGEST_CMS = limits.parameters.pemCharacters;

/** A chain of RSA certificates in PEM has about 10 KB. */
const LONGEST_PEM = limits.parameters.pemCharacters;

export const seal = defineOperation({
  name: "seal",
  summary: "Sign with a certificate",
  group: "Edit",
  aside: "with a certificate (PAdES)",
  keywords: "digital signature certificate pades p12 pfx pkcs12 x509 certify docmdp eidas timestamp tsa",
  guidance:
    "To sign a PDF digitally with the client's own certificate and private key (PAdES), so that anyone can verify who signed it and that it has not changed. To draw a signature that proves nothing, use `sign`.",
  description: `Adds a digital signature: PAdES (ETSI EN 319 142-1). It proves that the holder of the private key signed exactly these bytes. Whether a reader trusts
the certificate depends on its issuer and on the reader.

Send \`certificate\`, a PKCS#12 file (.p12, .pfx) with its password, or \`privateKey\` and \`chain\` in PEM. Keys are RSA (2,048 to 4,096 bits, PKCS#1 v1.5; PSS if the certificate requires it), P-256, or P-384. Send the issuers' certificates too, because readers need them. Keys and passwords
are used only for the request.

\`level\` determines how long the signature can be verified:

- \`b-b\`: a signature alone, until its certificate expires or is revoked.
- \`b-t\`: also a time stamp from a time-stamp service.
- \`b-lt\`: also the revocation data (OCSP or revocation lists) of all certificates, including those of the service, from the URLs in the certificates.
- \`b-lta\`: also a time stamp over all of that, which stays valid when those responses can no longer be verified.

If a response is missing, the request fails with \`revocation_unavailable\`.

If the key cannot leave its place (a hardware module, a browser, a trust service), sign in two steps. \`mode=prepare\` takes \`chain\` without a key. It returns the document with space reserved for the signature and, in \`X-Signature-Input\`, the bytes to sign, in base64. Sign exactly these bytes with the key and \`digest\`. Then send that document as \`file\` of \`mode=complete\`, with the same \`chain\`, \`digest\`, and \`level\`, and the \`signature\`. A document that changed in between is refused.

Changes are appended to the file, so all earlier bytes are kept, and earlier signatures stay valid. The signature goes into the empty signature field \`fieldName\`, or
into a new field: invisible, or visible in the box \`field\`. The field's requirements (its seed value), its locks, and the limits of earlier signatures are respected: a signature that they
do not allow fails with \`signature_forbidden\`. Damaged files and forms with XFA are refused.

\`X-Signature-Field\` is the name of the field, and \`X-Signature-Level\` the level.`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    mode: text(
      formChoice("sign", "prepare", "complete"),
      "`sign` does all at once. `prepare` and `complete` are the two steps for a key that is elsewhere.",
      { brief: "`prepare`, then `complete`: for a key that is elsewhere.", default: "sign" },
    ),
    certificate: anyFile("A PKCS#12 file with one private key, its certificate, and the certificates of the issuers.", {
      when: SIGN,
    }),
    privateKey: text(formText(LONGEST_PEM), "Instead of `certificate`: the private key, PKCS#8 in PEM.", {
      brief: "Instead of `certificate`: PEM.",
      format: "multiline",
      when: SIGN,
    }),
    chain: text(
      formText(LONGEST_PEM),
      "With `privateKey`, or for two steps: the certificates in PEM, the signer's first, then those of the issuers.",
      { brief: "With `privateKey`: certificates in PEM.", format: "multiline" },
    ),
    certificatePassword: text(
      formText(limits.parameters.certificatePasswordCharacters),
      "The password of `certificate` or `privateKey`.",
      { brief: "", format: "password", when: SIGN },
    ),
    signature: text(
      formText(LONGEST_SIGNATURE),
      "The signature of what `X-Signature-Input` had, in base64: PKCS#1 v1.5 or PSS for RSA; for elliptic curves in DER, or as WebCrypto has it.",
      { brief: "Base64.", when: COMPLETE },
    ),
    cms: text(
      formText(LONGEST_CMS),
      "Instead of `signature` and `chain`: the whole CMS signature (CAdES, detached) of the bytes in the `ByteRange`, DER in base64.",
      { brief: "Instead of `signature` and `chain`.", when: COMPLETE },
    ),
    level: text(
      formChoice(...LEVELS),
      "The PAdES level: `b-b` is a signature, `b-t` has a time stamp over it, `b-lt` also the revocation data of all certificates, `b-lta` a document time stamp over that.",
      {
        brief: "PAdES: `b-t` adds a time stamp, `b-lt` revocation data, `b-lta` an archive time stamp.",
        label: "PAdES level",
        default: "b-b",
      },
    ),
    timestampUrl: text(
      formText(limits.parameters.urlCharacters),
      "The HTTPS URL of the time-stamp service (RFC 3161). Default: the service's own, if it has one.",
      { brief: "", when: { level: STAMPED } },
    ),
    digest: text(formChoice("sha256", "sha384", "sha512"), "The digest.", { brief: "", default: "sha256" }),
    reason: text(lineText(500), "The reason for signing.", { brief: "", when: PLACE }),
    location: text(lineText(500), "The place of signing.", { brief: "", when: PLACE }),
    contactInfo: text(lineText(500), "How the signer can be reached.", { brief: "", when: PLACE }),
    signerName: text(lineText(500), "The name of the signer. Default: the subject of the certificate.", {
      brief: "",
      when: PLACE,
    }),
    fieldName: text(
      lineText(500),
      "The full name of an empty signature field, or the name of the new one. Default: a new field, `Signature1`.",
      { brief: "", when: PLACE },
    ),
    field: text(signatureBox(), `The box of a new field, which makes the signature visible. ${PAGE_BOX}`, {
      brief: "Makes it visible. In points from the top left.",
      label: "Box",
      when: PLACE,
    }),
    appearance: text(
      formChoice("text", "image", "both"),
      "What a visible signature shows: name, time, reason, and location as `text`, or `image`, or `both` side by side.",
      { brief: "", default: "text" },
    ),
    image: imageFile("The image of a visible signature: PNG, JPEG, WebP, TIFF, GIF, or BMP.", {
      required: true,
      when: { appearance: ["image", "both"] },
    }),
    certify: text(
      formChoice("no-changes", "form-filling", "annotations"),
      "Certifies the document and restricts later changes: none, filling in forms and signing, or annotations as well. Only for the first signature.",
      { brief: "Later changes that are allowed.", when: PLACE },
    ),
  },
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
    "revocation_unavailable",
    "unsupported_text",
    "unsupported_form",
  ],
  headers: [
    "X-Page-Count",
    "X-Signature-Field",
    "X-Signature-Level",
    "X-Signature-Input",
    "X-Signature-Invalidated",
    "X-Conformance-Lost",
  ],

  checks: [credentialIssues],

  asksOutside: true,

  async run(input, engines, services) {
    if (input.mode === "complete") return complete(input, engines, services);
    const { file, level, digest = "sha256", reason, location, contactInfo, image } = input;
    const hasTimestamp = isStamped(level);
    const isPrepared = input.mode === "prepare";
    if (!isPrepared) checkTimestamp(input, services);
    const signer = isPrepared
      ? await signerElsewhere(await readCertificates(engines.work, "chain", input.chain ?? ""), digest, "chain")
      : await signerOf(await credentialsOf(engines.work, input), digest);
    const signerName = input.signerName ?? subjectOf(signer.certificate);
    const signedAt = new Date();
    const sealed = await withDocument(engines, file, "save", async (open) => {
      const wasSigned = await isSigned(open);
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
      const made = await sealPdf(open, {
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
      });
      // What the levels from `b-lt` on append later is allowed by all signatures.
      const signatureInvalidated =
        wasSigned && (await breaksSignature(open, made.file, [(input.field?.page ?? 1) - 1]));
      return { ...made, headers: headersOf(open, field.name, signatureInvalidated) };
    });
    if (isPrepared) {
      const toSign = base64(der(await signedAttributes(signer, digest, sealed.hashed)));
      return { kind: "pdf", bytes: sealed.file, headers: { ...sealed.headers, "X-Signature-Input": toSign } };
    }
    const cms = await signDigest(engines.work, signer, digest, sealed.hashed, stampOf(input, engines, services));
    fillPlace(sealed, cms);
    const field = input.certificate?.field ?? "chain";
    return {
      kind: "pdf",
      bytes: await extended(sealed.file, { ...input, cms, field }, engines, services),
      headers: { ...sealed.headers, "X-Signature-Level": level ?? "b-b" },
    };
  },
});

/** Works on the document and closes it, so that others can use the engine while this request waits. */
const withDocument = <T extends object>(
  { pdf }: Engines,
  file: PdfInput,
  validateFor: "save" | undefined,
  work: (open: OpenPdf) => Promise<T>,
): Promise<T> =>
  pdf.scope(async () => {
    using open = await openPdf(pdf, file, { validateFor });
    return await work(open);
  });

const headersOf = (open: OpenPdf, field: string, signatureInvalidated = false) => ({
  ...resultHeadersOf([open], { pageCount: open.pageCount, signatureInvalidated }),
  "X-Signature-Field": encodeURIComponent(field.toWellFormed()),
});

interface Parameters {
  readonly mode?: "sign" | "prepare" | "complete" | undefined;
  readonly certificate?: unknown;
  readonly privateKey?: string | undefined;
  readonly chain?: string | undefined;
  readonly signature?: string | undefined;
  readonly cms?: string | undefined;
}

/** What a mode needs of keys, certificates, and signatures. */
function credentialIssues(input: Parameters): FieldIssue[] {
  const { mode = "sign", privateKey, chain } = input;
  const required = (name: string, reason: string): FieldIssue => ({ name, issue: `is required ${reason}` });
  /** The problems if not exactly one of two is there. */
  const eitherOf = (first: keyof Parameters, second: keyof Parameters): FieldIssue[] => {
    const given = [first, second].filter((name) => input[name] !== undefined);
    if (given.length === 0) return [required(first, `unless \`${second}\` is sent`)];
    return given.length === 2 ? [{ name: second, issue: `must not be sent together with \`${first}\`` }] : [];
  };
  if (mode === "prepare") return chain === undefined ? [required("chain", "with `mode=prepare`")] : [];
  if (mode === "complete") {
    const needsChain = input.signature !== undefined && chain === undefined;
    return [...eitherOf("signature", "cms"), ...(needsChain ? [required("chain", "with `signature`")] : [])];
  }
  const needsChain = privateKey !== undefined && chain === undefined;
  return [...eitherOf("certificate", "privateKey"), ...(needsChain ? [required("chain", "with `privateKey`")] : [])];
}

function checkTimestamp({ level, timestampUrl }: SealInput, { timestamps }: Services): void {
  if (isStamped(level) && timestampUrl === undefined && timestamps?.hasDefault !== true)
    throw invalidParameter(
      "timestampUrl",
      "is required for a `level` with a time stamp: this service has no time-stamp service of its own",
    );
}

/** What adds a time stamp, if one is wanted. */
function stampOf(
  input: SealInput,
  engines: Engines,
  services: Services,
): ((signature: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>) | undefined {
  const { level, digest = "sha256" } = input;
  if (!isStamped(level)) return undefined;
  return async (signature) => stampDigest(input, engines, services, await digestOf(digest, signature));
}

/** Asks the time-stamp service, without engines. */
function stampDigest(
  { timestampUrl, digest = "sha256" }: SealInput,
  engines: Engines,
  { timestamps }: Services,
  hashed: Uint8Array,
): Promise<Uint8Array> {
  if (timestamps === undefined) throw new Error("there is no time-stamp service");
  engines.park("services");
  return timeStamp(engines.work, timestamps, timestampUrl, digest, hashed);
}

/** Appends what the levels from `b-lt` on need. */
async function extended(
  signed: EngineBytes,
  input: SealInput & { readonly file: PdfInput; readonly cms: Uint8Array; readonly field: string },
  engines: Engines,
  services: Services,
): Promise<EngineBytes> {
  const { level, digest = "sha256", cms, field } = input;
  if (level !== "b-lt" && level !== "b-lta") return signed;
  engines.park("services");
  const { work } = engines;
  const evidence = await evidenceFor(work, cms, field, new Revocations(work, services.issuers));
  await engines.resume();
  const bytes = await engines.pdf.adopt(signed, { inRanges: true });
  const stamp = level === "b-lta" ? { digest, room: TIMESTAMP_ROOM } : undefined;
  const { file, unsigned } = await restarting(engines, () =>
    withDocument(engines, { ...input.file, bytes }, undefined, (open) => appendEvidence(open, evidence, stamp)),
  );
  if (unsigned) fillPlace(unsigned, await stampDigest(input, engines, services, unsigned.hashed));
  return file;
}

interface SealInput {
  readonly level?: Level | undefined;
  readonly timestampUrl?: string | undefined;
  readonly digest?: DigestName | undefined;
}

/** The second of two steps. */
async function complete(
  input: SealInput & Parameters & { readonly file: UploadedFile & PdfInput },
  engines: Engines,
  services: Services,
): Promise<Output> {
  const { digest = "sha256", chain, signature, cms } = input;
  const needsService = signature !== undefined || input.level === "b-lta";
  if (needsService) checkTimestamp(input, services);
  const signer =
    signature === undefined
      ? undefined
      : await signerElsewhere(
          await readCertificates(engines.work, "chain", chain ?? ""),
          digest,
          "chain",
          decoded("signature", signature),
        );
  const { headers, ...prepared } = await withDocument(engines, input.file, "save", async (open) => {
    const read = await readPrepared(open, digest);
    return { ...read, headers: headersOf(open, read.field) };
  });
  let level = input.level ?? "b-b";
  const made = await signatureOf(
    async () => {
      if (signer) return signDigest(engines.work, signer, digest, prepared.hashed, stampOf(input, engines, services));
      const given = decoded("cms", cms ?? "");
      const own = await checkCms(engines.work, given, digest, prepared.hashed);
      const isExtended = level === "b-lt" || level === "b-lta";
      if (isExtended && own === "b-b")
        throw invalidParameter("cms", `has no time stamp, which \`level\` ${level} needs`);
      if (!isExtended) level = own;
      return given;
    },
    signer ? "signature" : "cms",
  );
  const field = signer ? "chain" : "cms";
  return {
    kind: "pdf",
    bytes: await extended(prepared.with(made), { ...input, cms: made, field }, engines, services),
    headers: { ...headers, "X-Signature-Level": level },
  };
}

/** A signature that was made elsewhere. `name`: the field that it came in. */
async function signatureOf(read: () => Promise<Uint8Array>, name: string): Promise<Uint8Array> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Unusable) && !(error instanceof Unexpected)) throw error;
    throw invalidParameter(
      name,
      `does not fit: it must be made of what \`mode=prepare\` returned, which must not change in between${error instanceof Unusable ? ` (it ${error.message})` : ""}`,
    );
  }
}

function decoded(name: string, text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text.replace(/\s+/g, ""));
  } catch {
    throw invalidParameter(name, "must be base64");
  }
}

/** Checks a CMS signature that came from elsewhere. Returns its level. */
async function checkCms(
  work: Work,
  cms: Uint8Array<ArrayBuffer>,
  digest: DigestName,
  hashed: Uint8Array,
): Promise<"b-b" | "b-t"> {
  const data = await readSignedData(work, cms);
  if (data.content !== undefined) throw ownContent();
  if (data.hash !== DIGESTS[digest].hash) throw otherDigestThanParameter();
  await verifySignedData(data, ID_DATA, hashed, { needsCertificate: true });
  if (data.token === undefined) return "b-b";
  await readStampOver(work, data, data.token);
  return "b-t";
}

function credentialsOf(
  work: Work,
  {
    certificate,
    privateKey = "",
    chain = "",
    certificatePassword,
  }: {
    readonly certificate: UploadedFile | undefined;
    readonly privateKey: string | undefined;
    readonly chain: string | undefined;
    readonly certificatePassword: string | undefined;
  },
): Promise<Credentials> {
  if (certificate === undefined) return readPem(work, privateKey, chain, certificatePassword);
  const { field, bytes } = certificate;
  return readPkcs12(work, field, bytes.view(0, bytes.length).slice(), certificatePassword);
}
