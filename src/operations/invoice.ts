import { z } from "zod";
import type { Engines } from "../engines/lease/engines.ts";
import { invoiceProblem, notInvoice } from "../engines/file-errors.ts";
import { checkInvoice } from "../engines/invoice/check.ts";
import { bytesOfAttachment, checkContainer, type Container, findInvoices } from "../engines/invoice/container.ts";
import { INVOICE_PROFILES, INVOICE_STANDARDS } from "../engines/invoice/profiles.ts";
import { type NotInvoice, readInvoice, type ReadInvoice } from "../engines/invoice/read-invoice.ts";
import { formatOf, valuesOf } from "../engines/invoice/values.ts";
import { beginsAsXml } from "../engines/markup/xml.ts";
import { decryptAll, readAttachment, readAttachments } from "../engines/pdf/attachments/attachments.ts";
import { openPdf, requireOwner } from "../engines/pdf/document/document.ts";
import { writeArchive } from "../engines/pdf/archive/prove.ts";
import { noInvoice } from "../engines/result-errors.ts";
import { pdfDateOf } from "../engines/pdf/objects/dates.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { attachInvoice } from "../engines/invoice/attach.ts";
import type { PdfEngine } from "../engines/pdf/mupdf/mupdf.ts";
import { defineOperation, type Output, resultHeadersOf } from "./definition/define.ts";
import { ARCHIVE_HEADERS, archiveHeaders } from "./definition/archive-headers.ts";
import { pdfOrXmlFile, text, type UploadedFile, xmlFile } from "./definition/fields.ts";
import { safeFileName } from "./definition/file-names.ts";
import { MAKES_PDF, type Mode, returnsJson } from "./definition/modes.ts";
import { formChoice } from "./definition/values.ts";

const value = z.string().nullable();

const format = {
  standard: z.enum(INVOICE_STANDARDS).nullable().describe("By the guideline; `null` if that is missing or unknown."),
  profile: z.enum(INVOICE_PROFILES).nullable().describe("As `standard`."),
  version: value.describe("That of the standard, such as `1.0`."),
  syntax: z.enum(["CII", "UBL", "ZUGFeRD 1"]),
  guideline: value.describe("The specification identifier (BT-24)."),
};

const party = z
  .object({
    name: value,
    tradingName: value,
    identifiers: z.array(z.object({ value: z.string(), scheme: value })),
    legalRegistration: value,
    vatId: value,
    taxNumber: value,
    electronicAddress: value,
    address: z
      .object({ lines: z.array(z.string()), city: value, postcode: value, subdivision: value, country: value })
      .nullable(),
    contact: z.object({ name: value, phone: value, email: value }).nullable(),
  })
  .nullable();
const period = z.object({ start: value, end: value }).nullable();
const allowancesAndCharges = z.array(
  z.object({
    kind: z.enum(["allowance", "charge"]),
    amount: value,
    baseAmount: value,
    percent: value,
    reason: value,
    reasonCode: value,
    vatCategory: value,
    vatRate: value,
  }),
);

const view = z.object({
  ...format,
  number: value,
  issueDate: value.describe("ISO 8601, as all dates."),
  typeCode: value.describe("`380` is an invoice, `381` a credit note (UNTDID 1001)."),
  currency: value,
  taxCurrency: value,
  dueDate: value,
  paymentTerms: value,
  buyerReference: value,
  orderReference: value,
  contractReference: value,
  precedingInvoices: z.array(z.string()),
  notes: z.array(z.string()),
  period,
  deliveryDate: value,
  seller: party,
  buyer: party,
  payee: party,
  taxRepresentative: party,
  payment: z.object({
    reference: value,
    means: z.array(z.object({ code: value, account: value, accountName: value, bic: value })),
  }),
  allowancesAndCharges,
  totals: z
    .object({
      lines: value,
      allowances: value,
      charges: value,
      withoutVat: value,
      vat: value,
      vatInAccountingCurrency: value,
      withVat: value,
      paid: value,
      rounding: value,
      due: value,
    })
    .describe("Amounts are decimal numbers as text, exactly as the invoice has them."),
  taxes: z.array(
    z.object({
      category: value,
      rate: value,
      taxableAmount: value,
      taxAmount: value,
      exemptionReason: value,
      exemptionReasonCode: value,
    }),
  ),
  lines: z.array(
    z.object({
      id: value,
      name: value,
      description: value,
      note: value,
      sellerItemId: value,
      standardItemId: value,
      quantity: value,
      unit: value,
      netPrice: value,
      grossPrice: value,
      netAmount: value,
      vatCategory: value,
      vatRate: value,
      period,
      allowancesAndCharges,
    }),
  ),
});

const report = z.object({
  conforms: z
    .literal(false)
    .nullable()
    .describe("`false` if a rule is broken. Else `null`: `notChecked` lists the rules that are not checked."),
  coverage: z
    .object({
      rules: z.int().describe("The rules of the invoice that were checked."),
      of: z.int().describe("Those of its profile that can be counted."),
    })
    .nullable()
    .describe("`null` if the invoice cannot be read."),
  container: z
    .object({
      attachment: z.object({ name: z.string(), relationship: value, contentType: value }),
      pdfa: z.object({
        profile: z.string().describe("The profile of PDF/A-3 that the document was checked against."),
        claimed: value,
        conforms: z.boolean().nullable().describe("As in the report of `validate`."),
      }),
      xmp: z
        .object({
          namespace: z.string(),
          documentType: value,
          documentFileName: value,
          version: value,
          conformanceLevel: value,
        })
        .nullable()
        .describe("The properties about the invoice in the metadata; `null` if it has none."),
    })
    .nullable()
    .describe("The PDF around the invoice; `null` for XML alone."),
  xml: z.object(format).nullable().describe("The invoice; `null` if it cannot be read."),
  failures: z
    .array(
      z.object({
        rule: z.string().describe("The ID of the rule, such as `BR-CO-10`."),
        message: z.string(),
        count: z.int().describe("How often it is broken."),
        path: z.string().describe("Where it is broken first: in the XML as XPath without prefixes."),
      }),
    )
    .describe("The rules that are broken: first those of the container."),
  notChecked: z
    .array(
      z.object({
        rules: z.string(),
        count: z.int().nullable().describe("`null` if they are not counted."),
        reason: z.string(),
      }),
    )
    .describe("The rules of the invoice that were not checked. Empty if it cannot be read."),
});

const extracts: Mode = {
  scope: "pdf:read",
  returns: ["application/octet-stream", "application/json"],
  json: view,
};

export const invoice = defineOperation({
  name: "invoice",
  summary: "Make, read, and check e-invoices",
  group: "Convert",
  keywords:
    "zugferd factur-x facturx xrechnung einvoice e-invoice electronic invoicing en16931 en 16931 cii ubl cross industry invoice peppol e-rechnung facture",
  guidance:
    "For electronic invoices: to make Factur-X of a PDF and XML, to get the XML or values of Factur-X, ZUGFeRD, and XRechnung, or to check them. For other attachments, use `attachments`.",
  description: `Attaches an e-invoice to a PDF, or reads the one that is attached: Factur-X, ZUGFeRD 1 and 2, or XRechnung, in CII or UBL. To read, \`file\` can also be the XML alone.

- \`attach\` attaches \`xml\` and converts the PDF to PDF/A-3b, as \`archive\` does. The profile is read from the XML, and decides the name of the file, its relationship, and the metadata. An invoice that is attached already is replaced. The result is validated before it is sent; the invoice is not: use \`inspect\`. ZUGFeRD 1 cannot be attached.
- \`extract\` returns the XML as it is, or with \`output=json\` its values: header, parties, totals, taxes, and lines, by the terms of EN 16931.
- \`inspect\` returns a report. It checks the PDF (PDF/A-3, the attached file, and the metadata about it), the totals, and the rules of EN 16931 that need no code lists. Each broken rule has its ID, and where it is broken first.

\`conforms\` is \`false\` if a rule is broken, and otherwise \`null\`, never \`true\`: \`coverage\` counts the rules that were checked, and \`notChecked\` lists the others.
An invoice of the profile MINIMUM or BASIC WL lacks terms that EN 16931 requires, so only the rules about its terms are checked.

The guide at \`/docs/e-invoices\` has the details.`,
  credits: 1,
  modes: {
    by: "action",
    values: { attach: MAKES_PDF, extract: extracts, inspect: returnsJson(report) },
  },
  fields: {
    file: pdfOrXmlFile("The PDF with the invoice, or its XML."),
    action: text(formChoice("attach", "extract", "inspect"), "What to do.", { required: true }),
    xml: xmlFile("The XML to attach: CII or UBL.", { required: true, when: { action: ["attach"] } }),
    output: text(formChoice("xml", "json"), "The XML as it is, or its values as JSON.", {
      default: "xml",
      when: { action: ["extract"] },
    }),
  },
  example: { file: "invoice.xml", action: "inspect" },
  furtherExamples: [{ file: "letter.pdf", action: "attach", xml: "invoice.xml" }],
  errors: ["no_invoice", "not_conforming", "owner_password_required", "unsupported_text"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", ...ARCHIVE_HEADERS],

  async run({ file, action, xml: sent, output }, engines) {
    const { pdf, work } = engines;
    if (action === "attach" && sent) return attach(engines, file, sent);
    const isXml = beginsAsXml(file.bytes.view(0, Math.min(file.bytes.length, 64)));
    using open = isXml ? undefined : await openPdf(pdf, file);
    const attachment = open && (await findInvoices(open, await readAttachments(open)))[0];
    if (open && !attachment) throw noInvoice(file.field);
    const headers = open ? resultHeadersOf([open], { pageCount: open.pageCount }) : {};
    if (action === "extract" && output === "xml") {
      if (!open || !attachment) return { kind: "file", name: "invoice.xml", bytes: file.bytes, headers };
      await decryptAll(open, [attachment]);
      return {
        kind: "file",
        name: safeFileName(attachment.name),
        bytes: await readAttachment(open, attachment),
        headers,
      };
    }
    const own = bytesOf(pdf, file);
    const read = await readInvoice(work, open && attachment ? await bytesOfAttachment(open, attachment) : own);
    // A report can have this problem of an attached invoice: the rest of the PDF can be checked.
    if (typeof read === "string" && (action === "extract" || !attachment)) {
      throw notInvoice(file.field, read, attachment?.name);
    }
    if (typeof read !== "string" && action === "extract") {
      const value: z.infer<typeof view> = valuesOf(read);
      return { kind: "json", value, headers };
    }
    const container = open && attachment && (await checkContainer(open, own, attachment, read));
    const value: z.infer<typeof report> = await reportOf(engines, read, container);
    return { kind: "json", value, headers };
  },
});

async function attach({ pdf, work, loadFont }: Engines, file: UploadedFile, sent: UploadedFile): Promise<Output> {
  const read = await readInvoice(work, bytesOf(pdf, sent));
  if (typeof read === "string") throw notInvoice(sent.field, read);
  using open = await openPdf(pdf, file, { validateFor: "save" });
  if (open.encrypted) requireOwner(open);
  const { pageCount } = open;
  const signatureInvalidated = await hasIntactSignature(open);
  const modified = pdfDateOf(new Date().toISOString()) ?? "";
  const archived = await attachInvoice(open, { bytes: sent.bytes, read, field: sent.field, modified }, loadFont);
  const headers = resultHeadersOf([open], { pageCount, signatureInvalidated });
  const written = await writeArchive(open, "3b", archived, { keepsResidual: false });
  return { kind: "pdf", bytes: written.bytes, headers: { ...headers, ...archiveHeaders(archived, written) } };
}

async function reportOf(
  { work }: Engines,
  read: ReadInvoice | NotInvoice,
  container: Container | undefined,
): Promise<z.infer<typeof report>> {
  const ofContainer = container?.failures ?? [];
  const around = container ? { attachment: container.attachment, pdfa: container.pdfa, xmp: container.xmp } : null;
  if (typeof read === "string") {
    const path = container?.attachment.name ?? "";
    const unreadable = { rule: "XML", message: invoiceProblem(path, read), path, count: 1 };
    const nothing = { conforms: false, coverage: null, xml: null } as const;
    return { ...nothing, container: around, failures: [...ofContainer, unreadable], notChecked: [] };
  }
  const { failures: ofInvoice, coverage, notChecked } = await checkInvoice(work, read);
  const failures = [...ofContainer, ...ofInvoice];
  const conforms = failures.length > 0 ? false : null;
  return { conforms, coverage, container: around, xml: formatOf(read), failures, notChecked };
}

/** A copy: the engine's heap may move. */
function bytesOf(pdf: PdfEngine, { bytes }: UploadedFile): Uint8Array {
  pdf.claim(bytes.length);
  return bytes.view(0, bytes.length).slice();
}
