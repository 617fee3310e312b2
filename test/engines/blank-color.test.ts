import type { PDFObject } from "mupdf";
import { expect, test } from "vitest";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { type OpenPdf, openPdf } from "../../src/engines/pdf/document/document.ts";
import { blankOf, blankRun, isWhiteColor, type SampleRole } from "../../src/engines/pdf/erasure/blank-color.ts";
import { pdf } from "../harness/fixtures/pdf-writer.ts";

/** Does work with an image with these entries. */
async function withImage<T>(entries: string, work: (open: OpenPdf, image: PDFObject) => T | Promise<T>): Promise<T> {
  const image = `/Type /XObject /Subtype /Image /Width 1 /Height 1 ${entries}`;
  const file = pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
      { entries: image, data: new Uint8Array() },
    ],
    "/Root 1 0 R",
  );
  const { engines, release } = await leaseEngines(() => true);
  try {
    const arena = engines.pdf.files.arena(file.length);
    arena.write(file);
    using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
    return await work(open, open.document.newIndirect(4));
  } finally {
    release(true);
  }
}

const samplesOf = (entries: string, { bits = 8, role = "image" as SampleRole } = {}) =>
  withImage(entries, (_, image) => blankOf(image, { bits, space: image.get("ColorSpace"), role })?.samples);

const LAB = "/Lab << /WhitePoint [0.9505 1 1.089]";
const RGB = "/ColorSpace [/Indexed /DeviceRGB 2 <000000 ffffff 808080>]";

test.each([
  ["/ColorSpace /DeviceGray", [255]],
  ["/ColorSpace /DeviceGray /Decode [1 0]", [0]],
  ["/ColorSpace /DeviceRGB /Decode [0 2 0 1 1 0]", [128, 255, 0]],
  ["/ColorSpace /DeviceCMYK", [0, 0, 0, 0]],
  ["/ColorSpace [/Separation /Spot /DeviceGray null]", [0]],
  ["/ColorSpace [/DeviceN [/A /B] /DeviceGray null]", [0, 0]],
  // a and b are 0 between the ends of their ranges.
  [`/ColorSpace [${LAB} >>]`, [255, 128, 128]],
  [`/ColorSpace [${LAB} /Range [-20 60 20 100] >>]`, [255, 64, 0]],
  [RGB, [1]],
  [`${RGB} /Decode [255 0]`, [254]],
  [`${RGB} /Mask [2 3]`, [2]],
  ["/ColorSpace /DeviceRGB /Mask [9 9 8 8 7 9]", [9, 8, 7]],
  ["/ColorSpace /Unknown", undefined],
  [`${RGB} /Decode [3 9]`, undefined],
] as const)("the blank pixel is found for an image with %s", async (entries, samples) => {
  expect(await samplesOf(entries)).toEqual(samples);
});

test("the blank pixel of a mask shows or hides the image", async () => {
  expect(await samplesOf("/ColorSpace /DeviceGray", { role: "opaque" })).toEqual([255]);
  expect(await samplesOf("/ColorSpace /DeviceGray", { role: "transparent" })).toEqual([0]);
  expect(await samplesOf("/ColorSpace /DeviceGray /Decode [1 0]", { role: "transparent" })).toEqual([255]);
  expect(await samplesOf("/ImageMask true", { bits: 1, role: "stencil" })).toEqual([1]);
  expect(await samplesOf("/ImageMask true /Decode [1 0]", { bits: 1, role: "stencil" })).toEqual([0]);
});

const PAPER = "<< /FunctionType 2 /Domain [0 1] /C0 [1 1 1] /C1 [0 0 0] /N 1 >>";
const COLORED = "<< /FunctionType 2 /Domain [0 1] /C0 [1 0.9 1] /C1 [0 0 0] /N 1 >>";

test.each([
  ["/ColorSpace /DeviceCMYK", true],
  [`/ColorSpace [${LAB} >>]`, true],
  [`/ColorSpace [${LAB} /Range [20 100 20 100] >>]`, false],
  [`/ColorSpace [/Separation /Spot /DeviceRGB ${PAPER}]`, true],
  [`/ColorSpace [/Separation /Spot /DeviceRGB ${COLORED}]`, false],
  [RGB, true],
  ["/ColorSpace [/Indexed /DeviceRGB 1 <102030 405060>]", false],
  ["/ColorSpace /DeviceGray /Decode [0 0.5]", false],
  ["/ColorSpace [/Separation /Spot /Unknown null]", false],
] as const)("a blank pixel is judged white or not for an image with %s", async (entries, expected) => {
  const found = await withImage(entries, async (open, image) => {
    const space = image.get("ColorSpace");
    const blank = blankOf(image, { bits: 8, space, role: "image" });
    return blank && (await isWhiteColor(open, image, space, blank));
  });
  expect(found).toBe(expected);
});

test("pixels of a row are blanked in any number of bits", () => {
  const blanked = (bits: number, samples: readonly number[], run: readonly [number, number], bytes: number) => {
    const row = new Uint8Array(bytes);
    blankRun(row, run, { bits, samples });
    return [...row];
  };
  expect(blanked(1, [1], [3, 10], 2)).toEqual([0b00011111, 0b11000000]);
  expect(blanked(2, [2], [1, 3], 1)).toEqual([0b00101000]);
  expect(blanked(4, [15, 0, 1], [1, 2], 3)).toEqual([0, 0x0f, 0x01]);
  expect(blanked(8, [7, 8], [1, 2], 6)).toEqual([0, 0, 7, 8, 0, 0]);
  expect(blanked(16, [255], [0, 1], 4)).toEqual([255, 255, 0, 0]);
});
