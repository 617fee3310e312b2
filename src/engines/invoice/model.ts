/** An invoice by the business terms (BT) and groups (BG) of EN 16931-1, regardless of its syntax. */
import { Decimal } from "./decimal.ts";
import { all, type Element, first } from "./xml-tree.ts";

/** The value of a business term. Terms that are empty are absent. */
export interface BusinessTerm {
  readonly text: string;
  readonly at: Element;
}

/** An identifier with the scheme that it is of. */
export interface Identifier extends BusinessTerm {
  readonly scheme: string | undefined;
}

export interface Amount extends BusinessTerm {
  /** Undefined if the text is not a number. */
  readonly value: Decimal | undefined;
  readonly currency: string | undefined;
}

/** BG-5, BG-8, BG-12, BG-15. */
export interface Address {
  readonly at: Element;
  readonly lines: readonly BusinessTerm[];
  readonly city: BusinessTerm | undefined;
  readonly postcode: BusinessTerm | undefined;
  readonly subdivision: BusinessTerm | undefined;
  readonly country: BusinessTerm | undefined;
}

/** BG-6, BG-9. */
export interface Contact {
  readonly name: BusinessTerm | undefined;
  readonly phone: BusinessTerm | undefined;
  readonly email: BusinessTerm | undefined;
}

/** BG-4, BG-7, BG-10, BG-11. */
export interface Party {
  readonly at: Element;
  readonly name: BusinessTerm | undefined;
  readonly tradingName: BusinessTerm | undefined;
  readonly ids: readonly Identifier[];
  readonly legalId: Identifier | undefined;
  readonly vatId: BusinessTerm | undefined;
  readonly taxId: BusinessTerm | undefined;
  readonly electronicAddress: Identifier | undefined;
  readonly address: Address | undefined;
  readonly contact: Contact | undefined;
}

/** BG-14, BG-26. */
export interface Period {
  readonly at: Element;
  readonly start: BusinessTerm | undefined;
  readonly end: BusinessTerm | undefined;
}

/** BG-20, BG-21, BG-27, BG-28. */
export interface AllowanceOrCharge {
  readonly at: Element;
  readonly isCharge: boolean;
  readonly amount: Amount | undefined;
  readonly base: Amount | undefined;
  readonly percent: Amount | undefined;
  readonly category: BusinessTerm | undefined;
  readonly rate: Amount | undefined;
  readonly reason: BusinessTerm | undefined;
  readonly reasonCode: BusinessTerm | undefined;
}

/** BG-16 to BG-19. */
export interface PaymentMeans {
  readonly at: Element;
  readonly code: BusinessTerm | undefined;
  /** BG-17. */
  readonly transfer:
    | { readonly at: Element; readonly account: BusinessTerm | undefined; readonly name: BusinessTerm | undefined }
    | undefined;
  readonly bic: BusinessTerm | undefined;
  /** BT-87. */
  readonly card: { readonly at: Element; readonly number: BusinessTerm | undefined } | undefined;
}

/** BG-22. */
export interface Totals {
  readonly at: Element;
  readonly lines: Amount | undefined;
  readonly allowances: Amount | undefined;
  readonly charges: Amount | undefined;
  readonly net: Amount | undefined;
  readonly tax: Amount | undefined;
  /** BT-111. */
  readonly taxInAccountingCurrency: Amount | undefined;
  readonly gross: Amount | undefined;
  readonly paid: Amount | undefined;
  readonly rounding: Amount | undefined;
  readonly due: Amount | undefined;
}

/** BG-23. */
export interface VatBreakdown {
  readonly at: Element;
  readonly taxable: Amount | undefined;
  readonly tax: Amount | undefined;
  readonly category: BusinessTerm | undefined;
  readonly rate: Amount | undefined;
  readonly reason: BusinessTerm | undefined;
  readonly reasonCode: BusinessTerm | undefined;
}

/** BG-25. */
export interface InvoiceLine {
  readonly at: Element;
  readonly id: BusinessTerm | undefined;
  readonly note: BusinessTerm | undefined;
  readonly quantity: Amount | undefined;
  readonly unit: string | undefined;
  readonly net: Amount | undefined;
  readonly period: Period | undefined;
  readonly allowancesAndCharges: readonly AllowanceOrCharge[];
  readonly netPrice: Amount | undefined;
  readonly grossPrice: Amount | undefined;
  readonly category: BusinessTerm | undefined;
  readonly rate: Amount | undefined;
  readonly name: BusinessTerm | undefined;
  readonly description: BusinessTerm | undefined;
  readonly sellerItemId: BusinessTerm | undefined;
  readonly standardItemId: Identifier | undefined;
  readonly classifications: readonly Identifier[];
  /** BG-32. */
  readonly attributes: readonly {
    readonly at: Element;
    readonly name: BusinessTerm | undefined;
    readonly value: BusinessTerm | undefined;
  }[];
  /** Groups and information of the profile EXTENDED, which no sum includes. */
  readonly isInSums: boolean;
}

export type Syntax = "CII" | "UBL" | "ZUGFeRD 1";

export interface Invoice {
  readonly root: Element;
  readonly syntax: Syntax;
  readonly guideline: BusinessTerm | undefined;
  readonly process: BusinessTerm | undefined;
  readonly number: BusinessTerm | undefined;
  readonly issued: BusinessTerm | undefined;
  readonly type: BusinessTerm | undefined;
  readonly currency: BusinessTerm | undefined;
  readonly taxCurrency: BusinessTerm | undefined;
  readonly taxPoint: BusinessTerm | undefined;
  readonly taxPointCode: BusinessTerm | undefined;
  readonly due: BusinessTerm | undefined;
  readonly terms: BusinessTerm | undefined;
  readonly buyerReference: BusinessTerm | undefined;
  readonly order: BusinessTerm | undefined;
  readonly contract: BusinessTerm | undefined;
  readonly notes: readonly BusinessTerm[];
  /** BG-3. */
  readonly preceding: readonly { readonly at: Element; readonly number: BusinessTerm | undefined }[];
  readonly seller: Party | undefined;
  readonly buyer: Party | undefined;
  readonly payee: Party | undefined;
  readonly taxRepresentative: Party | undefined;
  /** BT-72. */
  readonly delivered: BusinessTerm | undefined;
  /** BG-15. */
  readonly deliverTo: Address | undefined;
  readonly period: Period | undefined;
  readonly payment: readonly PaymentMeans[];
  /** BT-83. */
  readonly remittance: BusinessTerm | undefined;
  readonly allowancesAndCharges: readonly AllowanceOrCharge[];
  readonly totals: Totals | undefined;
  readonly vat: readonly VatBreakdown[];
  /** BG-24. */
  readonly documents: readonly { readonly at: Element; readonly id: BusinessTerm | undefined }[];
  readonly lines: readonly InvoiceLine[];
}

/** The term of an element; undefined if it has no text. */
export function termOf(at: Element | undefined): BusinessTerm | undefined {
  const text = at?.text.trim();
  return at === undefined || text === undefined || text === "" ? undefined : { text, at };
}

export const term = (element: Element | undefined, path: string): BusinessTerm | undefined =>
  termOf(first(element, path));

/** All terms at a path. */
export const allTerms = (element: Element | undefined, path: string): BusinessTerm[] =>
  all(element, path).flatMap((one) => termOf(one) ?? []);

function identifierOf(at: Element | undefined, scheme = "schemeID"): Identifier | undefined {
  const found = termOf(at);
  return found && { ...found, scheme: found.at.attributes.get(scheme)?.trim() || undefined };
}

export const identifier = (element: Element | undefined, path: string, scheme?: string): Identifier | undefined =>
  identifierOf(first(element, path), scheme);

export const allIdentifiers = (element: Element | undefined, path: string, scheme?: string): Identifier[] =>
  all(element, path).flatMap((one) => identifierOf(one, scheme) ?? []);

/** An indicator: true or false (xsd:boolean). */
export const isTrue = (at: Element | undefined): boolean => ["true", "1"].includes(at?.text.trim() ?? "");

export function amountOf(at: Element | undefined): Amount | undefined {
  const found = termOf(at);
  return found && { ...found, value: Decimal.of(found.text), currency: found.at.attributes.get("currencyID") };
}

export const amount = (element: Element | undefined, path: string): Amount | undefined =>
  amountOf(first(element, path));
