import type { Block } from "./blocks.ts";
import { conformanceBlocks, isConformanceReport } from "./conformance.ts";
import { invoiceCheckBlocks, isInvoiceCheck } from "./invoice-check.ts";
import { invoiceValueBlocks, isInvoiceValues } from "./invoice-values.ts";
import { isSignatureReport, signatureBlocks } from "./signatures.ts";

/** A JSON result in words; undefined if it is not one of the reports that have them. */
export function reportIn(json: unknown): Block[] | undefined {
  if (isSignatureReport(json)) return signatureBlocks(json);
  if (isConformanceReport(json)) return conformanceBlocks(json);
  if (isInvoiceCheck(json)) return invoiceCheckBlocks(json);
  if (isInvoiceValues(json)) return invoiceValueBlocks(json);
  return undefined;
}
