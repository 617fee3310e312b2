/** Reads an invoice in any of the syntaxes. */
import type { Work } from "../work.ts";
import type { Invoice } from "./model.ts";
import { type InvoiceProfile, profileOf } from "./profiles.ts";
import { readCii } from "./read-cii.ts";
import { readUbl } from "./read-ubl.ts";
import { type Element, type NotXml, readTree } from "./xml-tree.ts";

/** Why a file is no invoice. */
export type NotInvoice = NotXml | "root";

export interface ReadInvoice {
  readonly invoice: Invoice;
  readonly profile: InvoiceProfile | undefined;
}

const UBL = "urn:oasis:names:specification:ubl:schema:xsd:";

/**
 * The invoice in a file, or why it is none.
 * @throws Refusal `limit_exceeded` (elements, work)
 */
export async function readInvoice(work: Work, bytes: Uint8Array): Promise<ReadInvoice | NotInvoice> {
  const root = await readTree(work, bytes);
  if (typeof root === "string") return root;
  const invoice = invoiceOf(root);
  if (invoice === undefined) return "root";
  const { guideline } = invoice;
  return { invoice, profile: guideline && profileOf(guideline.text) };
}

function invoiceOf(root: Element): Invoice | undefined {
  switch (`${root.namespace} ${root.name}`) {
    case "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 CrossIndustryInvoice":
      return readCii(root, "CII");
    case "urn:ferd:CrossIndustryDocument:invoice:1p0 CrossIndustryDocument":
      return readCii(root, "ZUGFeRD 1");
    case `${UBL}Invoice-2 Invoice`:
    case `${UBL}CreditNote-2 CreditNote`:
      return readUbl(root);
    default:
      return undefined;
  }
}
