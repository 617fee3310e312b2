import { expect, test } from "vitest";
import { packedValue } from "../harness/bombs/bomb-fixtures.ts";
import { bilevel } from "../harness/bombs/drawing-bombs.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { flate, pdf } from "../harness/fixtures/pdf-writer.ts";
import { errorOf } from "../http/echo-service.ts";
import { operationService } from "./operation-service.ts";

/** A page of so many glyphs, in 200 of a line, in a few KiB. */
function manyGlyphs(count: number): Uint8Array {
  const lines = Array.from(
    { length: count / 200 },
    (_, row) => `1 0 0 1 10 ${(790 - row / 3).toFixed(2)} Tm (${"abcdefghij".repeat(20)}) Tj`,
  );
  const page =
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>";
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    page,
    flate(`BT /F1 2 Tf ${lines.join("\n")} ET`),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  return pdf(objects, "/Root 1 0 R");
}

/** Regions of a square point each, none of which has text. */
const manyRegions = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, at) => ({
      page: 1,
      x: 450 + (at % 50) * 2,
      y: 10 + at / 4,
      width: 1,
      height: 1,
    })),
  );

test("thousands of areas on a page of 400,000 glyphs are refused for their work before it is done", async () => {
  const post = await operationService("redact");
  const work = [413, "limit_exceeded", { limit: "work" }];
  expect(await errorOf(await post(manyGlyphs(400_000), { regions: manyRegions(2_000) }))).toEqual(work);
  const response = await post(manyGlyphs(400), { regions: manyRegions(2_000) });
  expect([response.status, response.headers.get("X-Redactions")]).toEqual([200, "2000"]);
});

test("an image of more pixels than fit into memory is refused as too large, not as damaged", async () => {
  const post = await operationService("redact");
  const regions = '[{"page":1,"x":10,"y":10,"width":50,"height":50}]';
  expect(await errorOf(await post(drawing(bilevel(50_000)), { regions }))).toEqual([
    413,
    "limit_exceeded",
    { limit: "memory" },
  ]);
});

const WORD = "Zanzibar";
const repeated = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join("");

/** Large containers, by the number of their entries, which a file of less than 1 KiB to 1 MiB has. */
const containers: Readonly<Record<string, (count: number) => string>> = {
  "an array of names": (count) => `[${repeated(count, () => "/a")}]`,
  "an array of different names": (count) => `[${repeated(count, (at) => `/n${at}`)}]`,
  "an array of names that match": (count) => `[${repeated(count, (at) => `/${WORD}${at}`)}]`,
  "an array of strings": (count) => `[${repeated(count, () => "(a)")}]`,
  "an array of numbers": (count) => `[${repeated(count, () => "1 ")}]`,
  "an array of arrays": (count) => `[${repeated(count, () => "[/a]")}]`,
};

test.each(Object.entries(containers))(
  "%s is redacted up to 200,000 entries, and refused above that",
  async (_, make) => {
    const post = await operationService("redact");
    const terms = JSON.stringify([WORD]);
    const response = await post(packedValue(make(190_000), WORD), { terms });
    expect([response.status, Number(response.headers.get("X-Redactions")) > 0]).toEqual([200, true]);
    expect(await errorOf(await post(packedValue(make(570_000), WORD), { terms }))).toEqual([
      413,
      "limit_exceeded",
      expect.objectContaining({ limit: expect.anything() }),
    ]);
  },
);

test("a dictionary is redacted up to 50,000 entries, and refused above that", async () => {
  const post = await operationService("redact");
  const terms = JSON.stringify([WORD]);
  const large = (count: number): string => `<<${repeated(count, (at) => `/k${at}(a)`)}>>`;
  expect((await post(packedValue(large(49_000), WORD), { terms })).status).toBe(200);
  expect(await errorOf(await post(packedValue(large(51_000), WORD), { terms }))).toEqual([
    413,
    "limit_exceeded",
    expect.objectContaining({ limit: 50_000 }),
  ]);
});

test("a dictionary with thousands of matching keys is refused, because each removal moves all others", async () => {
  const post = await operationService("redact");
  const large = `<<${repeated(49_000, (at) => `/${WORD}${at} 1`)}>>`;
  expect(await errorOf(await post(packedValue(large, WORD), { terms: JSON.stringify([WORD]) }))).toEqual([
    413,
    "limit_exceeded",
    { limit: "work" },
  ]);
});
