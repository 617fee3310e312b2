import { describe, expect, it } from "vitest";
import { time } from "../../src/site/browser/parts/figures.ts";
import { conformanceBlocks } from "../../src/site/browser/playground/reports/conformance.ts";
import { invoiceCheckBlocks } from "../../src/site/browser/playground/reports/invoice-check.ts";
import { type InvoiceValues, invoiceValueBlocks } from "../../src/site/browser/playground/reports/invoice-values.ts";
import { reportIn } from "../../src/site/browser/playground/reports/report.ts";
import { nameOf, type Signature, signatureBlocks } from "../../src/site/browser/playground/reports/signatures.ts";

describe("signatures", () => {
  const subject = "O=Example Ltd,CN=Ada\\, Countess of Lovelace,C=GB";
  const signature: Signature = {
    field: "Signature1",
    kind: "signature",
    integrity: "intact",
    changesAfter: "none",
    changes: [],
    signer: { subject, issuer: subject },
    chain: "untrusted",
    revocation: "not-checked",
    signedAt: "2026-11-28T10:00:00Z",
    timeSource: "signer",
  };
  const signedAt = time("2026-11-28T10:00:00Z");
  const verdicts = (changed: Partial<Signature>) =>
    signatureBlocks({ signatures: [{ ...signature, ...changed }], documentIntact: true }).flatMap((block, index) =>
      block.kind === "verdict" && index > 0 ? [`${block.tone}: ${block.text}`] : [],
    );
  const open = (changed: Partial<Signature>) =>
    signatureBlocks({ signatures: [{ ...signature, ...changed }], documentIntact: true }).flatMap((block) =>
      block.kind === "list" && block.label === "Not checked" ? block.items.map(({ text }) => text) : [],
    );

  it("a signature without trusted roots says who claims to have signed, when, and what was not checked", () => {
    expect(signatureBlocks({ signatures: [signature], documentIntact: true })).toEqual([
      {
        kind: "verdict",
        tone: "good",
        text: "The signature is intact, and no change was made that it forbids.",
      },
      { kind: "heading", text: "Signed by Ada, Countess of Lovelace" },
      { kind: "verdict", tone: "good", text: "The document is unchanged since it was signed." },
      {
        kind: "verdict",
        tone: "unsure",
        text: "The name is not confirmed: the certificate leads to no root in `trust`. Anyone can make a certificate with this name.",
      },
      {
        kind: "facts",
        label: "Signature",
        facts: [
          ["Time", `${signedAt}, by the signer's own clock`],
          ["Certificate", `${subject}, issued by itself`],
          ["Field", "Signature1"],
        ],
      },
      {
        kind: "list",
        label: "Not checked",
        items: [
          { text: "Who signed. Send the root certificates that you trust as `trust`." },
          { text: "Whether a certificate was revoked. Only issuers below a root in `trust` are asked." },
          { text: "The time. The signer can set this clock to any time." },
        ],
      },
    ]);
  });

  it("a trusted signature with a time stamp lists its conditions and each change with its page", () => {
    const signed: Signature = {
      ...signature,
      changesAfter: "forbidden",
      changes: [
        { text: "The field Name was filled in.", allowed: true, page: 2, coversContent: true },
        { text: "A page was replaced.", allowed: false, page: 3 },
        { text: "The metadata was changed.", allowed: true },
      ],
      signer: { subject: "CN=Ada", issuer: "CN=Example CA" },
      chain: "trusted",
      revocation: "good",
      timeSource: "timestamp",
      timestamp: { signer: { subject: "CN=Example TSA", issuer: "CN=Example CA" }, chain: "trusted" },
      docMdp: "form-filling",
      signingReason: "Approved",
      location: "London",
    };
    expect(signatureBlocks({ signatures: [signed], documentIntact: false })).toEqual([
      {
        kind: "verdict",
        tone: "bad",
        text: "Do not rely on this document: a signature is not intact, or a change was made that one forbids.",
      },
      { kind: "heading", text: "Signed by Ada" },
      {
        kind: "verdict",
        tone: "bad",
        text: "The document was changed after signing, in ways that are not allowed. It may show something else than what was signed.",
      },
      {
        kind: "verdict",
        tone: "good",
        text: "The name is confirmed: the certificate of Ada leads to a root that you trust.",
      },
      {
        kind: "facts",
        label: "Signature",
        facts: [
          ["Time", `${signedAt}, confirmed by Example TSA`],
          ["Reason", "Approved"],
          ["Place", "London"],
          ["Allows", "Filling in fields and further signatures"],
          ["Certificate", "CN=Ada, issued by CN=Example CA"],
          ["Field", "Signature1"],
        ],
      },
      {
        kind: "list",
        label: "Changes since",
        items: [
          {
            text: "The field Name was filled in. Allowed. **It may hide text or images of the signed page.**",
            page: 2,
          },
          { text: "A page was replaced. **Not allowed.**", page: 3 },
          { text: "The metadata was changed. Allowed." },
        ],
      },
    ]);
  });

  it("a signature that is not intact proves nothing, and one that cannot be verified stays open", () => {
    const reason = "The digest differs.";
    expect(verdicts({ integrity: "broken", chain: "unknown", reason })).toEqual([
      "bad: The signature does not match the document. It proves nothing. The digest differs.",
      "unsure: The name could not be confirmed.",
    ]);
    expect(verdicts({ integrity: "unsupported", chain: "unknown", reason: "SHA-1 is weak." })[0]).toBe(
      "unsure: The signature could not be verified. SHA-1 is weak.",
    );
    expect(open({ integrity: "broken" })).toEqual([]);
  });

  it("expired and revoked certificates do not confirm the name", () => {
    expect(verdicts({ chain: "expired", reason: "It ended in 2020." })[1]).toBe(
      "bad: The name is not confirmed: a certificate was not valid at that time. It ended in 2020.",
    );
    expect(verdicts({ chain: "revoked" })[1]).toBe("bad: The name is not confirmed: a certificate had been revoked.");
    expect(verdicts({ chain: "unknown" })[1]).toBe("unsure: The name could not be confirmed.");
  });

  it("issuers that were not asked or gave no response leave revocation open", () => {
    const trusted = { chain: "trusted", timeSource: "timestamp" } as const;
    expect(open({ ...trusted, revocation: "not-checked" })).toEqual([
      "Whether a certificate was revoked: nobody was asked.",
    ]);
    expect(open({ ...trusted, revocation: "unknown" })).toEqual([
      "Whether a certificate was revoked: an issuer gave no usable response.",
    ]);
    expect(open({ ...trusted, revocation: "good", timestamp: { signer: null, chain: "untrusted" } })).toEqual([
      "The time. The certificate of the time stamp is not confirmed either.",
    ]);
    expect(open({ ...trusted, revocation: "good" })).toEqual([]);
  });

  it("a document without signatures is not called intact", () => {
    expect(signatureBlocks({ signatures: [], documentIntact: false })).toEqual([
      {
        kind: "verdict",
        tone: "unsure",
        text: "The document has no digital signatures. A drawn signature proves nothing.",
      },
    ]);
  });

  it("the signer is named by the common name of the certificate, or by the whole subject", () => {
    expect([nameOf(subject), nameOf("O=No common name,C=DE")]).toEqual([
      "Ada, Countess of Lovelace",
      "O=No common name,C=DE",
    ]);
    expect(
      signatureBlocks({
        signatures: [{ ...signature, kind: "document-timestamp", signer: null }],
        documentIntact: true,
      })[1],
    ).toEqual({
      kind: "heading",
      text: "Time stamp by an unknown signer",
    });
  });
});

describe("conformance", () => {
  const report = { profile: "2b", conforms: null, claimed: null, coverage: { rules: 100, of: 144 }, failures: [] };

  it("broken rules are listed with clause, count, page, and object", () => {
    const failures = [
      {
        clause: "6.2.11.4.1",
        test: 1,
        message: "A font that is shown is not embedded.",
        count: 1_200,
        first: { object: 5, page: 3, context: "Helvetica" },
      },
      {
        clause: "6.6.2.1",
        test: 1,
        message: "The catalog has no metadata stream.",
        count: 1,
        first: { object: 0, page: null, context: null },
      },
    ];
    expect(conformanceBlocks({ ...report, conforms: false, claimed: "3b", failures })).toEqual([
      {
        kind: "verdict",
        tone: "bad",
        text: "The document does not conform to PDF/A-2b: it breaks 2 rules. It claims to be PDF/A-3b.",
      },
      { kind: "note", text: "100 of 144 rules were checked." },
      {
        kind: "table",
        label: "Broken rules",
        head: ["Clause", "Problem", "Times", "First at"],
        rows: [
          [
            "`6.2.11.4.1-1`",
            "A font that is shown is not embedded.",
            "1,200",
            { text: "Object 5, Helvetica", page: 3 },
          ],
          ["`6.6.2.1-1`", "The catalog has no metadata stream.", "1", { text: "The file" }],
        ],
      },
      { kind: "note", text: "The operation `archive` converts a document to PDF/A." },
    ]);
  });

  it("rules that were not checked are no conformance", () => {
    expect(conformanceBlocks(report)).toEqual([
      {
        kind: "verdict",
        tone: "unsure",
        text: "No rule of PDF/A-2b is broken, but only 100 of 144 could be checked. It does not claim to be PDF/A.",
      },
      { kind: "note", text: "100 of 144 rules were checked." },
    ]);
  });

  it("a conforming document of level a leaves its tags to a person", () => {
    const coverage = { rules: 150, of: 150 };
    expect(conformanceBlocks({ ...report, profile: "2a", conforms: true, claimed: "2a", coverage })).toEqual([
      { kind: "verdict", tone: "good", text: "The document conforms to PDF/A-2a. It claims this." },
      {
        kind: "note",
        text: "150 of 150 rules were checked. Whether the tags fit the contents, only a person can judge.",
      },
    ]);
  });
});

describe("invoices", () => {
  const format = { standard: "Factur-X", profile: "EN 16931", version: "1.0", syntax: "CII" };

  it("a check names the format, the PDF around it, broken rules, and what was not checked", () => {
    expect(
      invoiceCheckBlocks({
        conforms: false,
        coverage: { rules: 197, of: 224 },
        container: {
          attachment: { name: "factur-x.xml", relationship: "Alternative" },
          pdfa: { profile: "3b", claimed: null, conforms: false },
          xmp: { conformanceLevel: "EN 16931", documentFileName: "factur-x.xml" },
        },
        xml: format,
        failures: [{ rule: "BR-CO-15", message: "The total is not the sum.", count: 1, path: "/Invoice/Total" }],
        notChecked: [
          { rules: "BR-CL-*", count: 23, reason: "They need code lists." },
          { rules: "XML schema", count: null, reason: "Not read." },
        ],
      }),
    ).toEqual([
      {
        kind: "verdict",
        tone: "bad",
        text: "The invoice is not correct: it breaks 1 rule. 197 of 224 rules were checked.",
      },
      {
        kind: "facts",
        label: "Invoice",
        facts: [
          ["Format", "Factur-X 1.0, profile EN 16931, as CII"],
          ["Attachment", "factur-x.xml"],
          ["PDF around it", "Does not conform to PDF/A-3b; claims no PDF/A"],
          ["Metadata", "factur-x.xml, profile EN 16931"],
        ],
      },
      {
        kind: "table",
        label: "Broken rules",
        head: ["Rule", "Problem", "Times", "First at"],
        rows: [["`BR-CO-15`", "The total is not the sum.", "1", "`/Invoice/Total`"]],
      },
      {
        kind: "list",
        label: "Not checked",
        items: [{ text: "BR-CL-* (23 rules): They need code lists." }, { text: "XML schema: Not read." }],
      },
    ]);
  });

  it("an invoice without broken rules is not called correct", () => {
    const nothing = { container: null, failures: [], notChecked: [] };
    const coverage = { rules: 197, of: 224 };
    expect(invoiceCheckBlocks({ ...nothing, conforms: null, coverage, xml: { ...format, standard: null } })).toEqual([
      {
        kind: "verdict",
        tone: "unsure",
        text: "No broken rule was found, but not all rules can be checked. 197 of 224 rules were checked.",
      },
      {
        kind: "facts",
        label: "Invoice",
        facts: [["Format", "An unknown standard, profile EN 16931, as CII"]],
      },
    ]);
    expect(invoiceCheckBlocks({ ...nothing, conforms: false, coverage: null, xml: null })).toEqual([
      { kind: "verdict", tone: "bad", text: "The invoice cannot be read." },
    ]);
  });

  it("values are read as an invoice: parties, totals, taxes, and lines", () => {
    const nobody = { vatId: null, taxNumber: null, electronicAddress: null, address: null };
    const values: InvoiceValues = {
      ...format,
      standard: "EN 16931",
      version: "2017",
      number: "2026-0117",
      issueDate: "2026-11-02",
      typeCode: "381",
      currency: "EUR",
      dueDate: "2026-12-02",
      deliveryDate: null,
      paymentTerms: null,
      buyerReference: null,
      orderReference: null,
      notes: ["Thank you."],
      seller: {
        ...nobody,
        name: "Example GmbH",
        vatId: "DE123456789",
        address: { lines: ["Example Street 1"], city: "Berlin", postcode: "10115", country: "DE" },
      },
      buyer: { ...nobody, name: "Example Ltd" },
      payment: { reference: null, means: [{ account: "DE02120300000000202051", bic: "EXAMPLE1" }] },
      totals: {
        lines: "170.00",
        allowances: null,
        charges: null,
        withoutVat: "170.00",
        vat: "32.30",
        withVat: "202.30",
        paid: null,
        rounding: null,
        due: "202.30",
      },
      taxes: [
        { category: "S", rate: "19.00", taxableAmount: "170.00", taxAmount: "32.30", exemptionReason: null },
        { category: "E", rate: null, taxableAmount: "1.00", taxAmount: null, exemptionReason: "Training" },
      ],
      lines: [
        {
          id: "1",
          name: "Paper",
          quantity: "40",
          unit: "H87",
          netPrice: "4.25",
          netAmount: "170.00",
          vatRate: "19.00",
        },
        { id: "2", name: "Work", quantity: "2", unit: "HUR", netPrice: null, netAmount: null, vatRate: null },
      ],
    };
    expect(invoiceValueBlocks(values)).toEqual([
      { kind: "heading", text: "Credit note 2026-0117" },
      {
        kind: "facts",
        label: "Invoice",
        facts: [
          ["Date", "2026-11-02"],
          ["Due", "2026-12-02"],
          ["Format", "EN 16931 2017, as CII"],
        ],
      },
      {
        kind: "facts",
        label: "Parties",
        facts: [
          ["Seller", "Example GmbH, Example Street 1, 10115 Berlin, DE, VAT ID DE123456789"],
          ["Buyer", "Example Ltd"],
        ],
      },
      {
        kind: "facts",
        label: "Totals",
        facts: [
          ["Lines", "170.00 EUR"],
          ["Without VAT", "170.00 EUR"],
          ["VAT", "32.30 EUR"],
          ["With VAT", "202.30 EUR"],
          ["To pay", "202.30 EUR"],
        ],
      },
      { kind: "facts", label: "Payment", facts: [["Account", "DE02120300000000202051, EXAMPLE1"]] },
      {
        kind: "table",
        label: "Taxes",
        head: ["Category", "Rate", "On", "Tax"],
        rows: [
          ["Standard rate", "19.00%", "170.00 EUR", "32.30 EUR"],
          ["Exempt: Training", "", "1.00 EUR", ""],
        ],
      },
      {
        kind: "table",
        label: "Lines",
        head: ["Line", "Item", "Quantity", "Price", "VAT", "Amount"],
        rows: [
          ["1", "Paper", "40", "4.25", "19.00%", "170.00 EUR"],
          ["2", "Work", "2 HUR", "", "", ""],
        ],
      },
      { kind: "list", label: "Notes", items: [{ text: "Thank you." }] },
    ]);
    expect(reportIn(values)?.[0]).toEqual({ kind: "heading", text: "Credit note 2026-0117" });
  });
});

it("only the reports of these operations are shown in words", () => {
  expect(reportIn({ signatures: [], documentIntact: false })).toHaveLength(1);
  for (const other of [null, 1, [], "text", { title: "A letter" }, { failures: [] }])
    expect(reportIn(other)).toBe(undefined);
});
