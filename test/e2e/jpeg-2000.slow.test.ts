/** Images in JPEG 2000 that would take more memory than there is if they were decoded as a whole. */
import { unzlibSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { blots, blotsWithOpacity } from "../harness/images/jpx-fixtures.ts";
import { type ApiResponse, pdfPart, post, type Service } from "../harness/requests/client.ts";
import { type Picture, readPng } from "../harness/images/images.ts";
import { imagesOf } from "../harness/requests/image-pdf-response.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";
import { plainText } from "../harness/engines/qpdf.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";

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

test("a large image with a palette is refused for its memory", async () => {
  const palette = Array.from({ length: 256 }, (_, index) => (255 - index).toString(16).padStart(2, "0")).join("");
  const indexed = scan(`[/Indexed /DeviceGray 255 <${palette}>]`);
  const response = await post(service, "to-images", { file: pdfPart(indexed), dpi: "36" });
  expect([response.status, response.code]).toEqual([413, "limit_exceeded"]);
});

describe("large images within another filter", () => {
  const [side, points] = [3072, 600];
  // 28 million samples: 283 MB if they were decoded as a whole.
  const codestream = Buffer.from(blots({ side, components: 3, levels: 5, tile: 1024 })).toString("hex");
  const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${points} ${points}] /Resources << /XObject << /I 4 0 R >> >>`;
  const image = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /BitsPerComponent 8 /ColorSpace /DeviceRGB`;
  const wrapped = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< ${page} /Contents 5 0 R >>`,
      { entries: `${image} /Filter [/ASCIIHexDecode /JPXDecode]`, data: latin1(`${codestream}>`) },
      { entries: "", data: latin1(`q ${points} 0 0 ${points} 0 0 cm /I Do Q`) },
    ],
    "/Root 1 0 R",
  );

  /** Samples of the only color image. */
  async function samplesOf(bytes: Uint8Array): Promise<Uint8Array> {
    const colored = [...(await imagesOf(bytes)).values()].filter(
      ({ dictionary }) => dictionary["/ColorSpace"] === "/DeviceRGB",
    );
    const [only] = colored;
    if (only === undefined || colored.length !== 1) throw new Error(`the file has ${colored.length} color images`);
    expect(only.dictionary).toMatchObject({ "/Filter": "/FlateDecode", "/Width": side, "/Height": side });
    return unzlibSync(only.data);
  }

  /** How many samples of a square differ from white, of those of all its pixels. */
  function colored(samples: Uint8Array, from: number, to: number): number {
    let count = 0;
    for (let y = from; y < to; y += 7) {
      for (let at = (y * side + from) * 3; at < (y * side + to) * 3; at++) if (samples[at] !== 255) count++;
    }
    return count;
  }

  test("the pixels of a region are removed, and the others stay", async () => {
    // From 1,024 to 2,048 samples.
    const region = { page: 1, x: points / 3, y: points / 3, width: points / 3, height: points / 3 };
    const fields = { file: pdfPart(wrapped), regions: JSON.stringify([region]), fill: "#00ff00" };
    const { status, code, body } = await post(service, "redact", fields);
    expect([status, code]).toEqual([200, undefined]);
    const samples = await samplesOf(body);
    expect(colored(samples, 1024, 2048)).toBe(0);
    expect(colored(samples, 0, 1024)).toBeGreaterThan(100_000);
    const [before, after] = [await renderPage(wrapped, 1, 36), await renderPage(body, 1, 36)];
    const inside = new Set<string>();
    let most = 0;
    for (let y = 4; y < 296; y++) {
      for (let x = 4; x < 296; x++) {
        if (x > 100 && x < 199 && y > 100 && y < 199) inside.add(after.at(x, y).slice(0, 3).join());
        else if (x < 98 || x > 201 || y < 98 || y > 201)
          most = Math.max(most, Math.abs(after.at(x, y)[0] - before.at(x, y)[0]));
      }
    }
    expect([...inside]).toEqual(["0,255,0"]);
    expect(most).toBeLessThan(40);
  });

  test("the pixels outside of a crop box are removed", async () => {
    const fields = { file: pdfPart(wrapped), margins: String(points / 3), remove: "true" };
    const { status, code, body } = await post(service, "crop", fields);
    expect([status, code]).toEqual([200, undefined]);
    const samples = await samplesOf(body);
    expect(colored(samples, 0, 1020)).toBe(0);
    expect(colored(samples, 1024, 2048)).toBeGreaterThan(100_000);
  });

  test("a large image within another filter turns gray", async () => {
    const fields = { file: pdfPart(wrapped), grayscale: "true", imageMaxDpi: "1000" };
    const { status, code, body } = await post(service, "compress", fields);
    expect([status, code]).toEqual([200, undefined]);
    const [before, after] = [await renderPage(wrapped, 1, 36), await renderPage(body, 1, 36)];
    let sum = 0;
    for (let y = 0; y < after.height; y++) {
      for (let x = 0; x < after.width; x++) {
        const [red, green, blue] = before.at(x, y);
        const found = after.at(x, y);
        expect([found[1], found[2]]).toEqual([found[0], found[0]]);
        sum += Math.abs(0.3 * red + 0.59 * green + 0.11 * blue - found[0]);
      }
    }
    expect(sum / (after.width * after.height)).toBeLessThan(8);
  });
});
