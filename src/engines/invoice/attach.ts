/** Attaches an invoice to a document, which becomes PDF/A-3b: Factur-X 1.0, and XRechnung in the same way. */
import type { LoadFont } from "../fonts.ts";
import type { EngineBytes } from "../memory/heap.ts";
import { guidelineUnknown, notAttachable } from "../file-errors.ts";
import { archive, type ArchiveReport } from "../pdf/archive/archive.ts";
import type { XmpSchema } from "../pdf/archive/target.ts";
import { addAttachment, readAttachments, removeAttachments } from "../pdf/attachments/attachments.ts";
import type { OpenPdf } from "../pdf/document/document.ts";
import { FACTUR_X, findInvoices } from "./container.ts";
import { type InvoiceProfile, standardOf } from "./profiles.ts";
import type { ReadInvoice } from "./read-invoice.ts";

export interface AttachedInvoice {
  readonly bytes: EngineBytes;
  readonly read: ReadInvoice;
  /** The field that it was sent in. */
  readonly field: string;
  /** A PDF date. */
  readonly modified: string;
}

/**
 * Changes the document in memory. An invoice that is attached already is replaced.
 * @throws Refusal `invalid_file` for an invoice without a known guideline, or of ZUGFeRD 1; what `archive` throws
 */
export async function attachInvoice(
  open: OpenPdf,
  { bytes, read, field, modified }: AttachedInvoice,
  loadFont: LoadFont,
): Promise<ArchiveReport> {
  const { invoice, profile } = read;
  if (invoice.syntax === "ZUGFeRD 1") throw notAttachable(field);
  if (profile === undefined) throw guidelineUnknown(field, invoice.guideline?.text);
  const attachments = await readAttachments(open);
  await removeAttachments(open, await findInvoices(open, attachments), attachments);
  const name = nameOf(read, profile);
  const relationship = profile === "MINIMUM" || profile === "BASIC WL" ? "Data" : "Alternative";
  await addAttachment(open, { name, bytes, description: `Invoice (${profile})`, relationship, modified });
  // Factur-X is CII: its metadata would be wrong about UBL.
  const schemas = invoice.syntax === "CII" ? [schemaOf(name, profile, invoice.guideline?.text ?? "")] : [];
  return archive(open, { profile: "3b", loadFont, schemas });
}

/** UBL other than XRechnung has no name that readers expect. */
function nameOf({ invoice }: ReadInvoice, profile: InvoiceProfile): string {
  if (profile === "XRECHNUNG") return "xrechnung.xml";
  return invoice.syntax === "CII" ? "factur-x.xml" : "invoice.xml";
}

function schemaOf(fileName: string, profile: InvoiceProfile, guideline: string): XmpSchema {
  const own = standardOf(guideline);
  // The version is that of Factur-X, or of XRechnung.
  const version = own?.standard === "XRechnung" ? own.version : "1.0";
  return {
    namespace: FACTUR_X,
    prefix: "fx",
    name: "Factur-X PDFA Extension Schema",
    properties: [
      { name: "DocumentType", value: "INVOICE", description: "The type of the attached document" },
      { name: "DocumentFileName", value: fileName, description: "The name of the attached XML file" },
      { name: "Version", value: version, description: "The version of the standard of the XML" },
      { name: "ConformanceLevel", value: profile, description: "The profile of the XML" },
    ],
  };
}
