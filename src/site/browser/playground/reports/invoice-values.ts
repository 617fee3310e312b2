/** The values of an invoice, from `invoice` with `output=json`, as a person reads an invoice. */
import { type Block, factsOf, has, listOf, tableOf } from "./blocks.ts";
import { formatInWords, type InvoiceFormat } from "./invoice-check.ts";

type Value = string | null;

interface Party {
  readonly name: Value;
  readonly vatId: Value;
  readonly taxNumber: Value;
  readonly electronicAddress: Value;
  readonly address: {
    readonly lines: readonly string[];
    readonly city: Value;
    readonly postcode: Value;
    readonly country: Value;
  } | null;
}

export interface InvoiceValues extends InvoiceFormat {
  readonly number: Value;
  readonly issueDate: Value;
  readonly typeCode: Value;
  readonly currency: Value;
  readonly dueDate: Value;
  readonly deliveryDate: Value;
  readonly paymentTerms: Value;
  readonly buyerReference: Value;
  readonly orderReference: Value;
  readonly notes: readonly string[];
  readonly seller: Party | null;
  readonly buyer: Party | null;
  readonly payment: {
    readonly reference: Value;
    readonly means: readonly { readonly account: Value; readonly bic: Value }[];
  };
  readonly totals: Readonly<
    Record<"lines" | "allowances" | "charges" | "withoutVat" | "vat" | "withVat" | "paid" | "rounding" | "due", Value>
  >;
  readonly taxes: readonly Readonly<
    Record<"category" | "rate" | "taxableAmount" | "taxAmount" | "exemptionReason", Value>
  >[];
  readonly lines: readonly Readonly<
    Record<"id" | "name" | "quantity" | "unit" | "netPrice" | "netAmount" | "vatRate", Value>
  >[];
}

export const isInvoiceValues = (json: unknown): json is InvoiceValues =>
  has(json, "syntax", "seller", "buyer", "totals", "taxes", "lines");

/** The common ones of UNTDID 1001. */
const TYPES: Readonly<Record<string, string>> = {
  380: "Invoice",
  381: "Credit note",
  384: "Corrected invoice",
  386: "Prepayment invoice",
  389: "Self-billed invoice",
};

/** The letters of UNTDID 5305 that an invoice can have. */
const CATEGORIES: Readonly<Record<string, string>> = {
  S: "Standard rate",
  Z: "Zero rate",
  E: "Exempt",
  AE: "Reverse charge",
  K: "Supply within the EU",
  G: "Export",
  O: "Not subject to VAT",
};

export function invoiceValueBlocks(invoice: InvoiceValues): Block[] {
  const { currency, totals, payment, taxes, lines, notes } = invoice;
  const amount = (value: Value): Value => (value === null || currency === null ? value : `${value} ${currency}`);
  const percent = (value: Value): string => (value === null ? "" : `${value}%`);
  return [
    { kind: "heading", text: `${TYPES[invoice.typeCode ?? ""] ?? "Invoice"} ${invoice.number ?? "without a number"}` },
    ...factsOf("Invoice", {
      Date: invoice.issueDate,
      Delivered: invoice.deliveryDate,
      Due: invoice.dueDate,
      Terms: invoice.paymentTerms,
      Reference: invoice.buyerReference,
      Order: invoice.orderReference,
      Format: formatInWords(invoice),
    }),
    ...factsOf("Parties", { Seller: partyInWords(invoice.seller), Buyer: partyInWords(invoice.buyer) }),
    ...factsOf("Totals", {
      Lines: amount(totals.lines),
      Allowances: amount(totals.allowances),
      Charges: amount(totals.charges),
      "Without VAT": amount(totals.withoutVat),
      VAT: amount(totals.vat),
      "With VAT": amount(totals.withVat),
      Paid: amount(totals.paid),
      Rounding: amount(totals.rounding),
      "To pay": amount(totals.due),
    }),
    ...factsOf("Payment", {
      Reference: payment.reference,
      Account: payment.means
        .flatMap(({ account, bic }) => (account === null ? [] : [[account, bic].filter(Boolean).join(", ")]))
        .join("; "),
    }),
    ...tableOf(
      "Taxes",
      ["Category", "Rate", "On", "Tax"],
      taxes.map(({ category, rate, taxableAmount, taxAmount, exemptionReason }) => [
        [CATEGORIES[category ?? ""] ?? category ?? "", ...(exemptionReason === null ? [] : [exemptionReason])].join(
          ": ",
        ),
        percent(rate),
        amount(taxableAmount) ?? "",
        amount(taxAmount) ?? "",
      ]),
    ),
    ...tableOf(
      "Lines",
      ["Line", "Item", "Quantity", "Price", "VAT", "Amount"],
      lines.map(({ id, name, quantity, unit, netPrice, vatRate, netAmount }) => [
        id ?? "",
        name ?? "",
        // H87 and C62 are pieces.
        [quantity, unit === "H87" || unit === "C62" ? null : unit].filter(Boolean).join(" "),
        netPrice ?? "",
        percent(vatRate),
        amount(netAmount) ?? "",
      ]),
    ),
    ...listOf(
      "Notes",
      notes.map((text) => ({ text })),
    ),
  ];
}

function partyInWords(party: Party | null): Value {
  if (party === null) return null;
  const { name, vatId, taxNumber, electronicAddress, address } = party;
  const place = address && [
    ...address.lines,
    [address.postcode, address.city].filter(Boolean).join(" "),
    address.country,
  ];
  const ids = [vatId && `VAT ID ${vatId}`, taxNumber && `tax number ${taxNumber}`, electronicAddress];
  return [name, ...(place ?? []), ...ids].filter(Boolean).join(", ");
}
