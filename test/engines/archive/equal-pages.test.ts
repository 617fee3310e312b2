import type { PDFDocument, PDFObject } from "mupdf";
import { expect, test } from "vitest";
import { leaseEngines } from "../../../src/engines/lease/pool.ts";
import { srgbProfile } from "../../../src/engines/image/gamma-profile.ts";
import { changedPages } from "../../../src/engines/pdf/archive/pages.ts";
import { pagesOfEqualObjects } from "../../../src/engines/pdf/archive/equal-pages.ts";
import { type OpenPdf, openPdf, pageList } from "../../../src/engines/pdf/document/document.ts";
import type { PdfEngine } from "../../../src/engines/pdf/mupdf/mupdf.ts";
import { latin1, pdf, type PdfObject } from "../../harness/fixtures/pdf-writer.ts";

/** Samples that are not close to each other, the same each time. */
const samples = (count: number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, index) => Math.imul(index + 1, 2_654_435_761) >>> 24);

const image = (space: string, components: number): PdfObject => ({
  entries: `/Type /XObject /Subtype /Image /Width 64 /Height 64 /BitsPerComponent 8 /ColorSpace /${space}`,
  data: samples(64 * 64 * components),
});

/**
 * The first page (3) shows text (5), a form (7) in a layer (8), and an annotation (9) with an appearance (10). The second one (11) shows an image (13).
 */
const source = pdf(
  [
    "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [8 0 R] /D << /Order [8 0 R] >> >> >>",
    "<< /Type /Pages /Kids [3 0 R 11 0 R] /Count 2 /MediaBox [0 0 90 90] >>",
    "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Annots [9 0 R] /StructParents 1 /Resources << /Font << /F 5 0 R >> /XObject << /X 7 0 R >> >> >>",
    { entries: "", data: latin1(`BT /F 20 Tf 5 50 Td (Abc) Tj ET /X Do ${"% a comment\n".repeat(40)}`) },
    "<< /Type /Font /Subtype /TrueType /BaseFont /Arial /FontDescriptor 6 0 R >>",
    "<< /Type /FontDescriptor /FontName /Arial /Flags 32 /CIDSet 4 0 R >>",
    {
      entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /OC 8 0 R /Metadata 4 0 R",
      data: latin1("1 0 0 rg 0 0 9 9 re f"),
    },
    "<< /Type /OCG /Name (Layer) >>",
    "<< /Type /Annot /Subtype /Stamp /Rect [50 50 80 80] /P 3 0 R /AP << /N 10 0 R >> /A << /S /Named >> >>",
    { entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9]", data: latin1("0 0 1 rg 0 0 9 9 re f") },
    "<< /Type /Page /Parent 2 0 R /Contents 12 0 R /Resources << /XObject << /I 13 0 R /J 14 0 R >> >> >>",
    {
      entries: "",
      data: latin1(
        "q 64 0 0 64 0 20 cm /I Do Q q 20 0 0 20 70 0 cm /J Do Q 0.2 0.4 0.7 rg 0 0 20 20 re f 0.1 0.6 0 0 k 30 0 9 9 re f",
      ),
    },
    image("DeviceRGB", 3),
    image("DeviceCMYK", 4),
  ],
  "/Root 1 0 R",
);

/** Works on two files in one engine. */
async function inEngine<T>(
  [before, after]: readonly [Uint8Array, Uint8Array],
  use: (before: OpenPdf, after: OpenPdf) => Promise<T>,
): Promise<T> {
  const { engines, release } = await leaseEngines(() => true);
  const opened = (file: Uint8Array): Promise<OpenPdf> => {
    const arena = engines.pdf.files.arena(file.length);
    arena.write(file);
    return openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
  };
  try {
    using one = await opened(before);
    using other = await opened(after);
    return await use(one, other);
  } finally {
    release(true);
  }
}

type Change = (document: PDFDocument, engine: PdfEngine) => void;

const changed = (change: Change, options = "garbage=3"): Promise<Uint8Array> =>
  inEngine([source, source], async ({ document, engine }) => {
    change(document, engine);
    return document.saveToBuffer(options).asUint8Array().slice();
  });

/** The pages of equal objects, from 1, and those whose pixels are equal. */
async function compare(after: Uint8Array): Promise<{ equal: number[]; same: number[] }> {
  return inEngine([source, after], async (one, other) => {
    const equal = await pagesOfEqualObjects(one, other);
    const same: number[] = [];
    for (let index = 0; index < one.pageCount; index++) {
      const [pixels, others] = [await pixelsOf(one, index), await pixelsOf(other, index)];
      if (pixels.every((sample, at) => sample === others[at])) same.push(index + 1);
    }
    return { equal: [...equal].map((index) => index + 1), same };
  });
}

async function pixelsOf(open: OpenPdf, index: number): Promise<Uint8ClampedArray> {
  const { mupdf } = open.engine;
  const { list } = await pageList(open, index);
  return list.toPixmap(mupdf.Matrix.scale(2, 2), mupdf.ColorSpace.DeviceRGB, false).getPixels().slice();
}

const root = (document: PDFDocument): PDFObject => document.getTrailer().get("Root");

function intent(document: PDFDocument, profile: Uint8Array, components: number): void {
  const list = document.newArray();
  list.push(document.addObject({ S: "GTS_PDFA1", DestOutputProfile: document.addStream(profile, { N: components }) }));
  root(document).put("OutputIntents", list);
}

function defaultCmyk(document: PDFDocument, profile: Uint8Array): void {
  const space = document.newArray();
  space.push(document.newName("ICCBased"));
  space.push(document.addStream(profile, { N: 4 }));
  const number = document.addObject(space).asIndirect();
  for (const page of [0, 1]) {
    const resources = document.findPage(page).get("Resources");
    resources.put("ColorSpace", { DefaultCMYK: document.newIndirect(number) });
  }
}

const resources = (document: PDFDocument): PDFObject => document.findPage(1).get("Resources");

test.each<[name: string, change: Change]>([
  ["metadata", (document) => root(document).put("Metadata", document.addStream("<x/>", {}))],
  ["marks of the structure", (document) => document.findPage(0).delete("StructParents")],
  ["metadata of a form", (document) => document.newIndirect(7).delete("Metadata")],
  ["a CIDSet", (document) => document.newIndirect(6).delete("CIDSet")],
  ["an action", (document) => document.newIndirect(9).delete("A")],
  ["the flag of an annotation for print", (document) => document.newIndirect(9).put("F", 4)],
  ["the name of a configuration of layers", (document) => root(document).get("OCProperties", "D").put("Name", "All")],
  ["an output intent of sRGB", (document) => intent(document, srgbProfile(), 3)],
  ["the profile of CMYK by which MuPDF shows it", (document, engine) => defaultCmyk(document, engine.cmykProfile())],
])("pages consist of equal objects, and look the same, if only this changes: %s", async (_, change) => {
  expect(await compare(await changed(change))).toEqual({ equal: [1, 2], same: [1, 2] });
});

test("streams are equal if they are encoded in another way, and objects if they have other numbers", async () => {
  const recompressed = await changed(() => undefined, "compress,garbage=3");
  expect(await compare(recompressed)).toEqual({ equal: [1, 2], same: [1, 2] });
  const moved = await changed((document) => document.addObject(document.newIndirect(8)), "decompress,garbage=3");
  expect(await compare(moved)).toEqual({ equal: [1, 2], same: [1, 2] });
});

test.each<[name: string, pages: number[], change: Change]>([
  ["content", [2], (document) => document.newIndirect(4).writeStream("/X Do")],
  [
    "one sample of an image",
    [1],
    (document) => {
      const data = samples(64 * 64 * 3);
      data[6000] = 255 - (data[6000] ?? 0);
      document.newIndirect(13).writeStream(data);
    },
  ],
  ["a font", [2], (document) => document.newIndirect(5).put("BaseFont", document.newName("Courier"))],
  ["the descriptor of a font", [2], (document) => document.newIndirect(6).put("Flags", 33)],
  ["a form", [2], (document) => document.newIndirect(7).writeStream("0 1 0 rg 0 0 9 9 re f")],
  ["an appearance", [2], (document) => document.newIndirect(10).writeStream("0 1 0 rg 0 0 9 9 re f")],
  ["the flag that hides an annotation", [2], (document) => document.newIndirect(9).put("F", 2)],
  ["annotations", [2], (document) => document.findPage(0).delete("Annots")],
  ["the rotation of a page", [1], (document) => document.findPage(1).put("Rotate", 90)],
  ["a box that pages inherit", [], (document) => document.newIndirect(2).put("MediaBox", [0, 0, 90, 80])],
  [
    "the layers that are shown",
    [],
    (document) =>
      root(document)
        .get("OCProperties", "D")
        .put("OFF", [document.newIndirect(8)]),
  ],
  ["the fonts of forms", [2], (document) => root(document).put("AcroForm", { DA: document.newString("/F 9 Tf") })],
  ["an output intent of another profile", [], (document, engine) => intent(document, engine.cmykProfile(), 4)],
  [
    "another profile of CMYK",
    [],
    (document, engine) => {
      const profile = engine.cmykProfile();
      profile[profile.length - 1] = 255 - (profile.at(-1) ?? 0);
      defaultCmyk(document, profile);
    },
  ],
  [
    "another color space",
    [1],
    (document) => resources(document).put("ColorSpace", { DefaultGray: document.newName("DeviceGray") }),
  ],
])("pages that reach a change do not consist of equal objects: %s", async (_, pages, change) => {
  const { equal, same } = await compare(await changed(change));
  expect(equal).toEqual(pages);
  expect(same).toEqual(expect.arrayContaining(equal));
});

test("pages that exchange two objects do not consist of equal objects", async () => {
  const after = await changed((document) => {
    const objects = resources(document).get("XObject");
    objects.put("I", document.newIndirect(14));
    objects.put("J", document.newIndirect(13));
  });
  expect(await compare(after)).toEqual({ equal: [1], same: [1] });
});

test.each([
  ["0.99 0 0 rg 0 0 9 9 re f", []],
  ["0.97 0 0 rg 0 0 9 9 re f", [1]],
])("a page whose red is drawn by %s instead of full looks different: %j", async (content, pages) => {
  const after = await changed((document) => document.newIndirect(7).writeStream(content));
  expect(await inEngine([source, after], changedPages)).toEqual(pages);
});
