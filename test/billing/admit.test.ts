import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { db, expectConsistency, HOUR, isDenied, settle } from "./ledger-facts.ts";
import { failing } from "../faults/failing-database.ts";
import { createAccount } from "../../src/accounts/operator.ts";
import { authenticate } from "../../src/accounts/authentication.ts";
import { monthOf, periodId } from "../../src/accounts/periods.ts";
import { type PlanName, plans } from "../../src/accounts/plans.ts";
import type { Scope } from "../../src/accounts/scopes.ts";
import { hashToken } from "../../src/accounts/token.ts";
import { admit, headroom, type OpenCharge } from "../../src/billing/admit.ts";
import { reserve } from "../../src/billing/ledger.ts";
import { sweep } from "../../src/billing/sweep.ts";
import { openDatabase } from "../../src/db/client.ts";
import { accounts, apiKeys, ledger } from "../../src/db/schema.ts";
import { createKey } from "../../src/keys/operator.ts";

afterEach(expectConsistency);

const now = new Date("2026-11-20T12:00:00.000Z");
const HIGHEST = 2;
let count = 0;

const chargeOf = (given: Partial<OpenCharge> = {}): OpenCharge => ({
  requestId: `req_${(count += 1)}`,
  trace: undefined,
  operation: "merge",
  credits: 1,
  scopes: ["pdf:write"],
  highestPrice: HIGHEST,
  ...given,
});

/** An account with one key. */
async function keyed(plan: PlanName = "pro", livemode = true, scopes?: readonly Scope[]) {
  const account = await createAccount(db, { name: "test", plan }, now);
  const key = await createKey(db, account, { name: "test", livemode, ...(scopes && { scopes }) }, now);
  const period = periodId(account, livemode, monthOf(now));
  return {
    account,
    period,
    hash: await hashToken(key.token),
    use: (credits: number) =>
      env.DB.batch([
        env.DB.prepare("INSERT INTO periods VALUES (?, ?, ?, 0)").bind(period, monthOf(now).start.getTime(), credits),
        env.DB.prepare("INSERT INTO period_operations VALUES (?, 'earlier', ?)").bind(period, credits),
        env.DB.prepare("INSERT INTO ledger VALUES (?, ?, 'earlier', ?, 'settled', ?, NULL)").bind(
          `${account}/earlier`,
          period,
          credits,
          now.getTime(),
        ),
      ]),
    used: async () => env.DB.prepare("SELECT used FROM periods WHERE id = ?").bind(period).first("used"),
    rows: () => db.select().from(ledger).where(eq(ledger.period, period)),
  };
}

describe("admitted requests", () => {
  test("an admitted request is identified and reserved as by two batches", async () => {
    const [one, two] = [await keyed(), await keyed()];
    const asked = chargeOf({ credits: 2, trace: "00-a-b-01" });
    const admitted = await admit(db, one.hash, asked, now);
    const authenticated = await authenticate(db, two.hash, now);
    if (!admitted.ok || !authenticated.ok) throw new Error("a key is rejected");
    const { account, livemode, plan } = authenticated.caller;
    const { requestId, trace, operation, credits } = asked;
    const { limit } = authenticated.credits;
    const reserved = await reserve(db, { account, livemode, plan, requestId, trace, operation, credits, limit }, now);
    if (isDenied(reserved)) throw new Error("denied");
    const named = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replaceAll(two.account, one.account)) as unknown;
    const { reservation, ...identity } = admitted;
    expect(named(reservation)).toEqual(named(reserved));
    expect(named({ ...identity, caller: { ...identity.caller, key: "" } })).toEqual(
      named({ ...authenticated, caller: { ...authenticated.caller, key: "" } }),
    );
    expect(await one.rows()).toEqual([{ ...(await two.rows())[0], id: reservation?.id, period: one.period }]);
  });

  test("an admitted request takes the credits of its mode, and can be settled", async () => {
    const key = await keyed("pro", false);
    const result = await admit(db, key.hash, chargeOf(), now);
    if (!result.ok || result.reservation === undefined) throw new Error("not reserved");
    expect(result.reservation).toMatchObject({ limit: plans.pro.testCredits, remaining: plans.pro.testCredits - 1 });
    expect(await settle(db, result.reservation)).toEqual({ charged: 1, remaining: plans.pro.testCredits - 1 });
    expect(await key.used()).toBe(1);
  });

  test("an admitted request reads the account's credits before its own reservation", async () => {
    const key = await keyed();
    await key.use(10);
    expect(await admit(db, key.hash, chargeOf({ credits: 2 }), now)).toMatchObject({
      credits: { used: 10 },
      reservation: { remaining: plans.pro.credits - 12 },
    });
  });

  test("an admitted request crosses thresholds as any reservation does", async () => {
    const key = await keyed();
    await key.use(plans.pro.credits * 0.8 - 1);
    expect(await admit(db, key.hash, chargeOf(), now)).toMatchObject({ reservation: { thresholds: [80] } });
  });

  test("a key with any of the scopes is enough", async () => {
    const key = await keyed("pro", true, ["billing:read", "pdf:read"]);
    const result = await admit(db, key.hash, chargeOf({ scopes: ["pdf:write", "pdf:read"] }), now);
    expect(result).toMatchObject({ ok: true, reservation: { credits: 1 } });
  });
});

describe("requests without a reservation", () => {
  test.each<[string, Partial<typeof apiKeys.$inferInsert>, string]>([
    ["revoked", { revokedAt: now }, "revoked"],
    ["expired", { expiresAt: now }, "expired"],
  ])("a key that is %s reserves nothing", async (_, change, reason) => {
    const key = await keyed();
    await db.update(apiKeys).set(change).where(eq(apiKeys.hash, key.hash));
    expect(await admit(db, key.hash, chargeOf(), now)).toEqual({ ok: false, reason });
    expect([await key.rows(), await key.used()]).toEqual([[], null]);
  });

  test("a key that does not exist reserves nothing", async () => {
    expect(await admit(db, "f".repeat(64), chargeOf(), now)).toEqual({ ok: false, reason: "bad" });
  });

  test("a key without the scope reserves nothing", async () => {
    const key = await keyed("pro", true, ["pdf:read", "files:write"]);
    const result = await admit(db, key.hash, chargeOf(), now);
    expect([result.ok, result.reservation, await key.rows()]).toEqual([true, undefined, []]);
  });

  test("a request over the rate limit reserves nothing, and the last one below it does", async () => {
    const key = await keyed("pro");
    const { requestsPerMinute } = plans.pro;
    const minute = Math.floor(now.getTime() / 60_000);
    await db
      .update(accounts)
      .set({ minute, minuteRequests: requestsPerMinute - 1 })
      .where(eq(accounts.id, key.account));
    const results = [];
    for (let request = 0; request < 3; request += 1) results.push(await admit(db, key.hash, chargeOf(), now));
    const seen = results.map((result) => result.ok && [result.rate.exceeded, result.reservation !== undefined]);
    expect(seen).toEqual([
      [false, true],
      [true, false],
      [true, false],
    ]);
    expect(await key.used()).toBe(1);
  });

  test("a request that would leave less than a minute of requests can cost reserves nothing", async () => {
    const key = await keyed("pro");
    const room = headroom("pro", HIGHEST);
    expect(room).toBe(600);
    await key.use(plans.pro.credits - room - 3);
    const first = await admit(db, key.hash, chargeOf({ credits: 2 }), now);
    expect(first).toMatchObject({ ok: true, reservation: { remaining: room + 1 } });
    const second = await admit(db, key.hash, chargeOf({ credits: 2 }), now);
    expect(second).toMatchObject({ ok: true, credits: { used: plans.pro.credits - room - 1 } });
    expect([second.reservation, await key.used()]).toEqual([undefined, plans.pro.credits - room - 1]);
    expect(await admit(db, key.hash, chargeOf(), now)).toMatchObject({ reservation: { remaining: room } });
  });

  test("an account whose plan this version does not know reserves nothing", async () => {
    const key = await keyed();
    await db.update(accounts).set({ plan: "later" }).where(eq(accounts.id, key.account));
    await expect(admit(db, key.hash, chargeOf(), now)).rejects.toThrow('the unknown plan "later"');
    expect(await key.rows()).toEqual([]);
  });
});

test("concurrent requests are reserved until only the headroom is left", async () => {
  const key = await keyed("pro");
  await key.use(plans.pro.credits - headroom("pro", HIGHEST) - 7);
  const results = await Promise.all(
    Array.from({ length: 20 }, () => admit(db, key.hash, chargeOf({ credits: 2 }), now)),
  );
  expect(results.filter((result) => result.reservation !== undefined)).toHaveLength(3);
  expect(await key.used()).toBe(plans.pro.credits - headroom("pro", HIGHEST) - 1);
});

test.each([
  ["response lost", 0],
  ["response lost, then unreachable", 1],
] as const)(
  "a reservation whose confirmation is lost (%s) is released at once or by the sweep",
  async (fault, left) => {
    const key = await keyed();
    const { database, trips } = failing(fault, 0, fault === "response lost" ? "once" : "for good");
    await expect(admit(openDatabase(database), key.hash, chargeOf(), now)).rejects.toThrow("Network connection lost");
    expect([trips(), await key.used()]).toEqual([2, left]);
    expect((await key.rows()).map(({ state }) => state)).toEqual([left === 0 ? "released" : "reserved"]);
    await sweep(db, new Date(now.getTime() + HOUR));
    expect([await key.used(), (await key.rows()).map(({ state }) => state)]).toEqual([0, ["released"]]);
  },
);
