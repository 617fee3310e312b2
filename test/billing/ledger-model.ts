import { HOUR, MINUTE } from "./ledger-facts.ts";

/** A call that got its credits. */
export interface ModelCall {
  readonly period: string;
  readonly operation: string;
  readonly credits: number;
  readonly at: number;
  readonly key: string | undefined;
  /** `refund_pending`: its response broke off, but it is still charged because the request was retried before that. */
  state: "reserved" | "settled" | "released" | "refunded" | "refund_pending";
}

interface ModelKey {
  readonly fingerprint: string;
  charge: ModelCall | undefined;
  inFlight: ModelCall | undefined;
  replays: number;
  at: number;
}

export type ModelDenied = { reason: "quota"; used: number } | { reason: "in flight" } | { reason: "reused" };

/**
 * What API.md says of credits and Idempotency-Keys ("Accounts, keys, credits"), for one account and one kind of API key,
 * in plain objects: what is used is always added up from the calls.
 */
export class LedgerModel {
  readonly calls: ModelCall[] = [];
  readonly #keys = new Map<string, ModelKey>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  used(period: string): number {
    return this.#sum(period, (call) => call.state !== "released" && call.state !== "refunded");
  }

  charged(period: string): Record<string, number> {
    const ofPeriod = this.calls.filter((call) => call.period === period);
    const everCharged = ofPeriod.filter(({ state }) => ["settled", "refund_pending", "refunded"].includes(state));
    return Object.fromEntries(
      everCharged.map(({ operation }) => [
        operation,
        this.#sum(period, (call) => call.operation === operation && ["settled", "refund_pending"].includes(call.state)),
      ]),
    );
  }

  #sum(period: string, counts: (call: ModelCall) => boolean): number {
    return this.calls
      .filter((call) => call.period === period && counts(call))
      .reduce((sum, { credits }) => sum + credits, 0);
  }

  reserve(
    call: { period: string; operation: string; credits: number; key: string | undefined; fingerprint: string },
    now: number,
  ): ModelCall | ModelDenied {
    const { period, operation, key, fingerprint } = call;
    // After 24 h forgotten, but not under a call at work.
    const known = this.#key(key);
    if (key !== undefined && known && !known.inFlight && now - known.at >= 24 * HOUR) this.#keys.delete(key);
    const row = this.#key(key);
    if (row && row.fingerprint !== fingerprint) return { reason: "reused" };
    if (row?.inFlight) return { reason: "in flight" };
    // Done again, but charged once: up to five times.
    const free = row?.charge !== undefined && row.replays < 5;
    const used = this.used(period);
    if (!free && used + call.credits > this.#limit) return { reason: "quota", used };
    const made: ModelCall = { period, operation, credits: free ? 0 : call.credits, at: now, key, state: "reserved" };
    this.calls.push(made);
    if (row) row.inFlight = made;
    else if (key !== undefined) {
      this.#keys.set(key, { fingerprint, charge: undefined, inFlight: made, replays: 0, at: now });
    }
    return made;
  }

  settle(call: ModelCall): { charged: number; remaining: number } {
    if (call.state === "reserved") {
      call.state = "settled";
      const row = this.#key(call.key);
      if (row?.inFlight === call) {
        row.inFlight = undefined;
        if (call.credits > 0) Object.assign(row, { charge: call, replays: 0, at: call.at });
        else row.replays += 1;
      }
    }
    const remaining = Math.max(0, this.#limit - this.used(call.period));
    return { charged: call.state === "settled" ? call.credits : 0, remaining };
  }

  release(call: ModelCall): void {
    if (call.state !== "reserved") return;
    call.state = "released";
    const row = this.#key(call.key);
    if (call.key === undefined || row?.inFlight !== call) return;
    row.inFlight = undefined;
    // After a failure it may run again, and be another request; unless it was paid before.
    if (row.charge === undefined) this.#keys.delete(call.key);
  }

  /** The response broke off by our fault. */
  refund(call: ModelCall): void {
    if (call.state !== "settled") return;
    const row = this.#key(call.key);
    if (call.credits === 0) {
      call.state = "refunded";
      if (row && call.at >= row.at) row.replays = Math.max(0, row.replays - 1);
      return;
    }
    const isShared = row !== undefined && (row.charge !== call || row.replays > 0 || row.inFlight !== undefined);
    call.state = isShared ? "refund_pending" : "refunded";
    if (!isShared && call.key !== undefined) this.#keys.delete(call.key);
  }

  sweep(now: number): void {
    for (const call of this.calls) if (call.state === "reserved" && now - call.at > 15 * MINUTE) this.release(call);
    for (const [key, row] of this.#keys) {
      const { charge, replays, inFlight } = row;
      if (inFlight !== undefined) continue;
      if (charge?.state === "refund_pending" && replays === 0 && now - charge.at < 24 * HOUR) {
        charge.state = "refunded";
        this.#keys.delete(key);
      } else if (now - row.at > 24 * HOUR) this.#keys.delete(key);
    }
  }

  #key(key: string | undefined): ModelKey | undefined {
    return key === undefined ? undefined : this.#keys.get(key);
  }
}
