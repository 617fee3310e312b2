import type { ColorSpace } from "mupdf";
import { beforeEach, describe, expect, test } from "vitest";
import { Refusal } from "../../src/engines/errors.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { savePdf } from "../../src/engines/pdf/write/save.ts";
import type { AllowHeap } from "../../src/engines/memory/heap.ts";
import type { PdfEngine } from "../../src/engines/pdf/mupdf/mupdf.ts";
import { dropIdle, dropSpares, keptBytes, leaseEngines } from "../../src/engines/lease/pool.ts";
import { resetIsolate } from "../../src/isolate.ts";
import { Work } from "../../src/engines/work.ts";
import { MiB } from "../../src/limits.ts";
import { document } from "../harness/fixtures/fixtures.ts";

beforeEach(resetIsolate);

const letter = document({ name: "letter", pages: 2 });

/** Puts a file where an upload would lie. */
function upload(pdf: PdfEngine, bytes: Uint8Array) {
  const arena = pdf.files.arena(bytes.length);
  arena.write(bytes);
  return { field: "file", bytes: arena.seal(), passwordIsOwn: false };
}

function fillPixel(
  { mupdf }: PdfEngine,
  to: ColorSpace,
  from: ColorSpace,
  color: [number] | [number, number, number],
): void {
  const { identity } = mupdf.Matrix;
  const device = new mupdf.DrawDevice(identity, new mupdf.Pixmap(to, [0, 0, 1, 1], false));
  const path = new mupdf.Path();
  path.rect(0, 0, 1, 1);
  device.fillPath(path, false, identity, from, color, 1);
  device.close();
}

async function pageCount(pdf: PdfEngine): Promise<number> {
  using open = await openPdf(pdf, upload(pdf, letter));
  return open.pageCount;
}

function holds(heap: Uint8Array, marker: Uint8Array): boolean {
  for (let at = heap.indexOf(marker[0] ?? 0); at >= 0; at = heap.indexOf(marker[0] ?? 0, at + 1)) {
    if (marker.every((byte, index) => heap[at + index] === byte)) return true;
  }
  return false;
}

describe("leaseEngines", () => {
  test("the next request gets the same instance with nothing of the previous one in its heap", async () => {
    const marker = new TextEncoder().encode("(Marker 9f3c81)");
    const first = await leaseEngines(() => true);
    const { pdf } = first.engines;
    const large = new Uint8Array(8 * MiB);
    large.set(marker, large.length - marker.length);
    upload(pdf, large);
    pdf.mupdf.PDFDocument.openDocument(letter, "application/pdf").destroy();
    expect(holds(pdf.lib.HEAPU8, marker)).toBe(true);
    first.release(true);

    const second = await leaseEngines(() => true);
    expect(second.engines.pdf === pdf).toBe(true);
    expect(holds(pdf.lib.HEAPU8, marker)).toBe(false);
    expect(await pageCount(second.engines.pdf)).toBe(2);
    second.release(true);
  });

  test("two concurrent requests get an instance each, and both instances are kept", async () => {
    const one = await leaseEngines(() => true);
    const two = await leaseEngines(() => true);
    expect(two.engines.pdf === one.engines.pdf).toBe(false);
    expect(await pageCount(one.engines.pdf)).toBe(2);
    expect(await pageCount(two.engines.pdf)).toBe(2);
    one.release(true);
    const [kept, bytes] = [keptBytes(), two.heapBytes()];
    two.release(true);
    expect(keptBytes()).toBe(kept + bytes);
    dropSpares();
    expect(keptBytes()).toBeLessThan(10 * MiB);
  });

  test("every instance has the conversion of gray to RGB, and draws without making it", async () => {
    const fuelOf = async (prepare: (pdf: PdfEngine) => void): Promise<number> => {
      const work = new Work(Infinity);
      const lease = await leaseEngines(() => true, { work });
      const { pdf } = lease.engines;
      prepare(pdf);
      const { DeviceGray, DeviceRGB } = pdf.mupdf.ColorSpace;
      fillPixel(pdf, DeviceRGB, DeviceGray, [0.5]);
      lease.release(true);
      return work.spent;
    };
    const first = await fuelOf(() => {});
    expect(first).toBeLessThan(100_000);
    expect(await fuelOf(() => {})).toBe(first);
    dropSpares();
    expect(await fuelOf(() => {})).toBe(first);
    expect(await fuelOf((pdf) => pdf.emptyStore())).toBeGreaterThan(1_000_000);
  });

  test("a trap ends the instance, not the service", async () => {
    const lease = await leaseEngines(() => true);
    const { pdf } = lease.engines;
    // What an overflow could leave behind.
    pdf.lib.HEAPU8.fill(0xff);
    expect(await pageCount(pdf).catch((error: unknown) => error)).toBeInstanceOf(Error);
    lease.release(false);

    const next = await leaseEngines(() => true);
    expect(next.engines.pdf === pdf).toBe(false);
    expect(await pageCount(next.engines.pdf)).toBe(2);
    next.release(true);
  });

  test("an instance that an error of MuPDF went through is not kept", async () => {
    const lease = await leaseEngines(() => true);
    const { pdf } = lease.engines;
    await expect(
      (async () => openPdf(pdf, upload(pdf, new TextEncoder().encode("%PDF-1.7 nothing"))))(),
    ).rejects.toMatchObject({
      code: "invalid_file",
    });
    lease.release(true);
    const next = await leaseEngines(() => true);
    expect(next.engines.pdf === pdf).toBe(false);
    next.release(true);
  });
});

describe("dropIdle", () => {
  const use = async (): Promise<void> => {
    const lease = await leaseEngines(() => true);
    await pageCount(lease.engines.pdf);
    lease.release(true);
  };

  test("engines are dropped once no request has had any between two calls", async () => {
    await use();
    expect(dropIdle()).toBe(false);
    await use();
    expect(dropIdle()).toBe(false);
    expect(keptBytes()).toBeGreaterThan(0);
    expect(dropIdle()).toBe(true);
    expect(keptBytes()).toBe(0);
    expect(dropIdle()).toBe(false);
  });

  test("engines are kept while a request holds some, however long it takes", async () => {
    await use();
    const [long, other] = [await leaseEngines(() => true), await leaseEngines(() => true)];
    other.release(true);
    expect([dropIdle(), dropIdle(), dropIdle()]).toEqual([false, false, false]);
    expect(keptBytes()).toBeGreaterThan(0);
    long.release(true);
    expect([dropIdle(), keptBytes()]).toEqual([true, 0]);
  });
});

describe("heap limit", () => {
  /** Grows the heap as a large output would. */
  async function grow(allowHeap: AllowHeap): Promise<unknown> {
    const lease = await leaseEngines(allowHeap);
    const { pdf } = lease.engines;
    try {
      using open = await openPdf(pdf, upload(pdf, letter));
      open.document.addStream(new Uint8Array(30 * MiB), {});
      return await savePdf(pdf, open.document, { large: true });
    } catch (error) {
      return lease.engines.explain(error);
    } finally {
      lease.release(false);
    }
  }

  test("growth beyond a request's limit fails with limit_exceeded", async () => {
    const refusal = await grow((bytes) => bytes < 32 * MiB);
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ code: "limit_exceeded" });
  });

  test("growth beyond the memory left by others fails with overloaded", async () => {
    expect(await grow((bytes) => (bytes < 32 * MiB ? true : "busy"))).toMatchObject({ code: "overloaded" });
  });

  test("growth within the limit completes the work", async () => {
    expect(await grow((bytes) => bytes < 200 * MiB)).toMatchObject({ length: expect.any(Number) });
  });
});
