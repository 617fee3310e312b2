import { describe, expect, test } from "vitest";
import {
  emptyWavelets,
  fills,
  glyphs,
  patches,
  shading,
  smoothed,
  subroutines,
  tiles,
} from "../harness/drawing-bombs.ts";
import { drawing, type DrawnPage } from "../harness/drawing-fixtures.ts";
import { readPng } from "../harness/images.ts";
import { app, operationService } from "./operation-service.ts";
import { errorOf } from "../http/echo-service.ts";

describe("a small page that would be drawn for minutes is refused for its work", () => {
  test.each<[string, string, DrawnPage, Record<string, string>]>([
    ["to-images", "20 fills that blend, at 600 dpi", fills(20), { dpi: "600" }],
    ["to-images", "tiles with tiny steps", tiles, { dpi: "72" }],
    ["to-images", "an image that is smoothed, at 600 dpi", smoothed, { dpi: "600" }],
    ["to-images", "a shading by a long program", shading, { dpi: "72" }],
    ["to-images", "glyphs of glyphs", glyphs(8), { dpi: "72" }],
    ["to-images", "a hundred thousand patches", patches(100_000), { dpi: "72" }],
    ["to-images", "glyphs of subroutines of subroutines", subroutines(100), { dpi: "72" }],
    ["ocr", "fills that blend", fills(2_000), {}],
  ])("%s: %s", { timeout: 120_000 }, async (operation, _, page, fields) => {
    const post = await operationService(operation);
    const response = await post(drawing(page), fields);
    expect(await errorOf(response)).toEqual([413, "limit_exceeded", { limit: "work" }]);
    expect(response.headers.has("X-Credits-Charged")).toBe(false);
  });
});

test("a page may take the work that its pixels need, and no more", { timeout: 60_000 }, async () => {
  const post = await operationService("to-images");
  const [large, small] = [drawing(fills(1)), drawing(fills(100))];
  const image = await post(large, { dpi: "450" });
  expect(image.status).toBe(200);
  const { width, height, at } = readPng(await image.bytes());
  expect([width, height]).toEqual([3719, 5263]);
  for (const [x, y] of [
    [9, 9],
    [3_709, 5_253],
  ] as const) {
    const [red, green] = at(x, y);
    expect(red).toBe(255);
    expect(green).toBeLessThan(200);
  }
  expect(await errorOf(await post(small, { dpi: "72" }))).toEqual([413, "limit_exceeded", { limit: "work" }]);
});

test("an image of 400 million pixels without data is refused for its memory", async () => {
  const post = await operationService("to-images");
  const [status, code] = await errorOf(await post(drawing(emptyWavelets(20_000, 20_000)), { dpi: "72" }));
  expect([status, code]).toEqual([413, "limit_exceeded"]);
});

test("others are answered while a page is drawn", { timeout: 120_000 }, async () => {
  const post = await operationService("to-images");
  const rotate = await operationService("rotate");
  let drawn = false;
  const drawingOf = post(drawing(fills(20)), { dpi: "150" }).finally(() => (drawn = true));
  const health = await app.request("http://localhost/api/v1/health");
  const rotated = await rotate(drawing(fills(1)), { angle: "90" });
  expect([health.status, rotated.status, drawn]).toEqual([200, 200, false]);
  expect(await errorOf(await drawingOf)).toEqual([413, "limit_exceeded", { limit: "work" }]);
});
