import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { type Picture, readPng } from "../harness/images/images.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

async function png(bytes: Uint8Array, dpi: number): Promise<Picture> {
  const response = await post(service, "to-images", { file: pdfPart(bytes), dpi: String(dpi) });
  expect(response.status, response.code).toBe(200);
  return readPng(response.body);
}

test("overprint is not simulated, and spot colors are drawn by their alternates", async () => {
  const orange = "<< /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0.5 1 0] /N 1 >>";
  const resources =
    "/ExtGState << /Zero << /OP true /op true /OPM 0 >> /One << /OP true /op true /OPM 1 >> >>" +
    ` /ColorSpace << /Spot [/Separation /Orange /DeviceCMYK ${orange}] /Both [/DeviceN [/Magenta /Orange] /DeviceCMYK $0] >>`;
  // Magenta and orange, as half as much magenta and as yellow.
  const objects = [
    {
      entries: "/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1 0 1]",
      data: new TextEncoder().encode("{ 0 3 1 roll 0 }"),
    },
  ];
  const inks = [
    "/One gs 0 1 0 0 k",
    "/Zero gs 0 1 0 0 k",
    "/One gs 0 0 1 0 k",
    "/One gs /Spot cs 1 scn",
    "/One gs /Both cs 1 0.5 scn",
    "/One gs 0 0 0 1 k",
  ];
  const content = inks.map(
    (ink, index) => `q 1 0 0 0 k ${index * 40} 0 40 40 re f ${ink} ${index * 40 + 10} 10 20 20 re f Q`,
  );
  const file = drawing({ width: inks.length * 40, height: 40, content: content.join("\n"), resources, objects });
  const [own, other] = [await png(file, 72), await renderPage(file, 1, 72)];
  for (const index of inks.keys()) {
    for (const x of [index * 40 + 4, index * 40 + 20]) {
      // Two profiles of CMYK; inks that were overprinted would differ by 190.
      own.at(x, 20).forEach((value, channel) => {
        expect(Math.abs(value - (other.at(x, 20)[channel] ?? -1)), `${inks[index]} at ${x}`).toBeLessThan(64);
      });
    }
  }
});

/** Pixels of a box that are dark in some channel. */
function ink(picture: Picture, [left, top, right, bottom]: readonly [number, number, number, number]): number {
  let count = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) if (Math.min(...picture.at(x, y)) < 128) count++;
  }
  return count;
}

test("form fields without an appearance are drawn", async () => {
  const widget = (entries: string): string => `<< /Type /Annot /Subtype /Widget /F 4 /P 3 0 R ${entries} >>`;
  const annots = "[5 0 R 6 0 R 7 0 R 8 0 R]";
  const fonts = "<< /Font << /Helv 4 0 R /ZaDb 9 0 R >> >>";
  const file = pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R /AcroForm << /NeedAppearances true /DR ${fonts} /Fields ${annots} >> >>`,
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots ${annots} >>`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      widget(
        "/FT /Tx /T (a) /V (Hello) /DA (/Helv 14 Tf 0 0 1 rg) /Rect [10 160 200 190] /MK << /BC [1 0 0] /BG [1 1 0.8] >>",
      ),
      widget("/FT /Btn /T (b) /V /Yes /AS /Yes /Rect [220 160 250 190] /MK << /CA (4) >> /DA (/ZaDb 0 Tf 0 g)"),
      widget("/FT /Ch /Ff 131072 /T (c) /V (two) /Opt [(one) (two)] /DA (/Helv 14 Tf 0 g) /Rect [10 110 200 140]"),
      widget("/FT /Tx /Ff 4096 /T (d) /V (First line\\nSecond) /DA (/Helv 12 Tf 0 g) /Rect [10 40 200 100]"),
      "<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>",
    ],
    "/Root 1 0 R",
  );
  const [own, other] = [await png(file, 144), await renderPage(file, 1, 144)];
  // Inside the borders: the value of each field, in pixels, and nothing where there is no field.
  for (const box of [
    [24, 24, 390, 76],
    [444, 24, 496, 76],
    [24, 124, 390, 176],
    [24, 204, 390, 316],
  ] as const) {
    const [ours, theirs] = [ink(own, box), ink(other, box)];
    expect(theirs).toBeGreaterThan(50);
    expect(ours / theirs).toBeGreaterThan(0.6);
    expect(ours / theirs).toBeLessThan(1.7);
  }
  expect(own.at(30, 70)).toEqual([255, 255, 204]);
  expect(ink(own, [0, 330, 600, 400])).toBe(0);
});

test("an unsigned signature field is drawn by its appearance, or not at all", async () => {
  const annots = "[4 0 R 5 0 R]";
  const field = (name: string, more: string): string =>
    `<< /Type /Annot /Subtype /Widget /F 4 /P 3 0 R /FT /Sig /T (${name}) ${more} >>`;
  const blue = {
    entries: "/Type /XObject /Subtype /Form /BBox [0 0 100 40]",
    data: latin1("0 0 1 rg 0 0 100 40 re f"),
  };
  const file = pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields ${annots} /SigFlags 1 >> >>`,
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots ${annots} >>`,
      field("empty", "/Rect [10 110 160 190]"),
      field("drawn", "/Rect [10 10 110 50] /AP << /N 6 0 R >>"),
      blue,
    ],
    "/Root 1 0 R",
  );
  const own = await png(file, 72);
  expect(ink(own, [0, 0, 300, 140])).toBe(0);
  expect(own.at(60, 170)).toEqual([0, 0, 255]);
});
