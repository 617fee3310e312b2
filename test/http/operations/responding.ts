import { vi } from "vitest";
import type { Settlement } from "../../../src/http/operations/payment.ts";
import { RequestLog } from "../../../src/http/exchange/request-log.ts";

/** A file of an engine, with a count of what is still held. */
export function engineFile(held: Set<string>, name: string, size: number) {
  held.add(name);
  const content = new Uint8Array(size).map((_, index) => index % 251);
  return {
    name,
    bytes: {
      length: size,
      view: (start: number, end: number) => content.subarray(start, end),
      free: () => void held.delete(name),
    },
  };
}

/**
 * What `respond` is given, with what it did with it. `memory`: bytes that may be made ahead of the reader. `settled`: when the
 * database confirms the charge.
 */
export function responding(memory = Infinity, settled = Promise.resolve()) {
  const finishWork = vi.fn<(clean: boolean, unsent: number) => void>();
  const log = new RequestLog("req_1", "POST");
  return {
    name: "in-split",
    log,
    finishWork,
    lease: {
      check: () => {},
      expire: vi.fn<() => void>(),
      explain: (error: unknown) => error,
      finishWork,
      mayHold: (bytes: number) => bytes <= memory,
      onLost: () => {},
      sent: () => {},
      waitForReader: vi.fn<() => void>(),
    },
    payment: {
      settle: vi.fn<() => Promise<Settlement>>().mockImplementation(async () => ({
        headers: { "X-Credits-Charged": "1" },
        settled,
      })),
      ended: vi.fn<() => Promise<void>>().mockResolvedValue(),
      reverse: vi.fn<() => Promise<void>>().mockResolvedValue(),
    },
  };
}
