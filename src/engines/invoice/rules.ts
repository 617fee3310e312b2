/**
 * The business rules of EN 16931-1 that need no code lists, by the IDs that CEN's validation artifacts give them. Each rule has its own words here, and
 * yields the elements that break it.
 */
import { Decimal } from "./decimal.ts";
import type {
  AllowanceOrCharge,
  Amount,
  Identifier,
  Invoice,
  InvoiceLine,
  Party,
  Period,
  BusinessTerm,
  VatBreakdown,
} from "./model.ts";
import type { Element } from "./xml-tree.ts";

/** An element that breaks a rule, and a message of its own if the rule's is too general. */
export type Finding = Element | readonly [at: Element, message: string];

/** The smallest profile whose terms a rule is about: MINIMUM, BASIC WL, or BASIC, the first with lines. */
export type RuleScope = "minimum" | "document" | "lines";

export interface InvoiceRule {
  readonly id: string;
  readonly scope: RuleScope;
  /** The rule as a sentence about a document that breaks it. */
  readonly message: string;
  /** Whether ZUGFeRD 1 has it, too. */
  readonly inZugferd1: boolean;
  /** @param tolerance of a sum, for each of its terms */
  find(invoice: Invoice, tolerance: Decimal): Iterable<Finding>;
}

const RULES: InvoiceRule[] = [];

function rule(
  id: string,
  scope: RuleScope,
  message: string,
  find: InvoiceRule["find"],
  { inZugferd1 = false } = {},
): void {
  RULES.push({ id, scope, message, find, inZugferd1 });
}

type Value = BusinessTerm | Amount | undefined;

/** Whether a term has no value; an amount has none if it is not a number. */
const isMissing = (value: Value): boolean => value === undefined || ("value" in value && value.value === undefined);

/** A rule that the invoice, or each of its groups, has a term. */
function required<T>(
  id: string,
  scope: RuleScope,
  name: string,
  groups: (invoice: Invoice) => readonly (T & { readonly at: Element })[],
  value: (group: T) => Value,
  inZugferd1 = false,
): void {
  rule(
    id,
    scope,
    `${name} is missing.`,
    (invoice) => groups(invoice).flatMap((group) => (isMissing(value(group)) ? group.at : [])),
    { inZugferd1 },
  );
}

/** The invoice as a group. */
const itself = (invoice: Invoice) => [{ ...invoice, at: invoice.root }];
const some = <T>(group: T | undefined): readonly T[] => (group === undefined ? [] : [group]);
const lines = (invoice: Invoice): readonly InvoiceLine[] => invoice.lines;
const allowances = (invoice: Invoice) => invoice.allowancesAndCharges.filter(({ isCharge }) => !isCharge);
const charges = (invoice: Invoice) => invoice.allowancesAndCharges.filter(({ isCharge }) => isCharge);
const lineAllowances = (invoice: Invoice) =>
  invoice.lines.flatMap((line) => line.allowancesAndCharges.filter(({ isCharge }) => !isCharge));
const lineCharges = (invoice: Invoice) =>
  invoice.lines.flatMap((line) => line.allowancesAndCharges.filter(({ isCharge }) => isCharge));

// The document

required("BR-01", "minimum", "The specification identifier (BT-24)", itself, ({ guideline }) => guideline, true);
required("BR-02", "minimum", "The invoice number (BT-1)", itself, ({ number }) => number, true);
required("BR-03", "minimum", "The issue date (BT-2)", itself, ({ issued }) => issued, true);
required("BR-04", "minimum", "The type code (BT-3)", itself, ({ type }) => type, true);
required("BR-05", "minimum", "The currency code (BT-5)", itself, ({ currency }) => currency, true);
required("BR-06", "minimum", "The name of the seller (BT-27)", itself, ({ seller }) => seller?.name, true);
required("BR-07", "minimum", "The name of the buyer (BT-44)", itself, ({ buyer }) => buyer?.name, true);
rule("BR-08", "minimum", "The postal address of the seller (BG-5) is missing.", ({ root, seller }) =>
  seller?.address ? [] : [seller?.at ?? root],
);
required(
  "BR-09",
  "minimum",
  "The country of the seller (BT-40)",
  ({ seller }) => some(seller?.address),
  ({ country }) => country,
);
rule("BR-10", "document", "The postal address of the buyer (BG-8) is missing.", ({ root, buyer }) =>
  buyer?.address ? [] : [buyer?.at ?? root],
);
required(
  "BR-11",
  "document",
  "The country of the buyer (BT-55)",
  ({ buyer }) => some(buyer?.address),
  ({ country }) => country,
);
required("BR-12", "document", "The sum of the line net amounts (BT-106)", itself, ({ totals }) => totals?.lines, true);
required("BR-13", "minimum", "The total without VAT (BT-109)", itself, ({ totals }) => totals?.net, true);
required("BR-14", "minimum", "The total with VAT (BT-112)", itself, ({ totals }) => totals?.gross, true);
required("BR-15", "minimum", "The amount due for payment (BT-115)", itself, ({ totals }) => totals?.due);
rule("BR-16", "lines", "The invoice has no line (BG-25).", (invoice) =>
  invoice.lines.length === 0 ? [invoice.root] : [],
);
required(
  "BR-17",
  "document",
  "The name of the payee (BT-59)",
  ({ payee }) => some(payee),
  ({ name }) => name,
);
required(
  "BR-18",
  "document",
  "The name of the seller's tax representative (BT-62)",
  representatives,
  ({ name }) => name,
);
rule("BR-19", "document", "The postal address of the seller's tax representative (BG-12) is missing.", (invoice) =>
  representatives(invoice).flatMap(({ at, address }) => (address ? [] : at)),
);
required(
  "BR-20",
  "document",
  "The country of the seller's tax representative (BT-69)",
  (invoice) => representatives(invoice).flatMap(({ address }) => some(address)),
  ({ country }) => country,
);

function representatives({ taxRepresentative }: Invoice): readonly Party[] {
  return some(taxRepresentative);
}

// Lines

required("BR-21", "lines", "The identifier of a line (BT-126)", lines, ({ id }) => id);
required("BR-22", "lines", "The quantity of a line (BT-129)", lines, ({ quantity }) => quantity);
rule("BR-23", "lines", "The unit of the quantity of a line (BT-130) is missing.", (invoice) =>
  invoice.lines.flatMap(({ at, unit }) => (unit === undefined || unit.trim() === "" ? at : [])),
);
required("BR-24", "lines", "The net amount of a line (BT-131)", lines, ({ net }) => net);
required("BR-25", "lines", "The name of an item (BT-153)", lines, ({ name }) => name);
required("BR-26", "lines", "The net price of an item (BT-146)", lines, ({ netPrice }) => netPrice);
rule("BR-27", "lines", "The net price of an item (BT-146) is negative.", (invoice) =>
  invoice.lines.flatMap(({ netPrice }) => negative(netPrice)),
);
rule("BR-28", "lines", "The gross price of an item (BT-148) is negative.", (invoice) =>
  invoice.lines.flatMap(({ grossPrice }) => negative(grossPrice)),
);

const negative = (amount: Amount | undefined): Element[] => (amount?.value?.sign === -1 ? [amount.at] : []);

rule("BR-29", "document", "The invoicing period ends (BT-74) before it starts (BT-73).", ({ period }) =>
  some(period)
    .filter(isReversed)
    .map(({ at }) => at),
);
rule("BR-30", "lines", "The period of a line ends (BT-135) before it starts (BT-134).", (invoice) =>
  invoice.lines.flatMap(({ period }) =>
    some(period)
      .filter(isReversed)
      .map(({ at }) => at),
  ),
);

/** A date as CII (`20241115`) and UBL (`2024-11-15`) have it. */
const dayOf = ({ text }: BusinessTerm): string => text.replaceAll("-", "").slice(0, 8);

const isReversed = ({ start, end }: Period): boolean =>
  start !== undefined && end !== undefined && dayOf(end) < dayOf(start);

// Allowances and charges

const noReason = (groups: readonly AllowanceOrCharge[]): Element[] =>
  groups.flatMap(({ at, reason, reasonCode }) => ((reason ?? reasonCode) ? [] : at));

required("BR-31", "document", "The amount of a document level allowance (BT-92)", allowances, ({ amount }) => amount);
required(
  "BR-32",
  "document",
  "The VAT category of a document level allowance (BT-95)",
  allowances,
  ({ category }) => category,
);
rule(
  "BR-33",
  "document",
  "A document level allowance has neither a reason (BT-97) nor a reason code (BT-98).",
  (invoice) => noReason(allowances(invoice)),
);
required("BR-36", "document", "The amount of a document level charge (BT-99)", charges, ({ amount }) => amount);
required(
  "BR-37",
  "document",
  "The VAT category of a document level charge (BT-102)",
  charges,
  ({ category }) => category,
);
rule(
  "BR-38",
  "document",
  "A document level charge has neither a reason (BT-104) nor a reason code (BT-105).",
  (invoice) => noReason(charges(invoice)),
);
required("BR-41", "lines", "The amount of an allowance of a line (BT-136)", lineAllowances, ({ amount }) => amount);
rule("BR-42", "lines", "An allowance of a line has neither a reason (BT-139) nor a reason code (BT-140).", (invoice) =>
  noReason(lineAllowances(invoice)),
);
required("BR-43", "lines", "The amount of a charge of a line (BT-141)", lineCharges, ({ amount }) => amount);
rule("BR-44", "lines", "A charge of a line has neither a reason (BT-144) nor a reason code (BT-145).", (invoice) =>
  noReason(lineCharges(invoice)),
);

// The VAT breakdown, payment, and references

const vat = (invoice: Invoice): readonly VatBreakdown[] => invoice.vat;

required("BR-45", "document", "The taxable amount of a VAT breakdown (BT-116)", vat, ({ taxable }) => taxable);
required("BR-46", "document", "The tax amount of a VAT breakdown (BT-117)", vat, ({ tax }) => tax);
required("BR-47", "document", "The category of a VAT breakdown (BT-118)", vat, ({ category }) => category);
rule("BR-48", "document", "The rate of a VAT breakdown (BT-119) is missing.", (invoice) =>
  invoice.vat.flatMap(({ at, category, rate }) => (category?.text !== "O" && isMissing(rate) ? at : [])),
);
required(
  "BR-49",
  "document",
  "The code of a payment means (BT-81)",
  ({ payment }) => payment,
  ({ code }) => code,
);
required(
  "BR-50",
  "document",
  "The account of a credit transfer (BT-84)",
  ({ payment }) => payment.flatMap(({ transfer }) => some(transfer)),
  ({ account }) => account,
);
rule(
  "BR-51",
  "document",
  "A payment card is not shown by the last 4 to 6 digits of its number (BT-87).",
  ({ payment }) =>
    payment.flatMap(({ card }) => {
      const digits = card?.number?.text.replaceAll(/\D/g, "").length ?? 0;
      return card && (digits < 4 || digits > 10) ? card.at : [];
    }),
);
required(
  "BR-52",
  "document",
  "The reference of a supporting document (BT-122)",
  ({ documents }) => documents,
  ({ id }) => id,
);
rule(
  "BR-53",
  "document",
  "The VAT total in the accounting currency (BT-111) is missing, although the currency (BT-6) is given.",
  ({ taxCurrency, totals }) => (taxCurrency && isMissing(totals?.taxInAccountingCurrency) ? [taxCurrency.at] : []),
);
rule("BR-54", "lines", "An item attribute has no name (BT-160) or no value (BT-161).", (invoice) =>
  invoice.lines.flatMap(({ attributes }) => attributes.flatMap(({ at, name, value }) => (name && value ? [] : at))),
);
required(
  "BR-55",
  "document",
  "The number of a preceding invoice (BT-25)",
  ({ preceding }) => preceding,
  ({ number }) => number,
);
required(
  "BR-56",
  "document",
  "The VAT identifier of the seller's tax representative (BT-63)",
  representatives,
  ({ vatId }) => vatId,
);
required(
  "BR-57",
  "document",
  "The country of the address of delivery (BT-80)",
  ({ deliverTo }) => some(deliverTo),
  ({ country }) => country,
);
/** Credit transfers in general, and those of SEPA (UNTDID 4461). */
const TRANSFERS = ["30", "58"];
rule("BR-61", "document", "A credit transfer has no account (BT-84).", ({ payment }) =>
  payment.flatMap(({ at, code, transfer }) => (TRANSFERS.includes(code?.text ?? "") && !transfer?.account ? at : [])),
);
const withoutScheme = (identifiers: readonly (Identifier | undefined)[]): Element[] =>
  identifiers.flatMap((one) => (one && one.scheme === undefined ? one.at : []));
rule("BR-62", "document", "The electronic address of the seller (BT-34) has no scheme.", ({ seller }) =>
  withoutScheme([seller?.electronicAddress]),
);
rule("BR-63", "document", "The electronic address of the buyer (BT-49) has no scheme.", ({ buyer }) =>
  withoutScheme([buyer?.electronicAddress]),
);
rule("BR-64", "lines", "The standard identifier of an item (BT-157) has no scheme.", (invoice) =>
  withoutScheme(invoice.lines.map(({ standardItemId }) => standardItemId)),
);
rule("BR-65", "lines", "The classification of an item (BT-158) has no scheme.", (invoice) =>
  withoutScheme(invoice.lines.flatMap(({ classifications }) => classifications)),
);

// Conditions

rule(
  "BR-CO-03",
  "document",
  "The invoice has both a tax point date (BT-7) and a code for it (BT-8).",
  ({ taxPoint, taxPointCode }) => (taxPoint && taxPointCode ? [taxPoint.at] : []),
);
required("BR-CO-04", "lines", "The VAT category of a line (BT-151)", lines, ({ category }) => category);
rule(
  "BR-CO-09",
  "minimum",
  "A VAT identifier does not begin with the code of a country.",
  ({ seller, buyer, taxRepresentative }) =>
    [seller, buyer, taxRepresentative].flatMap((party) =>
      party?.vatId && !/^[A-Z]{2}/.test(party.vatId.text) ? party.vatId.at : [],
    ),
);

// Totals

type Numbers = readonly (Amount | undefined)[];

/** The sum of amounts: those that are not numbers break rules of their own. */
const sumOf = (amounts: Numbers): Decimal => Decimal.sum(amounts.flatMap((amount) => amount?.value ?? []));

const valueOf = (amount: Amount | undefined): Decimal => amount?.value ?? Decimal.zero;

function differs(
  stated: Amount | undefined,
  name: string,
  expected: Decimal,
  source: string,
  allowed: Decimal = Decimal.zero,
): Finding[] {
  if (stated?.value === undefined) return [];
  const difference = stated.value.minus(expected);
  const amount = difference.sign < 0 ? expected.minus(stated.value) : difference;
  if (amount.compare(allowed) <= 0) return [];
  return [[stated.at, `${name} is ${stated.value.toString()}, but ${source} ${expected.toString()}.`]];
}

const times = (tolerance: Decimal, count: number): Decimal =>
  tolerance.times(Decimal.of(String(count)) ?? Decimal.zero);
const IN_ZUGFERD_1 = { inZugferd1: true };

rule(
  "BR-CO-10",
  "lines",
  "The sum of the line net amounts (BT-106) is wrong.",
  ({ lines: given, totals }, tolerance) => {
    const nets = given.filter(({ isInSums }) => isInSums).map(({ net }) => net);
    return differs(
      totals?.lines,
      "The sum of the line net amounts (BT-106)",
      sumOf(nets),
      "the lines add up to",
      times(tolerance, nets.length),
    );
  },
  IN_ZUGFERD_1,
);

function sumOfGroup(
  groups: readonly AllowanceOrCharge[],
  total: Amount | undefined,
  totals: Element,
  name: string,
  what: string,
  tolerance: Decimal,
): Finding[] {
  if (groups.length === 0 && total === undefined) return [];
  const sum = sumOf(groups.map(({ amount }) => amount));
  if (isMissing(total))
    return sum.sign === 0 ? [] : [[totals, `${name} is missing, but the ${what} add up to ${sum.toString()}.`]];
  return differs(total, name, sum, `the ${what} add up to`, times(tolerance, groups.length));
}
rule("BR-CO-11", "document", "The sum of the allowances (BT-107) is wrong.", (invoice, tolerance) =>
  sumOfGroup(
    allowances(invoice),
    invoice.totals?.allowances,
    invoice.totals?.at ?? invoice.root,
    "The sum of the allowances (BT-107)",
    "allowances",
    tolerance,
  ),
);
rule("BR-CO-12", "document", "The sum of the charges (BT-108) is wrong.", (invoice, tolerance) =>
  sumOfGroup(
    charges(invoice),
    invoice.totals?.charges,
    invoice.totals?.at ?? invoice.root,
    "The sum of the charges (BT-108)",
    "charges",
    tolerance,
  ),
);
rule(
  "BR-CO-13",
  "document",
  "The total without VAT (BT-109) is wrong.",
  ({ totals }) =>
    totals?.lines === undefined
      ? []
      : differs(
          totals.net,
          "The total without VAT (BT-109)",
          valueOf(totals.lines).minus(valueOf(totals.allowances)).plus(valueOf(totals.charges)),
          "the lines, less allowances and with charges, make",
        ),
  IN_ZUGFERD_1,
);
rule(
  "BR-CO-14",
  "document",
  "The total of VAT (BT-110) is wrong.",
  ({ totals, vat: breakdown }, tolerance) =>
    differs(
      totals?.tax,
      "The total of VAT (BT-110)",
      sumOf(breakdown.map(({ tax }) => tax)),
      "the VAT breakdown adds up to",
      times(tolerance, breakdown.length),
    ),
  IN_ZUGFERD_1,
);
rule(
  "BR-CO-15",
  "minimum",
  "The total with VAT (BT-112) is wrong.",
  ({ totals }) =>
    totals?.net === undefined
      ? []
      : differs(
          totals.gross,
          "The total with VAT (BT-112)",
          valueOf(totals.net).plus(valueOf(totals.tax)),
          "the total without VAT and the VAT make",
        ),
  IN_ZUGFERD_1,
);
rule("BR-CO-16", "document", "The amount due for payment (BT-115) is wrong.", ({ totals }) =>
  totals?.gross === undefined
    ? []
    : differs(
        totals.due,
        "The amount due for payment (BT-115)",
        valueOf(totals.gross).minus(valueOf(totals.paid)).plus(valueOf(totals.rounding)),
        "the total with VAT, less the paid amount and rounded, is",
      ),
);

/** The tax of a breakdown at its rate. */
const taxAtRate = ({ taxable, rate }: VatBreakdown): Decimal => valueOf(rate).percentOf(valueOf(taxable)).rounded();

const wrongTax = (breakdown: VatBreakdown, tolerance: Decimal): Finding[] =>
  differs(breakdown.tax, "The VAT (BT-117)", taxAtRate(breakdown), "the taxable amount at its rate makes", tolerance);

rule(
  "BR-CO-17",
  "document",
  "The tax amount of a VAT breakdown (BT-117) is not its taxable amount at its rate.",
  (invoice, tolerance) => invoice.vat.flatMap((breakdown) => wrongTax(breakdown, tolerance)),
  IN_ZUGFERD_1,
);
rule("BR-CO-18", "document", "The invoice has no VAT breakdown (BG-23).", ({ root, vat: breakdown }) =>
  breakdown.length === 0 ? [root] : [],
);
const isEmpty = ({ start, end }: Period): boolean => start === undefined && end === undefined;
rule("BR-CO-19", "document", "The invoicing period (BG-14) has neither a start nor an end.", ({ period }) =>
  some(period)
    .filter(isEmpty)
    .map(({ at }) => at),
);
rule("BR-CO-20", "lines", "The period of a line (BG-26) has neither a start nor an end.", (invoice) =>
  invoice.lines.flatMap(({ period }) =>
    some(period)
      .filter(isEmpty)
      .map(({ at }) => at),
  ),
);
rule("BR-CO-21", "document", "A document level allowance (BG-20) gives no reason.", (invoice) =>
  noReason(allowances(invoice)),
);
rule("BR-CO-22", "document", "A document level charge (BG-21) gives no reason.", (invoice) =>
  noReason(charges(invoice)),
);
rule("BR-CO-23", "lines", "An allowance of a line (BG-27) gives no reason.", (invoice) =>
  noReason(lineAllowances(invoice)),
);
rule("BR-CO-24", "lines", "A charge of a line (BG-28) gives no reason.", (invoice) => noReason(lineCharges(invoice)));
rule(
  "BR-CO-25",
  "document",
  "An amount is due, but the invoice has neither a due date (BT-9) nor payment terms (BT-20).",
  ({ root, totals, due, terms }) =>
    root.name !== "CreditNote" && totals?.due?.value?.sign === 1 && !due && !terms ? [totals.due.at] : [],
);
rule(
  "BR-CO-26",
  "minimum",
  "The seller has no identifier (BT-29), no legal registration (BT-30), and no VAT identifier (BT-31).",
  ({ seller }) => (seller && seller.ids.length === 0 && !seller.legalId && !seller.vatId ? [seller.at] : []),
);

// Categories of VAT

/** The requirements of a category of VAT. */
interface Category {
  readonly family: string;
  readonly name: string;
  /** Its rates: more than zero, zero, zero or more, or none. */
  readonly rate: "positive" | "zero" | "any" | "none";
  /** Whether its breakdown gives a reason for the exemption. */
  readonly isExempt: boolean;
  /** The problem with the identifiers of the parties. */
  identifiers(invoice: Invoice): string | undefined;
}

const sellerAny = ({ seller, taxRepresentative }: Invoice): string | undefined =>
  (seller?.vatId ?? seller?.taxId ?? taxRepresentative?.vatId)
    ? undefined
    : "neither the seller (BT-31, BT-32) nor its tax representative (BT-63) has a tax identifier";
const sellerVat = ({ seller, taxRepresentative }: Invoice): string | undefined =>
  (seller?.vatId ?? taxRepresentative?.vatId)
    ? undefined
    : "neither the seller (BT-31) nor its tax representative (BT-63) has a VAT identifier";
const buyerVat = ({ buyer }: Invoice): string | undefined =>
  buyer?.vatId ? undefined : "the buyer has no VAT identifier (BT-48)";
const buyerAny = ({ buyer }: Invoice): string | undefined =>
  (buyer?.vatId ?? buyer?.legalId)
    ? undefined
    : "the buyer has neither a VAT identifier (BT-48) nor a legal registration (BT-47)";
const noVat = ({ seller, buyer, taxRepresentative }: Invoice): string | undefined =>
  (seller?.vatId ?? buyer?.vatId ?? taxRepresentative?.vatId)
    ? "a party has a VAT identifier (BT-31, BT-48, BT-63)"
    : undefined;

const CATEGORIES: ReadonlyMap<string, Category> = new Map([
  ["S", { family: "BR-S", name: "standard rate", rate: "positive", isExempt: false, identifiers: sellerAny }],
  ["Z", { family: "BR-Z", name: "zero rate", rate: "zero", isExempt: false, identifiers: sellerAny }],
  ["E", { family: "BR-E", name: "exempt from VAT", rate: "zero", isExempt: true, identifiers: sellerAny }],
  [
    "AE",
    {
      family: "BR-AE",
      name: "reverse charge",
      rate: "zero",
      isExempt: true,
      identifiers: (invoice) => sellerAny(invoice) ?? buyerAny(invoice),
    },
  ],
  [
    "K",
    {
      family: "BR-IC",
      name: "intra-community supply",
      rate: "zero",
      isExempt: true,
      identifiers: (invoice) => sellerVat(invoice) ?? buyerVat(invoice),
    },
  ],
  ["G", { family: "BR-G", name: "export outside the EU", rate: "zero", isExempt: true, identifiers: sellerVat }],
  ["O", { family: "BR-O", name: "not subject to VAT", rate: "none", isExempt: true, identifiers: noVat }],
  ["L", { family: "BR-AF", name: "IGIC", rate: "any", isExempt: false, identifiers: sellerAny }],
  ["M", { family: "BR-AG", name: "IPSI", rate: "any", isExempt: false, identifiers: sellerAny }],
] satisfies [string, Category][]);

/** Lines, allowances, and charges have VAT. */
interface Taxed {
  readonly at: Element;
  readonly category: BusinessTerm | undefined;
  readonly rate: Amount | undefined;
}

const taxedLines = (invoice: Invoice): readonly InvoiceLine[] => invoice.lines.filter(({ isInSums }) => isInSums);

const RATES: Readonly<
  Record<Category["rate"], readonly [isWrong: (rate: Amount | undefined) => boolean, problem: string]>
> = {
  positive: [(rate) => rate?.value?.sign !== 1, "must be more than zero"],
  zero: [(rate) => rate?.value?.sign !== 0, "must be zero"],
  any: [(rate) => rate?.value === undefined || rate.value.sign < 0, "must be zero or more"],
  none: [(rate) => rate !== undefined, "must be missing"],
};

/** The sums of lines, charges, and allowances of a category, by their rates; or of all of them together. */
function taxableSums(
  invoice: Invoice,
  code: string,
  isByRate: boolean,
): ReadonlyMap<string, { sum: Decimal; terms: number }> {
  const sums = new Map<string, { sum: Decimal; terms: number }>();
  const add = ({ category, rate }: Taxed, value: Decimal): void => {
    if (category?.text !== code) return;
    const key = isByRate ? rateKey(rate) : "";
    const { sum, terms } = sums.get(key) ?? { sum: Decimal.zero, terms: 0 };
    sums.set(key, { sum: sum.plus(value), terms: terms + 1 });
  };
  for (const line of taxedLines(invoice)) add(line, valueOf(line.net));
  for (const one of charges(invoice)) add(one, valueOf(one.amount));
  for (const one of allowances(invoice)) add(one, Decimal.zero.minus(valueOf(one.amount)));
  return sums;
}

/** Rates that are equal have one key: `19.00` is 19. */
const rateKey = (rate: Amount | undefined): string => {
  const text = rate?.value?.toString() ?? "";
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
};

for (const [code, category] of CATEGORIES) {
  const { family, name, rate, isExempt } = category;
  const isByRate = rate === "positive" || rate === "any";
  const ofCategory = <T extends Taxed>(groups: readonly T[]): readonly T[] =>
    groups.filter((group) => group.category?.text === code);
  const title = `${code} (${name})`;
  rule(
    `${family}-01`,
    "lines",
    `The VAT breakdown does not have ${isByRate ? "a group" : "exactly one group"} of the category ${title}.`,
    (invoice) => {
      const isUsed = ofCategory<Taxed>([...taxedLines(invoice), ...invoice.allowancesAndCharges]).length > 0;
      const groups = ofCategory(invoice.vat);
      const isWrong = groups.length === 0 ? isUsed : !isByRate && groups.length > 1;
      return isWrong ? [groups[1]?.at ?? invoice.totals?.at ?? invoice.root] : [];
    },
  );
  const kinds = [
    ["line", "lines", taxedLines],
    ["document level allowance", "document", allowances],
    ["document level charge", "document", charges],
  ] as const satisfies readonly (readonly [string, RuleScope, (invoice: Invoice) => readonly Taxed[]])[];
  for (const [index, [kind, scope, groups]] of kinds.entries()) {
    rule(
      `${family}-0${index + 2}`,
      scope,
      `The identifiers of the parties do not fit a ${kind} of the category ${title}.`,
      (invoice) => {
        const [taxed] = ofCategory<Taxed>(groups(invoice));
        const problem = taxed && category.identifiers(invoice);
        return taxed && problem !== undefined
          ? [[taxed.at, `A ${kind} is of the category ${title}, but ${problem}.`]]
          : [];
      },
    );
  }
  const [isWrong, problem] = RATES[rate];
  for (const [index, [kind, scope, groups]] of kinds.entries()) {
    rule(`${family}-0${index + 5}`, scope, `The rate of a ${kind} of the category ${title} ${problem}.`, (invoice) =>
      ofCategory<Taxed>(groups(invoice)).flatMap((taxed) => (isWrong(taxed.rate) ? taxed.at : [])),
    );
  }
  rule(
    `${family}-08`,
    "lines",
    `The taxable amount (BT-116) of the category ${title} is wrong.`,
    (invoice, tolerance) => {
      const sums = taxableSums(invoice, code, isByRate);
      return ofCategory(invoice.vat).flatMap((breakdown) => {
        const { sum, terms } = sums.get(isByRate ? rateKey(breakdown.rate) : "") ?? { sum: Decimal.zero, terms: 0 };
        return differs(
          breakdown.taxable,
          `The taxable amount (BT-116) of the category ${title}`,
          sum,
          "its lines, charges, and allowances make",
          times(tolerance, terms),
        );
      });
    },
  );
  rule(`${family}-09`, "document", `The tax amount (BT-117) of the category ${title} is wrong.`, (invoice, tolerance) =>
    ofCategory(invoice.vat).flatMap((breakdown) =>
      isByRate
        ? wrongTax(breakdown, tolerance)
        : differs(breakdown.tax, `The VAT (BT-117) of the category ${title}`, Decimal.zero, "it must be"),
    ),
  );
  rule(
    `${family}-10`,
    "document",
    `The VAT breakdown of the category ${title} has ${isExempt ? "no reason" : "a reason"} for an exemption (BT-120, BT-121).`,
    (invoice) =>
      ofCategory(invoice.vat).flatMap(({ at, reason, reasonCode }) =>
        Boolean(reason ?? reasonCode) === isExempt ? [] : at,
      ),
  );
}

const breakdownsOf = (invoice: Invoice, code: string): readonly VatBreakdown[] =>
  invoice.vat.filter(({ category }) => category?.text === code);

// BASIC WL does not ask for the delivery.
rule(
  "BR-IC-11",
  "lines",
  "An intra-community supply has neither a date of delivery (BT-72) nor an invoicing period (BG-14).",
  (invoice) =>
    (invoice.delivered ?? invoice.period?.start ?? invoice.period?.end)
      ? []
      : breakdownsOf(invoice, "K").map(({ at }) => at),
);
rule("BR-IC-12", "lines", "An intra-community supply has no country of delivery (BT-80).", (invoice) =>
  invoice.deliverTo?.country ? [] : breakdownsOf(invoice, "K").map(({ at }) => at),
);

const otherThanO = (invoice: Invoice, groups: readonly Taxed[]): Element[] =>
  breakdownsOf(invoice, "O").length === 0
    ? []
    : groups.flatMap(({ at, category }) => (category && category.text !== "O" ? at : []));
rule("BR-O-11", "document", "The VAT breakdown has another category besides O (not subject to VAT).", (invoice) =>
  otherThanO(invoice, invoice.vat),
);
rule(
  "BR-O-12",
  "lines",
  "A line is of another category, although the VAT breakdown has O (not subject to VAT).",
  (invoice) => otherThanO(invoice, taxedLines(invoice)),
);
rule(
  "BR-O-13",
  "document",
  "A document level allowance is of another category, although the VAT breakdown has O (not subject to VAT).",
  (invoice) => otherThanO(invoice, allowances(invoice)),
);
rule(
  "BR-O-14",
  "document",
  "A document level charge is of another category, although the VAT breakdown has O (not subject to VAT).",
  (invoice) => otherThanO(invoice, charges(invoice)),
);

const splitPayments = (invoice: Invoice): readonly Taxed[] =>
  [...taxedLines(invoice), ...invoice.allowancesAndCharges, ...invoice.vat].filter(
    ({ category }) => category?.text === "B",
  );
rule("BR-B-01", "document", "Split payment (category B) is for invoices within Italy.", (invoice) => {
  const isItalian = [invoice.seller, invoice.buyer].every((party) => party?.address?.country?.text === "IT");
  return isItalian
    ? []
    : splitPayments(invoice)
        .slice(0, 1)
        .map(({ at }) => at);
});
rule(
  "BR-B-02",
  "document",
  "The invoice has split payment (category B) together with the standard rate (S).",
  (invoice) => {
    const isStandard = [...taxedLines(invoice), ...invoice.allowancesAndCharges, ...invoice.vat].some(
      ({ category }) => category?.text === "S",
    );
    return isStandard
      ? splitPayments(invoice)
          .slice(0, 1)
          .map(({ at }) => at)
      : [];
  },
);

// Decimals

const DECIMALS: readonly (readonly [id: string, scope: RuleScope, name: string, (invoice: Invoice) => Numbers])[] = [
  [
    "BR-DEC-01",
    "document",
    "of a document level allowance (BT-92)",
    (invoice) => allowances(invoice).map(({ amount }) => amount),
  ],
  [
    "BR-DEC-02",
    "document",
    "that a document level allowance is based on (BT-93)",
    (invoice) => allowances(invoice).map(({ base }) => base),
  ],
  [
    "BR-DEC-05",
    "document",
    "of a document level charge (BT-99)",
    (invoice) => charges(invoice).map(({ amount }) => amount),
  ],
  [
    "BR-DEC-06",
    "document",
    "that a document level charge is based on (BT-100)",
    (invoice) => charges(invoice).map(({ base }) => base),
  ],
  ["BR-DEC-09", "document", "of all lines (BT-106)", ({ totals }) => [totals?.lines]],
  ["BR-DEC-10", "document", "of all allowances (BT-107)", ({ totals }) => [totals?.allowances]],
  ["BR-DEC-11", "document", "of all charges (BT-108)", ({ totals }) => [totals?.charges]],
  ["BR-DEC-12", "minimum", "without VAT (BT-109)", ({ totals }) => [totals?.net]],
  ["BR-DEC-13", "minimum", "of VAT (BT-110)", ({ totals }) => [totals?.tax]],
  ["BR-DEC-14", "minimum", "with VAT (BT-112)", ({ totals }) => [totals?.gross]],
  [
    "BR-DEC-15",
    "document",
    "of VAT in the accounting currency (BT-111)",
    ({ totals }) => [totals?.taxInAccountingCurrency],
  ],
  ["BR-DEC-16", "document", "that is paid (BT-113)", ({ totals }) => [totals?.paid]],
  ["BR-DEC-17", "document", "of the rounding (BT-114)", ({ totals }) => [totals?.rounding]],
  ["BR-DEC-18", "minimum", "that is due (BT-115)", ({ totals }) => [totals?.due]],
  ["BR-DEC-19", "document", "that is taxable (BT-116)", (invoice) => invoice.vat.map(({ taxable }) => taxable)],
  ["BR-DEC-20", "document", "of the tax of a VAT breakdown (BT-117)", (invoice) => invoice.vat.map(({ tax }) => tax)],
  ["BR-DEC-23", "lines", "of a line (BT-131)", (invoice) => invoice.lines.map(({ net }) => net)],
  [
    "BR-DEC-24",
    "lines",
    "of an allowance of a line (BT-136)",
    (invoice) => lineAllowances(invoice).map(({ amount }) => amount),
  ],
  [
    "BR-DEC-25",
    "lines",
    "that an allowance of a line is based on (BT-137)",
    (invoice) => lineAllowances(invoice).map(({ base }) => base),
  ],
  [
    "BR-DEC-27",
    "lines",
    "of a charge of a line (BT-141)",
    (invoice) => lineCharges(invoice).map(({ amount }) => amount),
  ],
  [
    "BR-DEC-28",
    "lines",
    "that a charge of a line is based on (BT-142)",
    (invoice) => lineCharges(invoice).map(({ base }) => base),
  ],
];
for (const [id, scope, name, amounts] of DECIMALS) {
  rule(id, scope, `The amount ${name} is not a number with at most two decimals.`, (invoice) =>
    amounts(invoice).flatMap((amount) => (amount && !/^[+-]?\d*(?:\.\d{0,2})?$/.test(amount.text) ? amount.at : [])),
  );
}

/** All rules, in the order of the standard within each family. */
export const INVOICE_RULES: readonly InvoiceRule[] = RULES;
