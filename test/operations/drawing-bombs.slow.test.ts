import { describe, expect, test, vi } from "vitest";
import { emptyWavelets, fills, glyphs, patches, smoothed, subroutines, tiles } from "../harness/bombs/drawing-bombs.ts";
import { drawing, type DrawnPage } from "../harness/fixtures/drawing-fixtures.ts";
import { readPng } from "../harness/images/images.ts";
import { app, operationService } from "./operation-service.ts";
import { errorOf } from "../http/echo-service.ts";
import { Work } from "../../src/engines/work.ts";
import { nextTurn } from "../../src/next-turn.ts";

/** Pauses of a drawing that needs several times as many until it is refused. */
const HALFWAY = 100;

describe("drawing bombs", () => {
  test.each<[string, string, DrawnPage, Record<string, string>]>([
    ["to-images", "20 fills that blend, at 600 dpi", fills(20), { dpi: "600" }],
    ["to-images", "tiles with tiny steps", tiles, { dpi: "72" }],
    ["to-images", "an image that is smoothed, at 600 dpi", smoothed, { dpi: "600" }],
    ["to-images", "glyphs of glyphs", glyphs(8), { dpi: "72" }],
    ["to-images", "a hundred thousand patches", patches(100_000), { dpi: "72" }],
    ["to-images", "glyphs of subroutines of subroutines", subroutines(100), { dpi: "72" }],
    ["ocr", "fills that blend", fills(2_000), {}],
  ])("a small page that takes minutes to draw is refused for its work: %s: %s", async (operation, _, page, fields) => {
    const post = await operationService(operation);
    const response = await post(drawing(page), fields);
    const { error } = (await response.clone().json()) as { error: { message: string } };
    expect(await errorOf(response)).toEqual([413, "limit_exceeded", { limit: "work" }]);
    // A lower resolution is no advice where it is not a parameter.
    expect(error.message.includes("`dpi`")).toBe(operation === "to-images");
    expect(response.headers.has("X-Credits-Charged")).toBe(false);
  });
});

test("a page may take the work that its pixels need, and no more", async () => {
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

test("drawing yields to other requests", async () => {
  const post = await operationService("to-images");
  const rotate = await operationService("rotate");
  const halfway = Promise.withResolvers<void>();
  const othersServed = Promise.withResolvers<void>();
  const { rest } = Work.prototype;
  let pauses = 0;
  // Stands still in one of its pauses until the others get their responses.
  using _pausing = vi.spyOn(Work.prototype, "rest").mockImplementation(async function (this: Work) {
    pauses += 1;
    if (pauses === HALFWAY) {
      halfway.resolve();
      await othersServed.promise;
    }
    return rest.call(this);
  });
  let drawn = false;
  const drawingOf = post(drawing(fills(20)), { dpi: "150" }).finally(() => (drawn = true));
  await Promise.race([halfway.promise, drawingOf]);
  const health = await app.request("http://localhost/api/v1/health");
  const rotated = await rotate(drawing(fills(1)), { angle: "90" });
  expect([health.status, rotated.status, drawn]).toEqual([200, 200, false]);
  othersServed.resolve();
  // Each pause is a turn of the event loop in which others could get responses.
  let turns = 0;
  while ((await Promise.race([drawingOf, nextTurn()])) === undefined) turns += 1;
  expect(turns).toBeGreaterThan(HALFWAY);
  expect(pauses).toBeGreaterThan(2 * HALFWAY);
  expect(await errorOf(await drawingOf)).toEqual([413, "limit_exceeded", { limit: "work" }]);
});
