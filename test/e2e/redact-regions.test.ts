import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/client.ts";
import { decoded } from "../harness/find-secret.ts";
import { latin1, pdf, type PdfObject } from "../harness/pdf-writer.ts";
import { openPdf } from "../harness/pdfjs.ts";
import { readPdfiumPage } from "../harness/pdfium.ts";

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

/** Redacts a region, with boxes of green. */
async function redact(bytes: Uint8Array, region: Box): Promise<Uint8Array> {
  const regions = JSON.stringify([{ page: 1, ...region }]);
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

describe("letters whose ink reaches into a region go, and those beside it stay", () => {
  const font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Times-Italic >> >>";

  test("an italic f that reaches beyond what it advances, on both of its sides", async () => {
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

  test("glyphs of a Type 3 font that are a hundred font sizes large, and as high as the widest of them is wide", async () => {
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

describe("annotations without an appearance go that are drawn in a region outside of their /Rect", () => {
  const rect = "/Type /Annot /Rect [10 10 20 20] /C [1 0 0] /BS << /W 4 >>";

  const colorsIn = (file: string): string[] =>
    [...file.matchAll(/\/C ?\[\s*([\d ]+?)\s*\]/g)].map(([, color = ""]) => color);

  test.each([
    ["a line", "/Subtype /Line /L [100 100 250 100]"],
    ["a line whose arrow reaches in", "/Subtype /Line /L [100 100 138 100] /LE [/None /Circle]"],
    ["an open polygon", "/Subtype /PolyLine /Vertices [100 50 100 100 250 100]"],
    ["a polygon", "/Subtype /Polygon /Vertices [100 50 250 100 100 150]"],
    ["strokes of ink", "/Subtype /Ink /InkList [[20 20 30 30] [100 100 200 100 250 100]]"],
  ])("%s", async (_, entries) => {
    const beside =
      "<< /Type /Annot /Subtype /Line /Rect [10 10 20 20] /C [0 0 1] /BS << /W 4 >> /L [20 180 280 180] >>";
    const bytes = page("", "", [`<< ${rect} ${entries} >>`, beside], "/Annots [$0 $1]");
    const region = { x: 140, y: 80, width: 60, height: 40 };
    const after = await redact(bytes, region);
    expect(colorsIn(await decoded(bytes))).toEqual(["1 0 0", "0 0 1"]);
    expect(colorsIn(await decoded(after))).toEqual(["0 0 1"]);
  });

  test("and one stays that is drawn beside the region", async () => {
    const bytes = page("", "", [`<< ${rect} /Subtype /Line /L [100 100 134 100] >>`], "/Annots [$0]");
    expect(colorsIn(await decoded(await redact(bytes, { x: 140, y: 80, width: 60, height: 40 })))).toEqual(["1 0 0"]);
  });
});
