import { vi } from "vitest";
import { leaseEngines } from "../src/engines/lease/pool.ts";
import { snapshotBytes } from "../src/engines/pdf/mupdf/mupdf.ts";

// The isolate's first engine gives all others their heap, and with it the seed of MuPDF's file identifiers: the second in which it
// was made. Of some seeds, identifiers are printed in fewer bytes, and sizes that are compared would differ.
if (snapshotBytes() === 0) {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-01T12:00:01Z") });
  const { release } = await leaseEngines(() => true);
  release(false);
  vi.useRealTimers();
}
