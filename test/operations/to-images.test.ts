import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { corners, drawing, type DrawnPage, textPage } from "../harness/fixtures/drawing-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { difference, type Picture, readJpeg, readPng } from "../harness/images/images.ts";
import { errorOf } from "../http/echo-service.ts";
import { noise } from "../harness/fixtures/pdf-writer.ts";
import { operationService } from "./operation-service.ts";

const post = await operationService("to-images");

async function image(file: Uint8Array, fields: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const response = await post(file, fields);
  expect(response.status, response.ok ? "" : await response.clone().text()).toBe(200);
  expect(response.headers.get("Content-Type")).toBe(`image/${fields["format"] ?? "png"}`);
  return response.bytes();
}

const png = async (page: DrawnPage, fields: Readonly<Record<string, string>> = {}): Promise<Picture> =>
  readPng(await image(drawing(page), { dpi: "72", ...fields }));

const [RED, GREEN, BLUE, WHITE] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
] as const;

/** The colors at the corners, clockwise from the top left. */
function cornersOf(picture: Picture, inset = 3): readonly unknown[] {
  const [right, bottom] = [picture.width - 1 - inset, picture.height - 1 - inset];
  return [picture.at(inset, inset), picture.at(right, inset), picture.at(right, bottom), picture.at(inset, bottom)];
}

describe("appearance of pages", () => {
  test.each([
    ["36", 60, 40],
    ["72", 120, 80],
    ["150", 250, 167],
    ["600", 1000, 667],
  ])("a page has the size of %s dpi, as the file states", async (dpi, width, height) => {
    const picture = await png(corners, { dpi });
    expect(picture).toMatchObject({ width, height, channels: 3, dpi: Number(dpi) });
    expect(cornersOf(picture)).toEqual([RED, GREEN, WHITE, BLUE]);
  });

  test.each([
    ["turned", "/Rotate 90", [80, 120], [BLUE, RED, GREEN, WHITE]],
    ["turned over", "/Rotate 180", [120, 80], [WHITE, BLUE, RED, GREEN]],
    ["turned left", "/Rotate -90", [80, 120], [GREEN, WHITE, BLUE, RED]],
    ["cut to its CropBox", "/CropBox [10 -20 110 70]", [100, 70], [RED, GREEN, WHITE, BLUE]],
    ["in its own unit", "/UserUnit 2", [240, 160], [RED, GREEN, WHITE, BLUE]],
    ["all of it", "/UserUnit 2 /Rotate 90 /CropBox [10 10 110 70]", [120, 200], [BLUE, RED, GREEN, WHITE]],
  ])("a page is drawn in its geometry: %s", async (_, entries, [width, height], expected) => {
    const picture = await png({ ...corners, entries });
    expect(picture).toMatchObject({ width, height });
    expect(cornersOf(picture)).toEqual(expected);
  });

  test.each<[string, Partial<DrawnPage>, readonly number[]]>([
    [
      "half transparent",
      { content: "/G gs 1 0 0 rg 0 0 40 40 re f", resources: "/ExtGState << /G << /ca 0.5 >> >>" },
      [255, 127, 127],
    ],
    [
      "multiplied",
      {
        content: "1 1 0 rg 0 0 40 40 re f /G gs 0 1 1 rg 0 0 40 40 re f",
        resources: "/ExtGState << /G << /BM /Multiply >> >>",
      },
      [0, 255, 0],
    ],
    [
      "a spot color by its alternate",
      {
        content: "/S cs 0.5 scn 0 0 40 40 re f",
        resources:
          "/ColorSpace << /S [/Separation /Gold /DeviceRGB << /FunctionType 2 /Domain [0 1] /C0 [1 1 1] /C1 [1 0 0] /N 1 >>] >>",
      },
      [255, 127, 127],
    ],
    [
      "an annotation",
      {
        content: "",
        entries: "/Annots [<< /Type /Annot /Subtype /Square /F 4 /Rect [0 0 40 40] /AP << /N $0 >> >>]",
        objects: [
          {
            entries: "/Type /XObject /Subtype /Form /BBox [0 0 40 40]",
            data: new TextEncoder().encode("0 0 1 rg 0 0 40 40 re f"),
          },
        ],
      },
      [0, 0, 255],
    ],
    [
      "not an annotation that is hidden",
      {
        content: "",
        entries: "/Annots [<< /Type /Annot /Subtype /Square /F 2 /Rect [0 0 40 40] /AP << /N $0 >> >>]",
        objects: [
          {
            entries: "/Type /XObject /Subtype /Form /BBox [0 0 40 40]",
            data: new TextEncoder().encode("0 0 1 rg 0 0 40 40 re f"),
          },
        ],
      },
      [255, 255, 255],
    ],
    [
      "a form field",
      {
        content: "",
        entries: "/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /F 4 /Rect [0 0 40 40] /AP << /N $0 >> >>]",
        objects: [
          {
            entries: "/Type /XObject /Subtype /Form /BBox [0 0 40 40]",
            data: new TextEncoder().encode("0 1 0 rg 0 0 40 40 re f"),
          },
        ],
      },
      [0, 255, 0],
    ],
  ])("a page is drawn with its content and annotations: %s", async (_, page, expected) => {
    const color = (await png({ width: 40, height: 40, content: "", ...page })).at(20, 20);
    color.forEach((value, index) =>
      expect(Math.abs(value - (expected[index] ?? -1)), String(color)).toBeLessThanOrEqual(1),
    );
  });

  test("a page is drawn on white, and in grayscale if it has no color", async () => {
    const gray = textPage({ width: 300, height: 200 });
    const speck = { ...gray, content: `${gray.content}\n0.5 0.5 0.51 rg 299 0 1 1 re f` };
    const equal = { ...gray, content: `0.5 0.5 0.5 rg 50 50 9 9 re f ${gray.content}` };
    const picture = await png(gray);
    expect(picture.channels).toBe(1);
    expect(picture.at(0, 0)).toEqual(WHITE);
    expect((await png(equal)).channels).toBe(1);
    const highlighted = await png(speck);
    expect(highlighted.channels).toBe(3);
    expect(difference(highlighted, picture)).toBeLessThan(0.01);
    const jpeg = async (page: DrawnPage) => readJpeg(await image(drawing(page), { format: "jpeg" }));
    expect(await jpeg(gray)).toMatchObject({ channels: 1, dpi: 150 });
    expect(await jpeg(speck)).toMatchObject({ channels: 3, dpi: 150 });
  });
});

describe("bands", () => {
  /** 417 x 16667 pixels at 300 dpi: two bands. */
  const text = textPage({ width: 100, height: 4000 });
  const grainy: DrawnPage = {
    width: 100,
    height: 4000,
    content: "q 100 0 0 4000 0 0 cm /I Do Q",
    resources: "/XObject << /I $0 >>",
    objects: [
      {
        entries: "/Type /XObject /Subtype /Image /Width 417 /Height 16667 /ColorSpace /DeviceGray /BitsPerComponent 8",
        data: noise(417 * 16_667, 1),
      },
    ],
  };
  test.each([
    ["of text", text],
    ["of noise, whose image is long", grainy],
  ])("a page in several bands is grayscale unless its last row has color: %s", async (_, page) => {
    const speck = { ...page, content: `${page.content}\n0.5 0.5 0.55 rg 50 0 1 1 re f` };
    const [gray, highlighted] = [await png(page, { dpi: "300" }), await png(speck, { dpi: "300" })];
    expect([gray.channels, highlighted.channels]).toEqual([1, 3]);
    expect(highlighted.at(210, 16_665)).toEqual([127, 127, 140]);
    expect(difference(highlighted, gray, 3)).toBeLessThan(0.01);
  });

  test("a JPEG of text is grayscale, too, unless its last row has color", async () => {
    const components = async (of: DrawnPage): Promise<unknown> => {
      const jpeg = await image(drawing(of), { dpi: "300", format: "jpeg" });
      return jpeg[jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xc0) + 9];
    };
    const speck = `${text.content}\n0.5 0.5 0.55 rg 50 0 1 1 re f`;
    expect([await components(text), await components({ ...text, content: speck })]).toEqual([1, 3]);
  });
});

describe("several pages", () => {
  const file = document({ name: "many", pages: 11, features: ["form"] });

  test("several pages are a ZIP of images in the document's order, named by their numbers", async () => {
    const response = await post(file, { pages: "10,2-3,last", dpi: "40" });
    expect(response.headers.get("Content-Type")).toBe("application/zip");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="report-to-images.zip"');
    const zip = Object.entries(unzipSync(await response.bytes()));
    expect(zip.map(([name]) => name)).toEqual(["report-02.png", "report-03.png", "report-10.png", "report-11.png"]);
    for (const [name, bytes] of zip.slice(1, 3)) {
      const alone = await image(file, { pages: String(Number(name.slice(7, 9))), dpi: "40" });
      expect(bytes).toEqual(alone);
    }
  });

  test.each(["png", "jpeg"] as const)("selected pages are drawn as %s", async (format) => {
    const grays = [0.2, 0.4, 0.6, 0.8].map((gray) => ({ width: 40, height: 40, content: `${gray} g 0 0 40 40 re f` }));
    const levels = drawing(...grays);
    const shade = (bytes: Uint8Array): number => (format === "png" ? readPng : readJpeg)(bytes).at(20, 20)[0];
    const zip = unzipSync(await (await post(levels, { pages: "4,2", format, dpi: "72" })).bytes());
    const found = [...Object.values(zip), await image(levels, { pages: "3", format, dpi: "72" })].map(shade);
    for (const [index, gray] of [0.4, 0.8, 0.6].entries()) expect(found[index]).toBeCloseTo(gray * 255, -1);
  });

  test("a single page is an image", async () => {
    const response = await post(file, { pages: "3", format: "jpeg" });
    expect(response.headers.get("Content-Type")).toBe("image/jpeg");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="report-to-images.jpg"');
    expect(response.headers.get("Content-Length")).toBe(String((await response.bytes()).length));
  });
});

test("an encrypted input is opened with its password, and refused without it", async () => {
  const protect = await operationService("protect");
  const locked = await (await protect(drawing(corners), { userPassword: "user" })).bytes();
  expect(await errorOf(await post(locked))).toEqual([400, "password_required", { input: "file" }]);
  expect(cornersOf(readPng(await image(locked, { dpi: "72", password: "user" })))).toEqual([RED, GREEN, WHITE, BLUE]);
});

describe("refusals", () => {
  test.each<[Record<string, string>, string]>([
    [{ dpi: "35" }, "dpi"],
    [{ dpi: "601" }, "dpi"],
    [{ dpi: "72.5" }, "dpi"],
    [{ format: "gif" }, "format"],
    [{ format: "jpeg", quality: "0" }, "quality"],
    [{ format: "jpeg", quality: "101" }, "quality"],
    [{ quality: "500" }, "quality"],
  ])("invalid parameters are refused: %j", async (fields, name) => {
    const [status, code, details] = await errorOf(await post(drawing(corners), fields));
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(details).toMatchObject({ fields: [{ name }] });
  });

  test("more than 100 megapixels a page or 5 gigapixels in total are refused", async () => {
    const large = { ...corners, width: 1200, height: 1300 };
    expect(await errorOf(await post(drawing(large), { dpi: "600" }))).toEqual([
      413,
      "limit_exceeded",
      { limit: 100_000_000, actual: 10_000 * 10_834 },
    ]);
    const many = drawing(...Array.from({ length: 60 }, () => ({ ...corners, width: 1200, height: 1150 })));
    expect(await errorOf(await post(many, { dpi: "600" }))).toEqual([
      413,
      "limit_exceeded",
      { limit: 5_000_000_000, actual: 60 * 10_000 * 9_584 },
    ]);
  });
});
