import { PDFArray, PDFDict, PDFDocument, PDFName } from "pdf-lib";
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Part, type Service } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { noise } from "../harness/fixtures/pdf-writer.ts";
import { check } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

async function compress(bytes: Uint8Array, fields: Readonly<Record<string, Part>> = {}): Promise<Uint8Array> {
  const response = await post(service, "compress", { file: pdfPart(bytes), ...fields });
  if (response.status !== 200) throw new Error(`${response.status} ${response.code ?? ""}`);
  const { errors, warnings } = await check(response.body);
  expect([...errors, ...warnings]).toEqual([]);
  return response.body;
}

test("a small file keeps all objects but streams in one object stream", async () => {
  const bytes = document({ name: "small", pages: 3, features: ["outline", "links"] });
  const body = await compress(bytes);
  const text = Buffer.from(body).toString("latin1");
  expect(text).not.toMatch(/Catalog|Producer|MuPDF/);
  expect(text.match(/ObjStm/g)).toHaveLength(1);
  expect((await openPdf(body)).info["Title"]).toBe("Title of small");
});

test("an output intent loses its profile, but not at level low and not in a PDF/A", async () => {
  const withProfile = async (xmp: string, level: string): Promise<boolean> => {
    const pdf = await PDFDocument.load(document({ name: "press", pages: 1, features: [] }));
    const profile = pdf.context.register(pdf.context.flateStream(noise(5000, 11), { N: 4 }));
    const intent = { Type: "OutputIntent", S: "GTS_PDFX", DestOutputProfile: profile };
    pdf.catalog.set(PDFName.of("OutputIntents"), pdf.context.obj([intent]));
    const metadata = pdf.context.stream(xmp, { Type: "Metadata", Subtype: "XML" });
    pdf.catalog.set(PDFName.of("Metadata"), pdf.context.register(metadata));
    const output = await PDFDocument.load(await compress(await pdf.save(), { level }));
    const intents = output.catalog.lookup(PDFName.of("OutputIntents"), PDFArray);
    return intents.lookup(0, PDFDict).has(PDFName.of("DestOutputProfile"));
  };
  const archive = '<x xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"/>';
  expect(await withProfile("<x/>", "medium")).toBe(false);
  expect(await withProfile("<x/>", "low")).toBe(true);
  expect(await withProfile(archive, "max")).toBe(true);
});
