import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check } from "../harness/engines/qpdf.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const source = document({ name: "source", pages: 6, features: ["links", "outline", "labels", "form", "attachments"] });

async function without(pages: string, bytes = source): Promise<Uint8Array> {
  const { status, headers, body } = await post(service, "delete-pages", { file: pdfPart(bytes), pages });
  expect(status).toBe(200);
  expect(headers.has("X-Attachments-Dropped")).toBe(false);
  expect(await check(body)).toMatchObject({ ok: true });
  expect(headers.get("X-Page-Count")).toBe(String((await openPdf(body)).pages.length));
  return body;
}

const pagesOf = async (bytes: Uint8Array): Promise<string[]> =>
  (await openPdf(bytes)).pages.map(({ text }) => /Page \d+/.exec(text)?.[0] ?? "");

test.each([
  ["2", ["Page 1", "Page 3", "Page 4", "Page 5", "Page 6"]],
  ["5-3,3", ["Page 1", "Page 2", "Page 6"]],
  ["all,!last", ["Page 6"]],
  ["!2,4", ["Page 2"]],
])("leaves out the pages of %j and keeps the order of the others", async (pages, expected) => {
  const body = await without(pages);
  expect(await pagesOf(body)).toEqual(expected);
  // What is drawn, not only what can be searched.
  const first = Number(expected[0]?.slice(5));
  expect((await readPage(body)).picture.png.equals((await readPage(source, first)).picture.png)).toBe(true);
});

test("keeps attachments, labels, and the outline entries of the other pages", async () => {
  const [before, after] = await Promise.all([openPdf(source), openPdf(await without("1"))]);
  expect(after.attachments).toEqual(before.attachments);
  expect(before.attachments.length).toBeGreaterThan(0);
  expect(after.labels).toEqual(before.labels?.slice(1));
  expect(after.outline.length).toBeGreaterThan(0);
});

test("leaves nothing of the deleted pages in the file", async () => {
  const long = document({ name: "long", pages: 40, features: ["image-per-page"] });
  expect((await without("2-40", long)).length).toBeLessThan(long.length / 20);
});

test.each([
  ["all", "`pages` names every page, and at least one must remain."],
  ["7", "`pages` names page 7, but the document has 6 pages."],
])("rejects the pages %j, which leave no document", async (pages, message) => {
  const { status, body } = await post(service, "delete-pages", { file: pdfPart(source), pages });
  expect(status).toBe(400);
  expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({
    error: { code: "invalid_page_range", message, details: { maxPage: 6 } },
  });
});
