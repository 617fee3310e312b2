/** `npm run serve` with OFFICE_URL: documents that LibreOffice converts, at a private address. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as mupdf from "mupdf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { docx, paragraph, pptx, withMainPart } from "../harness/fixtures/office-fixtures.ts";
import { LibreOffice, sofficePath } from "../harness/office/libreoffice.ts";
import { start, type Started } from "./started.ts";

const DECK = pptx([["Quarterly figures", "Grüße aus Köln"], ["Outlook"]]);
const DOCX = withMainPart(docx(paragraph("A letter")), "word/document.xml", "wordprocessingml.document");

describe.skipIf(sofficePath === undefined)("npm run serve with an office converter", () => {
  let data: string;
  let server: Started;
  let key: string;
  let office: LibreOffice;
  let converter: Awaited<ReturnType<LibreOffice["serve"]>>;
  beforeAll(async () => {
    office = await LibreOffice.open();
    converter = await office.serve();
    data = await mkdtemp(join(tmpdir(), "pdf-service-office-data-"));
    server = await start(data, ["--single-tenant"], { OFFICE_URL: `${converter.url}/`, WORKERS: "1" });
    if (server.baseUrl === undefined) throw new Error(server.stderr);
    key = (await readFile(join(data, "api-key"), "utf8")).trim();
  });
  afterAll(async () => {
    await server.stop();
    await converter.close();
    await office.close();
    await rm(data, { recursive: true, force: true });
  });

  async function post(path: string, file: Uint8Array, fields: Readonly<Record<string, string>> = {}) {
    const body = new FormData();
    body.append("file", new Blob([file.slice()]), "document");
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${server.baseUrl}/api/v1/${path}`, { method: "POST", headers, body });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const code = response.ok
      ? undefined
      : (JSON.parse(new TextDecoder().decode(bytes)) as { error: { code: string } }).error.code;
    return { status: response.status, code, headers: response.headers, bytes };
  }

  const open = (bytes: Uint8Array): mupdf.PDFDocument =>
    mupdf.Document.openDocument(bytes, "application/pdf") as mupdf.PDFDocument;
  function textOf(bytes: Uint8Array): string {
    const pages = open(bytes);
    const texts = Array.from({ length: pages.countPages() }, (_, page) =>
      pages.loadPage(page).toStructuredText("").asText(),
    );
    return texts.join(" ").replace(/\s+/g, " ").trim();
  }

  async function made(name: string, from: Uint8Array | string, to: string): Promise<Uint8Array> {
    const file = await office.convert(name, from, to);
    if (file === undefined) throw new Error(`LibreOffice made no ${to}`);
    return file;
  }

  test("a PPTX becomes a PDF with the texts of its slides, in their size, with the language of the request", async () => {
    const { status, headers, bytes } = await post("to-pdf", DECK, { language: "de", title: "Figures" });
    expect([status, headers.get("X-Engine"), headers.get("X-Converted-From"), headers.get("X-Page-Count")]).toEqual([
      200,
      "office",
      "pptx",
      "2",
    ]);
    expect(textOf(bytes)).toBe("Quarterly figures Grüße aus Köln Outlook");
    const pages = open(bytes);
    expect(pages.loadPage(0).getBounds().map(Math.round)).toEqual([0, 0, 720, 540]);
    expect([pages.getMetaData("info:Title"), pages.getTrailer().get("Root").get("Lang").asString()]).toEqual([
      "Figures",
      "de",
    ]);
  });

  test.each([
    ["doc", "in.txt", "Words of a letter", "Words of a letter"],
    ["xls", "in.csv", "name,price\npen,2\n", "name price pen 2"],
    ["ppt", "in.pptx", DECK, "Quarterly figures Grüße aus Köln Outlook"],
    ["odp", "in.pptx", DECK, "Quarterly figures Grüße aus Köln Outlook"],
    ["fodp", "in.pptx", DECK, "Quarterly figures Grüße aus Köln Outlook"],
  ])("%s, as LibreOffice writes it, is recognized and converted", async (format, name, from, text) => {
    const { status, headers, bytes } = await post("to-pdf", await made(name, from, format));
    expect([status, headers.get("X-Converted-From")]).toEqual([200, format]);
    // LibreOffice prints the name of a sheet and the number of the page, too.
    expect(textOf(bytes)).toContain(text);
  });

  test("engine=office converts a DOCX, which is otherwise converted here", async () => {
    expect((await post("to-pdf", DOCX)).headers.get("X-Engine")).toBe("flow");
    const { headers, bytes } = await post("to-pdf", DOCX, { engine: "office" });
    expect([headers.get("X-Engine"), textOf(bytes)]).toEqual(["office", "A letter"]);
  });

  test("nativePageRanges selects slides", async () => {
    const { headers, bytes } = await post("to-pdf", DECK, { nativePageRanges: "2" });
    expect([headers.get("X-Page-Count"), textOf(bytes)]).toEqual(["1", "Outlook"]);
  });

  test("a pipeline archives the slides as PDF/A", async () => {
    const steps = JSON.stringify([{ operation: "to-pdf" }, { operation: "archive" }]);
    const { status, headers } = await post("pipeline", DECK, { steps });
    expect([status, headers.get("X-Conformance")]).toEqual([200, "PDF/A-2b"]);
  });

  test("a document that LibreOffice cannot read is an error of the file", async () => {
    const damaged = DECK.slice();
    damaged.fill(0, 500, damaged.length - 3_000);
    const { status, code } = await post("to-pdf", damaged);
    expect([status, code]).toEqual([400, "invalid_file"]);
  });

  test("GET /ready reports the converter, and a converter that is gone fails only its documents", async () => {
    const ready = async (): Promise<unknown> => {
      const response = await fetch(`${server.baseUrl}/api/v1/ready`);
      return [response.status, ((await response.json()) as { office: string }).office];
    };
    expect(await ready()).toEqual([200, "ok"]);
    await converter.close();
    const { status, code, headers } = await post("to-pdf", DECK);
    expect([status, code, headers.get("Retry-After")]).toEqual([503, "office_failed", expect.stringMatching(/^\d+$/)]);
    expect((await post("to-pdf", DOCX)).status).toBe(200);
    await expect.poll(ready).toEqual([200, "failed"]);
    converter = await office.serve();
  });
});
