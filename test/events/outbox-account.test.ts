import { afterEach, describe, expect, test, vi } from "vitest";
import { db, eventsOf, subscribe, typesOf } from "./outbox-facts.ts";
import { makeKey, newAccount, send } from "../accounts/account-service.ts";
import { chargeOf, expectConsistency, isDenied } from "../billing/ledger-facts.ts";
import { paidService } from "../http/paid-service.ts";
import { reserve, settle } from "../../src/billing/ledger.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

const usageEvents = ["usage.warning_80", "usage.limit_reached"] as const;

describe("usage events", () => {
  const now = new Date("2026-11-20T12:00:00.000Z");
  const end = { at: now, durationMilliseconds: 1, inputBytes: 1, outputBytes: 1, pageCount: null };

  /** One call of the account, as far as its credits go. */
  async function call(account: string, at = now, limit = 20): Promise<boolean> {
    const result = await reserve(db, chargeOf({ account, limit }), at);
    if (isDenied(result)) return false;
    await settle(db, result, { ...end, at }, () => {});
    return true;
  }

  test("usage by 30 concurrent requests emits one event at 80 % and one at 100 %", async () => {
    const { account } = await paidService();
    const id = await subscribe(account, { events: usageEvents });
    await subscribe(account, { events: usageEvents, livemode: false });
    const results = await Promise.all(Array.from({ length: 30 }, () => call(account)));
    expect(results.filter(Boolean)).toHaveLength(20);
    const [start, next] = ["2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"];
    const data = { plan: "free", limit: 20, currentPeriodStart: start, currentPeriodEnd: next, livemode: true };
    const told = await eventsOf(account);
    expect(told).toMatchObject(usageEvents.map((type) => ({ type, to: [id], data })));
    expect(told[0]?.data["used"]).toBeGreaterThanOrEqual(16);
    expect(told[1]?.data["used"]).toBe(20);
  });

  test("usage by concurrent HTTP requests emits one event for each threshold, between those of the requests", async () => {
    const { account, send, leave, used } = await paidService();
    await subscribe(account);
    await leave(20);
    let left = 15;
    while (left > 0) {
      const responses = await Promise.all(Array.from({ length: left }, () => send()));
      // Only a few are at work at a time.
      left = responses.filter(({ status }) => status === 503).length;
    }
    const types = await typesOf(account);
    expect(types.filter((type) => type === "operation.completed")).toHaveLength(10);
    expect(types.filter((type) => type !== "operation.completed")).toEqual(usageEvents);
    expect(await used()).toBe(1_000_000);
  });

  test("a threshold emits an event when it is passed, not before, and again in the next month", async () => {
    const { account } = await paidService();
    await subscribe(account, { events: usageEvents });
    for (let used = 1; used <= 15; used += 1) await call(account);
    expect(await typesOf(account)).toEqual([]);
    await call(account);
    expect(await eventsOf(account)).toMatchObject([{ type: "usage.warning_80", data: { used: 16 } }]);
    for (let used = 17; used <= 20; used += 1) await call(account);
    expect(await typesOf(account)).toEqual(usageEvents);
    for (let used = 1; used <= 16; used += 1) await call(account, new Date("2026-12-01T00:00:00.000Z"));
    expect(await typesOf(account)).toEqual([...usageEvents, "usage.warning_80"]);
  });

  test("credits that are released before a charge pass no threshold", async () => {
    const { account, send, leave } = await paidService();
    await subscribe(account, { events: usageEvents });
    await leave(200_001);
    await send({ fields: { act: "refuse" } });
    expect(await typesOf(account)).toEqual([]);
    await send();
    expect(await eventsOf(account)).toMatchObject([{ type: "usage.warning_80", data: { used: 800_001 } }]);
  });

  test("a request with too few credits left emits an event, whether or not its body was read", async () => {
    for (const idempotencyKey of [undefined, "k"]) {
      const { account, send, leave } = await paidService();
      await subscribe(account, { events: ["usage.limit_reached"] });
      await leave(1);
      for (const _ of [1, 2, 3])
        expect((await send(idempotencyKey === undefined ? {} : { idempotencyKey })).status).toBe(429);
      expect(await eventsOf(account)).toMatchObject([
        { type: "usage.limit_reached", data: { used: 999_999, limit: 1_000_000, plan: "enterprise" } },
      ]);
    }
  });
});

describe("key events", () => {
  test("keys that are created, rotated, and revoked emit events with the properties that GET shows", async () => {
    const { account, key } = await newAccount();
    const { token } = await key();
    const id = await subscribe(account);
    await subscribe(account, { livemode: false });
    const shown = async (of: string) => (await send("GET", `/keys/${of}`, token)).json;

    const made = await makeKey(token, {
      name: 'A "name"',
      scopes: ["pdf:write", "pdf:read"],
      expiresAt: "2099-01-01T00:00:00.123Z",
    });
    expect(await eventsOf(account)).toEqual([{ type: "key.created", data: await shown(made.id), to: [id] }]);

    const rotated = await send("POST", `/keys/${made.id}/rotate`, token, { gracePeriodSeconds: 60 });
    const successor = String(rotated.json["id"]);
    const replaced = [
      { type: "key.created", data: await shown(successor), to: [id] },
      { type: "key.revoked", data: await shown(made.id), to: [id] },
    ];
    expect((await eventsOf(account)).slice(1)).toEqual(replaced);
    expect(replaced[1]?.data).toMatchObject({ revokedAt: null });

    for (const _ of [1, 2]) await send("DELETE", `/keys/${successor}`, token);
    const told = await eventsOf(account);
    expect(told.slice(3)).toEqual([{ type: "key.revoked", data: await shown(successor), to: [id] }]);
    expect(told[3]?.data["revokedAt"]).not.toBeNull();
    expect(JSON.stringify(told)).not.toMatch(/sk_live|hash/);
  });

  test("keys that could not be created emit no event", async () => {
    const { account, key } = await newAccount();
    const [{ token }, other] = [await key({ scopes: ["keys:manage"] }), await key()];
    await subscribe(account);
    expect((await send("POST", "/keys", token, { name: "x", scopes: ["pdf:read"] })).status).toBe(403);
    expect((await send("DELETE", `/keys/${other.id}`, token)).status).toBe(403);
    expect((await send("POST", "/keys/key_none/rotate", token, {})).status).toBe(404);
    expect(await eventsOf(account)).toEqual([]);
  });
});
