import { describe, expect, test } from "vitest";
import { drawing, type DrawnPage } from "../harness/drawing-fixtures.ts";
import { latin1 } from "../harness/pdf-writer.ts";
import { app, operationService } from "./operation-service.ts";
import { errorOf } from "../http/echo-service.ts";

const A4 = { width: 595, height: 842 };

/** A page that paints itself full so often, each time mixed with what is there, channel by channel. */
const fills = (count: number): DrawnPage => ({
  ...A4,
  resources: "/ExtGState << /G << /BM /Luminosity /ca .5 >> >>",
  content: `/G gs ${"1 0 0 rg 0 0 595 842 re f\n".repeat(count)}`,
});

/** Tiles of one point, one every twentieth of a point. */
const tiles: DrawnPage = {
  ...A4,
  resources: "/Pattern << /P $0 >>",
  objects: [
    {
      entries: "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep .05 /YStep .05 /Resources << >>",
      data: latin1("1 0 0 rg 0 0 1 1 re f"),
    },
  ],
  content: "/Pattern cs /P scn 0 0 595 842 re f",
};

/** An image of four pixels that is smoothed over the whole page, again and again. */
const smoothed: DrawnPage = {
  ...A4,
  resources: "/XObject << /I $0 >>",
  objects: [
    {
      entries:
        "/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Interpolate true",
      data: latin1("abcdefghijkl"),
    },
  ],
  content: "q 595 0 0 842 0 0 cm /I Do Q\n".repeat(40),
};

/** A shading whose color comes from a program of PostScript with many steps. */
const shading: DrawnPage = {
  ...A4,
  resources: "/Shading << /S << /ShadingType 1 /ColorSpace /DeviceGray /Domain [0 595 0 842] /Function $0 >> >>",
  objects: [
    {
      entries: "/FunctionType 4 /Domain [0 595 0 842] /Range [0 1]",
      data: latin1(`{ add ${"sin cos ".repeat(20_000)} }`),
    },
  ],
  content: "/S sh\n".repeat(20),
};

describe("a small page that would be drawn for minutes is refused for its work", () => {
  test.each<[string, string, DrawnPage, Record<string, string>]>([
    ["to-images", "20 fills that blend, at 600 dpi", fills(20), { dpi: "600" }],
    ["to-images", "tiles with tiny steps", tiles, { dpi: "72" }],
    ["to-images", "an image that is smoothed, at 600 dpi", smoothed, { dpi: "600" }],
    ["to-images", "a shading by a long program", shading, { dpi: "300" }],
    ["ocr", "fills that blend", fills(2_000), {}],
  ])("%s: %s", { timeout: 120_000 }, async (operation, _, page, fields) => {
    const post = await operationService(operation);
    const response = await post(drawing(page), fields);
    expect(await errorOf(response)).toEqual([413, "limit_exceeded", { limit: "work" }]);
    expect(response.headers.has("X-Credits-Charged")).toBe(false);
  });
});

test("others are answered while a page is drawn", { timeout: 120_000 }, async () => {
  const post = await operationService("to-images");
  const rotate = await operationService("rotate");
  let drawn = false;
  const drawingOf = post(drawing(fills(20)), { dpi: "600" }).finally(() => (drawn = true));
  const health = await app.request("http://localhost/api/v1/health");
  const rotated = await rotate(drawing(fills(1)), { angle: "90" });
  expect([health.status, rotated.status, drawn]).toEqual([200, 200, false]);
  expect(await errorOf(await drawingOf)).toEqual([413, "limit_exceeded", { limit: "work" }]);
});
