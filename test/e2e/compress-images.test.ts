import { PDFName, PDFNumber } from "pdf-lib";
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { drawPages, largestBlockError, looksThatDiffer } from "../harness/compare/appearance.ts";
import { compressor, imagesOf, softMasksOf } from "../harness/requests/compress-calls.ts";
import { imageDocument, named, palettePhotograph, shadow } from "../harness/images/image-fixtures.ts";
import { scans, shadedDrawing } from "../harness/images/jpeg-document-fixtures.ts";
import { nestedForms } from "../harness/bombs/nested-forms-fixtures.ts";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";

const { baseUrl, liveKey } = ownServer();
const compress = compressor({ baseUrl, key: liveKey });

test("soft masks stay gray without a palette, including those of few levels", async () => {
  // Poppler draws nothing through an Indexed one (ISO 32000-2, 11.6.5.2).
  const { body } = await compress(imageDocument(named("photo-soft-mask")), { imageMaxDpi: "600" });
  expect((await softMasksOf(body)).map((mask) => String(mask.get(PDFName.of("ColorSpace"))))).toEqual(["/DeviceGray"]);
});

test("a soft mask with premultiplied colors keeps the size of its image", async () => {
  const masks = await softMasksOf(
    (await compress(imageDocument(named("photo-premultiplied")), { imageMaxDpi: "72" })).body,
  );
  expect(masks.map((mask) => mask.lookup(PDFName.of("Width"), PDFNumber).asNumber())).toEqual([480]);
});

test("forms that each name all forms before them are inspected once", async () => {
  const bytes = nestedForms(26);
  const { body } = await compress(bytes);
  expect((await imagesOf(body))[0]?.width).toBe(417);
  expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.97)).toEqual([]);
});

test("a drawing too large for the encoder of photographs is kept without loss", async () => {
  const bytes = imageDocument(shadedDrawing());
  const { body } = await compress(bytes, { imageMaxDpi: "2000" });
  const [before, after] = [drawPages(bytes)[0], drawPages(body)[0]];
  expect(before && after && largestBlockError(before, after)).toBe(0);
  expect((await imagesOf(body)).map(({ filter, width }) => [filter, width])).toEqual([["/FlateDecode", 1800]]);
});

test("a photograph in a palette is downsampled as a JPEG", async () => {
  const bytes = imageDocument(palettePhotograph());
  const { body } = await compress(bytes);
  expect((await imagesOf(body)).map(({ filter, width }) => [filter, width])).toEqual([["/DCTDecode", 417]]);
  expect(body.length).toBeLessThan(bytes.length * 0.2);
  expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.97)).toEqual([]);
});

test("a soft mask with many levels becomes a gray JPEG", async () => {
  const bytes = imageDocument(shadow());
  const { body } = await compress(bytes);
  const [mask] = await softMasksOf(body);
  expect([String(mask?.get(PDFName.of("Filter"))), String(mask?.get(PDFName.of("ColorSpace")))]).toEqual([
    "/DCTDecode",
    "/DeviceGray",
  ]);
  expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.97)).toEqual([]);
});

test("a scan at exactly twice the resolution is halved, also in gray", async () => {
  const bytes = scans(1, 2480, 3508);
  const [before] = drawPages(bytes);
  for (const [fields, space] of [
    [{}, "/DeviceRGB"],
    [{ grayscale: "true" }, "/DeviceGray"],
  ] as const) {
    const { body, headers } = await compress(bytes, fields);
    expect(headers.get("X-Images-Kept")).toBeNull();
    const [image] = await imagesOf(body);
    expect(image).toMatchObject({ width: 1240, filter: "/DCTDecode" });
    expect(image?.entries).toContain(`/ColorSpace ${space}`);
    const [after] = drawPages(body);
    if (!before || !after) throw new Error("no page");
    // In gray, the same with the lightness of the original. Where bands met, a row would be off.
    const lightness = { ...before, data: fields.grayscale ? grayOf(before.data) : before.data };
    expect(largestBlockError(lightness, after)).toBeLessThan(8);
  }
});

/** RGB samples as gray ones, by the formula of the standard. */
const grayOf = (rgb: Uint8Array): Uint8Array =>
  rgb.map((_, at) => {
    const [red = 0, green = 0, blue = 0] = rgb.subarray(at - (at % 3));
    return Math.round(0.3 * red + 0.59 * green + 0.11 * blue);
  });

test("images that cannot be compressed are counted", async () => {
  const pixels = latin1("abc".repeat(400 * 400));
  const bytes = imageDocument({
    name: "keyed",
    entries: "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Mask [0 10 0 10 0 10]",
    data: pixels,
    width: 400,
    height: 400,
  });
  expect((await compress(bytes, { imageMaxDpi: "20" })).headers.get("X-Images-Kept")).toBe("1");
});
