import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { countedDatabase } from "./counted-database.ts";
import { send } from "./account-service.ts";
import { creditsOf, outcome, paidService } from "../http/paid-service.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

describe("an account on the unlimited plan", () => {
  test("requests of an unlimited account are charged for the usage, and no header has a limit", async () => {
    const service = await paidService("unlimited");
    const response = await service.send();
    expect(response.status).toBe(200);
    expect(creditsOf(response)).toEqual(["2", null, null]);
    expect([response.headers.get("RateLimit"), response.headers.get("RateLimit-Policy")]).toEqual([null, null]);
    expect(await service.used()).toBe(2);
  });

  test("an unlimited account can use more credits than any plan has, and no threshold is reported", async () => {
    const service = await paidService("unlimited");
    await service.send();
    await env.DB.prepare("UPDATE periods SET used = 5000000 WHERE id = ?").bind(service.period).run();
    expect((await service.send({ idempotencyKey: "again" })).status).toBe(200);
    expect(creditsOf(await service.send({ idempotencyKey: "again" }))).toEqual(["0", null, "true"]);
    const row = await env.DB.prepare("SELECT used, warned FROM periods WHERE id = ?").bind(service.period).first();
    expect(row).toEqual({ used: 5_000_002, warned: 0 });
  });

  test("the usage of an unlimited account has null for the limit and the rest", async () => {
    const service = await paidService("unlimited");
    await service.send();
    const { status, json } = await send("GET", "/usage", service.token);
    expect(status).toBe(200);
    expect(json).toMatchObject({ plan: "unlimited", limit: null, used: 2, remaining: null, perOperation: { work: 2 } });
  });

  test("requests of an unlimited account write a count only once a minute", async () => {
    const service = await paidService("unlimited");
    await env.DB.prepare("UPDATE accounts SET minute = ?, minute_requests = 4000 WHERE id = ?")
      .bind(Math.floor(Date.now() / 60_000) + 1, service.account)
      .run();
    const { database, counts } = countedDatabase();
    const bindings = { ...env, DB: database };
    // With a key, nothing is reserved before the form is read.
    const response = await service.send({ bindings, fields: { unknown: "1" }, idempotencyKey: "once" });
    expect(await outcome(response)).toEqual([400, "invalid_parameters"]);
    expect([counts.trips, counts.rowsWritten]).toEqual([1, 0]);
  });

  test("REQUESTS_PER_MINUTE limits unlimited accounts, and no other plan", async () => {
    const [service, other] = [await paidService("unlimited"), await paidService("enterprise")];
    const bindings = { ...env, REQUESTS_PER_MINUTE: "3" };
    for (const { account } of [service, other])
      await env.DB.prepare("UPDATE accounts SET minute = ?, minute_requests = 0 WHERE id = ?")
        .bind(Math.floor(Date.now() / 60_000) + 1, account)
        .run();
    const responses: Response[] = [];
    for (let count = 0; count < 5; count += 1) responses.push(await service.send({ bindings }));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(responses.map(({ headers }) => /r=(\d+)/.exec(headers.get("RateLimit") ?? "")?.[1])).toEqual([
      "2",
      "1",
      "0",
      "0",
      "0",
    ]);
    expect(responses[0]?.headers.get("RateLimit-Policy")).toBe('"default";q=3;w=60');
    for (let count = 0; count < 5; count += 1) expect((await other.send({ bindings })).status).toBe(200);
  });
});
