import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { type ApiResponse, pdfPart, post, type Service } from "../harness/requests/client.ts";
import { pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { drawPage } from "../harness/engines/drawn-page.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";
import { blots } from "../harness/images/jpx-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

interface Report {
  readonly conforms: boolean | null;
  readonly failures: readonly { readonly clause: string; readonly test: number }[];
}

async function report(bytes: Uint8Array): Promise<string[]> {
  const { body } = await post(service, "validate", { file: pdfPart(bytes), profile: "2b" });
  const { failures } = JSON.parse(new TextDecoder().decode(body)) as Report;
  return failures.map(({ clause, test: rule }) => `${clause}-${rule}`);
}

/** The response of a conversion of a document that breaks a rule. Its file conforms, and its page looks the same. */
async function repaired(source: Uint8Array, rule: string): Promise<ApiResponse> {
  expect(await report(source)).toContain(rule);
  const response = await post(service, "archive", { file: pdfPart(source) });
  if (response.status !== 200) throw new Error(new TextDecoder().decode(response.body));
  expect(await report(response.body)).toEqual([]);
  expect(await check(response.body)).toMatchObject({ warnings: [], errors: [] });
  expect(response.headers.get("X-Pages-Changed")).toBeNull();
  return response;
}

const changesOf = ({ headers }: ApiResponse): Record<string, number> =>
  Object.fromEntries(
    (headers.get("X-Changes") ?? "").split(",").map((change) => {
      const [kind = "", count] = change.split("=");
      return [kind, Number(count)];
    }),
  );

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One page with this content; further objects have numbers from 5. */
const draft = (
  content: string,
  { page = "", resources = "", catalog = "" } = {},
  objects: readonly PdfObject[] = [],
  trailer = "",
): Uint8Array =>
  pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << ${resources} >> ${page} >>`,
      { entries: "", data: bytesOf(content) },
      ...objects,
    ],
    `/Root 1 0 R ${trailer}`,
  );

const LONG = "x".repeat(40_000);
const STRINGS = "6.1.13-3";
const FONT = "/Font << /F 5 0 R >>";
const HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

describe("long strings", () => {
  test.each([
    ["Tj", `(${LONG}) Tj`],
    ["TJ", `[(a) -100 (${LONG})] TJ`],
    ["'", `20 TL (${LONG}) '`],
    ['"', `20 TL 1 2 (${LONG}) "`],
  ])("a string of shown text is divided: %s", async (_, shown) => {
    const source = draft(`BT /F 20 Tf 20 100 Td ${shown} (end) Tj ET`, { resources: FONT }, [HELVETICA]);
    const response = await repaired(source, STRINGS);
    expect(changesOf(response)).toMatchObject({ strings_divided: 1 });
    const [before, after] = [await openPdf(source), await openPdf(response.body)];
    expect(after.pages[0]?.text.replaceAll(/\s/g, "")).toBe(before.pages[0]?.text.replaceAll(/\s/g, ""));
  });

  test("a value of a field becomes a stream, and a title of the outline is shortened", async () => {
    const source = draft("", { catalog: "/AcroForm << /Fields [5 0 R] >> /Outlines 6 0 R" }, [
      `<< /FT /Tx /T (a) /V (${LONG}) >>`,
      "<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>",
      `<< /Title (${LONG}) /Parent 6 0 R /Dest [3 0 R /Fit] >>`,
    ]);
    const response = await repaired(source, STRINGS);
    expect(changesOf(response)).toMatchObject({ strings_moved_to_streams: 1, titles_shortened: 1 });
    const { outline } = await openPdf(response.body);
    expect(outline.map(({ title }) => title)).toEqual([LONG.slice(0, 16_000)]);
    expect(await plainText(response.body)).toContain(`stream\n${LONG}`);
  });

  test("private data are removed, and XMP keeps the entries of the Info dictionary", async () => {
    const source = draft(
      "",
      { catalog: `/XXOwn (${LONG})`, page: `/PieceInfo << /App << /Private 5 0 R >> /Other << /Private 1 >> >>` },
      [`<< /Ink (${LONG}) >>`, `<< /Subject (${LONG}) /Author (Ada) /Own (${LONG}) >>`],
      "/Info 6 0 R",
    );
    const response = await repaired(source, STRINGS);
    expect(changesOf(response)).toMatchObject({ private_data_removed: 3, info_entries_corrected: 1 });
    expect(response.headers.get("X-Removed")).toBe("private-data");
    const { xmp, info } = await openPdf(response.body);
    expect(xmp).toContain(LONG);
    expect([info.Author, info.Subject]).toEqual(["Ada", undefined]);
    expect(await plainText(response.body)).toContain("/Other <<");
  });
});

test("spot colors of a DeviceN space are described by its transform, with the other colorants at 0", async () => {
  const program = bytesOf("{ 0.5 mul exch 0.25 mul add dup 0.1 }");
  const samples = Uint8Array.of(0, 0, 0, 255, 0, 0, 0, 255, 0, 255, 255, 0);
  const range = "/Domain [0 1 0 1] /Range [0 1 0 1 0 1]";
  const space = (transform: number): string => `[/DeviceN [/Cold /Warm] /DeviceRGB ${transform} 0 R]`;
  const source = draft(
    "/P cs 1 0.5 scn 20 20 60 60 re f /S cs 1 0.5 scn 100 20 60 60 re f",
    { resources: `/ColorSpace << /P ${space(5)} /S ${space(6).replace("Cold", "Dry").replace("Warm", "Wet")} >>` },
    [
      { entries: `/FunctionType 4 ${range}`, data: program },
      { entries: `/FunctionType 0 ${range} /Size [2 2] /BitsPerSample 8`, data: samples },
    ],
  );
  const response = await repaired(source, "6.2.4.4-1");
  expect(changesOf(response)).toMatchObject({ colorants_described: 4 });
  const written = await plainText(response.body);
  expect(written).toContain("{ 0  0.5 mul exch");
  expect(written).toContain("{ 0 exch  0.5 mul exch");
  // Of the samples, the two in which the other colorant is 0.
  expect(written.match(/\/Size \[\s*2\s*\]/g)).toHaveLength(2);
});

test("damaged profiles of ICCBased spaces are replaced by their number of components", async () => {
  const damaged = (components: number): PdfObject => ({ entries: `/N ${components}`, data: bytesOf("no profile") });
  const source = draft(
    "/A cs 0.5 sc 0 0 50 50 re f /B cs 0.5 0.2 0.1 sc 60 0 50 50 re f /C cs 0.5 0.2 0.1 0 sc 120 0 50 50 re f",
    { resources: "/ColorSpace << /A [/ICCBased 5 0 R] /B [/ICCBased 6 0 R] /C [/ICCBased 7 0 R] >>" },
    [damaged(1), damaged(3), damaged(4)],
  );
  expect(changesOf(await repaired(source, "6.2.4.2-1"))).toMatchObject({ profiles_replaced: 3 });
});

test("a JPEG 2000 codestream gets the boxes of a file", async () => {
  const source = draft("100 0 0 100 50 50 cm /I Do", { resources: "/XObject << /I 5 0 R >>" }, [
    {
      entries: "/Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceRGB /Filter /JPXDecode",
      data: blots({ side: 64, components: 3, levels: 1, tile: 64 }),
    },
  ]);
  expect(changesOf(await repaired(source, "6.2.8.3-1"))).toMatchObject({ jpeg_2000_headers: 1 });
});

test("page boxes that change nothing on the page go or shrink", async () => {
  const source = draft("1 0 0 rg 0 0 900 900 re f", { page: "/CropBox [-20000 0 20000 150] /ArtBox [0 0 1 1]" });
  const response = await repaired(source, "6.1.13-11");
  expect(changesOf(response)).toMatchObject({ page_boxes_changed: 2 });
  expect(drawPage(response.body)).toMatchObject({ width: 200, height: 150 });
});

test("names that only the resources of the page have are added to a form, which looks the same", async () => {
  const form = {
    entries: "/Type /XObject /Subtype /Form /BBox [0 0 99 99] /Resources << >>",
    data: bytesOf("/C cs 0.5 sc 0 0 99 99 re f /None gs"),
  };
  const source = draft(
    "/X Do",
    { resources: "/ColorSpace << /C [/CalGray << /WhitePoint [0.95 1 1.09] >>] >> /XObject << /X 5 0 R >>" },
    [form],
  );
  const response = await repaired(source, "6.2.2-2");
  expect(changesOf(response)).toMatchObject({ resources_completed: 1, operators_removed: 1 });
});

test("a push button keeps its appearances of states", async () => {
  const look = (color: string): PdfObject => ({
    entries: "/Type /XObject /Subtype /Form /BBox [0 0 50 50]",
    data: bytesOf(`${color} rg 0 0 50 50 re f`),
  });
  const source = draft("", { catalog: "/AcroForm << /Fields [5 0 R] >>", page: "/Annots [5 0 R]" }, [
    "<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (b) /Rect [0 0 50 50] /F 4 /AS /On /MK << /BG [0 0 1] >> /AP << /N << /On 6 0 R /Off 7 0 R >> >> >>",
    look("1 0 0"),
    look("0 1 0"),
  ]);
  const response = await repaired(source, "6.2.4.3-2");
  expect(drawPage(response.body).at(20, 180)).toEqual([255, 0, 0, 255]);
});

test("metadata of marked content goes if it breaks rules", async () => {
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:own="http://example.com/" own:secret="1"/></rdf:RDF></x:xmpmeta>`;
  const source = draft("/Span /M BDC EMC", { resources: "/Properties << /M << /Metadata 5 0 R >> >>" }, [
    { entries: "/Type /Metadata /Subtype /XML", data: bytesOf(packet) },
  ]);
  const response = await repaired(source, "6.6.2.3.1-1");
  expect(response.headers.get("X-Removed")).toBe("metadata");
});

test("a PostScript XObject becomes an empty form, and permissions go without a form", async () => {
  const source = draft("/X Do", { resources: "/XObject << /X 5 0 R >>", catalog: "/Perms << /Other << >> >>" }, [
    { entries: "/Type /XObject /Subtype /PS", data: bytesOf("showpage") },
  ]);
  const response = await repaired(source, "6.2.9-3");
  expect(changesOf(response)).toMatchObject({ postscript_removed: 1, permissions_removed: 1 });
  expect(await plainText(response.body)).not.toContain("showpage");
});

test("separations of one name with different transforms get names of their own", async () => {
  const to = (color: string): string => `<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [1 1 1] /C1 [${color}] >>`;
  const space = (color: string): string => `[/Separation /Spot /DeviceRGB ${to(color)}]`;
  const source = draft("/A cs 1 scn 0 0 50 50 re f /B cs 1 scn 60 0 50 50 re f /C cs 0.5 scn 120 0 50 50 re f", {
    resources: `/ColorSpace << /A ${space("1 0 0")} /B ${space("0 1 0")} /C ${space("1 0 0")} >>`,
  });
  const response = await repaired(source, "6.2.4.4-2");
  expect(changesOf(response)).toMatchObject({ separations_renamed: expect.any(Number) });
  expect(drawPage(response.body).at(80, 180)).toEqual([0, 255, 0, 255]);
});
