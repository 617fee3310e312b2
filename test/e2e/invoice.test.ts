import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { type Part, pdfPart, post, type Service } from "../harness/requests/client.ts";
import { archivalDocument } from "../harness/fixtures/archival-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { ciiInvoice, ublInvoice } from "../harness/fixtures/invoice-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

interface Report {
  readonly xml: Readonly<Record<string, unknown>> | null;
  readonly conforms: false | null;
  readonly coverage: { readonly rules: number; readonly of: number } | null;
  readonly container: Readonly<Record<string, unknown>> | null;
  readonly failures: readonly { readonly rule: string; readonly path: string; readonly message: string }[];
}

const xmlPart = (xml: string, fileName = "invoice.xml"): Part => ({ bytes: new TextEncoder().encode(xml), fileName });
const jsonOf = <T>({ body }: { readonly body: Uint8Array }): T => JSON.parse(new TextDecoder().decode(body)) as T;

async function inspect(file: Part): Promise<Report> {
  const response = await post(service, "invoice", { file, action: "inspect" });
  expect(response.status).toBe(200);
  return jsonOf(response);
}

const ids = ({ failures }: Report): string[] => failures.map(({ rule }) => rule);

/** A document that is PDF/A-3b but for the metadata about the attached file. */
async function attached(xml: string, name: string, relationship = "Alternative"): Promise<Uint8Array> {
  const file = pdfPart(archivalDocument({ claim: [3, "B"] }));
  const attachment = xmlPart(xml, name);
  const { status, body } = await post(service, "attachments", { file, action: "add", attachment, relationship });
  expect(status).toBe(200);
  return body;
}

test("XML alone is inspected without a container, and is never called valid", async () => {
  const report = await inspect(xmlPart(ciiInvoice()));
  expect(report).toMatchObject({
    conforms: null,
    container: null,
    xml: { standard: "EN 16931", profile: "EN 16931", version: "2017", syntax: "CII" },
    failures: [],
  });
  expect(report.coverage?.rules).toBeLessThan(report.coverage?.of ?? 0);
  const wrong = await inspect(xmlPart(ciiInvoice(["<ram:GrandTotalAmount>333.60", "<ram:GrandTotalAmount>333.61"])));
  expect([wrong.conforms, ids(wrong)]).toEqual([false, ["BR-CO-15", "BR-CO-16"]]);
});

test("the example breaks no rule", async () => {
  const xml = await readFile(join(root, "examples/invoice.xml"), "utf8");
  expect((await inspect(xmlPart(xml))).failures).toEqual([]);
});

test("the XML of a PDF is extracted as it is, or as values", async () => {
  const xml = ciiInvoice();
  const pdf = await attached(xml, "factur-x.xml");
  const file = await post(service, "invoice", { file: pdfPart(pdf), action: "extract" });
  expect(new TextDecoder().decode(file.body)).toBe(xml);
  expect(file.headers.get("content-disposition")).toContain("factur-x.xml");
  const values = await post(service, "invoice", { file: pdfPart(pdf), action: "extract", output: "json" });
  expect(jsonOf(values)).toMatchObject({ number: "R-1", totals: { due: "300.00" }, seller: { vatId: "DE123456789" } });
  const ubl = await post(service, "invoice", { file: xmlPart(ublInvoice()), action: "extract", output: "json" });
  expect(jsonOf(ubl)).toMatchObject({ standard: "XRechnung", profile: "XRECHNUNG", syntax: "UBL", number: "R-2" });
});

test("the container must be PDF/A-3 with the right name, relationship, and metadata", async () => {
  const good = await inspect(pdfPart(await attached(ciiInvoice(), "factur-x.xml")));
  expect(good.container).toMatchObject({
    attachment: { name: "factur-x.xml", relationship: "Alternative", contentType: "text/xml" },
    pdfa: { profile: "3b", claimed: "3b" },
    xmp: null,
  });
  expect(ids(good)).toEqual(["XMP-SCHEMA"]);
  const named = await inspect(pdfPart(await attached(ciiInvoice(), "bill.xml", "Unspecified")));
  expect(ids(named)).toEqual(["AF-NAME", "AF-RELATIONSHIP", "XMP-SCHEMA"]);
  const minimum = ciiInvoice(["urn:cen.eu:en16931:2017", "urn:factur-x.eu:1p0:minimum"]);
  expect(ids(await inspect(pdfPart(await attached(minimum, "factur-x.xml"))))).toContain("AF-RELATIONSHIP");
});

test("an attached invoice that cannot be read is a failure of the report, and an error of its values", async () => {
  const pdf = await attached(ciiInvoice(["</rsm:ExchangedDocument>", ""]), "factur-x.xml");
  const report = await inspect(pdfPart(pdf));
  expect(report).toMatchObject({ xml: null, conforms: false, coverage: null, notChecked: [] });
  expect(report.failures.at(-1)).toEqual({
    rule: "XML",
    message: "factur-x.xml is not well-formed XML.",
    path: "factur-x.xml",
    count: 1,
  });
  const values = await post(service, "invoice", { file: pdfPart(pdf), action: "extract", output: "json" });
  expect(jsonOf<{ error: { code: string } }>(values).error.code).toBe("invalid_file");
});

/** A document, with an invoice attached by the operation. */
async function made(xml: string, bytes = document({ name: "made", pages: 2 })): Promise<Uint8Array> {
  const { status, body } = await post(service, "invoice", {
    file: pdfPart(bytes),
    xml: xmlPart(xml),
    action: "attach",
  });
  expect(status, new TextDecoder().decode(body.subarray(0, 500))).toBe(200);
  return body;
}

const XRECHNUNG = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0";

test.each([
  ["urn:cen.eu:en16931:2017", "factur-x.xml", "Alternative", "1.0", "EN 16931"],
  ["urn:factur-x.eu:1p0:basicwl", "factur-x.xml", "Data", "1.0", "BASIC WL"],
  [XRECHNUNG, "xrechnung.xml", "Alternative", "3.0", "XRECHNUNG"],
])("an attached invoice of %s is PDF/A-3b in every respect", async (guideline, name, relationship, version, level) => {
  const xml = ciiInvoice(["urn:cen.eu:en16931:2017", guideline]);
  const pdf = await made(xml);
  const report = await inspect(pdfPart(pdf));
  expect(report.failures).toEqual([]);
  expect(report.container).toEqual({
    attachment: { name, relationship, contentType: "text/xml" },
    pdfa: { profile: "3b", claimed: "3b", conforms: true },
    xmp: {
      namespace: "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#",
      documentType: "INVOICE",
      documentFileName: name,
      version,
      conformanceLevel: level,
    },
  });
  const { body } = await post(service, "invoice", { file: pdfPart(pdf), action: "extract" });
  expect(new TextDecoder().decode(body)).toBe(xml);
});

test("an attached invoice replaces the one before, also in another syntax", async () => {
  const first = await made(ciiInvoice());
  const second = await made(ublInvoice(), await made(ciiInvoice([">R-1<", ">R-9<"]), first));
  const { body } = await post(service, "attachments", { file: pdfPart(second), action: "list" });
  expect(jsonOf<{ attachments: { name: string }[] }>({ body }).attachments.map(({ name }) => name)).toEqual([
    "xrechnung.xml",
  ]);
  expect(await inspect(pdfPart(second))).toMatchObject({ xml: { profile: "XRECHNUNG" }, failures: [] });
});

test.each([
  [
    "an unknown guideline",
    ciiInvoice(["urn:cen.eu:en16931:2017", "urn:example:1"]),
    "unknown guideline identifier (BT-24): urn:example:1",
  ],
  ["no guideline", ciiInvoice(["urn:cen.eu:en16931:2017", ""]), "no guideline identifier"],
  ["no invoice", "<html/>", "`xml` is not an invoice"],
])("XML with %s is not attached", async (_, xml, problem) => {
  const file = pdfPart(document({ name: "refused", pages: 1 }));
  const response = await post(service, "invoice", { file, xml: xmlPart(xml), action: "attach" });
  const { error } = jsonOf<{ error: { code: string; message: string } }>(response);
  expect([response.status, error.code]).toEqual([400, "invalid_file"]);
  expect(error.message).toContain(problem);
});

test.each([
  ["XML that is no invoice", xmlPart("<html/>"), "is not an invoice: its root element"],
  ["XML that is not well-formed", xmlPart("<Invoice>"), "is not well-formed XML"],
])("%s is refused", async (_, file, problem) => {
  const response = await post(service, "invoice", { file, action: "inspect" });
  const { error } = jsonOf<{ error: { code: string; message: string } }>(response);
  expect([response.status, error.code]).toEqual([400, "invalid_file"]);
  expect(error.message).toContain(problem);
});

test.each(["extract", "inspect"])("a PDF without an invoice is refused by %s as no_invoice", async (action) => {
  const response = await post(service, "invoice", { file: pdfPart(archivalDocument()), action });
  const { error } = jsonOf<{ error: { code: string; message: string } }>(response);
  expect([response.status, error.code]).toEqual([422, "no_invoice"]);
  expect(error.message).toContain("no XML of Factur-X, ZUGFeRD, or XRechnung is attached");
});

test("another format gets 415, and the formats that are possible", async () => {
  const response = await post(service, "invoice", {
    file: { bytes: Uint8Array.of(0, 1), fileName: "x" },
    action: "inspect",
  });
  expect(response.status).toBe(415);
  expect(jsonOf<{ error: { message: string } }>(response).error.message).toContain("PDF or XML");
});
