/** Images that would not fit into memory as a whole, and lose pixels or are encoded again. */
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { blots } from "../harness/images/jpx-fixtures.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { readPng } from "../harness/images/images.ts";
import { flate, latin1, pdf, type PdfStream } from "../harness/fixtures/pdf-writer.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

const POINTS = 600;

/** A page that consists of an image, and is a square unless `height` is given. */
const scan = ({ entries, data }: PdfStream, height = POINTS): Uint8Array =>
  pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${POINTS} ${height}] /Resources << /XObject << /I 4 0 R >> >> /Contents 5 0 R >>`,
      { entries: `/Type /XObject /Subtype /Image ${entries}`, data },
      { entries: "", data: latin1(`q ${POINTS} 0 0 ${height} 0 0 cm /I Do Q`) },
    ],
    "/Root 1 0 R",
  );

const sized = (side: number, bits: number, space: string): string =>
  `/Width ${side} /Height ${side} /BitsPerComponent ${bits} /ColorSpace ${space}`;

/** Rows of one value, which changes 16 times. */
const stripes = (side: number, rowBytes: number, values: readonly number[]): Uint8Array => {
  const data = new Uint8Array(rowBytes * side);
  for (let y = 0; y < side; y++) {
    data.fill(values[Math.floor((y * 16) / side) % values.length] ?? 0, y * rowBytes, (y + 1) * rowBytes);
  }
  return data;
};

const inks = "[/DeviceN [/Spot] /DeviceGray << /FunctionType 2 /N 1 /Domain [0 1] /C0 [1] /C1 [0] >>]";
const palette = "[/Indexed /DeviceRGB 3 <000000 808080 FFFFFF 404040>]";

test.each<[string, () => PdfStream]>([
  ["deflated, 108 MB of samples", () => flate(stripes(6000, 18_000, [0, 60, 120]), sized(6000, 8, "/DeviceRGB"))],
  ["of one bit in a spot color", () => flate(stripes(4000, 500, [255, 0]), sized(4000, 1, inks))],
  ["of two bits with a palette", () => flate(stripes(4001, 1001, [0, 0x55, 0xff]), sized(4001, 2, palette))],
  [
    "in JPEG 2000",
    () => ({
      entries: `${sized(5120, 8, "/DeviceRGB")} /Filter /JPXDecode`,
      data: blots({ side: 5120, components: 3, levels: 5, tile: 1024 }),
    }),
  ],
])("a region is redacted in an image %s", async (_, image) => {
  const file = scan(image());
  const region = { page: 1, x: 200, y: 150, width: 120, height: 90 };
  const fields = { regions: JSON.stringify([region]), fill: "#ff0000" };
  const response = await post(service, "redact", { file: pdfPart(file), ...fields });
  expect([response.status, response.code]).toEqual([200, undefined]);
  const [before, after] = [await renderPage(file, 1, 36), await renderPage(response.body, 1, 36)];
  expect(after.at(130, 97)).toEqual([255, 0, 0]);
  // Beside the box, everything is as it was, but for the loss of a JPEG.
  const [left, top, right, bottom] = [98, 73, 162, 122];
  let [sum, count] = [0, 0];
  for (let y = 0; y < before.height; y++) {
    for (let x = 0; x < before.width; x++) {
      if (x >= left && x < right && y >= top && y < bottom) continue;
      const [one, other] = [before.at(x, y), after.at(x, y)];
      for (const channel of [0, 1, 2] as const) sum += Math.abs(one[channel] - other[channel]);
      count += 3;
    }
  }
  expect(sum / count).toBeLessThan(6);
});

test("the text of a tall screenshot with a palette of 91 MB of samples is recognized", async () => {
  const text = textDocument([{ content: show("LARGE SCREEN", 60, 600, 60) }]);
  const drawn = await post(service, "to-images", { file: pdfPart(text), dpi: "279" });
  const top = readPng(drawn.body);
  const [width, height] = [top.width, 9800];
  expect(width).toBeGreaterThan(2000);
  const data = new Uint8Array(width * height).fill(255);
  for (let y = 0; y < top.height; y++) for (let x = 0; x < width; x++) data[y * width + x] = top.at(x, y)[0];
  const grays = Array.from({ length: 256 }, (_, gray) => gray.toString(16).padStart(2, "0").repeat(3)).join("");
  const entries = `/Width ${width} /Height ${height} /BitsPerComponent 8 /ColorSpace [/Indexed /DeviceRGB 255 <${grays}>]`;
  const file = scan(flate(data, entries), Math.round((POINTS * height) / width));
  const response = await post(service, "ocr", { file: pdfPart(file), mode: "force" });
  expect([response.status, response.code]).toEqual([200, undefined]);
  expect((JSON.parse(Buffer.from(response.body).toString()) as { text: string }).text.trim()).toBe("LARGE SCREEN");
});

test("a page of noise becomes a JPEG that libjpeg reads", async () => {
  const entries = `${sized(5120, 8, "/DeviceGray")} /Filter /JPXDecode`;
  const file = scan({ entries, data: blots({ side: 5120, components: 1, levels: 5, tile: 1024 }) });
  const jpeg = await post(service, "to-images", { file: pdfPart(file), dpi: "450", format: "jpeg", quality: "95" });
  expect([jpeg.status, jpeg.code]).toEqual([200, undefined]);
  // MuPDF reads it with libjpeg, which gives up where a table has symbols that a baseline JPEG cannot have.
  const page = await post(service, "from-images", { image0: { bytes: jpeg.body, fileName: "noise.jpg" } });
  const response = await post(service, "to-images", { file: pdfPart(page.body), dpi: "36" });
  expect([page.code, response.code, response.message]).toEqual([undefined, undefined, undefined]);
  const [own, other] = [readPng(response.body), await renderPage(file, 1, 36)];
  let sum = 0;
  for (let y = 0; y < 300; y++) for (let x = 0; x < 300; x++) sum += Math.abs(own.at(x, y)[0] - other.at(x, y)[0]);
  expect(sum / 90_000).toBeLessThan(20);
});
