import { beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { type ApiResponse, type Part, post, type Service } from "../harness/requests/client.ts";
import { line } from "../harness/fixtures/layout-fixtures.ts";
import { element, marked, on, taggedDocument } from "../harness/fixtures/tagged-fixtures.ts";
import { largeDocument } from "../harness/bombs/large-document.ts";
import { documentsOf } from "../harness/requests/parts.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { concatenate } from "../harness/fixtures/pdf-writer.ts";
import { shownSize } from "../harness/engines/pdfjs-page.ts";
import { difference, pictureOf, readPng } from "../harness/images/images.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** More than fits into memory: 34 MiB, 1 MiB of it on each page. */
const PAGES = 34;
const original = concatenate([...largeDocument({ pages: PAGES, pictureBytes: 1024 * 1024 })]);
let file = "";

async function upload(bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.append("file", new Blob([bytes.slice()]), "archive.pdf");
  const headers = { Authorization: `Bearer ${liveKey}` };
  const response = await fetch(`${baseUrl}/api/v1/files`, { method: "POST", headers, body: form });
  if (response.status !== 201) throw new Error(`the upload failed: ${response.status}`);
  return ((await response.json()) as { id: string }).id;
}

beforeAll(async () => {
  file = await upload(original);
});

const send = (operation: string, fields: Record<string, Part>): Promise<ApiResponse> =>
  post(service, operation, { file, ...fields });

/** The pages as pdf.js reads them, once the original is found at the beginning. */
async function appended(response: ApiResponse) {
  expect(response).toMatchObject({ status: 200, code: undefined });
  expect(response.headers.get("Content-Length")).toBe(String(response.body.length));
  expect(Buffer.from(response.body.subarray(0, original.length)).equals(original)).toBe(true);
  // A few hundred bytes for each page that changed.
  expect(response.body.length - original.length).toBeLessThan(64 * 1024);
  return openPdf(response.body);
}

describe("documents larger than the memory", () => {
  test("the text of a large document is read page by page", async () => {
    const { status, body } = await send("extract-text", { pages: "17,33" });
    expect(status).toBe(200);
    const { pages } = JSON.parse(new TextDecoder().decode(body)) as { pages: { pageNumber: number; text: string }[] };
    expect(pages.map(({ pageNumber }) => pageNumber)).toEqual([17, 33]);
    expect(pages[1]?.text).toContain(`Page 33 of ${PAGES}`);
    expect(pages[1]?.text).toContain("Line 20 of entry 659 in the ledger.");
    const markdown = await send("extract-text", { pages: "33", format: "markdown" });
    expect(new TextDecoder().decode(markdown.body)).toContain("Line 20 of entry 659 in the ledger.");
  });

  test("a large document is read by its tags", async () => {
    const page = marked(1, line("The text below.", 60, 600)) + marked(0, line("A heading by its tag", 60, 500));
    const top = element("Document", [element("H2", [on(0)]), element("P", [on(1)])]);
    const tagged = taggedDocument([page], top, { padding: PAGES * 1024 * 1024 });
    const { body, status } = await send("extract-text", { file: await upload(tagged), format: "markdown" });
    expect(status).toBe(200);
    expect(new TextDecoder().decode(body)).toBe("## A heading by its tag\n\nThe text below.\n");
  });

  test("a large document is drawn", async () => {
    const { status, body } = await send("to-images", { pages: "20", dpi: "36" });
    expect(status).toBe(200);
    const drawn = readPng(body);
    expect([drawn.width, drawn.height]).toEqual([306, 396]);
    // As pdf.js draws that page: its text and the picture, which have a white page around them.
    const { picture } = await readPage(original, 20, { scale: 0.5 });
    const own = pictureOf({ data: picture.pixels, width: picture.stride, height: drawn.height });
    expect(difference(drawn, own)).toBeLessThan(12);
    const white = { ...drawn, at: (): [number, number, number] => [255, 255, 255] };
    expect(difference(drawn, white)).toBeGreaterThan(25);
  });

  test("a large document's metadata is read", async () => {
    const { body } = await send("metadata", { action: "get" });
    expect(JSON.parse(new TextDecoder().decode(body))).toMatchObject({ title: "A large archive", pageCount: PAGES });
  });

  test.each([
    ["extract-pages", { range: "33,2" }],
    ["split", { mode: "ranges", ranges: "33|2" }],
  ] as const)("single pages of a large document are returned: %s", async (operation, fields) => {
    const documents = await Promise.all(documentsOf(await send(operation, fields)).map(({ bytes }) => openPdf(bytes)));
    const texts = documents.flatMap(({ pages }) => pages.map(({ text }) => text.slice(0, 13).trim()));
    expect(texts.toSorted()).toEqual(
      [`Page 2 of ${PAGES}`, `Page 33 of ${PAGES}`].map((text) => text.slice(0, 13).trim()),
    );
  });

  test("a large document is appended to with rotated pages", async () => {
    const { pages } = await appended(await send("rotate", { rotations: '{"2":90,"33":180}' }));
    expect(pages.flatMap(({ rotate }, index) => (rotate === 0 ? [] : [[index + 1, rotate]]))).toEqual([
      [2, 90],
      [33, 180],
    ]);
  });

  test("a large document is appended to with an attachment", async () => {
    const attachment: Part = { bytes: new TextEncoder().encode("note"), fileName: "note.txt" };
    const { attachments } = await appended(await send("attachments", { action: "add", attachment }));
    expect(attachments).toMatchObject([{ name: "note.txt" }]);
  });

  test("a large document is appended to with an outline", async () => {
    const outline = JSON.stringify([{ title: "New", page: 33 }]);
    const { outline: found } = await appended(await send("outline", { action: "set", outline }));
    expect(found).toMatchObject([{ title: "New", target: { page: 32 } }]);
  });

  test("a large document is appended to with cropped pages", async () => {
    const { pages } = await appended(await send("crop", { margins: "36", pages: "2" }));
    expect(pages.slice(0, 2).map((view) => shownSize(view))).toEqual([
      [612, 792],
      [540, 720],
    ]);
  });

  test("a large document is appended to with a watermark on all pages", async () => {
    const { pages } = await appended(await send("watermark", { kind: "text", text: "DRAFT" }));
    expect(pages.filter(({ text }) => text.includes("DRAFT") && text.includes("in the ledger"))).toHaveLength(PAGES);
  });

  test("a large document is appended to with metadata", async () => {
    const { info } = await appended(await send("metadata", { action: "set", metadata: '{"title":"Renamed"}' }));
    expect(info).toMatchObject({ Title: "Renamed" });
  });

  const pipeline = (...steps: readonly object[]): Promise<ApiResponse> =>
    send("pipeline", { steps: JSON.stringify(steps) });
  const rotate = { operation: "rotate", rotations: { 33: 180 } };

  test("a large document is appended to with the changes of a pipeline, one after the other", async () => {
    const response = await pipeline(
      rotate,
      { operation: "watermark", kind: "text", text: "DRAFT" },
      { operation: "metadata", action: "set", metadata: { title: "Renamed" } },
      rotate,
    );
    const { pages, info } = await appended(response);
    expect(pages[32]).toMatchObject({ rotate: 0, text: expect.stringMatching(/DRAFT/) as unknown });
    expect(pages.filter(({ text }) => text.includes("DRAFT") && text.includes("in the ledger"))).toHaveLength(PAGES);
    expect(info).toMatchObject({ Title: "Renamed" });
  });

  test("a pipeline extracts pages that fit into memory from a large document", async () => {
    const response = await pipeline(rotate, { operation: "extract-pages", range: "33" }, { operation: "compress" });
    expect(response).toMatchObject({ status: 200, code: undefined });
    const text = expect.stringContaining(`Page 33 of ${PAGES}`) as unknown;
    expect((await openPdf(response.body)).pages).toMatchObject([{ rotate: 180, text }]);
  });

  test("a large document is rejected by a step that needs all of it", async () => {
    const { status, code, body } = await pipeline(rotate, rotate, { operation: "protect", userPassword: "open" });
    expect([status, code]).toEqual([413, "limit_exceeded"]);
    const { error } = JSON.parse(new TextDecoder().decode(body)) as { error: { message: string; details: object } };
    expect(error.message).toContain("Step 3 (`protect`)");
    expect(error.details).toMatchObject({ step: 3 });
  });

  test.each(["merge", "compress", "protect"])(
    "a large document is rejected by an operation that needs all of it: %s",
    async (operation) => {
      const fields = operation === "merge" ? { file0: file, file1: file } : { file, userPassword: "open" };
      const response = await post(service, operation, operation === "compress" ? { file } : fields);
      expect(response).toMatchObject({ status: 413, code: "limit_exceeded" });
      expect(response.headers.get("X-Credits-Charged")).toBeNull();
    },
  );
});
