import fc from "fast-check";
import { expect, test } from "vitest";
import {
  chargeOf,
  expectConsistency,
  db,
  HOUR,
  isDenied,
  keyOf,
  MINUTE,
  periodOf,
  refund,
  release,
  settle,
} from "./ledger-facts.ts";
import { LedgerModel, type ModelCall } from "./ledger-model.ts";
import { reserve } from "../../src/billing/ledger.ts";
import type { Reservation } from "../../src/billing/reservation.ts";
import { monthOf, periodId } from "../../src/accounts/periods.ts";
import { sweep } from "../../src/billing/sweep.ts";

const LIMIT = 8;
const CREDITS = { merge: 1, ocr: 2 } as const;

const step = fc.oneof(
  {
    weight: 3,
    // Often enough for the sixth repetition to come.
    arbitrary: fc.constant({
      act: "reserve",
      atOnce: true,
      operation: "merge",
      key: "k",
      fingerprint: "same",
    } as const),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant("reserve" as const),
      /** Whether it is settled before anything else happens. */
      atOnce: fc.boolean(),
      operation: fc.constantFrom("merge" as const, "merge" as const, "ocr" as const),
      key: fc.option(fc.constantFrom("k", "k", "l"), { nil: undefined }),
      fingerprint: fc.oneof(
        { weight: 9, arbitrary: fc.constant("same") },
        { weight: 1, arbitrary: fc.constant("other") },
      ),
    }),
  },
  {
    weight: 7,
    // `back`: how many calls ago the one was made that it happens to.
    arbitrary: fc.record({
      act: fc.constantFrom(
        "settle" as const,
        "settle" as const,
        "settle" as const,
        "release" as const,
        "refund" as const,
      ),
      back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 4 }) }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("wait" as const),
      time: fc.constantFrom(1, MINUTE, 15 * MINUTE, 15 * MINUTE + 1, 20 * HOUR, 24 * HOUR, "next month" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("sweep" as const) }) },
);

const same = (real: unknown, expected: unknown): void => expect(real).toEqual(expected);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Does the steps to an account of its own and to a model of it, and notes what came of them in `seen`. */
async function agree(steps: readonly Step[], seen: Set<string>): Promise<void> {
  const { account } = chargeOf();
  const model = new LedgerModel(LIMIT);
  const calls: { real: Reservation; model: ModelCall }[] = [];
  const periods = new Set<string>();
  let now = Date.parse("2026-10-30T12:00:00.000Z");
  for (const one of steps) {
    if (one.act === "wait") {
      now = one.time === "next month" ? monthOf(new Date(now)).end.getTime() : now + one.time;
    } else if (one.act === "sweep") {
      await sweep(db, new Date(now));
      model.sweep(now);
    } else if (one.act === "reserve") {
      const credits = CREDITS[one.operation];
      const charge = chargeOf({ account, operation: one.operation, credits, limit: LIMIT });
      const key = one.key === undefined ? undefined : keyOf(charge, one.key, one.fingerprint);
      const period = periodId(account, true, monthOf(new Date(now)));
      periods.add(period);
      const isAgain = model.calls.some(
        (call) => call.key !== undefined && call.key === key?.id && call.state === "settled" && call.at > now - HOUR,
      );
      const expected = model.reserve({ ...one, period, credits, key: key?.id }, now);
      const real = await reserve(db, { ...charge, key }, new Date(now));
      if (isDenied(real)) same({ ...real, ...("warned" in real && { warned: undefined }) }, expected);
      else if ("reason" in expected) throw new Error(`should have been denied: ${expected.reason}`);
      else {
        same([real.credits, real.period], [expected.credits, expected.period]);
        calls.push({ real, model: expected });
        if (one.atOnce) same(await settle(db, real), model.settle(expected));
      }
      seen.add(isDenied(real) ? real.reason : real.credits === 0 ? "replay" : isAgain ? "charge again" : "charge");
    } else {
      const call = calls.at(-1 - one.back);
      if (call === undefined) continue;
      if (one.act === "settle") same(await settle(db, call.real), model.settle(call.model));
      else if (one.act === "release") {
        model.release(call.model);
        await release(db, call.real);
      } else {
        model.refund(call.model);
        await refund(db, call.real);
      }
      if (call.model.state !== "reserved") seen.add(call.model.state);
    }
  }
  for (const period of periods) {
    expect(await periodOf(period)).toEqual({ used: model.used(period), charged: model.charged(period) });
    expect(model.used(period)).toBeLessThanOrEqual(LIMIT);
  }
  await expectConsistency();
}

test("any order of reserve, settle, release, refund, sweep and time agrees with the model", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 60, size: "max" }), (steps) => agree(steps, seen)),
    // Making a failure's steps fewer takes minutes: without `endOnFailure`, and with the path that it prints.
    { numRuns: 40, seed: 20_261_121, endOnFailure: true },
  );
  // Otherwise the steps are too few to prove anything.
  const expected = [
    "charge",
    "charge again",
    "in flight",
    "quota",
    "refund_pending",
    "refunded",
    "released",
    "replay",
    "reused",
  ];
  expect([...seen].sort()).toEqual([...expected, "settled"]);
});
