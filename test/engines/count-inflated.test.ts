import fc from "fast-check";
import { zlibSync } from "fflate";
import { describe, expect, test } from "vitest";
import { concatenate, noise } from "../harness/fixtures/pdf-writer.ts";
import { STEP } from "../../src/engines/flate/inflate.ts";
import { countInflated, DEFLATE_RATIO } from "../../src/engines/pdf/objects/inflated-size.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

const sizeOf = (data: Uint8Array, most = Infinity): Promise<number> => countInflated(unlimitedWork(), data, 1, most);

/** Bytes that deflate writes in every way it has: noise, runs, text-like, and all of it in turn. */
const content = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc
        .record({ byte: fc.nat(255), times: fc.nat(70_000) })
        .map(({ byte, times }) => new Uint8Array(times).fill(byte)),
      fc
        .array(fc.constantFrom(32, 46, 48, 49, 101, 109, 10), { maxLength: 3000 })
        .map((bytes) => Uint8Array.from(bytes)),
    ),
    { maxLength: 4 },
  )
  .map((parts) => Uint8Array.from(concatenate(parts)));
const level = fc.constantFrom(0, 1, 6, 9) as fc.Arbitrary<0 | 1 | 6 | 9>;

async function native(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const deflated = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(deflated).arrayBuffer());
}

/** Bytes that zlib, which is MuPDF's inflater too, gives of a stream before it breaks down. The checksum is not looked at. */
async function inflated(zlib: Uint8Array): Promise<number> {
  const raw = new Blob([zlib.slice(2, -4)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = raw.getReader();
  let size = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) size += read.value.length;
  } catch {
    // What came before counts.
  }
  return size;
}

describe("countInflated", () => {
  test("the inflated size is counted to the byte", async () => {
    await fc.assert(
      fc.asyncProperty(content, level, async (bytes, level) => {
        expect(await sizeOf(zlibSync(bytes, { level }))).toBe(bytes.length);
        expect(await sizeOf(await native(bytes))).toBe(bytes.length);
      }),
      { numRuns: 60 },
    );
  });

  test("an unfinished stream is counted to its end", async () => {
    await fc.assert(
      fc.asyncProperty(content, level, fc.double({ min: 0, max: 1, noNaN: true }), async (bytes, level, part) => {
        const whole = zlibSync(bytes, { level });
        const size = await sizeOf(whole.subarray(0, Math.floor(whole.length * part)));
        expect(size).toBeLessThanOrEqual(bytes.length + STEP * DEFLATE_RATIO);
        const least = level === 0 ? Math.floor(bytes.length * part) - 20 : 0;
        expect(size).toBeGreaterThanOrEqual(least);
      }),
      { numRuns: 60 },
    );
  });

  test("the count is never too low for data that zlib inflates", async () => {
    await fc.assert(
      fc.asyncProperty(content, level, fc.nat(), fc.nat(255), async (bytes, level, place, byte) => {
        const damaged = zlibSync(bytes, { level });
        damaged[2 + (place % (damaged.length - 2))] = byte;
        const given = await inflated(damaged);
        expect(await sizeOf(damaged, 10_000_000)).toBeGreaterThanOrEqual(Math.min(given, 10_000_000));
      }),
      { numRuns: 100, examples: [[Uint8Array.of(0, 144, 3, 228, 0), 6, 838_923_603, 8]] },
    );
  });

  test("a damaged long stream is counted up to one step behind the damage", async () => {
    const long = noise(4_000_000, 1).map((byte) => byte & 15);
    const whole = zlibSync(long, { level: 6 });
    for (const place of [0.5, 0.8, 0.99]) {
      const size = await sizeOf(whole.subarray(0, whole.length * place));
      expect(size).toBeGreaterThan(place * long.length + (STEP - 100) * DEFLATE_RATIO);
      expect(size).toBeLessThan(place * long.length + (STEP + 100) * DEFLATE_RATIO);
    }
  });

  test("the count stops at the requested number", async () => {
    const bomb = zlibSync(new Uint8Array(20_000_000), { level: 9 });
    const size = await sizeOf(bomb, 1000);
    expect(size).toBeGreaterThan(1000);
    expect(size).toBeLessThan(1000 + STEP * DEFLATE_RATIO);
  });
});
