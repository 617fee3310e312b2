import { describe, expect, test } from "vitest";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import type { Rgba } from "../../src/engines/image/codecs.ts";
import { readWebpHeader } from "../../src/engines/image/webp-header.ts";
import { MiB } from "../../src/limits.ts";

/** A ramp of colors, opaque but where `alpha` says otherwise. */
function ramp(width: number, height: number, alpha: (x: number) => number = () => 255): Rgba {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      data.set([(x * 255) / width, (y * 255) / height, 128, alpha(x)], (y * width + x) * 4);
    }
  }
  return { data, width, height };
}

function meanError(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length;
}

describe("codecs of a request", () => {
  test("an encoded WebP is decoded again with its alpha", async () => {
    const { engines, release } = await leaseEngines(() => true);
    const { codecs } = engines;
    for (const [alpha, opaque] of [
      [() => 255, true],
      [(x: number) => x, false],
    ] as const) {
      const image = ramp(200, 120, alpha);
      const file = await codecs.encodeWebp(image, { quality: 95 });
      expect(readWebpHeader(file)).toStrictEqual({ width: 200, height: 120, alpha: !opaque, animated: false });
      const decoded = await codecs.decodeWebp(file, (pixels, hasAlpha) => ({
        ...pixels,
        data: pixels.data.slice(),
        hasAlpha,
      }));
      expect(decoded).toMatchObject({ width: 200, height: 120, hasAlpha: !opaque });
      expect(meanError(decoded?.data ?? new Uint8Array(), image.data)).toBeLessThan(3);
      expect(await codecs.decodeWebp(file.subarray(0, 60), (pixels) => pixels.width)).toBeUndefined();
    }
    release(true);
    expect(codecs.heapBytes).toBe(0);
  });

  test("a JPEG has one component if gray is requested, and is baseline unless progressive is requested", async () => {
    const { engines, release } = await leaseEngines(() => true);
    const image = ramp(64, 48);
    /** The frame header: baseline or progressive, number of components, sampling of the first. */
    const frame = async (options: { quality: number; gray?: boolean; progressive?: boolean }) => {
      const file = await engines.codecs.encodeJpeg(image, options);
      const at = file.findIndex(
        (byte, index) => byte === 0xff && (file[index + 1] === 0xc0 || file[index + 1] === 0xc2),
      );
      return { kind: file[at + 1], components: file[at + 9], sampling: file[at + 11], bytes: file.length };
    };
    const high = await frame({ quality: 95 });
    const low = await frame({ quality: 30 });
    expect(high).toMatchObject({ kind: 0xc0, components: 3, sampling: 0x11 });
    expect(low).toMatchObject({ kind: 0xc0, components: 3, sampling: 0x22 });
    expect(low.bytes).toBeLessThan(high.bytes);
    expect(await frame({ quality: 75, gray: true })).toMatchObject({ kind: 0xc0, components: 1 });
    expect(await frame({ quality: 75, progressive: true })).toMatchObject({ kind: 0xc2, components: 3 });
    release(true);
  });

  test("codecs beyond the request's memory fail with limit_exceeded, or overloaded where others hold it, and then work again", async () => {
    let cap: number | "busy" = 0;
    const asked: number[] = [];
    const { engines, release } = await leaseEngines((bytes) => {
      asked.push(bytes);
      return cap === "busy" ? cap : bytes < cap;
    });
    const { codecs, pdf } = engines;
    const image = ramp(1500, 1500);
    cap = pdf.heapBytes + 20 * MiB;
    await expect(codecs.encodeWebp(image, { quality: 80 })).rejects.toMatchObject({
      code: "limit_exceeded",
      details: { limit: "memory" },
    });
    expect(codecs.heapBytes).toBe(0);
    cap = "busy";
    await expect(codecs.encodeWebp(image, { quality: 80 })).rejects.toMatchObject({ code: "overloaded" });
    cap = 200 * MiB;
    await codecs.encodeWebp(image, { quality: 80 });
    expect(codecs.heapBytes).toBeGreaterThan(20 * MiB);
    expect(Math.max(...asked)).toBeGreaterThanOrEqual(pdf.heapBytes + codecs.heapBytes);
    release(true);
  });
});
