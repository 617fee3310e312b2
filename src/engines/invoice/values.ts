/** An invoice as plain values, for JSON. Amounts stay the texts that the invoice has: they are exact. */
import type { Address, AllowanceOrCharge, Amount, Invoice, InvoiceLine, Party, Period, BusinessTerm } from "./model.ts";
import { standardOf } from "./profiles.ts";
import type { ReadInvoice } from "./read-invoice.ts";

const textOf = (term: BusinessTerm | Amount | undefined): string | null => term?.text ?? null;

const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;

/** A date as ISO 8601 has it; another text stays. */
const dateOf = (term: BusinessTerm | undefined): string | null => term?.text.replace(COMPACT, "$1-$2-$3") ?? null;

const periodOf = (period: Period | undefined) => period && { start: dateOf(period.start), end: dateOf(period.end) };

const addressOf = (address: Address | undefined) =>
  address && {
    lines: address.lines.map(({ text }) => text),
    city: textOf(address.city),
    postcode: textOf(address.postcode),
    subdivision: textOf(address.subdivision),
    country: textOf(address.country),
  };

const partyOf = (party: Party | undefined) =>
  party && {
    name: textOf(party.name),
    tradingName: textOf(party.tradingName),
    identifiers: party.ids.map(({ text, scheme = null }) => ({ value: text, scheme })),
    legalRegistration: textOf(party.legalId),
    vatId: textOf(party.vatId),
    taxNumber: textOf(party.taxId),
    electronicAddress: textOf(party.electronicAddress),
    address: addressOf(party.address) ?? null,
    contact: party.contact
      ? { name: textOf(party.contact.name), phone: textOf(party.contact.phone), email: textOf(party.contact.email) }
      : null,
  };

const allowanceOrChargeOf = (one: AllowanceOrCharge) => ({
  kind: one.isCharge ? ("charge" as const) : ("allowance" as const),
  amount: textOf(one.amount),
  baseAmount: textOf(one.base),
  percent: textOf(one.percent),
  reason: textOf(one.reason),
  reasonCode: textOf(one.reasonCode),
  vatCategory: textOf(one.category),
  vatRate: textOf(one.rate),
});

const lineOf = (line: InvoiceLine) => ({
  id: textOf(line.id),
  name: textOf(line.name),
  description: textOf(line.description),
  note: textOf(line.note),
  sellerItemId: textOf(line.sellerItemId),
  standardItemId: textOf(line.standardItemId),
  quantity: textOf(line.quantity),
  unit: line.unit ?? null,
  netPrice: textOf(line.netPrice),
  grossPrice: textOf(line.grossPrice),
  netAmount: textOf(line.net),
  vatCategory: textOf(line.category),
  vatRate: textOf(line.rate),
  period: periodOf(line.period) ?? null,
  allowancesAndCharges: line.allowancesAndCharges.map(allowanceOrChargeOf),
});

function totalsOf({ totals }: Invoice) {
  return {
    lines: textOf(totals?.lines),
    allowances: textOf(totals?.allowances),
    charges: textOf(totals?.charges),
    withoutVat: textOf(totals?.net),
    vat: textOf(totals?.tax),
    vatInAccountingCurrency: textOf(totals?.taxInAccountingCurrency),
    withVat: textOf(totals?.gross),
    paid: textOf(totals?.paid),
    rounding: textOf(totals?.rounding),
    due: textOf(totals?.due),
  };
}

/** The standard, its profile, and the syntax. */
export function formatOf({ invoice, profile }: ReadInvoice) {
  const guideline = textOf(invoice.guideline);
  const { standard = null, version = null } = (guideline === null ? undefined : standardOf(guideline)) ?? {};
  return { standard, profile: profile ?? null, version, syntax: invoice.syntax, guideline };
}

export function valuesOf(read: ReadInvoice) {
  const { invoice } = read;
  return {
    ...formatOf(read),
    number: textOf(invoice.number),
    issueDate: dateOf(invoice.issued),
    typeCode: textOf(invoice.type),
    currency: textOf(invoice.currency),
    taxCurrency: textOf(invoice.taxCurrency),
    dueDate: dateOf(invoice.due),
    paymentTerms: textOf(invoice.terms),
    buyerReference: textOf(invoice.buyerReference),
    orderReference: textOf(invoice.order),
    contractReference: textOf(invoice.contract),
    precedingInvoices: invoice.preceding.flatMap(({ number }) => number?.text ?? []),
    notes: invoice.notes.map(({ text }) => text),
    period: periodOf(invoice.period) ?? null,
    deliveryDate: dateOf(invoice.delivered),
    seller: partyOf(invoice.seller) ?? null,
    buyer: partyOf(invoice.buyer) ?? null,
    payee: partyOf(invoice.payee) ?? null,
    taxRepresentative: partyOf(invoice.taxRepresentative) ?? null,
    payment: {
      reference: textOf(invoice.remittance),
      means: invoice.payment.map(({ code, transfer, bic }) => ({
        code: textOf(code),
        account: textOf(transfer?.account),
        accountName: textOf(transfer?.name),
        bic: textOf(bic),
      })),
    },
    allowancesAndCharges: invoice.allowancesAndCharges.map(allowanceOrChargeOf),
    totals: totalsOf(invoice),
    taxes: invoice.vat.map(({ category, rate, taxable, tax, reason, reasonCode }) => ({
      category: textOf(category),
      rate: textOf(rate),
      taxableAmount: textOf(taxable),
      taxAmount: textOf(tax),
      exemptionReason: textOf(reason),
      exemptionReasonCode: textOf(reasonCode),
    })),
    lines: invoice.lines.map(lineOf),
  };
}
