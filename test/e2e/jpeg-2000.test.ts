/** Images in JPEG 2000 that would take more memory than there is if they were decoded as a whole. */
import { beforeAll, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { blots, blotsWithOpacity } from "../harness/jpx-fixtures.ts";
import { type ApiResponse, pdfPart, post, type Service } from "../harness/client.ts";
import { type Picture, readPng } from "../harness/images.ts";
import { latin1, pdf } from "../harness/pdf-writer.ts";
import { plainText } from "../harness/qpdf.ts";
import { renderPage } from "../harness/pdfjs-render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** 26 megapixels: 105 MB as OpenJPEG holds them, and 26 MB as MuPDF does. */
const [SIDE, TILE] = [5120, 1024];
const POINTS = 600;

let file: Uint8Array;

beforeAll(() => {
  file = scan("/DeviceGray");
});

/** A page that consists of an image. */
function scan(colorSpace: string): Uint8Array {
  const entries = `/Width ${SIDE} /Height ${SIDE} /BitsPerComponent 8 /ColorSpace ${colorSpace}`;
  return withImage(entries, blots({ side: SIDE, components: 1, levels: 5, tile: TILE }));
}

/** A page that consists of an image on white. */
function withImage(entries: string, data: Uint8Array): Uint8Array {
  const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${POINTS} ${POINTS}] /Resources << /XObject << /I 4 0 R >> >>`;
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< ${page} /Contents 5 0 R >>`,
      { entries: `/Type /XObject /Subtype /Image /Filter /JPXDecode ${entries}`, data },
      { entries: "", data: latin1(`q ${POINTS} 0 0 ${POINTS} 0 0 cm /I Do Q`) },
    ],
    "/Root 1 0 R",
  );
}

/** How much pixels of gray pictures differ on average, where the second one is moved by so many to the left. */
function meanDifference(a: Picture, b: Picture, moved = 0): number {
  expect([a.width, a.height]).toEqual([b.width, b.height]);
  let [sum, count] = [0, 0];
  for (let y = 0; y < a.height; y++) {
    for (let x = 0; x + moved < a.width; x++, count++) {
      sum += Math.abs(a.at(x, y)[0] - b.at(x + moved, y)[0]);
    }
  }
  return sum / count;
}

const imageOf = (dpi: number): Promise<ApiResponse> =>
  post(service, "to-images", { file: pdfPart(file), dpi: String(dpi) });

test.each([36, 150])("a large image is drawn at %i dpi as pdf.js draws it", async (dpi) => {
  const response = await imageOf(dpi);
  expect([response.status, response.code]).toEqual([200, undefined]);
  const [own, other] = [readPng(response.body), await renderPage(file, 1, dpi)];
  // Another tile looks entirely different.
  const tile = Math.round((dpi * POINTS * TILE) / SIDE / 72);
  expect(meanDifference(own, other)).toBeLessThan(meanDifference(own, other, tile) / 3);
});

test("a large image turns gray at its own resolution", async () => {
  const response = await post(service, "compress", { file: pdfPart(file), grayscale: "true", imageMaxDpi: "150" });
  expect([response.status, response.code]).toEqual([200, undefined]);
  expect(meanDifference(await renderPage(response.body, 1, 36), await renderPage(file, 1, 36))).toBeLessThan(12);
});

test.each([
  [0, 4, "/DeviceRGB"],
  [0, 4, undefined],
  [1, 4, "/DeviceRGB"],
  [1, 4, undefined],
  [1, 2, undefined],
  [2, 4, undefined],
] as const)("SMaskInData %i of %i components, in %s, looks the same in gray", async (inData, components, space) => {
  const data = blotsWithOpacity({ side: 256, components, levels: 2, tile: 128 });
  const entries = `/Width 256 /Height 256 /SMaskInData ${inData} ${space === undefined ? "" : `/ColorSpace ${space}`}`;
  const bytes = withImage(entries, data);
  // The image has twice as many samples as it needs, or just as many.
  for (const [imageMaxDpi, dpi] of [
    ["72", 15],
    ["2000", 31],
  ] as const) {
    const { status, body } = await post(service, "compress", { file: pdfPart(bytes), grayscale: "true", imageMaxDpi });
    expect(status).toBe(200);
    const text = await plainText(body);
    expect(text.match(/\/Subtype \/Image/g)).toHaveLength(inData === 0 ? 1 : 2);
    expect(text).not.toMatch(/SMaskInData|DeviceRGB/);
    expect(text.match(/\/ColorSpace \/DeviceGray/g)).toHaveLength(inData === 0 ? 1 : 2);
    const [before, after] = [await renderPage(bytes, 1, dpi), await renderPage(body, 1, dpi)];
    let sum = 0;
    for (let y = 0; y < after.height; y++) {
      for (let x = 0; x < after.width; x++) {
        const [red, green, blue] = before.at(x, y);
        sum += Math.abs(0.3 * red + 0.59 * green + 0.11 * blue - after.at(x, y)[0]);
      }
    }
    // Colors that are hardly visible are stored with few steps.
    expect(sum / (after.width * after.height)).toBeLessThan(4);
  }
});

test("indices of a palette are decoded as they are, which takes more memory than there is", async () => {
  const palette = Array.from({ length: 256 }, (_, index) => (255 - index).toString(16).padStart(2, "0")).join("");
  const indexed = scan(`[/Indexed /DeviceGray 255 <${palette}>]`);
  const response = await post(service, "to-images", { file: pdfPart(indexed), dpi: "36" });
  expect([response.status, response.code]).toEqual([413, "limit_exceeded"]);
});
