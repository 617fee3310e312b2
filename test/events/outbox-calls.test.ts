import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { db, eventsOf, listen, subscribe, typesOf } from "./outbox-facts.ts";
import { expectConsistency } from "../billing/ledger-facts.ts";
import { largePdf, paidService } from "../http/paid-service.ts";
import { webhookDeliveries } from "../../src/db/schema.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

describe("successful requests", () => {
  test("a request emits an event to each subscription of its account, mode, and type, and wakes the consumer", async () => {
    const [service, stranger] = [await paidService(), await paidService()];
    const { account } = service;
    const wanting = [await subscribe(account), await subscribe(account, { events: ["operation.completed"] })].sort();
    await subscribe(account, { events: ["operation.failed", "key.created"] });
    await subscribe(account, { livemode: false });
    await subscribe(account, { active: false });
    await subscribe(stranger.account);
    const { messages } = listen();
    const response = await service.send();
    const [told, ...others] = await eventsOf(account);
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      type: "operation.completed",
      to: wanting,
      data: {
        operation: "work",
        status: 200,
        code: null,
        credits: 2,
        requestId: response.headers.get("X-Request-Id"),
        outputBytes: (await response.arrayBuffer()).byteLength,
        pageCount: null,
        livemode: true,
      },
    });
    expect(told?.data["inputBytes"]).toBeGreaterThan(100);
    expect(await eventsOf(stranger.account)).toEqual([]);
    const made = (await db.select().from(webhookDeliveries)).filter(({ webhook }) => wanting.includes(webhook));
    expect(messages.map(({ shard, delivery }) => [shard, delivery]).sort()).toEqual(
      made.map(({ id }) => [0, id]).sort(),
    );
    await service.send();
    expect(await typesOf(account)).toHaveLength(2);
  });

  test("a request stores no event without a subscription", async () => {
    const { account, send } = await paidService();
    await subscribe(account, { events: ["operation.failed"] });
    expect((await send()).status).toBe(200);
    expect((await send({ file: largePdf() })).status).toBe(200);
    expect(await eventsOf(account)).toEqual([]);
    await subscribe(account);
    await send();
    // The number, too, was not counted.
    expect(await typesOf(account)).toHaveLength(1);
  });

  test("a request with a test key emits events to subscriptions of that mode", async () => {
    const { account, newKey, send } = await paidService();
    await subscribe(account);
    const id = await subscribe(account, { livemode: false });
    const headers = { Authorization: `Bearer ${await newKey({ livemode: false })}` };
    expect((await send({ headers })).status).toBe(200);
    expect(await eventsOf(account)).toMatchObject([{ to: [id], data: { livemode: false } }]);
  });

  test("a request emits one event when the database did not respond and the batch was retried", async () => {
    const { account, send } = await paidService();
    await subscribe(account);
    const response = await send({ bindings: { ...env, DB: losingSettlements(1) } });
    expect(response.status).toBe(200);
    expect(await typesOf(account)).toEqual(["operation.completed"]);
  });

  test("a retry of a paid request emits an event with no cost", async () => {
    const { account, send } = await paidService();
    await subscribe(account);
    for (const _ of [1, 2]) await send({ idempotencyKey: "k" });
    expect((await eventsOf(account)).map(({ data }) => data["credits"])).toEqual([2, 0]);
  });
});

/** Does the first `count` settlements, and loses what the database says; or does nothing of them. */
function losingSettlements(count: number, done = true): D1Database {
  let left = count;
  const statements = new WeakMap<object, string>();
  return new Proxy(env.DB, {
    get(d1, name) {
      if (name !== "batch") {
        return (sql: string) => {
          const statement = d1.prepare(sql);
          const bind = statement.bind.bind(statement);
          statement.bind = (...values: unknown[]) => {
            const bound = bind(...values);
            statements.set(bound, sql);
            return bound;
          };
          return statement;
        };
      }
      return async (batch: D1PreparedStatement[]) => {
        const settles = batch.some((one) => statements.get(one)?.includes("excluded.credits"));
        if (settles) left -= 1;
        const isLost = settles && left >= 0;
        if (isLost && !done) throw new Error("Network connection lost.");
        const response = await d1.batch(batch);
        if (isLost) throw new Error("Network connection lost.");
        return response;
      };
    },
  });
}

describe("failed requests", () => {
  test.each([
    ["refuse", 400, "invalid_file"],
    ["throw", 500, "internal_error"],
    ["first", 500, "internal_error"],
  ])(
    "a request that fails after its reservation (%s) emits an event with its code, and is not charged",
    async (act, status, code) => {
      const { account, send, used } = await paidService();
      const id = await subscribe(account);
      const { messages } = listen();
      const response = await send({ fields: { act } });
      const requestId = response.headers.get("X-Request-Id");
      expect(await eventsOf(account)).toMatchObject([
        { type: "operation.failed", to: [id], data: { status, code, requestId, credits: 0, outputBytes: 0 } },
      ]);
      expect([messages.length, await used()]).toEqual([1, 0]);
    },
  );

  test("a request that fails before its reservation emits no event", async () => {
    const { account, send } = await paidService();
    await subscribe(account);
    expect((await send({ fields: { unknown: "1" } })).status).toBe(400);
    expect((await send({ body: "no form" })).status).toBe(415);
    expect(await eventsOf(account)).toEqual([]);
  });

  test("a request that could not be charged leaves neither a charge nor its event", async () => {
    const { account, send, used } = await paidService();
    await subscribe(account);
    // Its response had begun, and breaks off.
    expect((await send({ bindings: { ...env, DB: losingSettlements(2, false) } })).type).toBe("error");
    expect(await typesOf(account)).toEqual(["operation.failed"]);
    expect(await used()).toBe(0);
  });

  test("a request whose charge was not confirmed emits an event after the charge, which is refunded", async () => {
    const { account, send, used } = await paidService();
    await subscribe(account);
    expect((await send({ bindings: { ...env, DB: losingSettlements(2) } })).type).toBe("error");
    expect(await typesOf(account)).toEqual(["operation.completed", "operation.failed"]);
    expect(await used()).toBe(0);
  });
});
