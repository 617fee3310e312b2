import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { operations } from "../../src/operations/index.ts";
import { drawing, textPage } from "../harness/fixtures/drawing-fixtures.ts";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";
import { difference, type Picture, pictureOf, readJpeg, readPng } from "../harness/images/images.ts";
import { errorOf, newKey } from "../http/echo-service.ts";
import { operationService } from "./operation-service.ts";

const SLOW = 60_000;
const post = await operationService("to-images");
/** A6: 1240 x 1748 pixels at 300 dpi. */
const a6 = drawing(textPage({ width: 297.6, height: 419.5, color: true }));

async function readWebp(file: Uint8Array): Promise<Picture> {
  const { engines, release } = await leaseEngines(() => true);
  const pixels = await engines.codecs.decodeWebp(file, ({ data, width, height }) => ({
    data: data.slice(),
    width,
    height,
  }));
  release(true);
  if (!pixels) throw new Error("not a WebP");
  return pictureOf(pixels);
}

test.each([
  ["jpeg", readJpeg],
  ["webp", readWebp],
] as const)(
  "quality affects %s at 300 dpi: a lower one makes a smaller file, further from the page",
  async (format, read) => {
    const exact = readPng(await (await post(a6, { dpi: "300" })).bytes());
    const ask = async (quality: string): Promise<{ bytes: number; error: number }> => {
      const file = await (await post(a6, { dpi: "300", format, quality })).bytes();
      return { bytes: file.length, error: difference(await read(file), exact, 2) };
    };
    // One after the other: where memory has no room for two encoders, the Images binding encodes, with qualities of its own.
    const low = await ask("30");
    const high = await ask("95");
    expect(low.bytes).toBeLessThan(high.bytes * 0.6);
    expect(low.error).toBeGreaterThan(high.error * 1.5);
    expect(high.error).toBeLessThan(2.5);
    expect(low.error).toBeLessThan(8);
  },
  SLOW,
);

test("a WebP of a page whose image has a soft mask is opaque", async () => {
  const image = "/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8";
  const levels = Array.from({ length: 64 }, (_, index) => String.fromCharCode(index * 4)).join("");
  // The drawing's first object is number 4.
  const objects = [
    { entries: `${image} /ColorSpace /DeviceGray`, data: latin1(levels) },
    { entries: `${image} /ColorSpace /DeviceGray /SMask 4 0 R`, data: latin1(levels) },
  ];
  const content = "q 150.3 0 0 149.7 20.4 20.6 cm /Im Do Q";
  const page = { width: 200, height: 200, content, resources: "/XObject << /Im $1 >>", objects };
  const file = await (await post(drawing(page), { dpi: "72", format: "webp" })).bytes();
  // Without alpha there is a lossy bitstream and nothing else (RFC 9649, 2.5).
  expect(new TextDecoder().decode(file.subarray(8, 16))).toBe("WEBPVP8 ");
});

test(
  "a JPEG in many parts is one image without seams, and the last part is complete",
  async () => {
    // Each quality has its sampling. Width and height are no multiples of a block's.
    const page = drawing(textPage({ width: 500.5, height: 701.3, color: true }));
    const fields = { dpi: "300", quality: "90" };
    const exact = readPng(await (await post(page, { dpi: "300" })).bytes());
    for (const quality of ["100", "90", "85", "70"]) {
      const jpeg = readJpeg(await (await post(page, { ...fields, format: "jpeg", quality })).bytes());
      expect(jpeg).toMatchObject({ width: 2086, height: 2923, dpi: 300, channels: 3 });
      expect(difference(jpeg, exact, 3)).toBeLessThan(Number(quality) >= 90 ? 1.5 : 3.5);
    }
  },
  SLOW,
);

/** Larger than what WebP can be made of here: 8.7 megapixels at 300 dpi. */
const a4 = drawing(textPage({ width: 595, height: 842 }));

test(
  "a WebP that does not fit is made by the Images binding",
  async () => {
    const response = await post(a4, { dpi: "300", format: "webp", quality: "10" });
    // The local binding has a quality of its own.
    expect(response.headers.get("X-Ignored-Parameters")).toBe("quality");
    const webp = await readWebp(await response.bytes());
    const small = await post(a4, { dpi: "72", format: "webp", quality: "10" });
    expect(small.headers.get("X-Ignored-Parameters")).toBe(null);
    const exact = readPng(await (await post(a4, { dpi: "300" })).bytes());
    expect(difference(webp, exact, 5)).toBeLessThan(4);
  },
  SLOW,
);

test(
  "a WebP that does not fit is refused without the binding, with the highest resolution that works",
  async () => {
    const app = createApp(operations);
    const key = await newKey("business");
    const ask = async (dpi: number): Promise<Response> => {
      const form = new FormData();
      form.append("file", new Blob([a4.slice()]), "a4.pdf");
      form.append("format", "webp");
      form.append("dpi", String(dpi));
      const context = createExecutionContext();
      const init = { method: "POST", headers: { Authorization: `Bearer ${key}` }, body: form };
      return app.fetch(new Request("http://localhost/api/v1/to-images", init), { ...env, IMAGES: undefined }, context);
    };
    const [status, code, details] = await errorOf(await ask(600));
    expect([status, code]).toEqual([422, "raster_too_large"]);
    expect(details).toEqual({ page: 1, format: "webp", maxDpi: expect.any(Number) });
    const { maxDpi } = details as { maxDpi: number };
    expect(maxDpi).toBeGreaterThan(150);
    const response = await ask(maxDpi);
    expect(response.status).toBe(200);
    expect((await readWebp(await response.bytes())).width).toBe(Math.ceil((595 * maxDpi) / 72 - 0.001));
    expect((await ask(Math.ceil(maxDpi * 1.1))).status).toBe(422);
  },
  SLOW,
);
