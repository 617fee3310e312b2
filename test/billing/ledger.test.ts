import { afterEach, describe, expect, test } from "vitest";
import {
  chargeOf,
  expectConsistency,
  db,
  isDenied,
  keyOf,
  periodOf,
  reserved,
  stateOf,
  refund,
  release,
  settle,
} from "./ledger-facts.ts";
import { env } from "cloudflare:workers";
import { reserve } from "../../src/billing/ledger.ts";
import { openDatabase } from "../../src/db/client.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const november = (account: string, mode = "live") => `${account}:${mode}:2026-11`;
const december = (account: string) => `${account}:live:2026-12`;

afterEach(expectConsistency);

describe("credits", () => {
  test("credits are reserved, then charged, and a second charge changes nothing", async () => {
    const charge = chargeOf({ credits: 2 });
    const reservation = await reserved(charge, now);
    expect(reservation).toMatchObject({ period: november(charge.account), credits: 2, limit: 10 });
    expect(await periodOf(reservation.period)).toEqual({ used: 2, charged: {} });
    for (const _ of [1, 2]) {
      expect(await settle(db, reservation)).toEqual({ charged: 2, remaining: 8 });
      expect(await periodOf(reservation.period)).toEqual({ used: 2, charged: { merge: 2 } });
      expect(await stateOf(reservation)).toBe("settled");
    }
  });

  test("credits are released once, however often that is sent, and can no longer be charged", async () => {
    const charge = chargeOf({ credits: 2 });
    const other = await reserved(charge, now);
    const reservation = await reserved(charge, now);
    for (const _ of [1, 2]) {
      await release(db, reservation);
      expect(await periodOf(reservation.period)).toEqual({ used: 2, charged: {} });
    }
    expect(await settle(db, reservation)).toEqual({ charged: 0, remaining: 8 });
    await refund(db, reservation);
    expect(await periodOf(reservation.period)).toEqual({ used: 2, charged: {} });
    expect([await stateOf(reservation), await stateOf(other)]).toEqual(["released", "reserved"]);
  });

  test("credits are refunded once, however often that is sent, and a release is no refund", async () => {
    const charge = chargeOf({ credits: 2 });
    await settle(db, await reserved(charge, now));
    const reservation = await reserved(charge, now);
    await refund(db, reservation);
    expect(await stateOf(reservation)).toBe("reserved");
    await settle(db, reservation);
    await release(db, reservation);
    expect(await periodOf(reservation.period)).toEqual({ used: 4, charged: { merge: 4 } });
    for (const _ of [1, 2]) {
      await refund(db, reservation);
      expect(await periodOf(reservation.period)).toEqual({ used: 2, charged: { merge: 2 } });
    }
    expect(await settle(db, reservation)).toEqual({ charged: 0, remaining: 8 });
    expect(await stateOf(reservation)).toBe("refunded");
  });

  test("credits are counted by operation", async () => {
    const charge = chargeOf();
    for (const operation of ["merge", "split", "merge"])
      await settle(db, await reserved({ ...charge, operation }, now));
    expect(await periodOf(november(charge.account))).toEqual({ used: 3, charged: { merge: 2, split: 1 } });
  });
});

describe("the last credit", () => {
  test("one of many racing requests gets the last credit", async () => {
    const charge = chargeOf({ limit: 1 });
    const results = await Promise.all(Array.from({ length: 20 }, () => reserve(db, charge, now)));
    expect(results.filter((result) => !isDenied(result))).toHaveLength(1);
    expect(results.filter(isDenied)).toMatchObject(Array.from({ length: 19 }, () => ({ reason: "quota", used: 1 })));
  });

  test("one credit does not pay for a request of two", async () => {
    const charge = chargeOf({ limit: 3 });
    await reserved({ ...charge, credits: 2 }, now);
    expect(await reserve(db, { ...charge, credits: 2 }, now)).toMatchObject({ reason: "quota", used: 2 });
    expect(await settle(db, await reserved(charge, now))).toEqual({ charged: 1, remaining: 0 });
  });

  test("a credit is available again once it was released or refunded", async () => {
    const charge = chargeOf({ limit: 1 });
    const first = await reserved(charge, now);
    await release(db, first);
    const second = await reserved(charge, now);
    await settle(db, second);
    expect(await reserve(db, charge, now)).toMatchObject({ reason: "quota", used: 1 });
    await refund(db, second);
    expect(isDenied(await reserve(db, charge, now))).toBe(false);
  });
});

describe("months", () => {
  const lastInstant = new Date("2026-11-30T23:59:59.999Z");
  const firstInstant = new Date("2026-12-01T00:00:00.000Z");

  test("a new month restores all credits, and does not pay for a request that started before it", async () => {
    const charge = chargeOf({ limit: 2, credits: 2 });
    const [settled, released, refunded] = [
      await reserved({ ...charge, limit: 6 }, lastInstant),
      await reserved({ ...charge, limit: 6 }, lastInstant),
      await reserved({ ...charge, limit: 6 }, lastInstant),
    ];
    expect(await reserve(db, charge, lastInstant)).toMatchObject({ reason: "quota", used: 6 });
    const next = await reserved(charge, firstInstant);
    expect(next.period).toBe(december(charge.account));
    for (const reservation of [settled, refunded]) await settle(db, reservation);
    await release(db, released);
    await refund(db, refunded);
    expect(await periodOf(november(charge.account))).toEqual({ used: 2, charged: { merge: 2 } });
    expect(await periodOf(december(charge.account))).toEqual({ used: 2, charged: {} });
  });
});

describe("plans", () => {
  test("a plan that is downgraded within the month leaves zero credits, never fewer, and reverses no charge", async () => {
    const charge = chargeOf({ limit: 5 });
    const calls = [];
    for (let call = 0; call < 5; call += 1) calls.push(await reserved(charge, now));
    const smaller = { ...charge, limit: 2 };
    expect(await reserve(db, smaller, now)).toMatchObject({ reason: "quota", used: 5 });
    for (const call of calls.slice(0, 3)) {
      expect(await settle(db, { ...call, limit: 2 })).toEqual({ charged: 1, remaining: 0 });
    }
    for (const call of calls.slice(3)) await release(db, call);
    expect(await reserve(db, smaller, now)).toMatchObject({ reason: "quota", used: 3 });
    expect(isDenied(await reserve(db, charge, now))).toBe(false);
  });
});

describe("separate ledgers", () => {
  test("live and test keys have separate ledgers, and so do two accounts", async () => {
    const live = chargeOf({ limit: 1 });
    const test = { ...live, livemode: false };
    const stranger = chargeOf({ limit: 1 });
    for (const charge of [live, test, stranger]) await settle(db, await reserved(charge, now));
    for (const charge of [live, test, stranger]) {
      expect(await reserve(db, charge, now)).toMatchObject({ reason: "quota", used: 1 });
    }
    expect(await periodOf(november(live.account))).toEqual({ used: 1, charged: { merge: 1 } });
    expect(await periodOf(november(live.account, "test"))).toEqual({ used: 1, charged: { merge: 1 } });
  });
});

describe("lost responses of the database", () => {
  /** Loses the responses to the first `count` batches. */
  function losing(count: number) {
    let left = count;
    return openDatabase(
      new Proxy(env.DB, {
        get(d1, name) {
          if (name !== "batch") return d1.prepare.bind(d1);
          return async (statements: D1PreparedStatement[]) => {
            const response = await d1.batch(statements);
            left -= 1;
            if (left >= 0) throw new Error("Network connection lost.");
            return response;
          };
        },
      }),
    );
  }

  test("a request that got an error keeps no credits and no Idempotency-Key", async () => {
    const charge = chargeOf({ limit: 1 });
    const keyed = { ...charge, key: keyOf(charge) };
    for (const one of [charge, keyed]) {
      await expect(reserve(losing(1), one, now)).rejects.toThrow("lost");
      expect(await periodOf(november(charge.account))).toEqual({ used: 0, charged: {} });
    }
    expect(await reserved(keyed, now)).toMatchObject({ credits: 1 });
  });

  test("a retried batch charges once", async () => {
    const reservation = await reserved(chargeOf(), now);
    const lossy = losing(1);
    await expect(settle(lossy, reservation)).rejects.toThrow("lost");
    expect(await settle(lossy, reservation)).toEqual({ charged: 1, remaining: 9 });
    expect(await periodOf(reservation.period)).toEqual({ used: 1, charged: { merge: 1 } });
  });
});
