import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { type Part, pdfPart, post, type Service } from "../harness/requests/client.ts";
import { archivalDocument } from "../harness/fixtures/archival-fixtures.ts";
import { ciiInvoice, ublInvoice } from "../harness/fixtures/invoice-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

interface Report {
  readonly profile: string | null;
  readonly conforms: false | null;
  readonly coverage: { readonly rules: number; readonly of: number } | null;
  readonly container: Readonly<Record<string, unknown>> | null;
  readonly failures: readonly { readonly id: string; readonly where: string; readonly message: string }[];
}

const xmlPart = (xml: string, fileName = "invoice.xml"): Part => ({ bytes: new TextEncoder().encode(xml), fileName });
const jsonOf = <T>({ body }: { readonly body: Uint8Array }): T => JSON.parse(new TextDecoder().decode(body)) as T;

async function inspect(file: Part): Promise<Report> {
  const response = await post(service, "invoice", { file, action: "inspect" });
  expect(response.status).toBe(200);
  return jsonOf(response);
}

const ids = ({ failures }: Report): string[] => failures.map(({ id }) => id);

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
  expect(report).toMatchObject({ profile: "EN 16931", conforms: null, container: null, failures: [] });
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
  expect(jsonOf(ubl)).toMatchObject({ syntax: "UBL", number: "R-2" });
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
  expect(report).toMatchObject({ profile: null, conforms: false, coverage: null });
  expect(report.failures.at(-1)).toEqual({
    id: "XML",
    message: "factur-x.xml is not well-formed XML.",
    count: 1,
    where: "factur-x.xml",
  });
  const values = await post(service, "invoice", { file: pdfPart(pdf), action: "extract", output: "json" });
  expect(jsonOf<{ error: { code: string } }>(values).error.code).toBe("invalid_file");
});

test.each([
  ["a PDF without an invoice", pdfPart(archivalDocument()), "has no invoice"],
  ["XML that is no invoice", xmlPart("<html/>"), "is not an invoice: its root element"],
  ["XML that is not well-formed", xmlPart("<Invoice>"), "is not well-formed XML"],
])("%s is refused", async (_, file, problem) => {
  const response = await post(service, "invoice", { file, action: "inspect" });
  const { error } = jsonOf<{ error: { code: string; message: string } }>(response);
  expect([response.status, error.code]).toEqual([400, "invalid_file"]);
  expect(error.message).toContain(problem);
});

test("another format gets 415, and the formats that are possible", async () => {
  const response = await post(service, "invoice", {
    file: { bytes: Uint8Array.of(0, 1), fileName: "x" },
    action: "inspect",
  });
  expect(response.status).toBe(415);
  expect(jsonOf<{ error: { message: string } }>(response).error.message).toContain("PDF or XML");
});
