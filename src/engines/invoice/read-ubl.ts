/** Reads an Invoice or a CreditNote of OASIS UBL 2.1. */
import {
  type Address,
  allIdentifiers,
  type AllowanceOrCharge,
  allTerms,
  amount,
  amountOf,
  identifier,
  type Invoice,
  type InvoiceLine,
  isTrue,
  type Party,
  type PaymentMeans,
  type Period,
  term,
  termOf,
  type Totals,
  type VatBreakdown,
} from "./model.ts";
import { all, type Element, first } from "./xml-tree.ts";

/** Document references that are another term: the invoiced object (BT-18), and the project of a credit note (BT-11). */
const NOT_SUPPORTING = ["130", "50"];

export function readUbl(root: Element): Invoice {
  const currency = term(root, "DocumentCurrencyCode");
  const taxCurrency = term(root, "TaxCurrencyCode");
  const delivery = first(root, "Delivery");
  const taxTotals = all(root, "TaxTotal");
  return {
    root,
    syntax: "UBL",
    guideline: term(root, "CustomizationID"),
    process: term(root, "ProfileID"),
    number: term(root, "ID"),
    issued: term(root, "IssueDate"),
    type: term(root, "InvoiceTypeCode|CreditNoteTypeCode"),
    currency,
    taxCurrency,
    taxPoint: term(root, "TaxPointDate"),
    taxPointCode: term(root, "InvoicePeriod/DescriptionCode"),
    due: term(root, "DueDate") ?? term(root, "PaymentMeans/PaymentDueDate"),
    terms: term(root, "PaymentTerms/Note"),
    buyerReference: term(root, "BuyerReference"),
    order: term(root, "OrderReference/ID"),
    contract: term(root, "ContractDocumentReference/ID"),
    notes: allTerms(root, "Note"),
    preceding: all(root, "BillingReference/InvoiceDocumentReference").map((at) => ({ at, number: term(at, "ID") })),
    seller: party(first(root, "AccountingSupplierParty/Party")),
    buyer: party(first(root, "AccountingCustomerParty/Party")),
    payee: party(first(root, "PayeeParty")),
    taxRepresentative: party(first(root, "TaxRepresentativeParty")),
    delivered: term(delivery, "ActualDeliveryDate"),
    deliverTo: address(first(delivery, "DeliveryLocation/Address")),
    period: period(
      all(root, "InvoicePeriod").find((at) => first(at, "StartDate|EndDate") ?? !first(at, "DescriptionCode")),
    ),
    payment: all(root, "PaymentMeans").map(paymentMeans),
    remittance: term(root, "PaymentMeans/PaymentID"),
    allowancesAndCharges: all(root, "AllowanceCharge").map(allowanceOrCharge),
    totals: totals(root, taxTotals, currency?.text, taxCurrency?.text),
    vat: all(root, "TaxTotal/TaxSubtotal").map(vatBreakdown),
    documents: all(root, "AdditionalDocumentReference")
      .filter((at) => !NOT_SUPPORTING.includes(term(at, "DocumentTypeCode")?.text ?? ""))
      .map((at) => ({ at, id: term(at, "ID") })),
    lines: all(root, "InvoiceLine|CreditNoteLine").map(line),
  };
}

function party(at: Element | undefined): Party | undefined {
  if (at === undefined) return undefined;
  const registered = (isVat: boolean) =>
    termOf(
      first(
        all(at, "PartyTaxScheme").find(
          (scheme) => (term(scheme, "TaxScheme/ID")?.text.toUpperCase() === "VAT") === isVat,
        ),
        "CompanyID",
      ),
    );
  const tradingName = term(at, "PartyName/Name");
  const contact = first(at, "Contact");
  return {
    at,
    // A payee and a tax representative have no legal entity with a name.
    name: term(at, "PartyLegalEntity/RegistrationName") ?? (isLegal(at) ? undefined : tradingName),
    tradingName,
    ids: allIdentifiers(at, "PartyIdentification/ID"),
    legalId: identifier(at, "PartyLegalEntity/CompanyID"),
    vatId: registered(true),
    taxId: registered(false),
    electronicAddress: identifier(at, "EndpointID"),
    address: address(first(at, "PostalAddress")),
    contact: contact && {
      name: term(contact, "Name"),
      phone: term(contact, "Telephone"),
      email: term(contact, "ElectronicMail"),
    },
  };
}

/** Seller and buyer. */
const isLegal = (at: Element): boolean => at.name === "Party";

function address(at: Element | undefined): Address | undefined {
  if (at === undefined) return undefined;
  return {
    at,
    lines: ["StreetName", "AdditionalStreetName", "AddressLine/Line"].flatMap((name) => term(at, name) ?? []),
    city: term(at, "CityName"),
    postcode: term(at, "PostalZone"),
    subdivision: term(at, "CountrySubentity"),
    country: term(at, "Country/IdentificationCode"),
  };
}

function period(at: Element | undefined): Period | undefined {
  return at && { at, start: term(at, "StartDate"), end: term(at, "EndDate") };
}

function paymentMeans(at: Element): PaymentMeans {
  const account = first(at, "PayeeFinancialAccount");
  const card = first(at, "CardAccount");
  return {
    at,
    code: term(at, "PaymentMeansCode"),
    transfer: account && { at: account, account: term(account, "ID"), name: term(account, "Name") },
    bic: term(account, "FinancialInstitutionBranch/ID"),
    card: card && { at: card, number: term(card, "PrimaryAccountNumberID") },
  };
}

function allowanceOrCharge(at: Element): AllowanceOrCharge {
  return {
    at,
    isCharge: isTrue(first(at, "ChargeIndicator")),
    amount: amount(at, "Amount"),
    base: amount(at, "BaseAmount"),
    percent: amount(at, "MultiplierFactorNumeric"),
    category: term(at, "TaxCategory/ID"),
    rate: amount(at, "TaxCategory/Percent"),
    reason: term(at, "AllowanceChargeReason"),
    reasonCode: term(at, "AllowanceChargeReasonCode"),
  };
}

function totals(
  root: Element,
  taxTotals: readonly Element[],
  currency?: string,
  taxCurrency?: string,
): Totals | undefined {
  const at = first(root, "LegalMonetaryTotal");
  if (at === undefined) return undefined;
  const taxes = taxTotals.flatMap((one) => amount(one, "TaxAmount") ?? []);
  return {
    at,
    lines: amount(at, "LineExtensionAmount"),
    allowances: amount(at, "AllowanceTotalAmount"),
    charges: amount(at, "ChargeTotalAmount"),
    net: amount(at, "TaxExclusiveAmount"),
    tax: taxes.find((one) => one.currency === currency),
    taxInAccountingCurrency: taxCurrency === undefined ? undefined : taxes.find((one) => one.currency === taxCurrency),
    gross: amount(at, "TaxInclusiveAmount"),
    paid: amount(at, "PrepaidAmount"),
    rounding: amount(at, "PayableRoundingAmount"),
    due: amount(at, "PayableAmount"),
  };
}

function vatBreakdown(at: Element): VatBreakdown {
  return {
    at,
    taxable: amount(at, "TaxableAmount"),
    tax: amount(at, "TaxAmount"),
    category: term(at, "TaxCategory/ID"),
    rate: amount(at, "TaxCategory/Percent"),
    reason: term(at, "TaxCategory/TaxExemptionReason"),
    reasonCode: term(at, "TaxCategory/TaxExemptionReasonCode"),
  };
}

function line(at: Element): InvoiceLine {
  const quantity = first(at, "InvoicedQuantity|CreditedQuantity");
  const item = first(at, "Item");
  const price = first(at, "Price");
  return {
    at,
    id: term(at, "ID"),
    note: term(at, "Note"),
    quantity: amountOf(quantity),
    unit: quantity?.attributes.get("unitCode"),
    net: amount(at, "LineExtensionAmount"),
    period: period(first(at, "InvoicePeriod")),
    allowancesAndCharges: all(at, "AllowanceCharge").map(allowanceOrCharge),
    netPrice: amount(price, "PriceAmount"),
    grossPrice: amount(price, "AllowanceCharge/BaseAmount"),
    category: term(item, "ClassifiedTaxCategory/ID"),
    rate: amount(item, "ClassifiedTaxCategory/Percent"),
    name: term(item, "Name"),
    description: term(item, "Description"),
    sellerItemId: term(item, "SellersItemIdentification/ID"),
    standardItemId: identifier(item, "StandardItemIdentification/ID"),
    classifications: allIdentifiers(item, "CommodityClassification/ItemClassificationCode", "listID"),
    attributes: all(item, "AdditionalItemProperty").map((one) => ({
      at: one,
      name: term(one, "Name"),
      value: term(one, "Value"),
    })),
    isInSums: true,
  };
}
