import { describe, expect, test } from "vitest";
import { streamStrings } from "../harness/bombs/construct-bombs.ts";
import { ascii85Image, jpegPage, longProgram, scannedJpeg } from "../harness/bombs/decoding-bombs.ts";
import { LONGEST_STRETCH, watchStretches } from "../harness/work/longest-stretch.ts";
import { writePng } from "../harness/images/png-writer.ts";
import { errorOf } from "../http/echo-service.ts";
import { operationService } from "./operation-service.ts";
import { limits } from "../../src/limits.ts";

const { streams, images } = limits;

describe("streams", () => {
  test.each<[string, string, Uint8Array, number, string, Record<string, string>]>([
    ["compress", "50 filters", ascii85Image(50), streams.filters, "too many filters", {}],
    ["to-images", "a long program", longProgram(100_000), streams.programBytes, "function that is too long", {}],
    ["extract-text", "a long program", longProgram(100_000), streams.programBytes, "function that is too long", {}],
    ["ocr", "10,000 scans", jpegPage(64, scannedJpeg(64, 10_000)), images.scans, "too many scans", {}],
    ["from-images", "10,000 scans", scannedJpeg(64, 10_000), images.scans, "too many scans", {}],
  ])(
    "a stream with disproportionate work is refused before it is decoded: %s: %s",
    async (operation, _, file, limit, problem, fields) => {
      const post = await operationService(operation);
      const response = await post(file, fields);
      const { message } = ((await response.clone().json()) as { error: { message: string } }).error;
      expect(await errorOf(response)).toEqual([413, "limit_exceeded", { limit, actual: expect.any(Number) as number }]);
      expect(message).toContain(problem);
    },
  );

  test("a stream within the limits is decoded", async () => {
    const post = await operationService("to-images");
    for (const file of [ascii85Image(streams.filters), longProgram(400), jpegPage(64, scannedJpeg(64, 60))]) {
      expect((await post(file, { dpi: "72" })).status).toBe(200);
    }
  });
});

describe("decoding", () => {
  test("decoding yields to other requests while a large image without compression is compressed", async () => {
    const post = await operationService("compress");
    using stretches = watchStretches();
    expect((await post(ascii85Image(1, 1_000_000))).status).toBe(200);
    expect(stretches.longest).toBeLessThan(LONGEST_STRETCH);
  });

  test("encryption yields to other requests while strings are encrypted one by one, whose number is limited", async () => {
    const post = await operationService("protect");
    using stretches = watchStretches();
    const fields = { userPassword: "reader" };
    expect((await post(streamStrings(40_000), fields)).status).toBe(200);
    expect(await errorOf(await post(streamStrings(190_000), fields))).toEqual([
      413,
      "limit_exceeded",
      { limit: limits.encryptedStrings, actual: 190_000 },
    ]);
    expect(stretches.longest).toBeLessThan(LONGEST_STRETCH);
  });

  test("decoding yields to other requests while an interlaced PNG is read, whose work is known in advance", async () => {
    const post = await operationService("from-images");
    const size = { width: 1_500, height: 1_500 };
    const png = writePng({ ...size, colorType: 6, depth: 8, interlaced: true }, (x, y) => (x ^ y) & 255);
    using stretches = watchStretches();
    expect((await post(png)).status).toBe(200);
    expect(stretches.longest).toBeLessThan(LONGEST_STRETCH);
  });
});
