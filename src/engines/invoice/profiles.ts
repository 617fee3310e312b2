/** The profiles of e-invoices, and the guideline identifiers (BT-24) that name them. */

export const INVOICE_PROFILES = [
  "MINIMUM",
  "BASIC WL",
  "BASIC",
  "COMFORT",
  "EN 16931",
  "EXTENDED",
  "XRECHNUNG",
] as const;

/** COMFORT is of ZUGFeRD 1. */
export type InvoiceProfile = (typeof INVOICE_PROFILES)[number];

const EN_16931 = "urn:cen.eu:en16931:2017";

export const INVOICE_STANDARDS = ["Factur-X", "ZUGFeRD", "XRechnung", "EN 16931"] as const;

export interface InvoiceStandard {
  readonly standard: (typeof INVOICE_STANDARDS)[number];
  readonly version: string;
}

/** By parts of guidelines that have versions. */
const VERSIONS: readonly (readonly [RegExp, InvoiceStandard["standard"]])[] = [
  [/factur-x\.eu:(\d+p\d+)/, "Factur-X"],
  [/(?:zugferd\.de|urn:ferd:CrossIndustryDocument:invoice):(\d+p\d+)/, "ZUGFeRD"],
  [/:xrechnung_(\d+(?:\.\d+)*)/, "XRechnung"],
];

/** The standard that a guideline names, and its version; undefined if it is not known. */
export function standardOf(guideline: string): InvoiceStandard | undefined {
  if (profileOf(guideline) === undefined) return undefined;
  for (const [pattern, standard] of VERSIONS) {
    const version = pattern.exec(guideline)?.[1];
    if (version !== undefined) return { standard, version: version.replace("p", ".") };
  }
  return { standard: "EN 16931", version: "2017" };
}

/** By the ends of guidelines of Factur-X, of ZUGFeRD 2, and of ZUGFeRD 1. */
const BY_END: readonly (readonly [RegExp, InvoiceProfile])[] = [
  [/^urn:(?:factur-x\.eu:1p0|zugferd\.de:2p0):minimum$/, "MINIMUM"],
  [/^urn:(?:factur-x\.eu:1p0|zugferd\.de:2p0):basicwl$/, "BASIC WL"],
  [/^urn:cen\.eu:en16931:2017#compliant#urn:(?:factur-x\.eu:1p0|zugferd\.de:2p0):basic$/, "BASIC"],
  [/^urn:cen\.eu:en16931:2017#conformant#urn:(?:factur-x\.eu:1p0|zugferd\.de:2p0):extended$/, "EXTENDED"],
  [
    /^urn:cen\.eu:en16931:2017#compliant#urn:(?:xoev-de|xeinkauf\.de):kosit:(?:standard:)?xrechnung_[\d.]+(?:#.*)?$/,
    "XRECHNUNG",
  ],
  [/^urn:ferd:CrossIndustryDocument:invoice:1p0:basic$/, "BASIC"],
  [/^urn:ferd:CrossIndustryDocument:invoice:1p0:comfort$/, "COMFORT"],
  [/^urn:ferd:CrossIndustryDocument:invoice:1p0:extended$/, "EXTENDED"],
];

/**
 * The profile that a guideline names; undefined if it is not known. A core invoice usage specification other than XRechnung, such as that of Peppol,
 * restricts EN 16931, so its invoices are of EN 16931.
 */
export function profileOf(guideline: string): InvoiceProfile | undefined {
  const known = BY_END.find(([pattern]) => pattern.test(guideline));
  if (known) return known[1];
  return guideline === EN_16931 || guideline.startsWith(`${EN_16931}#compliant#`) ? "EN 16931" : undefined;
}
