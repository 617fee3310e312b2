import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/client.ts";
import { document } from "../harness/fixtures.ts";
import { openPdf } from "../harness/pdfjs.ts";
import { check } from "../harness/qpdf.ts";
import { readPage } from "../harness/render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const source = document({ name: "source", pages: 6, features: ["links", "outline", "labels", "form", "attachments"] });

async function extracted(range: string, bytes = source) {
  const response = await post(service, "extract-pages", { file: pdfPart(bytes), range });
  expect(response.status).toBe(200);
  expect(await check(response.body)).toMatchObject({ ok: true });
  return response;
}

const pagesOf = async (bytes: Uint8Array): Promise<string[]> =>
  (await openPdf(bytes)).pages.map(({ text }) => /Page \d+/.exec(text)?.[0] ?? "");

test.each([
  ["2", ["Page 2"]],
  ["3-5", ["Page 3", "Page 4", "Page 5"]],
  ["5-3", ["Page 5", "Page 4", "Page 3"]],
  ["last,1,1", ["Page 6", "Page 1", "Page 1"]],
  ["all,!2-5", ["Page 1", "Page 6"]],
  ["even", ["Page 2", "Page 4", "Page 6"]],
])("copies the pages of %j in their order", async (range, expected) => {
  const { headers, body } = await extracted(range);
  expect(await pagesOf(body)).toEqual(expected);
  expect(headers.get("X-Page-Count")).toBe(String(expected.length));
  // What is drawn, not only what can be searched.
  const first = Number(expected[0]?.slice(5));
  expect((await readPage(body)).picture.png.equals((await readPage(source, first)).picture.png)).toBe(true);
});

test("keeps what belongs to the pages, remapped, and drops and counts attachments", async () => {
  const { headers, body } = await extracted("2-3");
  const [before, after] = await Promise.all([openPdf(source), openPdf(body)]);
  expect(after.labels).toEqual(before.labels?.slice(1, 3));
  expect(after.outline.length).toBeGreaterThan(0);
  const [link] = after.pages[0]?.annotations ?? [];
  expect(link).toMatchObject({ subtype: "Link", target: { page: 1 } });
  expect(before.attachments.length).toBeGreaterThan(0);
  expect(after.attachments).toEqual([]);
  expect(headers.get("X-Attachments-Dropped")).toBe(String(before.attachments.length));
});

test("leaves nothing of the other pages in the file", async () => {
  const long = document({ name: "long", pages: 40, features: ["image-per-page"] });
  const { body } = await extracted("2", long);
  expect(body.length).toBeLessThan(long.length / 20);
  expect(await pagesOf(body)).toEqual(["Page 2"]);
});
