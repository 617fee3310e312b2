import { vi } from "vitest";
import { Admission, type Admittance } from "../../../src/http/admission/admission.ts";
import { RequestMemory } from "../../../src/http/admission/request-memory.ts";

/** An admission over so many bytes, and short ways to ask it. */
export function admissionOf(
  budgetBytes: number,
  kept: { bytes: number; models?: number } = { bytes: 0 },
  requests = 10,
) {
  const admission = new Admission({
    budgetBytes,
    requests,
    engineBytes: 20,
    smallBodyBytes: 5,
    idlePerAccount: 2,
    parkedPerAccount: 2,
    printed: 2,
    printedPerAccount: 4,
    fairMilliseconds: 20_000,
    fairBytesPerSecond: 10,
    keptBytes: () => kept.bytes,
    dropModels: () => (kept.bytes -= kept.models ?? 0),
    dropKept: () => (kept.bytes = Math.min(kept.bytes, 10)),
    waitMilliseconds: 5_000,
    lookMilliseconds: 250,
    silentMilliseconds: 60_000,
    goneMilliseconds: 2_000,
    unchargedFuel: 1_000,
  });
  let accounts = 0;
  const ask = async (account: string, asked: Admittance, signal?: AbortSignal): Promise<RequestMemory> => {
    const memory = new RequestMemory(admission, account, signal);
    await memory.admit(asked);
    return memory;
  };
  return {
    get heldBytes() {
      return admission.heldBytes;
    },
    admission,
    ask,
    /** Asks for work, each time for another account. */
    admit: (bytes: number, signal?: AbortSignal) => ask(`acct_${(accounts += 1)}`, { bytes, to: "work" }, signal),
    work: (bytes: number, account: string) => ask(account, { bytes, to: "work" }),
    read: (bytes: number, account = "acct") => ask(account, { bytes, to: "read" }),
    upload: (bytes: number, account = "acct") => ask(account, { bytes, to: "read into an engine" }),
  };
}

/** Ends requests, as their owners do with `using`. */
export function end(...requests: readonly Disposable[]): void {
  for (const request of requests) request[Symbol.dispose]();
}

/** Whether a promise has settled by now. */
export async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  promise.then(
    () => (done = true),
    () => (done = true),
  );
  await vi.advanceTimersByTimeAsync(0);
  return done;
}
