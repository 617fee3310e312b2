import { z } from "zod";
import { limits } from "../limits.ts";
import { readCertificates } from "../engines/cms/pem.ts";
import { openPdf } from "../engines/pdf/document/document.ts";
import { judgeSignatures, readSignatures } from "../engines/pdf/signatures/verify.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { returnsJson } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formBoolean, formText } from "./definition/values.ts";

/** Fifty roots in PEM have about 100 KB. */
const LONGEST_PEM = limits.parameters.trustCharacters;

const chain = z
  .enum(["trusted", "untrusted", "expired", "revoked", "unknown"])
  .describe(
    "`trusted`: valid certificates lead to a root in `trust`. `untrusted`: they do not, or no roots were sent. `expired`: one of them was not valid at that time. `revoked`: one of them was revoked by then. `unknown`: the signature is not intact, the certificate of an issuer is missing or cannot be judged, or whether one was revoked could not be found out.",
  );
const certificate = z.object({
  subject: z.string().describe("The name, as RFC 4514 writes it."),
  issuer: z.string(),
  serialNumber: z.string().describe("Hexadecimal."),
  notBefore: z.string(),
  notAfter: z.string(),
});
const reason = z.string().optional();
const revocation = z
  .enum(["good", "revoked", "unknown", "not-checked"])
  .describe(
    "What issuers said of the certificates of a trusted chain, in the document or when they were asked. `good`: none was revoked. `unknown`: an issuer did not respond, or not in a way that can be used. `not-checked`: the certificates name nobody to ask, `fetch` is `false`, or the chain is not trusted.",
  );

const report = z.object({
  signatures: z
    .array(
      z.object({
        field: z.string().describe("The full name of the field."),
        kind: z.enum(["signature", "document-timestamp"]),
        format: z.string().describe("`SubFilter`, for example `ETSI.CAdES.detached`."),
        level: z
          .enum(["b-b", "b-t", "b-lt", "b-lta"])
          .nullable()
          .describe(
            "The PAdES level: `b-t` with a time stamp over the signature, `b-lt` if the document also proves that no certificate was revoked then, `b-lta` if a document time stamp covers that. Says nothing about trust.",
          ),
        integrity: z
          .enum(["intact", "broken", "unsupported"])
          .describe(
            "`intact`: the key of the certificate signed exactly the bytes of this revision. `unsupported`: not judged, because of its algorithms or its format.",
          ),
        coverage: z.enum(["whole-document", "earlier-revision"]),
        changesAfter: z
          .enum(["none", "allowed", "forbidden"])
          .describe("What was changed after this signature, and whether the signatures before allow it."),
        changes: z
          .array(
            z.object({
              kind: z.enum(["form-field", "signature", "annotation", "validation-data", "metadata", "other"]),
              object: z.int().describe("The number of the object; 0 for the trailer or the file."),
              page: z.int().optional(),
              box: z
                .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
                .optional()
                .describe(
                  "Of a field that was signed or filled in and that the page shows: where it is, in points from the top left of the visible page.",
                ),
              coversContent: z
                .boolean()
                .optional()
                .describe(
                  "Whether text or images of the signed page are in `box`, which the field may now hide. Show such a document as it was signed, or reject it, even if the change is allowed.",
                ),
              field: z.string().optional(),
              text: z.string(),
              allowed: z.boolean(),
            }),
          )
          .describe("Up to 100 changes."),
        signer: certificate.nullable().describe("`null` if the signature cannot be read."),
        chain,
        revocation,
        reason: reason.describe("Why the signature is not intact, or else why its certificate is not trusted."),
        signedAt: z.string().nullable().describe("ISO 8601."),
        timeSource: z
          .enum(["timestamp", "signer", "none"])
          .describe("The source of the time: a time-stamp service, or only the signer."),
        timestamp: z
          .object({ signer: certificate.nullable(), chain, revocation, reason })
          .optional()
          .describe("The service that made the time stamp."),
        docMdp: z
          .enum(["no-changes", "form-filling", "annotations"])
          .optional()
          .describe("The changes that a certifying signature allows."),
        name: z.string().optional(),
        signingReason: z.string().optional(),
        location: z.string().optional(),
      }),
    )
    .describe("In the order of the revisions that they cover."),
  documentIntact: z
    .boolean()
    .describe(
      "Whether there are signatures, all are intact, and nothing was changed that they forbid. Says nothing about trust.",
    ),
});

export const verifySignatures = defineOperation({
  name: "verify-signatures",
  summary: "Verify signatures",
  group: "Edit",
  keywords: "validate check authenticity integrity tampered forged shadow attack revision pdfsig",
  guidance:
    "To learn who signed a PDF digitally, whether it has changed since, and how. Not for drawn signatures, which prove nothing.",
  description: `Verifies every digital signature and document time stamp, and returns a report as JSON. A document without any has an empty list.

A signature is \`intact\` if the key of its certificate signed exactly the bytes of its revision: all but its own value. With a \`reason\`, it is \`unsupported\` if it cannot be verified: SHA-1 or another weak digest, Ed25519,
CMS without signed attributes, a format that is not detached CMS. Everything else is \`broken\`: a changed byte, an odd \`ByteRange\`.

Each update that was added to the file afterwards is compared with the revision before it, object by object. Filled-in form fields, further signatures, and data for their validation are \`allowed\` unless a signature
forbids them; annotations only if a certification allows them. Everything else is \`forbidden\`: changed pages, fields that show something other than their value, objects in other places.

Send the roots that you trust as \`trust\`. Without them, every \`chain\` is \`untrusted\`. Certificates must be valid now, or at the time of a trusted time stamp, and must not be revoked: the document may have the responses of their issuers (OCSP, revocation lists); if not, the service requests
them from the issuers, unless \`fetch\` is \`false\`. A certificate that names a revocation service is not trusted without a response.`,
  credits: 1,
  modes: returnsJson(report),
  fields: {
    file: pdfFile(),
    trust: text(formText(LONGEST_PEM), "The root certificates that you trust, in PEM.", {
      brief: "Root certificates in PEM.",
      format: "multiline",
    }),
    fetch: text(
      formBoolean(true),
      "Whether issuers are asked if certificates were revoked, where the document does not say it. Only for chains that lead to a root in `trust`.",
      { brief: "Asks issuers about revocation." },
    ),
  },
  example: { file: "signed.pdf" },
  memory: { readsRanges: true },
  errors: ["invalid_certificate"],
  headers: ["X-Page-Count"],

  asksOutside: true,

  async run({ file, trust, fetch: asks }, engines, services) {
    const { pdf, work } = engines;
    const roots = trust === undefined ? [] : await readCertificates(work, "trust", trust);
    const { headers, read } = await pdf.scope(async () => {
      using open = await openPdf(pdf, file);
      const found = await readSignatures(open);
      return { read: found, headers: resultHeadersOf([open], { pageCount: open.pageCount }) };
    });
    const mayAsk = asks && read.signatures.length > 0;
    if (mayAsk) {
      // Issuers may take long, and from here on only the data read so far is needed.
      pdf.files.free();
      engines.park("services");
    }
    const issuers = mayAsk ? services.issuers : undefined;
    const value: z.infer<typeof report> = await judgeSignatures(work, read, { roots, now: new Date(), issuers });
    return { kind: "json", value, headers };
  },
});
