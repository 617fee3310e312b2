import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { type ApiResponse, pdfPart, post, type Service } from "../harness/requests/client.ts";
import { archivalDocument } from "../harness/fixtures/archival-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { wholeForm } from "../harness/fixtures/form-fixtures.ts";
import { pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { drawPage } from "../harness/engines/drawn-page.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

const archive = (bytes: Uint8Array, fields: Record<string, string> = {}): Promise<ApiResponse> =>
  post(service, "archive", { file: pdfPart(bytes), ...fields });

/** The rules that a file breaks, as `validate` finds them. */
async function broken(bytes: Uint8Array, profile = "2b"): Promise<string[]> {
  const { body } = await post(service, "validate", { file: pdfPart(bytes), profile });
  const { conforms, failures } = JSON.parse(new TextDecoder().decode(body)) as {
    readonly conforms: boolean | null;
    readonly failures: readonly { readonly clause: string; readonly test: number }[];
  };
  expect(conforms).toBe(failures.length === 0);
  return failures.map(({ clause, test: rule }) => `${clause}-${rule}`);
}

/** The response of a conversion that succeeds, whose file conforms. */
async function archived(bytes: Uint8Array, profile = "2b"): Promise<ApiResponse> {
  const response = await archive(bytes, { profile });
  if (response.status !== 200) throw new Error(new TextDecoder().decode(response.body));
  expect(await broken(response.body, profile)).toEqual([]);
  expect(await check(response.body)).toMatchObject({ warnings: [], errors: [] });
  return response;
}

const changesOf = ({ headers }: ApiResponse): Record<string, number> =>
  Object.fromEntries(
    (headers.get("X-Changes") ?? "").split(",").map((change) => {
      const [kind = "", count] = change.split("=");
      return [kind, Number(count)];
    }),
  );

/** All pixels of the first page. */
function pixelsOf(bytes: Uint8Array): number[] {
  const { width, height, at } = drawPage(bytes);
  return Array.from({ length: width * height }, (_, index) => at(index % width, Math.floor(index / width))).flat();
}

interface Draft {
  readonly content?: string;
  readonly catalog?: string;
  readonly page?: string;
  readonly resources?: string;
  readonly objects?: readonly PdfObject[];
}

/** One page; further objects have numbers from 5. */
const draft = ({ content = "", catalog = "", page = "", resources = "", objects = [] }: Draft): Uint8Array =>
  pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << ${resources} >> ${page} >>`,
      { entries: "", data: new TextEncoder().encode(content) },
      ...objects,
    ],
    "/Root 1 0 R",
  );

test("a document becomes PDF/A, and keeps its pages, text, outline, and metadata", async () => {
  const source = document({ name: "report", pages: 3 });
  expect((await broken(source)).length).toBeGreaterThan(0);
  const response = await archived(source);
  const [before, after] = [await openPdf(source), await openPdf(response.body)];
  expect(response.headers.get("X-Page-Count")).toBe("3");
  expect(after.pages.map(({ text }) => text)).toEqual(before.pages.map(({ text }) => text));
  expect(after.outline).toEqual(before.outline);
  expect(after.info).toMatchObject({ Title: before.info.Title ?? null });
  expect(after.xmp).toContain("<pdfaid:part>2</pdfaid:part>");
  expect(response.headers.get("X-Pages-Changed")).toBeNull();
  expect(response.headers.get("X-Conformance")).toBe("PDF/A-2b");
});

test("language and title are those that are sent, also of a document that conforms", async () => {
  const response = await archive(archivalDocument({ claim: [2, "B"] }), { language: "de-AT", title: "Brief & mehr" });
  expect([response.status, await broken(response.body)]).toEqual([200, []]);
  const { info, xmp } = await openPdf(response.body);
  expect(info.Title).toBe("Brief & mehr");
  expect(xmp).toContain("Brief &amp; mehr");
  expect(await plainText(response.body)).toContain("/Lang (de-AT)");
  const refused = await archive(archivalDocument(), { language: "German!" });
  expect(refused.status).toBe(400);
});

test("fonts that others replace are named", async () => {
  const font = (name: string): string =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /FirstChar 65 /LastChar 65 /Widths [600] /FontDescriptor << /Type /FontDescriptor /FontName /${name} /Flags 32 /FontBBox [0 0 600 700] /ItalicAngle 0 /Ascent 700 /Descent 0 /CapHeight 700 /StemV 80 >> >>`;
  const source = draft({
    content: "BT /F 20 Tf 20 20 Td (A) Tj /G 20 Tf (A) Tj ET",
    resources: `/Font << /F 5 0 R /G 6 0 R >>`,
    objects: [font("ABCDEF+House#20Style"), "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"],
  });
  const response = await archived(source);
  expect(response.headers.get("X-Fonts-Substituted")).toBe("House%20Style");
  expect(changesOf(response)).toMatchObject({ fonts_substituted: 1, fonts_embedded: 1 });
  expect(response.headers.get("X-Removed")).toBeNull();
});

test("a document that claims the profile and conforms is returned byte for byte", async () => {
  const source = archivalDocument({ claim: [2, "B"] });
  const response = await archive(source);
  expect([response.status, response.body]).toEqual([200, source]);
  expect(response.headers.get("X-Changes")).toBeNull();
  expect(response.headers.get("X-Conformance")).toBe("PDF/A-2b");
  // The other part needs another claim.
  expect((await archived(source, "3b")).body).not.toEqual(source);
});

test("device colors get an output intent, and look the same", async () => {
  const rgb = draft({ content: "1 0 0 rg 20 20 80 80 re f 0.5 g 120 20 60 60 re f" });
  const response = await archived(rgb);
  expect(changesOf(response)).toMatchObject({ output_intents_added: 1 });
  expect(pixelsOf(response.body)).toEqual(pixelsOf(rgb));
  const cmyk = draft({ content: "0 1 0 0 k 20 20 80 80 re f" });
  const pressed = await archived(cmyk);
  expect(changesOf(pressed)).toMatchObject({ output_intents_added: 1 });
  expect(changesOf(pressed).default_color_spaces_added).toBeUndefined();
  expect(pixelsOf(pressed.body)).toEqual(pixelsOf(cmyk));
  const both = draft({ content: "0 1 0 0 k 20 20 80 80 re f 0 0 1 rg 120 20 60 60 re f" });
  const mixed = await archived(both);
  expect(changesOf(mixed)).toMatchObject({ output_intents_added: 1, default_color_spaces_added: 1 });
  expect(pixelsOf(mixed.body)).toEqual(pixelsOf(both));
});

test("scripts and forbidden actions go, and links stay", async () => {
  const source = draft({
    catalog: "/OpenAction << /S /JavaScript /JS (x) >> /AA << /WC << /S /JavaScript /JS (x) >> >>",
    page: `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://example.com/) /Next << /S /Launch /F (x) >> >> >>
      << /Type /Annot /Subtype /Link /Rect [9 9 20 20] /A << /S /Launch /F (x) >> >>]`,
  });
  const response = await archived(source);
  expect(changesOf(response)).toMatchObject({ scripts_removed: 1, actions_removed: 3, annotations_made_printable: 2 });
  expect(response.headers.get("X-Removed")).toBe("actions,scripts");
  const { pages } = await openPdf(response.body);
  expect(pages[0]?.annotations.map(({ url }) => url)).toEqual(["https://example.com/", undefined]);
  expect(await plainText(response.body)).not.toMatch(/JavaScript|Launch/);
});

test("hidden annotations stay invisible, and annotations of other types become stamps or go", async () => {
  const picture = {
    entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9]",
    data: new TextEncoder().encode("1 0 0 rg 0 0 9 9 re f"),
  };
  const source = draft({
    page: `/Annots [<< /Type /Annot /Subtype /Square /F 2 /Rect [0 0 50 50] /AP << /N 5 0 R >> >>
      << /Type /Annot /Subtype /Screen /F 4 /Rect [60 0 90 30] /AP << /N 5 0 R /D 5 0 R >> >>
      << /Type /Annot /Subtype /Movie /F 4 /Rect [60 60 90 90] >>
      << /Type /Annot /Subtype /Circle /Rect [100 100 150 150] /C [0 0 1] >>]`,
    objects: [picture],
  });
  const response = await archived(source);
  expect(changesOf(response)).toMatchObject({
    hidden_annotations_removed: 1,
    annotations_turned_into_stamps: 1,
    annotations_removed: 1,
  });
  expect(pixelsOf(response.body)).toEqual(pixelsOf(source));
  const { pages } = await openPdf(response.body);
  expect(pages[0]?.annotations.map(({ subtype }) => subtype)).toEqual(["Stamp", "Circle"]);
});

test("hidden fields of several pages stay, and show nothing", async () => {
  const widget = (name: string): string =>
    `<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (${name}) /F 2 /Rect [0 0 50 50] /AP << /N 7 0 R >> >>`;
  const page = (number: number): string =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Annots [${number} 0 R] >>`;
  const picture = new TextEncoder().encode("1 0 0 rg 0 0 9 9 re f");
  const source = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R 6 0 R] >> >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
      page(5),
      page(6),
      widget("a"),
      widget("b"),
      { entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9]", data: picture },
    ],
    "/Root 1 0 R",
  );
  const response = await archived(source);
  expect(changesOf(response)).toMatchObject({ hidden_fields_emptied: 2 });
  expect([0, 1].map((index) => drawPage(response.body, index).at(10, 190))).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ]);
  expect([...(await openPdf(response.body)).fields.keys()]).toEqual(["a", "b"]);
});

test("a form keeps its fields and values, and its fields have appearances", async () => {
  const source = wholeForm().bytes();
  const [before, after] = [await openPdf(source), await openPdf((await archived(source)).body)];
  expect([...after.fields.keys()]).toEqual([...before.fields.keys()]);
  const values = ({ fields }: typeof before) => [...fields].map(([name, widgets]) => [name, widgets[0]?.value]);
  expect(values(after)).toEqual(values(before));
});

test("contents lose operators, numbers, and strings that are not allowed, and look the same", async () => {
  const source = draft({
    content:
      "1 0 0 rg 99999999999 w /Odd ri foo 20 20 80 80 re f q q q 0 0 1 rg 120 20 9 9 re f Q /None gs /Missing Do " +
      "BI /W 1 /H 1 /BPC 8 /CS /G /I true ID x EI",
  });
  const response = await archived(source);
  expect(changesOf(response)).toMatchObject({
    numbers_corrected: 1,
    rendering_intents_corrected: 1,
    operators_removed: 3,
    images_not_interpolated: 1,
  });
  expect(pixelsOf(response.body)).toEqual(pixelsOf(source));
});

test("states that are saved more than 28 times within each other are reduced", async () => {
  const source = draft({ content: `${"q ".repeat(40)}1 0 0 rg 20 20 80 80 re f ${"Q ".repeat(10)}0 0 9 9 re f` });
  const response = await archived(source);
  expect(changesOf(response).saved_states_removed).toBeGreaterThan(0);
  expect(pixelsOf(response.body)).toEqual(pixelsOf(source));
});

test("metadata keeps the valid properties of its packet, and agrees with the Info dictionary", async () => {
  const packet = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:own="http://example.com/" own:secret="1" dc:source="Archive">
    <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Old</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
  const source = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /Metadata 4 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
      { entries: "/Type /Metadata /Subtype /XML", data: new TextEncoder().encode(packet) },
      "<< /Title (New & <better>) /Author (Ada) /CreationDate (D:20260102030405Z) /ModDate (yesterday) >>",
    ],
    "/Root 1 0 R /Info 5 0 R",
  );
  const response = await archived(source);
  const { info, xmp } = await openPdf(response.body);
  expect(info).toMatchObject({ Title: "New & <better>", Author: "Ada", CreationDate: "D:20260102030405Z" });
  expect(info.ModDate).toBeUndefined();
  expect(xmp).toContain("New &amp; &lt;better&gt;");
  expect(xmp).toContain("<dc:source>Archive</dc:source>");
  expect(xmp).not.toContain("secret");
  expect(xmp).not.toContain("Old");
  expect(changesOf(response)).toMatchObject({ metadata_properties_removed: 1, info_entries_corrected: 1 });
});

test("attachments need part 3, which describes them", async () => {
  const source = document({ name: "attached", pages: 1, features: ["attachments"] });
  const refused = await archive(source);
  const { error } = JSON.parse(new TextDecoder().decode(refused.body)) as { error: { code: string; message: string } };
  expect([refused.status, error.code]).toEqual([422, "not_conforming"]);
  expect(error.message).toContain("`profile=3b`");
  const response = await archived(source, "3b");
  expect((await openPdf(response.body)).attachments).toEqual((await openPdf(source)).attachments);
  expect(await plainText(response.body)).toContain("/AFRelationship");
});

test("a document that cannot conform is refused, or returned without a claim", async () => {
  const source = draft({ content: "0 0 9 9 re f", page: "/CropBox [0 0 2 2]" });
  const refused = await archive(source);
  const { error } = JSON.parse(new TextDecoder().decode(refused.body)) as {
    error: { code: string; details: { profile: string; failures: { clause: string; test: number }[] } };
  };
  expect([refused.status, error.code, error.details.profile]).toEqual([422, "not_conforming", "2b"]);
  expect(error.details.failures).toMatchObject([{ clause: "6.1.13", test: 11 }]);
  const reported = await archive(source, { onResidual: "report" });
  expect([reported.status, reported.headers.get("X-Rules-Broken")]).toEqual([200, "6.1.13-11"]);
  expect(reported.headers.get("X-Conformance")).toBe("none");
  expect((await openPdf(reported.body)).xmp).not.toContain("<pdfaid:");
});

test("encryption is removed with the rights of the owner only", async () => {
  const protect = async (fields: Record<string, string>): Promise<Uint8Array> =>
    (await post(service, "protect", { file: pdfPart(draft({ content: "0 0 9 9 re f" })), ...fields })).body;
  const restricted = await protect({ ownerPassword: "all", permissions: "none" });
  expect((await archive(restricted)).status).toBe(403);
  const response = await archive(restricted, { password: "all" });
  expect([response.status, await broken(response.body)]).toEqual([200, []]);
  expect(changesOf(response)).toMatchObject({ encryption_removed: 1 });
});

test("layers in an order that has itself end, and all are listed", async () => {
  const source = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [4 0 R] /D << /Name (A) /Order 5 0 R >> >> >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>",
      "<< /Type /OCG /Name (Layer) >>",
      "[5 0 R [5 0 R 5 0 R]]",
    ],
    "/Root 1 0 R",
  );
  const { status, body } = await archived(source, "2b");
  expect(status).toBe(200);
  expect(await plainText(body)).toMatch(/\/Order|\[\s*5 0 R/);
});
