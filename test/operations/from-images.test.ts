import { PDFDocument, PDFDict, PDFName, PDFRawStream } from "pdf-lib";
import { describe, expect, it } from "vitest";
import { leaseEngines } from "../../src/engines/pool.ts";
import type { Rgba } from "../../src/engines/raster/codecs.ts";
import { fromImages } from "../../src/operations/from-images.ts";
import { newKey, senderTo } from "../http/echo-service.ts";

const send = senderTo(fromImages);
const key = await newKey("business");
const { codecs } = (await leaseEngines(() => true)).engines;

async function post(image: Uint8Array): Promise<{ status: number; body: Uint8Array }> {
  const form = new FormData();
  form.append("image0", new Blob([image.slice()]), "picture.bin");
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await send("/api/v1/from-images", { method: "POST", headers, body: form });
  return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) };
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
  const drawn = { width: pixmap.getWidth(), height: pixmap.getHeight(), pixels: pixmap.getPixels().slice() };
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

/** Mean difference of all samples; MuPDF's colours are multiplied by alpha. */
function meanError(drawn: Uint8Array, { data }: Rgba): number {
  const sum = drawn.reduce((total, value, index) => {
    const alpha = data[(index & ~3) + 3] ?? 0;
    const wanted = index % 4 === 3 ? alpha : ((data[index] ?? 0) * alpha) / 255;
    return total + Math.abs(value - wanted);
  }, 0);
  return sum / drawn.length;
}

describe("a WebP", () => {
  it.each([
    ["opaque", () => 255, 1],
    ["with alpha", (x: number) => x * 3, 2],
  ] as const)("%s keeps what it shows", async (_, alpha, streams) => {
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

  it("keeps the orientation and resolution of its EXIF, and its ICC profile", async () => {
    const simple = await codecs.encodeWebp(
      picture(80, 60, () => 255),
      { quality: 80 },
    );
    const chunk = (type: string, content: readonly number[]): number[] => [
      ...Array.from(type, (letter) => letter.charCodeAt(0)),
      ...[content.length & 255, content.length >> 8, 0, 0],
      ...content,
      ...(content.length % 2 === 1 ? [0] : []),
    ];
    // Orientation 6, 144 dpi both ways.
    const exif = [
      ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 3],
      ...[1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0],
      ...[1, 0x1a, 0, 5, 0, 0, 0, 1, 0, 0, 0, 50],
      ...[1, 0x1b, 0, 5, 0, 0, 0, 1, 0, 0, 0, 50],
      ...[0, 0, 0, 0, 0, 0, 0, 144, 0, 0, 0, 1],
    ];
    const profile = Array.from({ length: 200 }, () => 0);
    profile.splice(0, 4, 0, 0, 0, 200);
    profile.splice(12, 12, ...Array.from("mntrRGB XYZ ", (letter) => letter.charCodeAt(0)));
    profile.splice(36, 4, ...Array.from("acsp", (letter) => letter.charCodeAt(0)));
    const body = [
      ...Array.from("WEBP", (letter) => letter.charCodeAt(0)),
      ...chunk("VP8X", [0x28, 0, 0, 0, 79, 0, 0, 59, 0, 0]),
      ...chunk("ICCP", profile),
      ...simple.subarray(12),
      ...chunk("EXIF", exif),
    ];
    const head = Array.from("RIFF", (letter) => letter.charCodeAt(0));
    const webp = Uint8Array.from([...head, body.length & 255, (body.length >> 8) & 255, body.length >> 16, 0, ...body]);
    const answer = await post(webp);
    expect(answer.status).toBe(200);
    const drawn = await draw(answer.body);
    expect([drawn.width, drawn.height]).toEqual([30, 40]);
    const [image] = await imagesOf(answer.body);
    expect(String(image?.dict.get(PDFName.of("ColorSpace")))).toMatch(/^\[ \/ICCBased \d+ 0 R \]$/);
  });
});

describe("a baseline JPEG", () => {
  it.each([false, true])("stays byte for byte (grey: %s)", async (grey) => {
    const image = picture(80, 60, () => 255);
    const jpeg = await codecs.encodeJpeg(image, { quality: 95, grey });
    const { body } = await post(jpeg);
    const [stream] = await imagesOf(body);
    expect(stream?.contents).toEqual(jpeg);
    expect(stream?.dict).toBeInstanceOf(PDFDict);
    expect(stream?.dict.get(PDFName.of("ColorSpace"))).toBe(PDFName.of(grey ? "DeviceGray" : "DeviceRGB"));
    const drawn = await draw(body);
    if (!grey) expect(meanError(drawn.pixels, image)).toBeLessThan(4);
  });
});
