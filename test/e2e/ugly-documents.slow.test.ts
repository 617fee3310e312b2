import { zlibSync } from "fflate";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { sharedResources } from "../harness/bombs/bomb-fixtures.ts";
import { pdfPart, post, type ApiResponse, type Part, type Service } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { FormDraft } from "../harness/fixtures/form-fixtures.ts";
import { documentsOf } from "../harness/requests/parts.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";
import { check, runQpdf } from "../harness/engines/qpdf.ts";
import { areaOf, readPage } from "../harness/engines/render.ts";
import { isRed } from "../harness/requests/stamp-calls.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

function send(operation: string, parts: Record<string, Part>): Promise<ApiResponse> {
  return post(service, operation, parts);
}

/** Object syntax without object streams, one character a byte. */
async function syntax(bytes: Uint8Array): Promise<string> {
  const { output } = await runQpdf(["--qdf", "--object-streams=disable", "/in.pdf", "/out.pdf"], { "/in.pdf": bytes });
  return new TextDecoder("latin1").decode(output);
}

const page = (more = ""): string => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] ${more} >>`;

describe("long chains and repeated names", () => {
  test("4,000 pages that each link to the next are processed", async () => {
    const file = pdfPart(document({ name: "chain", pages: 4000, features: ["links"] }));
    for (const [operation, fields, rotation, counts] of [
      ["rotate", { angle: "90" }, 90, [4000]],
      ["extract-pages", { range: "all" }, 0, [4000]],
      ["split", { mode: "chunks", chunkSize: "2000" }, 0, [2000, 2000]],
    ] as const) {
      const response = await send(operation, { file, ...fields });
      expect(response).toMatchObject({ status: 200 });
      let first = 1;
      const outputs = documentsOf(response);
      expect(outputs.length).toBe(counts.length);
      for (const [index, { bytes }] of outputs.entries()) {
        const count = counts[index] ?? 0;
        const { pages } = await openPdf(bytes);
        expect(pages.map(({ text }) => text.trim())).toEqual(
          Array.from({ length: count }, (_, page) => `Page ${first + page} of chain`),
        );
        expect(new Set(pages.map(({ rotate }) => rotate))).toEqual(new Set([rotation]));
        // The last page leads to the first, which is in another part where the document is split.
        const targets = pages.map(({ annotations }) => annotations[0]?.target?.page);
        expect(targets.slice(0, -1)).toEqual(Array.from({ length: count - 1 }, (_, page) => page + 1));
        first += count;
      }
    }
  });

  test("10,000 fields of one name in two files get one name each", async () => {
    const fields = Array.from({ length: 10_000 }, () => "<< /FT /Tx /T (a) >>");
    const references = fields.map((_, index) => `${index + 4} 0 R`).join(" ");
    const root = `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${references}] >> >>`;
    const bytes = pdf([root, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page(), ...fields], "/Root 1 0 R");
    const response = await send("merge", { file0: pdfPart(bytes), file1: pdfPart(bytes) });
    expect(response.status).toBe(200);
    const names = (await syntax(response.body)).match(/\/T \(\w+\)/g) ?? [];
    expect(names.filter((name) => name === "/T (a)").length).toBe(10_000);
    expect(names.filter((name) => name === "/T (a_2)").length).toBe(10_000);
  });

  test("a page with 100 forms is stamped, although MuPDF sorts larger dictionaries", async () => {
    const response = await send("watermark", { file: pdfPart(sharedResources(1, 100)), kind: "text", text: "Stamped" });
    expect(response).toMatchObject({ status: 200 });
    const [stamped] = (await openPdf(response.body)).pages;
    expect(stamped?.text).toContain("Stamped");
  });

  test("a page with a form is extracted 1,000 times", async () => {
    const file = pdfPart(document({ name: "again", pages: 2, features: ["form"] }));
    const response = await send("extract-pages", { file, range: Array(1000).fill("1").join(",") });
    expect(response.status).toBe(200);
    const { pages, fields } = await openPdf(response.body);
    expect(new Set(pages.map(({ text }) => text.trim()))).toEqual(new Set(["Page 1 of again"]));
    expect(pages.length).toBe(1000);
    // Each page shows the same fields, with widgets of its own.
    const shown = pages.map(({ annotations }) => annotations.filter(({ subtype }) => subtype === "Widget").length);
    expect(new Set(shown).size).toBe(1);
    const widgets = [...fields.values()].flat().length;
    expect([widgets, shown[0] === 0]).toEqual([shown.reduce((sum, count) => sum + count, 0), false]);
  });

  test("parts that together have too many pages are refused", async () => {
    const file = pdfPart(document({ name: "parts", pages: 300 }));
    const ranges = Array(200).fill("all").join("|");
    expect(await send("split", { file, mode: "ranges", ranges })).toMatchObject({
      status: 413,
      code: "limit_exceeded",
    });
  });
});

describe("page trees", () => {
  const root = "<< /Type /Catalog /Pages 2 0 R >>";
  const operations: [string, Record<string, string>][] = [
    ["merge", {}],
    ["split", { mode: "pages" }],
    ["extract-pages", { range: "1" }],
    ["rotate", { angle: "90" }],
  ];

  test.each(operations)("%s reports a page outside the document", async (operation, fields) => {
    const lost = pdf([root, "<< /Type /Pages /Kids [3 0 R 9 0 R] /Count 2 >>", page()], "/Root 1 0 R");
    const files: Record<string, Part> =
      operation === "merge" ? { file0: pdfPart(lost), file1: pdfPart(lost) } : { file: pdfPart(lost) };
    const response = await send(operation, { ...files, ...fields });
    expect(response).toMatchObject({ status: 400, code: "invalid_file" });
    expect(JSON.parse(new TextDecoder().decode(response.body))).toMatchObject({
      error: { details: { missingPages: [2] } },
    });
  });

  test.each([...operations, ["metadata", { action: "set", metadata: "{}" }] as const])(
    "%s cuts a loop, and reports a repaired input",
    async (operation, fields) => {
      const node = "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 0 >>";
      const loop = pdf([root, "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 1 >>", page(), node], "/Root 1 0 R");
      const files: Record<string, Part> =
        operation === "merge" ? { file0: pdfPart(loop), file1: pdfPart(loop) } : { file: pdfPart(loop) };
      const response = await send(operation, { ...files, ...fields });
      expect([response.status, response.headers.get("X-Input-Repaired")]).toEqual([200, "true"]);
      for (const { bytes } of documentsOf(response)) {
        expect(await check(bytes)).toMatchObject({ ok: true });
        expect((await openPdf(bytes)).pages.length).toBe(operation === "merge" ? 2 : 1);
      }
    },
  );

  test.each([...operations, ["metadata", { action: "set", metadata: '{"title":"Found"}' }] as const])(
    "%s finds the pages of a document with damaged cross-references",
    async (operation, fields) => {
      const text = Buffer.from(pdf([root, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page()], "/Root 1 0 R"));
      const rows = /xref\n0 4\n((?:.*\n){2})/;
      const bytes = latin1(
        text.toString("latin1").replace(rows, (_, kept: string) => `xref\n0 2\n${kept}00000004294967296 2\n`),
      );
      expect(bytes.length).toBeGreaterThan(text.length);
      const file = pdfPart(bytes);
      const files: Record<string, Part> = operation === "merge" ? { file0: file, file1: file } : { file };
      const response = await send(operation, { ...files, ...fields });
      expect([response.status, response.headers.get("X-Input-Repaired")]).toEqual([200, "true"]);
      const [output, ...others] = documentsOf(response);
      expect(others).toEqual([]);
      const { pages, info } = await openPdf(output?.bytes ?? bytes);
      expect(pages.map(({ rotate }) => rotate)).toEqual(
        operation === "merge" ? [0, 0] : operation === "rotate" ? [90] : [0],
      );
      expect(info["Title"]).toBe(operation === "metadata" ? "Found" : undefined);
      expect(await check(output?.bytes ?? bytes)).toMatchObject({ ok: true });
    },
  );

  test.each(["%PDF.1.4\n", "%PDF1.4\n", `${"x".repeat(1000)}\n%PDF-1.4\n`, "%!PS-Adobe-3.0 PDF-1.4\n"])(
    "a document that begins with %j is accepted",
    async (header) => {
      const sound = Buffer.from(pdf([root, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page()], "/Root 1 0 R"));
      const body = sound.toString("latin1").replace(/^%PDF.*\n/, header);
      const { status, body: rotated } = await send("rotate", { file: pdfPart(latin1(body)), angle: "90" });
      expect(status).toBe(200);
      expect((await openPdf(rotated)).pages.map(({ rotate }) => rotate)).toEqual([90]);
    },
  );

  test("rotate turns the pages of a tree with wrong counts", async () => {
    const node = (kids: string, count: number): string =>
      `<< /Type /Pages /Parent 2 0 R /Kids [${kids}] /Count ${count} >>`;
    const leaf = (parent: number): string => page().replace("2 0 R", `${parent} 0 R`);
    const bytes = pdf(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 4 >>",
        node("5 0 R 6 0 R", 1),
        node("7 0 R 8 0 R", 3),
        ...[3, 3, 4, 4].map(leaf),
      ],
      "/Root 1 0 R",
    );
    const response = await send("rotate", { file: pdfPart(bytes), rotations: '{"1":90,"3":180}' });
    expect(response.status).toBe(200);
    expect((await openPdf(response.body)).pages.map(({ rotate }) => rotate)).toEqual([90, 0, 180, 0]);
  });

  test("rotate makes a page that occurs twice in the tree two pages, each with its own angle", async () => {
    const twice = pdf([root, "<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 2 >>", page()], "/Root 1 0 R");
    const { status, body } = await send("rotate", { file: pdfPart(twice), rotations: '{"1":90,"2":180}' });
    expect(status).toBe(200);
    expect((await check(body)).errors).toEqual([]);
    expect((await openPdf(body)).pages.map(({ rotate }) => rotate)).toEqual([90, 180]);
  });
});

describe("page actions", () => {
  const root = (name: string): string =>
    `<< /Type /Catalog /Pages 2 0 R /Names << /Dests << /Names [(${name}) [4 0 R /Fit]] >> >> >>`;
  const tree = "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>";
  const opening = (target: string): string => page(`/AA << /O << /S /GoTo /D ${target} >> >>`);

  test("extract-pages removes a page's action that leads to a removed page", async () => {
    const bytes = pdf([root("sec"), tree, opening("[4 0 R /Fit]"), page()], "/Root 1 0 R");
    const { body } = await send("extract-pages", { file: pdfPart(bytes), range: "1" });
    const text = await syntax(body);
    expect(text).toContain("/GoTo");
    expect(text).not.toContain("/Fit");
  });

  test("merge renames the destination of the second file, and updates references to it", async () => {
    const file = pdfPart(pdf([root("sec"), tree, opening("(sec)"), page()], "/Root 1 0 R"));
    const { body } = await send("merge", { file0: file, file1: file });
    const text = await syntax(body);
    expect(text.match(/\/D \((sec(?:_2)?)\)/g)?.toSorted()).toEqual(["/D (sec)", "/D (sec_2)"]);
    const { destinations } = await openPdf(body);
    expect(destinations.get("sec")?.page).toBe(1);
    expect(destinations.get("sec_2")?.page).toBe(3);
  });
});

describe("unusual objects", () => {
  const operations: [string, Record<string, string>][] = [
    ["rotate", { angle: "90" }],
    ["metadata", { action: "set", metadata: '{"title":"New"}' }],
    ["watermark", { kind: "text", text: "Draft" }],
    ["compress", { stripMetadata: "true" }],
    ["extract-pages", { range: "1,1" }],
    ["split", { mode: "pages" }],
    ["merge", {}],
    ["protect", { ownerPassword: "owner" }],
  ];
  const root = "<< /Type /Catalog /Pages 2 0 R >>";
  const pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
  const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>";
  const text = latin1("BT /F 12 Tf 20 20 Td (Kept) Tj ET");
  const outputs = async (operation: string, fields: Record<string, string>, bytes: Uint8Array) => {
    const file = pdfPart(bytes);
    const files: Record<string, Part> = operation === "merge" ? { file0: file, file1: file } : { file };
    const response = await send(operation, { ...fields, ...files });
    expect([response.status, response.code]).toEqual([200, undefined]);
    return documentsOf(response);
  };

  test.each(operations)("%s keeps empty names, and draws with their resources", async (operation, fields) => {
    const resources = "<< /Font << / 4 0 R >> /Names [/ 15 / 4 0 R /] >>";
    const content = { entries: "", data: latin1("BT / 12 Tf 20 20 Td (Kept) Tj ET") };
    const nameless = pdf([root, pages, page(`/Resources ${resources} /Contents 5 0 R`), font, content], "/Root 1 0 R");
    for (const { bytes } of await outputs(operation, fields, nameless)) {
      expect(await check(bytes)).toMatchObject({ ok: true });
      const text = (await syntax(bytes)).replaceAll(/\s+/g, " ");
      expect(text).toMatch(/\/ \d+ 0 R/);
      expect(text).toMatch(/\/Names \[ \/ 15 \/ \d+ 0 R \/ \]/);
      expect((await openPdf(bytes)).pages[0]?.text).toContain("Kept");
    }
  });

  test.each(operations)("%s accepts parameters for fewer filters than a stream has", async (operation, fields) => {
    for (const parameters of ["[]", "[null]", "5 0 R"]) {
      const data = latin1(`${Buffer.from(zlibSync(text)).toString("hex")}>`);
      const content = { entries: `/Filter [/ASCIIHexDecode /FlateDecode] /DecodeParms ${parameters}`, data };
      const bytes = pdf(
        [root, pages, page(`/Resources << /Font << /F ${font} >> >> /Contents 4 0 R`), content, "[]"],
        "/Root 1 0 R",
      );
      for (const output of await outputs(operation, fields, bytes)) {
        expect(await check(output.bytes)).toMatchObject({ ok: true });
        expect((await openPdf(output.bytes)).pages[0]?.text).toContain("Kept");
      }
    }
  });

  test.each([
    ["every form asks viewers to redraw its fields: they are redrawn", "/NeedAppearances true", true],
    ["only one form asks, and its fields have appearances: they are shown as they are", "", false],
  ])("merge honors NeedAppearances: %s", async (_name, otherForm, isRedrawn) => {
    const [asking, other] = ["/NeedAppearances true", otherForm].map((form) => {
      const draft = new FormDraft();
      const blank = draft.add({ entries: "/Type /XObject /Subtype /Form /BBox [0 0 200 20]", data: latin1("") });
      draft.own("text", `/FT /Tx /V (was there) /AP << /N ${blank} >>`);
      draft.form = form;
      return draft.bytes();
    });
    if (!asking || !other) throw new Error("no forms");
    const { status, body } = await send("merge", { file0: pdfPart(asking), file1: pdfPart(other) });
    expect(status).toBe(200);
    const { picture } = await readPage(body);
    expect(areaOf(picture, isRed) !== undefined).toBe(isRedrawn);
  });

  test("extract-pages repeats a page whose widget has a parent that does not list it", async () => {
    const widget = "<< /Type /Annot /Subtype /Widget /Rect [10 10 50 30] /Parent 5 0 R >>";
    const form = root.replace(">>", "/AcroForm << /Fields [6 0 R] >> >>");
    const alone = "<< /Type /Annot /Subtype /Widget /Rect [10 50 50 70] /FT /Tx /T (alone) >>";
    const field = "<< /FT /Tx /T (parent) >>";
    const bytes = pdf([form, pages, page("/Annots [4 0 R 6 0 R]"), widget, field, alone], "/Root 1 0 R");
    const [output] = await outputs("extract-pages", { range: "1,1" }, bytes);
    const { fields } = await openPdf(output?.bytes ?? bytes);
    expect([...fields.keys()]).toContain("alone_2");
    expect((await check(output?.bytes ?? bytes)).errors).toEqual([]);
  });
});
