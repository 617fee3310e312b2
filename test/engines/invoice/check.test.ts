import { describe, expect, it } from "vitest";
import { checkInvoice } from "../../../src/engines/invoice/check.ts";
import { profileOf } from "../../../src/engines/invoice/profiles.ts";
import { readInvoice } from "../../../src/engines/invoice/read-invoice.ts";
import { INVOICE_RULES } from "../../../src/engines/invoice/rules.ts";
import { valuesOf } from "../../../src/engines/invoice/values.ts";
import { Work } from "../../../src/engines/work.ts";
import { ciiInvoice, type Edit, ublInvoice } from "../../harness/fixtures/invoice-fixtures.ts";

const newWork = (): Work => new Work(1_000_000_000);

async function read(xml: string | Uint8Array, work = newWork()) {
  const found = await readInvoice(work, typeof xml === "string" ? new TextEncoder().encode(xml) : xml);
  if (typeof found === "string") throw new Error(found);
  return found;
}

const check = async (xml: string) => checkInvoice(newWork(), await read(xml));
const broken = async (xml: string): Promise<string[]> => (await check(xml)).failures.map(({ rule }) => rule);

const TERMS = "<ram:SpecifiedTradePaymentTerms>";
const SETTLEMENT = "<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>";
const before = (text: string, added: string): Edit => [text, added + text];
const after = (text: string, added: string): Edit => [text, text + added];
const without = (text: string): Edit => [text, ""];
const GUIDELINE = "urn:cen.eu:en16931:2017<";
/** All of the invoice is of another category of VAT, without tax. */
const untaxed = (code: string, rate: string, reason: string): readonly Edit[] => [
  [/<ram:ApplicableTradeTax><ram:CalculatedAmount>13.*\n/.exec(ciiInvoice())?.[0] ?? "?", ""],
  ["<ram:CategoryCode>S</ram:CategoryCode>", `<ram:CategoryCode>${code}</ram:CategoryCode>`],
  ["<ram:RateApplicablePercent>19.00</ram:RateApplicablePercent>", rate],
  ["<ram:RateApplicablePercent>19</ram:RateApplicablePercent>", rate],
  ["<ram:RateApplicablePercent>7</ram:RateApplicablePercent>", rate],
  ["<ram:CalculatedAmount>19.95</ram:CalculatedAmount>", "<ram:CalculatedAmount>0.00</ram:CalculatedAmount>"],
  ["<ram:BasisAmount>105.00</ram:BasisAmount>", `${reason}<ram:BasisAmount>300.00</ram:BasisAmount>`],
  ['EUR">33.60<', 'EUR">0.00<'],
  [">333.60<", ">300.00<"],
  ["<ram:TotalPrepaidAmount>33.60</ram:TotalPrepaidAmount>", ""],
];
const ZERO = "<ram:RateApplicablePercent>0</ram:RateApplicablePercent>";
const REASON = "<ram:ExemptionReason>Exempt</ram:ExemptionReason>";
const SELLER_VAT = /<ram:SpecifiedTaxRegistration>.*?<\/ram:SpecifiedTaxRegistration>/.exec(ciiInvoice())?.[0] ?? "?";
const BUYER = "<ram:Name>Buyer Ltd</ram:Name>";
const BUYER_VAT = `<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">FR123</ram:ID></ram:SpecifiedTaxRegistration>`;

describe("valid invoices", () => {
  it("a valid invoice has no failures in either syntax, and the coverage lists the unchecked rules", async () => {
    const { failures, coverage, notChecked } = await check(ciiInvoice());
    expect(failures).toEqual([]);
    expect(await broken(ublInvoice())).toEqual([]);
    expect(coverage.rules).toBe(INVOICE_RULES.length);
    expect(coverage.of).toBe(INVOICE_RULES.length + 27);
    expect(notChecked.map(({ rules }) => rules)).toContain("BR-CL-01 to BR-CL-26");
  });

  it("a valid invoice can be of a category without tax", async () => {
    expect(await broken(ciiInvoice(...untaxed("E", ZERO, REASON)))).toEqual([]);
    expect(await broken(ciiInvoice(...untaxed("Z", ZERO, "")))).toEqual([]);
    expect(await broken(ciiInvoice(...untaxed("G", ZERO, REASON)))).toEqual([]);
    const notSubject = [...untaxed("O", "", REASON), before(SELLER_VAT, "<!-- -->"), without(SELLER_VAT)];
    const id: Edit = ["<ram:Name>Seller GmbH</ram:Name>", "<ram:ID>5</ram:ID><ram:Name>Seller GmbH</ram:Name>"];
    expect(await broken(ciiInvoice(...notSubject, id))).toEqual([]);
  });

  it("all rules have different IDs", () => {
    expect(new Set(INVOICE_RULES.map(({ id }) => id)).size).toBe(INVOICE_RULES.length);
  });
});

const cii: readonly (readonly [ids: string, edits: readonly Edit[]])[] = [
  ["BR-02", [without("<ram:ID>R-1</ram:ID>")]],
  ["BR-03", [without("20261102")]],
  ["BR-04", [without("<ram:TypeCode>380</ram:TypeCode>")]],
  ["BR-06", [without("<ram:Name>Seller GmbH</ram:Name>")]],
  ["BR-07", [["Buyer Ltd", " "]]],
  ["BR-09 BR-11", [without("<ram:CountryID>DE</ram:CountryID>")]],
  ["BR-12", [["<ram:LineTotalAmount>295.00</ram:LineTotalAmount>", ""]]],
  ["BR-13", [without("<ram:TaxBasisTotalAmount>300.00</ram:TaxBasisTotalAmount>")]],
  ["BR-14", [without("<ram:GrandTotalAmount>333.60</ram:GrandTotalAmount>")]],
  ["BR-15", [without("<ram:DuePayableAmount>300.00</ram:DuePayableAmount>")]],
  ["BR-17", [after(SETTLEMENT, "<ram:PayeeTradeParty><ram:ID>1</ram:ID></ram:PayeeTradeParty>")]],
  ["BR-21", [without("<ram:LineID>2</ram:LineID>")]],
  ["BR-22 BR-23", [[`<ram:BilledQuantity unitCode="C62">10</ram:BilledQuantity>`, ""]]],
  ["BR-25", [without("<ram:Name>Item 1</ram:Name>")]],
  ["BR-26", [["<ram:ChargeAmount>10</ram:ChargeAmount>", "<ram:ChargeAmount>ten</ram:ChargeAmount>"]]],
  ["BR-27", [["<ram:ChargeAmount>10<", "<ram:ChargeAmount>-10<"]]],
  ["BR-33 BR-CO-21", [without("<ram:Reason>Reason 10.00</ram:Reason>")]],
  ["BR-38 BR-CO-22", [without("<ram:Reason>Reason 15.00</ram:Reason>")]],
  ["BR-42 BR-CO-23", [without("<ram:Reason>Reason 5.00</ram:Reason>")]],
  ["BR-49", [without("<ram:TypeCode>58</ram:TypeCode>")]],
  ["BR-50 BR-61", [["DE02120300000000202051", ""]]],
  ["BR-53", [before(SETTLEMENT, "<ram:TaxCurrencyCode>USD</ram:TaxCurrencyCode>")]],
  ["BR-64", [without(' schemeID="0160"')]],
  ["BR-CO-09", [["DE123456789", "123456789"]]],
  ["BR-CO-10 BR-CO-13", [["<ram:LineTotalAmount>295.00<", "<ram:LineTotalAmount>295.01<"]]],
  ["BR-CO-11 BR-CO-13", [["<ram:AllowanceTotalAmount>10.00<", "<ram:AllowanceTotalAmount>11.00<"]]],
  ["BR-CO-11 BR-CO-13", [without("<ram:AllowanceTotalAmount>10.00</ram:AllowanceTotalAmount>")]],
  ["BR-CO-12 BR-CO-13", [["<ram:ChargeTotalAmount>15.00<", "<ram:ChargeTotalAmount>14.00<"]]],
  ["BR-CO-13 BR-CO-15", [["<ram:TaxBasisTotalAmount>300.00<", "<ram:TaxBasisTotalAmount>299.99<"]]],
  ["BR-CO-14 BR-CO-15", [['EUR">33.60<', 'EUR">33.61<']]],
  ["BR-CO-15 BR-CO-16", [["<ram:GrandTotalAmount>333.60<", "<ram:GrandTotalAmount>333.06<"]]],
  ["BR-CO-16", [["<ram:DuePayableAmount>300.00<", "<ram:DuePayableAmount>300.50<"]]],
  [
    "BR-CO-17 BR-S-09",
    [
      ["19.95", "19.96"],
      ["13.65", "13.64"],
    ],
  ],
  ["BR-CO-25", [["20261202", ""]]],
  ["BR-S-02 BR-S-03 BR-S-04 BR-CO-26", [without(SELLER_VAT)]],
  ["BR-S-05 BR-S-08", [["19.00</ram:RateApplicablePercent>", "0</ram:RateApplicablePercent>"]]],
  [
    "BR-S-08",
    [
      [
        "<ram:RateApplicablePercent>7</ram:RateApplicablePercent>",
        "<ram:RateApplicablePercent>8</ram:RateApplicablePercent>",
      ],
    ],
  ],
  ["BR-S-10", [before("<ram:BasisAmount>105.00", REASON)]],
  ["BR-E-10", untaxed("E", ZERO, "")],
  ["BR-Z-10", untaxed("Z", ZERO, REASON)],
  ["BR-AE-02 BR-AE-03 BR-AE-04", untaxed("AE", ZERO, REASON)],
  ["BR-IC-02 BR-IC-03 BR-IC-04 BR-IC-11 BR-IC-12", untaxed("K", ZERO, REASON)],
  ["BR-IC-11 BR-IC-12", [...untaxed("K", ZERO, REASON), before(BUYER, BUYER_VAT)]],
  ["BR-O-02 BR-O-03 BR-O-04", untaxed("O", "", REASON)],
  [
    "BR-G-05 BR-G-06 BR-G-07 BR-CO-17",
    untaxed("G", "<ram:RateApplicablePercent>5</ram:RateApplicablePercent>", REASON),
  ],
  ["BR-DEC-24", [["<ram:ActualAmount>5.00<", "<ram:ActualAmount>5.000<"]]],
  ["BR-DEC-19", [["<ram:BasisAmount>105.00<", "<ram:BasisAmount>105.000<"]]],
  ["XML-NAMESPACE", [before(TERMS, "<Terms/>")]],
  ["CII-DT-031", [["<ram:GrandTotalAmount>", '<ram:GrandTotalAmount currencyID="EUR">']]],
];

describe("broken rules of CII", () => {
  it.each(cii)("an invoice in CII breaks %s alone", async (ids, edits) => {
    expect((await broken(ciiInvoice(...edits))).toSorted()).toEqual(ids.split(" ").toSorted());
  });
});

const ubl: readonly (readonly [ids: string, edits: readonly Edit[]])[] = [
  ["BR-01", [["urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", ""]]],
  ["BR-02", [without("<cbc:ID>R-2</cbc:ID>")]],
  ["BR-CO-25", [without("<cbc:DueDate>2026-12-02</cbc:DueDate>")]],
  ["BR-62 BR-63", [without(' schemeID="EM"')]],
  [
    "BR-30",
    [
      after(
        "<cbc:ID>1</cbc:ID>",
        "<cac:InvoicePeriod><cbc:StartDate>2026-11-02</cbc:StartDate><cbc:EndDate>2026-11-01</cbc:EndDate></cac:InvoicePeriod>",
      ),
    ],
  ],
  ["BR-CO-16", [['<cbc:PayableAmount currencyID="EUR">119.00', '<cbc:PayableAmount currencyID="EUR">118.00']]],
  ["BR-52", [before("<cac:PaymentMeans>", "<cac:AdditionalDocumentReference/>")]],
  [
    "BR-56 BR-19",
    [
      before(
        "<cac:PaymentMeans>",
        "<cac:TaxRepresentativeParty><cac:PartyName><cbc:Name>R</cbc:Name></cac:PartyName></cac:TaxRepresentativeParty>",
      ),
    ],
  ],
];

describe("broken rules of UBL", () => {
  it.each(ubl)("an invoice in UBL breaks %s alone", async (ids, edits) => {
    expect((await broken(ublInvoice(...edits))).toSorted()).toEqual(ids.split(" ").toSorted());
  });
});

describe("failures", () => {
  it("failures have a message with the numbers, a count, and a path", async () => {
    const { failures } = await check(ciiInvoice(["<ram:LineTotalAmount>295.00<", "<ram:LineTotalAmount>1<"]));
    expect(failures[0]).toEqual({
      rule: "BR-CO-10",
      message: "The sum of the line net amounts (BT-106) is 1, but the lines add up to 295.00.",
      count: 1,
      path: "/CrossIndustryInvoice/SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeSettlementHeaderMonetarySummation/LineTotalAmount",
    });
    const nameless = await check(
      ciiInvoice(
        ["<ram:Name>Item", "<ram:Description>Item"],
        ["</ram:Name></ram:SpecifiedTradeProduct>", "</ram:Description></ram:SpecifiedTradeProduct>"],
      ),
    );
    expect(nameless.failures).toMatchObject([
      {
        rule: "BR-25",
        count: 2,
        path: "/CrossIndustryInvoice/SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem[1]",
      },
    ]);
  });
});

describe("profiles", () => {
  it("the guideline names the profile", () => {
    const en = "urn:cen.eu:en16931:2017";
    const names = Object.entries({
      "urn:factur-x.eu:1p0:minimum": "MINIMUM",
      "urn:zugferd.de:2p0:basicwl": "BASIC WL",
      [`${en}#compliant#urn:factur-x.eu:1p0:basic`]: "BASIC",
      [en]: "EN 16931",
      [`${en}#conformant#urn:factur-x.eu:1p0:extended`]: "EXTENDED",
      [`${en}#compliant#urn:xoev-de:kosit:standard:xrechnung_1.2`]: "XRECHNUNG",
      [`${en}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0`]: "XRECHNUNG",
      [`${en}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0`]: "EN 16931",
      "urn:ferd:CrossIndustryDocument:invoice:1p0:comfort": "COMFORT",
    });
    expect(names.map(([guideline]) => profileOf(guideline))).toEqual(names.map(([, profile]) => profile));
    expect([`${en}#conformant#urn:other`, "urn:cen.eu:en16931:2018", "x"].map(profileOf)).toEqual(
      Array(3).fill(undefined),
    );
  });

  it("decide which rules are checked: MINIMUM and BASIC WL have no lines", async () => {
    const settlement = (xml: string): string => xml.replaceAll(/<ram:Included.*\n/g, "");
    const basic = settlement(ciiInvoice([GUIDELINE, "urn:factur-x.eu:1p0:basicwl<"]));
    expect(await broken(basic)).toEqual([]);
    const minimum = settlement(
      ciiInvoice(
        [GUIDELINE, "urn:factur-x.eu:1p0:minimum<"],
        [TERMS, "<ram:X>"],
        [TERMS.replace("<", "</"), "</ram:X>"],
      ),
    );
    expect(await broken(minimum)).toEqual(["XML-PROFILE"]);
    expect(await broken(minimum.replace("factur-x.eu:1p0", "zugferd.de:2p0"))).toEqual([]);
    expect(await broken(settlement(ciiInvoice()))).toContain("BR-16");
  });

  it("MINIMUM has few elements, whose amounts may have a currency", async () => {
    const party = (role: string): string =>
      `<ram:${role}TradeParty><ram:Name>${role}</ram:Name><ram:SpecifiedLegalOrganization><ram:ID>1</ram:ID></ram:SpecifiedLegalOrganization>` +
      `<ram:PostalTradeAddress><ram:CountryID>FR</ram:CountryID></ram:PostalTradeAddress>` +
      `<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">FR123</ram:ID></ram:SpecifiedTaxRegistration></ram:${role}TradeParty>`;
    const amounts = ["TaxBasisTotal>100", "TaxTotal>20", "GrandTotal>120", "DuePayable>120"].map((amount) => {
      const [name = "", value = ""] = amount.split(">");
      return `<ram:${name}Amount currencyID="EUR">${value}.00</ram:${name}Amount>`;
    });
    const [head = ""] = ciiInvoice([GUIDELINE, "urn:factur-x.eu:1p0:minimum<"]).split("<ram:Included");
    const xml = (more: string): string =>
      `${head}<ram:ApplicableHeaderTradeAgreement>${party("Seller")}${party("Buyer")}</ram:ApplicableHeaderTradeAgreement>` +
      `<ram:ApplicableHeaderTradeDelivery/><ram:ApplicableHeaderTradeSettlement>${SETTLEMENT}<ram:SpecifiedTradeSettlementHeaderMonetarySummation>` +
      `${amounts.join("")}</ram:SpecifiedTradeSettlementHeaderMonetarySummation>${more}</ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`;
    expect(await broken(xml(""))).toEqual([]);
    const preceding =
      "<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>1</ram:IssuerAssignedID></ram:InvoiceReferencedDocument>";
    expect(await broken(xml(preceding))).toEqual(["XML-PROFILE"]);
  });

  it("EXTENDED allows a cent for each term of a sum, and others none", async () => {
    const edits: readonly Edit[] = [["<ram:LineTotalAmount>100.00<", "<ram:LineTotalAmount>100.01<"]];
    expect(await broken(ciiInvoice(...edits))).toEqual(["BR-CO-10", "BR-S-08"]);
    const extended: Edit = [GUIDELINE, "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended<"];
    expect(await broken(ciiInvoice(...edits, extended))).toEqual([]);
  });
});

describe("reading", () => {
  it("both syntaxes have the same values", async () => {
    expect(valuesOf(await read(ciiInvoice()))).toMatchObject({
      syntax: "CII",
      profile: "EN 16931",
      number: "R-1",
      issueDate: "2026-11-02",
      dueDate: "2026-12-02",
      seller: { name: "Seller GmbH", vatId: "DE123456789", address: { country: "DE" } },
      totals: { lines: "295.00", withoutVat: "300.00", vat: "33.60", withVat: "333.60", paid: "33.60", due: "300.00" },
      allowancesAndCharges: [
        { kind: "charge", amount: "15.00" },
        { kind: "allowance", amount: "10.00" },
      ],
      taxes: [
        { rate: "19", taxableAmount: "105.00" },
        { rate: "7.00", taxAmount: "13.65" },
      ],
      lines: [
        { id: "1", quantity: "10", unit: "C62", netAmount: "100.00" },
        { id: "2", allowancesAndCharges: [{ amount: "5.00" }] },
      ],
    });
    expect(valuesOf(await read(ublInvoice()))).toMatchObject({
      syntax: "UBL",
      profile: "XRECHNUNG",
      number: "R-2",
      issueDate: "2026-11-02",
      buyerReference: "04011000-12345-34",
      seller: { name: "Seller GmbH", vatId: "DE123456789", electronicAddress: "Supplier@example.com" },
      payment: { means: [{ code: "58", account: "DE02120300000000202051" }] },
      totals: { lines: "100.00", vat: "19.00", due: "119.00", paid: null },
      lines: [{ id: "1", name: "Item 1", netPrice: "10", vatRate: "19.0" }],
    });
  });

  it("says why a file is no invoice", async () => {
    const problem = (xml: string | Uint8Array) =>
      readInvoice(newWork(), typeof xml === "string" ? new TextEncoder().encode(xml) : xml);
    expect(await problem("<Invoice/>")).toBe("root");
    expect(await problem("<Invoice>")).toBe("malformed");
    expect(await problem(ciiInvoice(["<rsm:ExchangedDocument>", "<rsm:ExchangedDocument>&unknown;"]))).toBe(
      "malformed",
    );
    expect(await problem(ciiInvoice(['encoding="UTF-8"', 'encoding="UTF-9"']))).toBe("encoding");
    expect(await problem(new Uint8Array([0x3c, 0xff, 0x3e]))).toBe("encoding");
    expect(await problem("<a>".repeat(300))).toBe("size");
  });

  it("reads UTF-16, and other encodings that the XML declares", async () => {
    const wide = new Uint8Array(
      new Uint16Array(
        Array.from(`\ufeff${ciiInvoice(['encoding="UTF-8"', 'encoding="UTF-16"'])}`, (c) => c.charCodeAt(0)),
      ).buffer,
    );
    expect(valuesOf(await read(wide)).number).toBe("R-1");
    const latin = Uint8Array.from(ciiInvoice(["UTF-8", "ISO-8859-1"], ["Buyer Ltd", "Käufer"]), (c) => c.charCodeAt(0));
    expect(valuesOf(await read(latin)).buyer?.name).toBe("Käufer");
  });

  it("costs fuel in proportion to the size", async () => {
    const spent = async (count: number): Promise<number> => {
      const [line = ""] = /<ram:Included.*\n/.exec(ciiInvoice()) ?? [];
      const work = newWork();
      await checkInvoice(work, await read(ciiInvoice([line, line.repeat(count)]), work));
      return work.spent;
    };
    const ratio = (await spent(800)) / (await spent(200));
    expect(ratio).toBeGreaterThan(3);
    expect(ratio).toBeLessThan(4.1);
  });
});
