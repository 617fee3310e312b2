import { unzlibSync } from "fflate";
import { encode } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { decoded } from "../harness/redaction/find-secret.ts";
import { photograph } from "../harness/images/image-fixtures.ts";
import { imagesOf } from "../harness/requests/image-pdf-response.ts";
import { blots, blotsWithOpacity } from "../harness/images/jpx-fixtures.ts";
import { flate, latin1, pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { plainText } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

/** Points, from the top left of the page. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const [WIDTH, HEIGHT] = [300, 200];

/** A page of 300 x 200 points. `objects`: what its entries and resources speak of as `$0`, `$1`, ... */
function page(content: string, resources: string, objects: readonly PdfObject[] = [], entries = ""): Uint8Array {
  const named = (text: string): string => text.replaceAll(/\$(\d)/g, (_, index: string) => `${5 + Number(index)} 0 R`);
  const own = objects.map((object) =>
    typeof object === "string" ? named(object) : { ...object, entries: named(object.entries) },
  );
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents 4 0 R /Resources << ${named(resources)} >> ${named(entries)} >>`,
      { entries: "", data: latin1(content) },
      ...own,
    ],
    "/Root 1 0 R",
  );
}

/** Redacts regions, with boxes of green. */
async function redact(bytes: Uint8Array, ...areas: readonly Box[]): Promise<Uint8Array> {
  const regions = JSON.stringify(areas.map((area) => ({ page: 1, ...area })));
  const { status, body, message } = await post(service, "redact", { file: pdfPart(bytes), regions, fill: "#00ff00" });
  expect([status, message]).toEqual([200, undefined]);
  return body;
}

/** What PDFium draws: four pixels a point. */
const SCALE = 4;
const drawn = async (bytes: Uint8Array) =>
  (await readPdfiumPage(bytes, 0, { width: WIDTH * SCALE, height: HEIGHT * SCALE })).picture;

type Drawn = Awaited<ReturnType<typeof drawn>>;

const colorAt = ({ data, components }: Drawn, x: number, y: number): number[] => {
  const at = (Math.floor(y * SCALE) * WIDTH * SCALE + Math.floor(x * SCALE)) * components;
  return [...data.subarray(at, at + 3)];
};

/** The pixels of a box that differ from a color. */
function others(picture: Drawn, { x, y, width, height }: Box, color: readonly number[]): number {
  let count = 0;
  for (let row = y * SCALE; row < (y + height) * SCALE; row++) {
    for (let column = x * SCALE; column < (x + width) * SCALE; column++) {
      const found = colorAt(picture, column / SCALE, row / SCALE);
      if (found.some((value, at) => Math.abs(value - (color[at] ?? 0)) > 8)) count++;
    }
  }
  return count;
}

const [WHITE, GREEN] = [
  [255, 255, 255],
  [0, 255, 0],
];

/** A box without its edge, where the pixels of what is drawn over it are antialiased. */
const inner = ({ x, y, width, height }: Box): Box => ({ x: x + 1, y: y + 1, width: width - 2, height: height - 2 });

const textOf = async (bytes: Uint8Array): Promise<string> =>
  (await openPdf(bytes)).pages.map(({ text }) => text).join("\n");

describe("letters", () => {
  const font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Times-Italic >> >>";

  test("an italic f that reaches beyond its advance into a region is removed, on both of its sides", async () => {
    // It advances from 100 to 127.8, and has ink from 85 to 142.
    const bytes = page("BT /F1 100 Tf 100 60 Td (f) Tj ET BT /F1 20 Tf 20 20 Td (other) Tj ET", font);
    const right = { x: 132, y: 40, width: 60, height: 120 };
    const left = { x: 40, y: 100, width: 54, height: 60 };
    for (const region of [right, left]) {
      expect(others(await drawn(bytes), region, WHITE)).toBeGreaterThan(50);
      const after = await redact(bytes, region);
      expect((await textOf(after)).trim()).toBe("other");
      const picture = await drawn(after);
      expect(others(picture, { x: 96, y: 40, width: 34, height: 120 }, WHITE)).toBe(0);
      expect(others(picture, inner(region), GREEN)).toBe(0);
    }
  });

  test("an italic f whose ink ends before the region stays", async () => {
    const bytes = page("BT /F1 100 Tf 100 60 Td (f) Tj ET", font);
    const after = await redact(bytes, { x: 145, y: 40, width: 60, height: 120 });
    expect((await textOf(after)).trim()).toBe("f");
  });

  test("Type 3 glyphs a hundred times larger than the font size are removed if they reach into a region", async () => {
    const glyph = (width: number): PdfObject => ({
      entries: "",
      data: latin1(`${width} 0 0 0 ${width} 100 d1 0 0 ${width - 4} 100 re f`),
    });
    const type3 =
      "<< /Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /FontBBox [0 0 0 0] /FirstChar 97 /LastChar 98 /Widths [20 100]" +
      " /CharProcs << /a $1 /b $2 >> /Encoding << /Type /Encoding /Differences [97 /a /b] >> /Resources << >> >>";
    const content = "BT /F1 0.2 Tf 20 150 Td (aab) Tj 0 -100 Td (aab) Tj ET";
    const bytes = page(content, "/Font << /F1 $0 >>", [type3, glyph(20), glyph(100)]);
    // The upper ends of the lower row: glyphs of it are from 130 to 150 below the top.
    const after = await redact(bytes, { x: 10, y: 131, width: 200, height: 3 });
    const picture = await drawn(after);
    expect(others(picture, { x: 10, y: 135, width: 200, height: 20 }, WHITE)).toBe(0);
    expect(others(picture, { x: 20, y: 30, width: 3, height: 20 }, [0, 0, 0])).toBe(0);
    expect((await textOf(after)).replaceAll(/\s/g, "")).toBe("aab");
  });
});

describe("annotations without an appearance", () => {
  const rect = "/Type /Annot /Rect [10 10 20 20] /C [1 0 0] /BS << /W 4 >>";

  const colorsIn = (file: string): string[] =>
    [...file.matchAll(/\/C ?\[\s*([\d ]+?)\s*\]/g)].map(([, color = ""]) => color);

  test.each([
    ["a line", "/Subtype /Line /L [100 100 250 100]"],
    ["a line whose arrow reaches in", "/Subtype /Line /L [100 100 138 100] /LE [/None /Circle]"],
    ["an open polygon", "/Subtype /PolyLine /Vertices [100 50 100 100 250 100]"],
    ["a polygon", "/Subtype /Polygon /Vertices [100 50 250 100 100 150]"],
    ["strokes of ink", "/Subtype /Ink /InkList [[20 20 30 30] [100 100 200 100 250 100]]"],
  ])("an annotation that is drawn in a region outside of its /Rect is removed: %s", async (_, entries) => {
    const beside =
      "<< /Type /Annot /Subtype /Line /Rect [10 10 20 20] /C [0 0 1] /BS << /W 4 >> /L [20 180 280 180] >>";
    const bytes = page("", "", [`<< ${rect} ${entries} >>`, beside], "/Annots [$0 $1]");
    const region = { x: 140, y: 80, width: 60, height: 40 };
    const after = await redact(bytes, region);
    expect(colorsIn(await decoded(bytes))).toEqual(["1 0 0", "0 0 1"]);
    expect(colorsIn(await decoded(after))).toEqual(["0 0 1"]);
  });

  test("an annotation that is drawn beside the region stays", async () => {
    const bytes = page("", "", [`<< ${rect} /Subtype /Line /L [100 100 134 100] >>`], "/Annots [$0]");
    expect(colorsIn(await decoded(await redact(bytes, { x: 140, y: 80, width: 60, height: 40 })))).toEqual(["1 0 0"]);
  });
});

/** The file with boxes that are not painted, so that what is below them is seen. */
const withoutBoxes = async (bytes: Uint8Array): Promise<Uint8Array> =>
  latin1((await plainText(bytes)).replaceAll(/ l h f( Q)?$/gm, " l h n$1"));

/** How much pictures differ at most outside of a box and three points around it. */
function mostOutside(a: Drawn, b: Drawn, box: Box): number {
  let most = 0;
  for (let y = 0; y < HEIGHT; y += 0.5) {
    for (let x = 0; x < WIDTH; x += 0.5) {
      const isBeside = x < box.x - 3 || x > box.x + box.width + 3 || y < box.y - 3 || y > box.y + box.height + 3;
      if (!isBeside) continue;
      const [one, other] = [colorAt(a, x, y), colorAt(b, x, y)];
      most = Math.max(most, ...one.map((value, at) => Math.abs(value - (other[at] ?? 0))));
    }
  }
  return most;
}

describe("images", () => {
  const [width, height] = [120, 80];
  const place = "/XObject << /I $0 >>";
  const content = `q 240 0 0 160 30 20 cm /I Do Q`;
  const dictionary = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height}`;
  // From column 25 up to 55, and from row 20 up to 45.
  const region = { x: 80, y: 60, width: 60, height: 50 };

  /** Samples that say where they are. */
  const ramp = (components: number, most: number): Uint8Array =>
    Uint8Array.from({ length: width * height * components }, (_, at) => (at * 7 + Math.floor(at / 97)) % (most + 1));

  /** The different samples that an image has in the region. */
  function inRegion(samples: Uint8Array, components: number): ReadonlySet<string> {
    const found = new Set<string>();
    for (let y = 20; y < 45; y++) {
      for (let x = 25; x < 55; x++) {
        const at = (y * width + x) * components;
        found.add(samples.subarray(at, at + components).join(" "));
      }
    }
    return found;
  }

  const tint = "<< /FunctionType 2 /Domain [0 1] /C0 [0.5 0.7 0.2] /C1 [0.1 0.1 0.4] /N 1 >>";

  test.each([
    ["a palette without white", "[/Indexed /DeviceRGB 3 <102030 304050 a01020 20a040>]", 1, 3],
    ["a palette of another space", "[/Indexed [/Lab << /WhitePoint [0.95 1 1.09] >>] 1 <204060 806040>]", 1, 1],
    ["Lab", "[/Lab << /WhitePoint [0.9505 1 1.089] /Range [-100 100 -100 100] >>]", 3, 255],
    ["Lab without gray", "[/Lab << /WhitePoint [0.9505 1 1.089] /Range [20 100 20 100] >>]", 3, 255],
    ["a spot color on colored paper", `[/Separation /Spot /DeviceRGB ${tint}]`, 1, 255],
    ["inks on colored paper", `[/DeviceN [/Spot] /DeviceRGB ${tint}]`, 1, 255],
  ])("the part of an image in a region is overwritten in %s", async (_, space, components, most) => {
    const samples = ramp(components, most);
    const bytes = page(content, place, [flate(samples, `${dictionary} /BitsPerComponent 8 /ColorSpace ${space}`)]);
    const before = await drawn(bytes);
    expect(others(before, region, WHITE)).toBeGreaterThan(30_000);
    const after = await redact(bytes, region);
    expect(others(await drawn(after), inner(region), GREEN)).toBe(0);
    const picture = await drawn(await withoutBoxes(after));
    expect(others(picture, inner(region), WHITE)).toBe(0);
    expect(mostOutside(before, picture, region)).toBe(0);
    const images = [...(await imagesOf(after)).values()];
    const own = images.find((image) => image.dictionary["/BitsPerComponent"] === 8);
    const kept = unzlibSync(own?.data ?? new Uint8Array());
    expect(inRegion(samples, components).size).toBeGreaterThan(1);
    expect(inRegion(kept, components).size).toBe(1);
    const row = 10 * width * components;
    expect(kept.subarray(row, row + width)).toEqual(samples.subarray(row, row + width));
  });

  test("the part of an image is overwritten in a palette without white that has a soft mask", async () => {
    const mask = flate(
      new Uint8Array(width * height).fill(200),
      `${dictionary} /BitsPerComponent 8 /ColorSpace /DeviceGray`,
    );
    const space = "[/Indexed /DeviceRGB 1 <102030 a01020>]";
    const image = flate(ramp(1, 1), `${dictionary} /BitsPerComponent 8 /ColorSpace ${space} /SMask $1`);
    const bytes = page(content, place, [image, mask]);
    const after = await redact(bytes, region);
    const picture = await drawn(await withoutBoxes(after));
    expect(others(picture, inner(region), WHITE)).toBe(0);
    expect(mostOutside(await drawn(bytes), picture, region)).toBeLessThan(3);
  });

  test("the part of an image is overwritten in a palette without white that has a transparent color", async () => {
    const space = "[/Indexed /DeviceRGB 3 <102030 304050 a01020 20a040>] /Mask [2 2]";
    const bytes = page(content, place, [flate(ramp(1, 3), `${dictionary} /BitsPerComponent 8 /ColorSpace ${space}`)]);
    const after = await redact(bytes, region);
    const picture = await drawn(await withoutBoxes(after));
    expect(others(picture, inner(region), WHITE)).toBe(0);
    expect(mostOutside(await drawn(bytes), picture, region)).toBeLessThan(3);
    const [only] = [...(await imagesOf(after)).values()];
    expect([...inRegion(unzlibSync(only?.data ?? new Uint8Array()), 1)]).toEqual(["2"]);
  });

  /** Dark colors, with much contrast. */
  const photo = photograph(width, height, 3);
  const colors = Uint8Array.from(
    { length: width * height * 4 },
    (_, at) => (photo[(at >> 2) * 3 + (at & 3)] ?? 0) >> 1,
  );
  const jpegOf = (quality: number): Uint8Array =>
    Uint8Array.from(encode({ data: colors, width, height }, quality).data);

  const square = "/Type /XObject /Subtype /Image /Width 256 /Height 256 /Filter /JPXDecode";
  const jpx = { side: 256, levels: 2, tile: 128 } as const;
  const jpeg = `${dictionary} /Filter /DCTDecode /BitsPerComponent 8`;

  test.each([
    ["JPEG 2000 with an opacity", `${square} /SMaskInData 1`, blotsWithOpacity({ ...jpx, components: 4 })],
    ["JPEG 2000 without a color space", square, blots({ ...jpx, components: 3 })],
    [
      "JPEG 2000 with a palette",
      `${square} /ColorSpace [/Indexed /DeviceRGB 1 <102030 304050>]`,
      blots({ ...jpx, components: 1 }),
    ],
    ["JPEG with a color key", `${jpeg} /ColorSpace /DeviceRGB /Mask [0 20 0 255 0 255]`, jpegOf(80)],
    ["JPEG in Lab", `${jpeg} /ColorSpace [/Lab << /WhitePoint [0.9505 1 1.089] >>]`, jpegOf(80)],
  ])("the part of an image in a region shows nothing in %s", async (_, entries, data) => {
    const bytes = page(content, place, [{ entries, data }]);
    const after = await redact(bytes, region);
    const [before, picture] = [await renderPage(bytes, 1, 72), await renderPage(await withoutBoxes(after), 1, 72)];
    let [most, sum, colored, count] = [0, 0, 0, 0];
    for (let y = 0; y < HEIGHT; y++) {
      for (let x = 0; x < WIDTH; x++) {
        const [was, is] = [before.at(x, y), picture.at(x, y)];
        if (x > 81 && x < 138 && y > 61 && y < 108) {
          most = Math.max(most, ...is.slice(0, 3).map((value) => 255 - value));
          if (was.slice(0, 3).some((value) => value < 245)) colored++;
        } else if (x < 78 || x > 142 || y < 58 || y > 112) {
          sum += Math.abs(was[0] - is[0]) + Math.abs(was[1] - is[1]) + Math.abs(was[2] - is[2]);
          count += 3;
        }
      }
    }
    expect(colored).toBeGreaterThan(500);
    expect(most).toBeLessThan(3);
    expect(sum / count).toBeLessThan(2);
  });

  test.each([75, 30])(
    "the part of a JPEG of low resolution and quality %i is overwritten, and the result is a JPEG",
    async (quality) => {
      const data = jpegOf(quality);
      const image = {
        entries: `${jpeg} /ColorSpace /DeviceRGB`,
        data,
      };
      const bytes = page("q 120 0 0 80 60 60 cm /I Do Q", place, [image]);
      const small = { x: 81, y: 83, width: 40, height: 30 };
      const after = await redact(bytes, small);
      expect(others(await drawn(after), inner(small), GREEN)).toBe(0);
      const picture = await drawn(await withoutBoxes(after));
      expect(others(picture, inner(small), WHITE)).toBe(0);
      expect(mostOutside(await drawn(bytes), picture, { x: 68, y: 68, width: 72, height: 60 })).toBeLessThan(60);
      const images = [...(await imagesOf(after)).values()];
      const own = images.find((one) => one.dictionary["/Filter"] === "/DCTDecode");
      expect(own?.data.length).toBeLessThan(data.length * 1.5);
      // The JPEG without the mask that hides its ringing: the pattern is gone.
      const alone = page("q 120 0 0 80 60 60 cm /I Do Q", place, [{ ...image, data: own?.data ?? new Uint8Array() }]);
      const middle = { x: 92, y: 94, width: 18, height: 8 };
      expect(others(await drawn(bytes), middle, WHITE)).toBeGreaterThan(2_000);
      expect(others(await drawn(alone), middle, WHITE)).toBe(0);
    },
  );
});

/** A document without the boxes that cover its regions. */
const uncovered = async (bytes: Uint8Array): Promise<Uint8Array> =>
  latin1((await plainText(bytes)).replaceAll(" l h f", " l h n"));

/** How much a channel of a pixel at an edge may differ: curves that are cut become lines. */
const ANTIALIASED = 40;

/** How many pixels of pictures differ, other than close to boxes. */
function changedPixels(before: Drawn, after: Drawn, boxes: readonly Box[]): number {
  let count = 0;
  for (let y = 0; y < HEIGHT; y += 1 / SCALE) {
    for (let x = 0; x < WIDTH; x += 1 / SCALE) {
      const isClose = boxes.some(
        (box) => x > box.x - 1 && x < box.x + box.width + 1 && y > box.y - 1 && y < box.y + box.height + 1,
      );
      if (isClose) continue;
      const [a, b] = [colorAt(before, x, y), colorAt(after, x, y)];
      if (a.some((value, at) => Math.abs(value - (b[at] ?? 0)) > ANTIALIASED)) count++;
    }
  }
  return count;
}

describe("drawings", () => {
  const text =
    "1 g BT /F1 14 Tf 20 150 Td (white above) Tj 0 -60 Td (left    SECRET    right) Tj 0 -60 Td (white below) Tj ET";
  const font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";
  const ramp = "/Function << /FunctionType 2 /Domain [0 1] /C0 [.7 0 0] /C1 [0 0 .7] /N 1 >>";
  const axial = `<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 300 0] ${ramp} /Extend [true true] >>`;
  const form: PdfObject = {
    entries: "/Type /XObject /Subtype /Form /BBox [0 0 200 200] /Matrix [1.5 0 0 1 0 0]",
    data: latin1(".2 .2 .5 rg 0 0 200 200 re f"),
  };
  /** Around the word SECRET. */
  const region: Box = { x: 54, y: 95, width: 66, height: 22 };
  const second: Box = { x: 70, y: 104, width: 42, height: 26 };

  test.each<[string, string, string, PdfObject[], string]>([
    ["a background", ".2 .3 .2 rg 0 0 300 200 re f", "", [], ""],
    [
      "a background of a rounded shape, filled and stroked",
      "3 w .2 .3 .2 rg 1 0 0 RG 20 20 m 10 100 100 190 150 190 c 250 190 290 150 290 60 c 290 20 280 10 200 10 c b",
      "",
      [],
      "",
    ],
    ["a gradient", "/Sh sh", "/Shading << /Sh $0 >>", [axial], ""],
    [
      "a gradient as a pattern",
      "/Pattern cs /P scn 0 0 300 200 re f",
      "/Pattern << /P << /PatternType 2 /Shading $0 >> >>",
      [axial],
      "",
    ],
    ["a thick line", ".3 .1 .1 RG 200 w 0 100 m 300 100 l S", "", [], ""],
    ["a frame around it", ".3 .3 .3 rg 0 0 300 200 re f 0 1 1 RG 2 w 30 70 120 60 re S 5 5 290 190 re s", "", [], ""],
    ["a path that is painted and clips what follows", "5 5 290 190 re W .3 0 .3 rg f", "", [], ""],
    ["a form", "/X Do", "/XObject << /X $0 >>", [form], ""],
    [
      "a turned background on a turned page",
      "q .8 .6 -.6 .8 100 -100 cm .1 .3 .3 rg 0 0 300 300 re f Q",
      "",
      [],
      "/Rotate 180",
    ],
    [
      "a background in large units that are skewed",
      "q .001 .0002 0 .001 0 -20 cm .1 .3 .3 rg 0 0 300000 220000 re f* Q",
      "",
      [],
      "",
    ],
    ["a path with a hole", ".2 .3 .2 rg 0 0 300 200 re 90 70 100 50 re f*", "", [], ""],
  ])(
    "a drawing is cut at a region, and looks as before beside it: %s",
    async (name, background, resources, objects, entries) => {
      const bytes = page(`q ${background} Q ${text}`, `${font} ${resources}`, objects, entries);
      const isTurned = entries.includes("180");
      const regions = [region, second].map((box) =>
        isTurned ? { ...box, x: WIDTH - box.x - box.width, y: HEIGHT - box.y - box.height } : box,
      );
      const before = await drawn(bytes);
      const after = await redact(bytes, ...regions);
      expect(changedPixels(before, await drawn(after), regions)).toBe(0);
      const below = await drawn(await uncovered(after));
      for (const box of regions) {
        expect(others(await drawn(after), inner(box), GREEN)).toBe(0);
        expect(others(below, inner(box), WHITE)).toBe(0);
      }
      expect(await textOf(after)).toMatch(/white above.*left.*white below/s);
      expect(await decoded(after)).not.toContain("SECRET");
    },
  );

  test.each<[string, string, string, string, PdfObject[]]>([
    [
      "the cells of a pattern",
      "0 .5 .5 rg",
      "/Pattern cs /P scn 0 0 300 200 re f",
      "/Pattern << /P $0 >>",
      [
        {
          entries:
            "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 300 200] /XStep 300 /YStep 200 /Resources << >>",
          data: latin1("0 .5 .5 rg 0 0 300 200 re f"),
        },
      ],
    ],
    [
      "a function of both coordinates",
      "pop pop",
      "/Sh sh",
      "/Shading << /Sh << /ShadingType 1 /ColorSpace /DeviceRGB /Domain [0 300 0 200] /Function $0 >> >>",
      [{ entries: "/FunctionType 4 /Domain [0 300 0 200] /Range [0 1 0 1 0 1]", data: latin1("{ pop pop 0 .5 .5 }") }],
    ],
    [
      "a mask",
      "1 g 0 0",
      "/G gs 0 .5 .5 rg 0 0 300 200 re f",
      "/ExtGState << /G << /SMask << /S /Luminosity /G $0 >> >> >>",
      [
        {
          entries: "/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Group << /S /Transparency /CS /DeviceGray >>",
          data: latin1("1 g 0 0 300 200 re f"),
        },
      ],
    ],
  ])(
    "a drawing that is painted with %s is removed from the file as a whole",
    async (_, source, content, resources, objects) => {
      const bytes = page(`q ${content} Q ${text}`, `${font} ${resources}`, objects);
      expect(colorAt(await drawn(bytes), 250, 20)).not.toEqual(WHITE);
      const after = await redact(bytes, region);
      expect(colorAt(await drawn(after), 250, 20)).toEqual(WHITE);
      expect(await plainText(bytes)).toContain(source);
      expect(await plainText(after)).not.toContain(source);
    },
  );

  test("no point of an outline is left in a region, and a drawing of several parts keeps the others", async () => {
    const letters = [60, 100, 140, 180].map((x) => `${x} 80 m ${x + 20} 80 l ${x + 10} 120 l h`);
    const bytes = page(
      [
        `0 0 .6 rg ${letters.join(" ")} f`,
        "1 0 0 RG 2 w 20 90 m 60 150 90 40 130 100 c 150 130 200 60 280 110 c S",
        "[6 3] 0 d 0 .6 0 RG 40 60 m 115 100 l 270 60 l S",
        "q 110 20 m 110 100 l 200 100 l 200 20 l h W n .9 .9 0 rg 0 0 300 75 re f Q",
      ].join("\n"),
      "",
    );
    // From 104 to 136, and from 85 to 125 in units of the page.
    const area = { x: 104, y: 75, width: 32, height: 40 };
    const after = await redact(bytes, area);
    const content = (await plainText(after)).split("stream").find((part) => part.includes("0 0 .6 rg")) ?? "";
    const points = [...content.matchAll(/(-?[\d.]+) (-?[\d.]+) (?=[mlc]\b|-?[\d.]+ )/g)].map(([, x, y]) => [
      Number(x),
      Number(y),
    ]);
    expect(points.length).toBeGreaterThan(40);
    expect(points.filter(([x = 0, y = 0]) => x > 104.01 && x < 135.99 && y > 85.01 && y < 124.99)).toEqual([]);
    expect(content).toContain(letters[0]);
    expect(content).not.toContain("110 120");
    expect(changedPixels(await drawn(bytes), await drawn(after), [area])).toBe(0);
    expect(others(await drawn(await uncovered(after)), inner(area), WHITE)).toBe(0);
  });
});
