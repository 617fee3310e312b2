import { PDFDocument, PDFDict, PDFName, PDFRawStream } from "pdf-lib";
import { describe, expect, it } from "vitest";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import type { Rgba } from "../../src/engines/image/codecs.ts";
import { fromImages } from "../../src/operations/from-images.ts";
import { newKey, senderTo } from "../http/echo-service.ts";

const send = senderTo(fromImages);
const key = await newKey("business");
const { codecs } = (await leaseEngines(() => true)).engines;

async function post(image: Uint8Array): Promise<{ status: number; body: Uint8Array }> {
  const form = new FormData();
  form.append("image0", new Blob([image.slice()]), "picture.bin");
  const headers = { Authorization: `Bearer ${key}` };
  const response = await send("/api/v1/from-images", { method: "POST", headers, body: form });
  return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
}

/** The image streams of a PDF as pdf-lib reads them. */
async function imagesOf(pdf: Uint8Array): Promise<PDFRawStream[]> {
  const document = await PDFDocument.load(pdf);
  expect(document.getPageCount()).toBe(1);
  const objects = document.context.enumerateIndirectObjects().map(([, object]) => object);
  return objects.filter(
    (object) => object instanceof PDFRawStream && object.dict.get(PDFName.of("Subtype")) === PDFName.of("Image"),
  ) as PDFRawStream[];
}

/** What a second engine draws of the page, 72 dpi, with alpha. */
async function draw(pdf: Uint8Array): Promise<{ width: number; height: number; pixels: Uint8Array }> {
  const { engines, release } = await leaseEngines(() => true);
  const { mupdf } = engines.pdf;
  const page = mupdf.Document.openDocument(pdf.slice(), "application/pdf").loadPage(0);
  const pixmap = page.toPixmap(mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, true);
  const drawn = { width: pixmap.getWidth(), height: pixmap.getHeight(), pixels: Uint8Array.from(pixmap.getPixels()) };
  release(false);
  return drawn;
}

function picture(width: number, height: number, alpha: (x: number) => number): Rgba {
  const data = new Uint8Array(width * height * 4);
  for (let index = 0; index < width * height; index++) {
    const [x, y] = [index % width, Math.floor(index / width)];
    data.set([x * 3, y * 4, 255 - x * 2, alpha(x)], index * 4);
  }
  return { data, width, height };
}

/** Mean difference of all samples; MuPDF's colors are multiplied by alpha. */
function meanError(drawn: Uint8Array, { data }: Rgba): number {
  const sum = drawn.reduce((total, value, index) => {
    const alpha = data[(index & ~3) + 3] ?? 0;
    const wanted = index % 4 === 3 ? alpha : ((data[index] ?? 0) * alpha) / 255;
    return total + Math.abs(value - wanted);
  }, 0);
  return sum / drawn.length;
}

describe("WebP", () => {
  it.each([
    ["opaque", () => 255, 1],
    ["with alpha", (x: number) => x * 3, 2],
  ] as const)("a WebP (%s) keeps its pixels", async (_, alpha, streams) => {
    const image = picture(80, 60, alpha);
    const { status, body } = await post(await codecs.encodeWebp(image, { quality: 95 }));
    expect(status).toBe(200);
    const images = await imagesOf(body);
    expect(images).toHaveLength(streams);
    expect(images.every(({ dict }) => dict.get(PDFName.of("Filter")) === PDFName.of("FlateDecode"))).toBe(true);
    const drawn = await draw(body);
    expect([drawn.width, drawn.height]).toEqual([80, 60]);
    // The loss of the WebP itself.
    expect(meanError(drawn.pixels, image)).toBeLessThan(4);
  });

  it("a WebP keeps the orientation and resolution of its EXIF, and its ICC profile", async () => {
    const simple = await codecs.encodeWebp(
      picture(80, 60, () => 255),
      { quality: 80 },
    );
    const chunk = (type: string, content: string): string =>
      `${type}${String.fromCharCode(content.length & 255, (content.length >> 8) & 255)}\0\0${content}`;
    // Orientation 6, 144 dpi both ways; the fraction stands at 50.
    const exif =
      "MM\0*\0\0\0\b\0\u0003" +
      "\u0001\u0012\0\u0003\0\0\0\u0001\0\u0006\0\0" +
      "\u0001\u001a\0\u0005\0\0\0\u0001\0\0\0\u0032" +
      "\u0001\u001b\0\u0005\0\0\0\u0001\0\0\0\u0032" +
      "\0\0\0\0\0\0\0\u0090\0\0\0\u0001";
    const profile = `\0\0\0\u00c8\0\0\0\0\u0002\0\0\0mntrRGB XYZ ${"\0".repeat(12)}acsp${"\0".repeat(160)}`;
    const header = "\u0028\0\0\0\u004f\0\0\u003b\0\0";
    const pixels = Array.from(simple.subarray(12), (byte) => String.fromCharCode(byte)).join("");
    const body = `WEBP${chunk("VP8X", header)}${chunk("ICCP", profile)}${pixels}${chunk("EXIF", exif)}`;
    const webp = Uint8Array.from(chunk("RIFF", body), (character) => character.charCodeAt(0));
    const response = await post(webp);
    expect(response.status).toBe(200);
    const drawn = await draw(response.body);
    expect([drawn.width, drawn.height]).toEqual([30, 40]);
    const [image] = await imagesOf(response.body);
    expect(String(image?.dict.get(PDFName.of("ColorSpace")))).toMatch(/^\[ \/ICCBased \d+ 0 R \]$/);
  });
});

describe("JPEG", () => {
  it.each([false, true])("a baseline JPEG is embedded byte for byte (gray: %s)", async (gray) => {
    const image = picture(80, 60, () => 255);
    const jpeg = await codecs.encodeJpeg(image, { quality: 95, gray: gray });
    const { body } = await post(jpeg);
    const [stream] = await imagesOf(body);
    expect(stream?.contents).toEqual(jpeg);
    expect(stream?.dict).toBeInstanceOf(PDFDict);
    expect(stream?.dict.get(PDFName.of("ColorSpace"))).toBe(PDFName.of(gray ? "DeviceGray" : "DeviceRGB"));
    const { pixels } = await draw(body);
    const luminance = 0.299 * 30 + 0.587 * 40 + 0.114 * (255 - 20);
    const wanted = gray ? [luminance, luminance, luminance] : [30, 40, 235];
    const at = (10 * 80 + 10) * 4;
    expect(wanted.every((value, index) => Math.abs((pixels[at + index] ?? 999) - value) < 9)).toBe(true);
  });
});
