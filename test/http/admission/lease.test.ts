import { NO_SERVICES } from "../../../src/engines/services.ts";
import { beforeEach, expect, test } from "vitest";
import { keptBytes } from "../../../src/engines/lease/pool.ts";
import { end } from "./admissions.ts";
import { Lease } from "../../../src/http/admission/lease.ts";
import { resetIsolate } from "../../../src/isolate.ts";
import { limits, MiB } from "../../../src/limits.ts";

beforeEach(resetIsolate);

const MEMORY = 104 * MiB;

/** A request of a client that has no other. */
const take = (length: number, needsHeadroom: boolean): Promise<Lease> =>
  Lease.take({
    account: "acct_alone",
    operation: { memory: { needsHeadroom } },
    length,
    maxBytes: length,
    signal: new AbortController().signal,
    given: { sizes: { memoryBytes: MEMORY, heldBytes: MEMORY } },
    services: NO_SERVICES,
    waitUntil: () => {},
  });

/** A request that leaves an engine with a heap of about `bytes`. */
async function leave(bytes: number): Promise<void> {
  const lease = await take(30 * MiB, false);
  const { pdf } = lease.engines;
  const before = pdf.heapBytes;
  pdf.lib._wasm_free(pdf.lib._wasm_malloc(bytes - before));
  end(lease);
  expect(keptBytes()).toBeGreaterThan(bytes - 4 * MiB);
}

test("the last request's heap does not take the memory for the values of the next", async () => {
  await leave(66 * MiB);
  const next = await take(24 * MiB, true);
  expect(next.engines.pdf.heapBytes).toBeLessThan(40 * MiB);
  next.engines.pdf.claim(60 * MiB);
  end(next);
});

test("the last request's heap does not take the memory for a copy of the next upload", async () => {
  await leave(98 * MiB);
  const next = await take(10 * MiB, false);
  expect(next.engines.pdf.heapBytes).toBeLessThan(90 * MiB);
  next.engines.pdf.claim(10 * MiB);
  end(next);
});

test("the last request's heap is used again where it leaves enough memory", async () => {
  await leave(30 * MiB);
  for (const needsHeadroom of [true, false]) {
    const kept = keptBytes();
    const next = await take(10 * MiB, needsHeadroom);
    expect(next.engines.pdf.heapBytes).toBe(kept);
    end(next);
  }
});

test("a request that grows too large reaches its own limit, which is not retryable", async () => {
  await leave(30 * MiB);
  const next = await take(10 * MiB, true);
  const { pdf } = next.engines;
  expect(() => pdf.claim(MEMORY)).toThrow(expect.objectContaining({ code: "overloaded" }));
  next.finishWork(false, 0);
  end(next);

  await leave(30 * MiB);
  const again = await take(10 * MiB, true);
  again.engines.pdf.lib._wasm_free(again.engines.pdf.lib._wasm_malloc(limits.admission.reusableHeapBytes));
  expect(() => again.engines.pdf.claim(MEMORY)).toThrow(expect.objectContaining({ code: "limit_exceeded" }));
  again.finishWork(false, 0);
  end(again);
});
