/** Images that cannot be decoded: MuPDF has no intermediate regions of JBIG2. */
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { bilevel, INTERMEDIATE } from "../harness/bombs/drawing-bombs.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { imagesOf } from "../harness/requests/image-pdf-response.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { show } from "../harness/fixtures/text-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** A page of 600 points square whose image takes the middle third. */
const page = (region?: number) => {
  const { resources, objects } = bilevel(200, region);
  const content = `q 200 0 0 200 200 200 cm /I Do Q ${show("beside", 20, 20, 12)}`;
  return { width: 600, height: 600, content, ...(resources && { resources }), ...(objects && { objects }) };
};
const unread = drawing(page(), page(INTERMEDIATE), page());
const message =
  "Page 2 of `file` has an image that cannot be decoded (200 x 200 pixels, JBIG2), so no part of it can be removed. Choose areas that cover all or nothing of it.";

const redact = (x: number, width: number, more = {}) =>
  post(service, "redact", {
    file: pdfPart(unread),
    regions: JSON.stringify([{ page: 2, x, y: 100, width, height: 400 }]),
    ...more,
  });

test("redact names the page with an image that it cannot overwrite, also in a dry run", async () => {
  for (const more of [{}, { dryRun: "true" }]) {
    const response = await redact(100, 150, more);
    expect([response.status, response.code, response.message]).toEqual([400, "invalid_file", message]);
  }
});

test("redact removes an image completely covered by a region, and keeps the bytes of one beside it", async () => {
  const data = async (bytes: Uint8Array): Promise<string[]> =>
    [...(await imagesOf(bytes)).values()].map((image) => Buffer.from(image.data).toString("hex"));
  const before = await data(unread);
  expect(before).toHaveLength(3);
  const without = await redact(190, 220);
  expect(without.status).toBe(200);
  expect(await data(without.body)).toEqual(before.filter((_, index) => index !== 1));
  const { picture } = await readPdfiumPage(without.body, 1, { width: 600, height: 600 });
  const middle = (300 * 600 + 300) * picture.components;
  expect([...picture.data.subarray(middle, middle + 3)]).toEqual([0, 0, 0]);
  const beside = await redact(10, 150);
  expect(beside.status).toBe(200);
  expect(await data(beside.body)).toEqual(before);
});

test("crop with remove names the page with an image across the edge, and cuts the others", async () => {
  const crop = (margins: string) =>
    post(service, "crop", { file: pdfPart(unread), margins, remove: "true", pages: "2" });
  const cut = await crop("250");
  expect([cut.status, cut.code, cut.message]).toEqual([400, "invalid_file", message]);
  const around = await crop("150");
  expect([around.status, around.code]).toEqual([200, undefined]);
  expect((await imagesOf(around.body)).size).toBe(3);
});

test.each([
  ["all pages", "1-3", "2"],
  ["the page", "2", "2"],
  ["the others", "1,3", null],
])("to-images of %s names pages that it cannot draw completely", async (_, pages, incomplete) => {
  const { status, headers } = await post(service, "to-images", { file: pdfPart(unread), pages, dpi: "36" });
  expect(status).toBe(200);
  expect(headers.get("X-Pages-Incomplete")).toBe(incomplete);
});
