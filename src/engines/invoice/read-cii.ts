/** Reads UN/CEFACT's Cross Industry Invoice (D16B), and the document of ZUGFeRD 1, whose elements are mostly the same by other names. */
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
  type Syntax,
  term,
  termOf,
  type Totals,
  type VatBreakdown,
} from "./model.ts";
import { all, type Element, first } from "./xml-tree.ts";

const DATE = "DateTimeString|DateString|DateTime";
const RATE = "RateApplicablePercent|ApplicablePercent";

/** The document types of additional references that are BG-24. */
const SUPPORTING = "916";

export function readCii(root: Element, syntax: Syntax): Invoice {
  const context = first(root, "ExchangedDocumentContext|SpecifiedExchangedDocumentContext");
  const header = first(root, "ExchangedDocument|HeaderExchangedDocument");
  const trade = first(root, "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction");
  const agreement = first(trade, "ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement");
  const delivery = first(trade, "ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery");
  const settlement = first(trade, "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement");
  const taxes = all(settlement, "ApplicableTradeTax");
  const terms = all(settlement, "SpecifiedTradePaymentTerms");
  const currency = term(settlement, "InvoiceCurrencyCode");
  const taxCurrency = term(settlement, "TaxCurrencyCode");
  return {
    root,
    syntax,
    guideline: term(context, "GuidelineSpecifiedDocumentContextParameter/ID"),
    process: term(context, "BusinessProcessSpecifiedDocumentContextParameter/ID"),
    number: term(header, "ID"),
    issued: term(header, `IssueDateTime/${DATE}`),
    type: term(header, "TypeCode"),
    currency,
    taxCurrency,
    taxPoint: firstTerm(taxes, `TaxPointDate/${DATE}`),
    taxPointCode: firstTerm(taxes, "DueDateTypeCode"),
    due: firstTerm(terms, `DueDateDateTime/${DATE}`),
    terms: firstTerm(terms, "Description"),
    buyerReference: term(agreement, "BuyerReference"),
    order: term(agreement, "BuyerOrderReferencedDocument/IssuerAssignedID|ID"),
    contract: term(agreement, "ContractReferencedDocument/IssuerAssignedID|ID"),
    notes: allTerms(header, "IncludedNote/Content"),
    preceding: all(settlement, "InvoiceReferencedDocument").map((at) => ({
      at,
      number: term(at, "IssuerAssignedID|ID"),
    })),
    seller: party(first(agreement, "SellerTradeParty")),
    buyer: party(first(agreement, "BuyerTradeParty")),
    payee: party(first(settlement, "PayeeTradeParty")),
    taxRepresentative: party(first(agreement, "SellerTaxRepresentativeTradeParty")),
    delivered: term(delivery, `ActualDeliverySupplyChainEvent/OccurrenceDateTime/${DATE}`),
    deliverTo: address(first(delivery, "ShipToTradeParty/PostalTradeAddress")),
    period: period(first(settlement, "BillingSpecifiedPeriod")),
    payment: all(settlement, "SpecifiedTradeSettlementPaymentMeans").map(paymentMeans),
    remittance: term(settlement, "PaymentReference"),
    allowancesAndCharges: [
      ...all(settlement, "SpecifiedTradeAllowanceCharge").map(allowanceOrCharge),
      ...all(settlement, "SpecifiedLogisticsServiceCharge").map(serviceCharge),
    ],
    totals: totals(settlement, currency?.text, taxCurrency?.text),
    vat: taxes.map(vatBreakdown),
    documents: all(agreement, "AdditionalReferencedDocument")
      .filter((at) => term(at, "TypeCode")?.text === SUPPORTING)
      .map((at) => ({ at, id: term(at, "IssuerAssignedID|ID") })),
    lines: all(trade, "IncludedSupplyChainTradeLineItem").map(line),
  };
}

function firstTerm(elements: readonly Element[], path: string) {
  for (const element of elements) {
    const found = term(element, path);
    if (found) return found;
  }
  return undefined;
}

function party(at: Element | undefined): Party | undefined {
  if (at === undefined) return undefined;
  const registrations = all(at, "SpecifiedTaxRegistration/ID");
  const registered = (scheme: string) =>
    termOf(registrations.find(({ attributes }) => attributes.get("schemeID") === scheme));
  const contact = first(at, "DefinedTradeContact");
  return {
    at,
    name: term(at, "Name"),
    tradingName: term(at, "SpecifiedLegalOrganization/TradingBusinessName"),
    ids: allIdentifiers(at, "ID|GlobalID"),
    legalId: identifier(at, "SpecifiedLegalOrganization/ID"),
    vatId: registered("VA"),
    taxId: registered("FC"),
    electronicAddress: identifier(at, "URIUniversalCommunication/URIID"),
    address: address(first(at, "PostalTradeAddress")),
    contact: contact && {
      name: term(contact, "PersonName") ?? term(contact, "DepartmentName"),
      phone: term(contact, "TelephoneUniversalCommunication/CompleteNumber"),
      email: term(contact, "EmailURIUniversalCommunication/URIID"),
    },
  };
}

function address(at: Element | undefined): Address | undefined {
  if (at === undefined) return undefined;
  return {
    at,
    lines: ["LineOne", "LineTwo", "LineThree"].flatMap((name) => term(at, name) ?? []),
    city: term(at, "CityName"),
    postcode: term(at, "PostcodeCode"),
    subdivision: term(at, "CountrySubDivisionName"),
    country: term(at, "CountryID"),
  };
}

function period(at: Element | undefined): Period | undefined {
  if (at === undefined) return undefined;
  return { at, start: term(at, `StartDateTime/${DATE}`), end: term(at, `EndDateTime/${DATE}`) };
}

function paymentMeans(at: Element): PaymentMeans {
  const account = first(at, "PayeePartyCreditorFinancialAccount");
  const card = first(at, "ApplicableTradeSettlementFinancialCard");
  return {
    at,
    code: term(at, "TypeCode"),
    transfer: account && {
      at: account,
      account: term(account, "IBANID") ?? term(account, "ProprietaryID"),
      name: term(account, "AccountName"),
    },
    bic: term(at, "PayeeSpecifiedCreditorFinancialInstitution/BICID"),
    card: card && { at: card, number: term(card, "ID") },
  };
}

function allowanceOrCharge(at: Element): AllowanceOrCharge {
  return {
    at,
    isCharge: isTrue(first(at, "ChargeIndicator/Indicator") ?? first(at, "ChargeIndicator")),
    amount: amount(at, "ActualAmount"),
    base: amount(at, "BasisAmount"),
    percent: amount(at, "CalculationPercent"),
    category: term(at, "CategoryTradeTax/CategoryCode"),
    rate: amount(at, `CategoryTradeTax/${RATE}`),
    reason: term(at, "Reason"),
    reasonCode: term(at, "ReasonCode"),
  };
}

/** A charge for freight and the like, which only EXTENDED and ZUGFeRD 1 have. */
function serviceCharge(at: Element): AllowanceOrCharge {
  return {
    at,
    isCharge: true,
    amount: amount(at, "AppliedAmount"),
    base: undefined,
    percent: undefined,
    category: term(at, "AppliedTradeTax/CategoryCode"),
    rate: amount(at, `AppliedTradeTax/${RATE}`),
    reason: term(at, "Description"),
    reasonCode: undefined,
  };
}

function totals(settlement: Element | undefined, currency?: string, taxCurrency?: string): Totals | undefined {
  const at = first(
    settlement,
    "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation",
  );
  if (at === undefined) return undefined;
  const taxes = all(at, "TaxTotalAmount").flatMap((one) => amountOf(one) ?? []);
  const other = taxCurrency === currency ? undefined : taxes.find((one) => one.currency === taxCurrency);
  return {
    at,
    lines: amount(at, "LineTotalAmount"),
    allowances: amount(at, "AllowanceTotalAmount"),
    charges: amount(at, "ChargeTotalAmount"),
    net: amount(at, "TaxBasisTotalAmount"),
    tax: taxes.find((one) => one.currency === currency) ?? taxes.find((one) => one !== other),
    taxInAccountingCurrency: taxCurrency === undefined ? undefined : taxes.find((one) => one.currency === taxCurrency),
    gross: amount(at, "GrandTotalAmount"),
    paid: amount(at, "TotalPrepaidAmount"),
    rounding: amount(at, "RoundingAmount"),
    due: amount(at, "DuePayableAmount"),
  };
}

function vatBreakdown(at: Element): VatBreakdown {
  return {
    at,
    taxable: amount(at, "BasisAmount"),
    tax: amount(at, "CalculatedAmount"),
    category: term(at, "CategoryCode"),
    rate: amount(at, RATE),
    reason: term(at, "ExemptionReason"),
    reasonCode: term(at, "ExemptionReasonCode"),
  };
}

/** Lines of the profile EXTENDED that are not amounts of their own. */
const NOT_IN_SUMS = ["GROUP", "INFORMATION"];

function line(at: Element): InvoiceLine {
  const document = first(at, "AssociatedDocumentLineDocument");
  const product = first(at, "SpecifiedTradeProduct");
  const agreement = first(at, "SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement");
  const delivery = first(at, "SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery");
  const settlement = first(at, "SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement");
  const sum = first(
    settlement,
    "SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation",
  );
  const quantity = first(delivery, "BilledQuantity");
  const net = amount(sum, "LineTotalAmount");
  return {
    at,
    id: term(document, "LineID"),
    note: term(document, "IncludedNote/Content"),
    quantity: amountOf(quantity),
    unit: quantity?.attributes.get("unitCode"),
    net,
    period: period(first(settlement, "BillingSpecifiedPeriod")),
    allowancesAndCharges: all(settlement, "SpecifiedTradeAllowanceCharge").map(allowanceOrCharge),
    netPrice: amount(agreement, "NetPriceProductTradePrice/ChargeAmount"),
    grossPrice: amount(agreement, "GrossPriceProductTradePrice/ChargeAmount"),
    category: term(settlement, "ApplicableTradeTax/CategoryCode"),
    rate: amount(settlement, `ApplicableTradeTax/${RATE}`),
    name: term(product, "Name"),
    description: term(product, "Description"),
    sellerItemId: term(product, "SellerAssignedID"),
    standardItemId: identifier(product, "GlobalID"),
    classifications: allIdentifiers(product, "DesignatedProductClassification/ClassCode", "listID"),
    attributes: all(product, "ApplicableProductCharacteristic").map((one) => ({
      at: one,
      name: term(one, "Description"),
      value: term(one, "Value") ?? term(one, "ValueMeasure"),
    })),
    isInSums: !NOT_IN_SUMS.includes(term(document, "LineStatusReasonCode")?.text ?? ""),
  };
}
