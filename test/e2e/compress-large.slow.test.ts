import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { drawPages, largestBlockError, looksThatDiffer } from "../harness/compare/appearance.ts";
import { compressor, imagesOf } from "../harness/requests/compress-calls.ts";
import { imageDocument, largeDrawing } from "../harness/images/image-fixtures.ts";
import { brochure, scans } from "../harness/images/jpeg-document-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const compress = compressor({ baseUrl, key: liveKey });

test("an image too large for the memory is made smaller row by row", async () => {
  const bytes = imageDocument(largeDrawing());
  // 1800 samples on 200 points, half of what it has.
  const { body } = await compress(bytes, { imageMaxDpi: "648" });
  expect((await imagesOf(body))[0]).toMatchObject({ width: 1800, filter: "/FlateDecode" });
  const [before, after] = [drawPages(bytes)[0], drawPages(body)[0]];
  expect(before && after && largestBlockError(before, after)).toBeLessThan(3);
});

test("no large photograph of many is lost for want of memory", async () => {
  const bytes = brochure(12);
  const { body } = await compress(bytes);
  expect(body.length).toBeLessThan(bytes.length * 0.05);
  expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.8)).toEqual([]);
});

test("A3 at 300 dpi is made smaller in bands, and looks the same", async () => {
  const bytes = scans(1, 3508, 4961);
  const { body, headers } = await compress(bytes);
  expect(headers.get("X-Images-Kept")).toBeNull();
  expect((await imagesOf(body))[0]).toMatchObject({ width: 1754, filter: "/DCTDecode" });
  expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.8)).toEqual([]);
});

test("A2 at 300 dpi is made smaller in bands, also in gray", async () => {
  const bytes = scans(1, 4961, 7016);
  for (const fields of [{}, { grayscale: "true" }]) {
    const { body, headers } = await compress(bytes, fields);
    expect(headers.get("X-Images-Kept")).toBeNull();
    expect((await imagesOf(body))[0]).toMatchObject({ width: 2481, filter: "/DCTDecode" });
  }
});

test("twelve color scans turn gray", async () => {
  const bytes = scans(12, 1654, 2339);
  const { body } = await compress(bytes, { grayscale: "true" });
  const images = await imagesOf(body);
  expect(images).toHaveLength(12);
  expect(images.every(({ entries }) => entries.includes("/ColorSpace /DeviceGray"))).toBe(true);
});
