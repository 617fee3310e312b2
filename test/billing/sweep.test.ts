import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import {
  chargeOf,
  expectConsistency,
  db,
  HOUR,
  isDenied,
  keyOf,
  MINUTE,
  periodOf,
  reserved,
  SECOND,
  stateOf,
  refund,
  release,
  settle,
} from "./ledger-facts.ts";
import { reserve } from "../../src/billing/ledger.ts";
import { sweep } from "../../src/billing/sweep.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const later = (ms: number) => new Date(now.getTime() + ms);
const nothing = { released: 0, refunded: 0, emitted: 0, deleted: 0 };

afterEach(expectConsistency);
afterEach(async () => {
  const tables = ["ledger", "periods", "period_operations", "idempotency"];
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
});

const idsOf = async (table: string): Promise<unknown[]> =>
  (await env.DB.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).raw()).map(([id]) => id);

describe("abandoned reservations", () => {
  test("an abandoned reservation is released after 15 minutes, not a millisecond before", async () => {
    const charge = chargeOf({ credits: 2 });
    const settled = await reserved(charge, now);
    await settle(db, settled);
    const left = await reserved(charge, now);
    const younger = await reserved(charge, later(1));
    for (const age of [15 * MINUTE - 1, 15 * MINUTE]) {
      expect(await sweep(db, later(age))).toEqual(nothing);
      expect(await stateOf(left)).toBe("reserved");
    }
    expect(await sweep(db, later(15 * MINUTE + 1))).toEqual({ ...nothing, released: 1 });
    expect(await Promise.all([settled, left, younger].map(stateOf))).toEqual(["settled", "released", "reserved"]);
    expect(await periodOf(left.period)).toEqual({ used: 4, charged: { merge: 2 } });
  });

  test("a swept reservation is neither charged nor released again when its request ends after all", async () => {
    const charge = chargeOf({ credits: 2, limit: 2 });
    const late = await reserved(charge, now);
    await sweep(db, later(16 * MINUTE));
    const next = await reserved(charge, later(16 * MINUTE));
    expect(await settle(db, late)).toEqual({ charged: 0, remaining: 0 });
    await release(db, late);
    await refund(db, late);
    expect(await settle(db, next)).toEqual({ charged: 2, remaining: 0 });
    expect(await periodOf(late.period)).toEqual({ used: 2, charged: { merge: 2 } });
  });

  test("a swept reservation frees its Idempotency-Key, but not what was paid under it", async () => {
    const charge = chargeOf();
    const keyed = { ...charge, key: keyOf(charge) };
    const lost = await reserved(keyed, now);
    expect(await reserve(db, keyed, later(15 * MINUTE))).toEqual({ reason: "in flight" });
    await sweep(db, later(16 * MINUTE));
    const another = { ...charge, key: keyOf(charge, "k", "other bytes") };
    await settle(db, await reserved(another, later(17 * MINUTE)));
    // The first one's late end is nothing to the key of the second.
    await settle(db, lost);
    const repetition = await reserved(another, later(18 * MINUTE));
    expect(repetition.credits).toBe(0);
    await sweep(db, later(34 * MINUTE));
    expect((await reserved(another, later(35 * MINUTE))).credits).toBe(0);
    expect(await periodOf(lost.period)).toEqual({ used: 1, charged: { merge: 1 } });
  });

  test("a swept reservation is released to its own month", async () => {
    const charge = chargeOf();
    const lastMinute = new Date("2026-11-30T23:59:00.000Z");
    const november = await reserved(charge, lastMinute);
    const december = await reserved(charge, new Date("2026-12-01T00:00:00.000Z"));
    expect(await sweep(db, new Date("2026-12-01T00:14:30.000Z"))).toEqual({ ...nothing, released: 1 });
    expect(await periodOf(november.period)).toEqual({ used: 0, charged: {} });
    expect(await periodOf(december.period)).toEqual({ used: 1, charged: {} });
  });
});

describe("many sweeps", () => {
  test("concurrent sweeps do together what one does, also while requests end", async () => {
    const charge = chargeOf({ limit: 100 });
    const left = await Promise.all(Array.from({ length: 10 }, () => reserved(charge, now)));
    const [first] = left;
    const sweeps = await Promise.all([
      ...Array.from({ length: 5 }, () => sweep(db, later(16 * MINUTE))),
      ...left.slice(5).map((call) => settle(db, call).then(() => nothing)),
    ]);
    const charged = (await Promise.all(left.map(stateOf))).filter((state) => state === "settled").length;
    expect(sweeps.reduce((sum, { released }) => sum + released, 0)).toBe(10 - charged);
    expect((await periodOf(first?.period ?? ""))?.used).toBe(charged);
  });

  test("more than 1,000 rows of as many accounts need only the next minute's sweep", async () => {
    const count = 1_200;
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
    const at = now.getTime();
    const month = Date.UTC(2026, 10);
    await env.DB.batch([
      env.DB.prepare(`${numbers} INSERT INTO periods SELECT 'acct_' || i || ':live:2026-11', ?2, 3, 0 FROM n`).bind(
        count,
        month,
      ),
      // Two left and one settled in each.
      env.DB.prepare(
        `${numbers}, k(j) AS (VALUES (1), (2), (3)) INSERT INTO ledger
         SELECT 'acct_' || i || '/' || j, 'acct_' || i || ':live:2026-11', 'merge', 1,
           CASE j WHEN 3 THEN 'settled' ELSE 'reserved' END, ?2, NULL FROM n, k`,
      ).bind(count, at),
      env.DB.prepare(
        `${numbers} INSERT INTO period_operations SELECT 'acct_' || i || ':live:2026-11', 'merge', 1 FROM n`,
      ).bind(count),
    ]);
    for (const released of [1_000, 1_000, 400, 0]) {
      expect(await sweep(db, later(16 * MINUTE))).toEqual({ ...nothing, released });
      await expectConsistency();
    }
    const { results } = await env.DB.prepare("SELECT used, COUNT(*) AS count FROM periods GROUP BY used").all();
    expect(results).toEqual([{ used: 1, count }]);
  }, 60_000);
});

describe("unconfirmed charges", () => {
  test.each(["settle", "release", "refund"] as const)(
    "a charge whose response was aborted is kept until the outcome of the retry is known: %s",
    async (end) => {
      const charge = chargeOf();
      const keyed = { ...charge, key: keyOf(charge) };
      const first = await reserved(keyed, now);
      await settle(db, first);
      const repetition = await reserved(keyed, later(SECOND));
      expect(repetition.credits).toBe(0);
      await refund(db, first);
      expect(await sweep(db, later(MINUTE))).toEqual(nothing);
      expect(await periodOf(first.period)).toEqual({ used: 1, charged: { merge: 1 } });

      if (end === "release") await release(db, repetition);
      else await settle(db, repetition);
      if (end === "refund") await refund(db, repetition);
      const isPaid = end === "settle";
      for (const refunded of [isPaid ? 0 : 1, 0])
        expect(await sweep(db, later(2 * MINUTE))).toEqual({ ...nothing, refunded });
      expect((await periodOf(first.period))?.used).toBe(isPaid ? 1 : 0);
      expect(await reserved(keyed, later(3 * MINUTE))).toMatchObject({ credits: isPaid ? 0 : 1 });
    },
  );
});

describe("old rows", () => {
  test("old Idempotency-Keys are deleted 24 hours after the charge, except those of a request in progress", async () => {
    const charge = chargeOf();
    const keys = ["old", "young", "at work"].map((name) => ({ ...charge, key: keyOf(charge, name) }));
    const [old, young, working] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
    await settle(db, await reserved(old, now));
    await settle(db, await reserved(young, later(1)));
    await settle(db, await reserved(working, now));
    await reserved(working, later(24 * HOUR));
    expect(await sweep(db, later(24 * HOUR))).toEqual(nothing);
    expect(await sweep(db, later(24 * HOUR + 1))).toEqual({ ...nothing, deleted: 1 });
    expect(await idsOf("idempotency")).toEqual([working.key.id, young.key.id]);
  });

  test("old rows of ledger and periods are deleted 13 months after the period's end", async () => {
    const charge = chargeOf();
    const ends = [new Date("2025-10-31T23:59:59.999Z"), new Date("2025-11-01T00:00:00.000Z")];
    for (const at of ends) await settle(db, await reserved(charge, at));
    const released = await reserved(charge, new Date("2025-10-01T00:00:00.000Z"));
    await release(db, released);
    expect(await sweep(db, new Date("2026-11-30T23:59:59.999Z"))).toEqual(nothing);
    // Two rows of the ledger, the period and its operation.
    expect(await sweep(db, new Date("2026-12-01T00:00:00.000Z"))).toEqual({ ...nothing, deleted: 4 });
    expect(await idsOf("periods")).toEqual([`${charge.account}:live:2025-11`]);
    expect(await idsOf("period_operations")).toEqual([`${charge.account}:live:2025-11`]);
    expect(await idsOf("ledger")).toHaveLength(1);
    expect(isDenied(await reserve(db, charge, now))).toBe(false);
  });
});
