/** Checks an invoice against the rules of its profile. */
import type { Work } from "../work.ts";
import { Decimal } from "./decimal.ts";
import type { Invoice } from "./model.ts";
import type { InvoiceProfile } from "./profiles.ts";
import type { ReadInvoice } from "./read-invoice.ts";
import { INVOICE_RULES, type InvoiceRule, type RuleScope } from "./rules.ts";
import { type Element, xpathOf } from "./xml-tree.ts";

export interface InvoiceFailure {
  /** The ID of the rule. */
  readonly rule: string;
  readonly message: string;
  /** How often the rule is broken. */
  readonly count: number;
  /** Where it is broken first, as XPath without prefixes. */
  readonly path: string;
}

export interface InvoiceCoverage {
  /** The rules that were checked, and all of the profile that are counted. */
  readonly rules: number;
  readonly of: number;
}

interface NotChecked {
  readonly rules: string;
  /** Null if nobody counts them. */
  readonly count: number | null;
  readonly reason: string;
}

export interface InvoiceCheck {
  readonly failures: InvoiceFailure[];
  readonly coverage: InvoiceCoverage;
  readonly notChecked: NotChecked[];
}

const SCOPES: Readonly<Partial<Record<InvoiceProfile, readonly RuleScope[]>>> = {
  MINIMUM: ["minimum"],
  "BASIC WL": ["minimum", "document"],
};
const ALL: readonly RuleScope[] = ["minimum", "document", "lines"];

const CODE_LISTS: NotChecked = {
  rules: "BR-CL-01 to BR-CL-26",
  count: 23,
  reason: "They need the code lists of EN 16931. BR-CO-09 is checked without the list of countries.",
};
const MEANINGS: NotChecked = {
  rules: "BR-CO-05 to BR-CO-08",
  count: 4,
  reason: "Only a person can judge whether a reason and its code mean the same.",
};
const SCHEMA: NotChecked = {
  rules: "XML schema",
  count: null,
  reason: "The order of elements, elements that are not allowed, and data types are not checked.",
};
const BINDINGS: NotChecked = {
  rules: "CII-*, UBL-*",
  count: null,
  reason:
    "Which elements and attributes a syntax may use beyond the business terms is not checked, except for CII-DT-031 and the elements of MINIMUM.",
};
const OF_PROFILES: Readonly<Partial<Record<InvoiceProfile, NotChecked>>> = {
  XRECHNUNG: { rules: "BR-DE-*", count: null, reason: "The rules of XRechnung are not checked." },
  EXTENDED: { rules: "BR-FXEXT-*", count: null, reason: "The rules for what EXTENDED adds are not checked." },
};
const OF_ZUGFERD_1: NotChecked = {
  rules: "ZUGFeRD 1",
  count: null,
  reason: "ZUGFeRD 1 is older than EN 16931. Only the rules that both have are checked.",
};

/** EXTENDED allows for rounding: a cent for each term of a sum. */
const CENT = Decimal.of("0.01") ?? Decimal.zero;

/** Fuel for each rule, by element that it looks at. */
const RULE = 500;
const GROUP = 200;

/** @throws Refusal `limit_exceeded` (work) */
export async function checkInvoice(work: Work, { invoice, profile }: ReadInvoice): Promise<InvoiceCheck> {
  const isOld = invoice.syntax === "ZUGFeRD 1";
  const scopes = (profile && SCOPES[profile]) ?? ALL;
  const rules = INVOICE_RULES.filter(({ scope, inZugferd1 }) => scopes.includes(scope) && (!isOld || inZugferd1));
  const tolerance = profile === "EXTENDED" || isOld ? CENT : Decimal.zero;
  const groups = 1 + invoice.lines.length + invoice.allowancesAndCharges.length + invoice.vat.length;
  const failures: InvoiceFailure[] = [];
  for (const { id, message, isBroken } of elementRules(invoice, profile)) {
    const failure = failureOf({ id, message }, elementsThat(work, invoice.root, isBroken));
    if (failure) failures.push(failure);
  }
  for (const rule of rules) {
    work.spend(RULE + GROUP * groups);
    await work.pause();
    const failure = failureOf(rule, [...rule.find(invoice, tolerance)]);
    if (failure) failures.push(failure);
  }
  const notChecked = isOld ? [OF_ZUGFERD_1, SCHEMA] : [CODE_LISTS, MEANINGS, SCHEMA, BINDINGS];
  const ofProfile = isOld ? undefined : profile && OF_PROFILES[profile];
  if (ofProfile) notChecked.push(ofProfile);
  const counted = notChecked.reduce((sum, { count }) => sum + (count ?? 0), 0);
  return { failures, coverage: { rules: rules.length, of: rules.length + counted }, notChecked };
}

/** A rule about each element by itself. */
interface ElementRule {
  readonly id: string;
  readonly message: string;
  readonly isBroken: (element: Element) => boolean;
}

function* elementRules({ syntax, guideline }: Invoice, profile: InvoiceProfile | undefined): Generator<ElementRule> {
  yield {
    id: "XML-NAMESPACE",
    message: "An element is not in a namespace of its syntax.",
    isBroken: ({ namespace }) => !namespace.startsWith(NAMESPACES[syntax]),
  };
  if (syntax !== "CII" || profile === undefined) return;
  if (OF_EN_16931.has(profile)) {
    yield {
      id: "CII-DT-031",
      message: "An amount other than the total of VAT has a currency (currencyID).",
      isBroken: ({ name, attributes }) =>
        name.endsWith("Amount") && name !== "TaxTotalAmount" && attributes.has("currencyID"),
    };
  }
  // MINIMUM of ZUGFeRD 2.0 has more elements.
  if (profile === "MINIMUM" && guideline?.text.startsWith("urn:factur-x") === true) {
    yield {
      id: "XML-PROFILE",
      message: "An element is not in the profile MINIMUM.",
      isBroken: ({ name }) => !MINIMUM.has(name),
    };
  }
}

/** Profiles of CII to which the rules of CEN about the syntax apply. */
const OF_EN_16931: ReadonlySet<InvoiceProfile> = new Set(["BASIC", "EN 16931", "XRECHNUNG"]);

/** The elements of Factur-X 1.0, MINIMUM. */
const MINIMUM = new Set(
  (
    "CrossIndustryInvoice ExchangedDocumentContext BusinessProcessSpecifiedDocumentContextParameter " +
    "GuidelineSpecifiedDocumentContextParameter ID ExchangedDocument TypeCode IssueDateTime DateTimeString " +
    "SupplyChainTradeTransaction ApplicableHeaderTradeAgreement BuyerReference SellerTradeParty BuyerTradeParty Name " +
    "SpecifiedLegalOrganization PostalTradeAddress CountryID SpecifiedTaxRegistration BuyerOrderReferencedDocument " +
    "IssuerAssignedID ApplicableHeaderTradeDelivery ApplicableHeaderTradeSettlement InvoiceCurrencyCode " +
    "SpecifiedTradeSettlementHeaderMonetarySummation TaxBasisTotalAmount TaxTotalAmount GrandTotalAmount DuePayableAmount"
  ).split(" "),
);

/** The namespaces of elements, by how they begin. */
const NAMESPACES = {
  CII: "urn:un:unece:uncefact:data:standard:",
  "ZUGFeRD 1": "urn:",
  UBL: "urn:oasis:names:specification:ubl:schema:xsd:",
};

/** Fuel for each element. */
const ELEMENT = 30;

/** Extensions of UBL may have any elements. */
function elementsThat(work: Work, root: Element, isWanted: (element: Element) => boolean): readonly Element[] {
  const found: Element[] = [];
  for (const left = [root]; left.length > 0;) {
    const element = left.pop();
    if (element === undefined || element.name === "UBLExtensions") continue;
    work.spend(ELEMENT);
    if (isWanted(element)) found.push(element);
    for (const child of element.children) left.push(child);
  }
  return found;
}

function failureOf(
  { id, message }: Pick<InvoiceRule, "id" | "message">,
  found: readonly (Element | readonly [Element, string])[],
) {
  const [first] = found;
  if (first === undefined) return undefined;
  const [at, own] = isWorded(first) ? first : [first, message];
  return { rule: id, message: own, path: xpathOf(at), count: found.length };
}

const isWorded = (found: Element | readonly [Element, string]): found is readonly [Element, string] =>
  Array.isArray(found);
