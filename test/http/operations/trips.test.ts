import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { expectConsistency } from "../../billing/ledger-facts.ts";
import { watchedDatabase } from "../../faults/watched-database.ts";
import { newToken } from "../../../src/accounts/token.ts";
import { type Call, creditsOf, largePdf, outcome, paidService } from "../paid-service.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

const FAR_MILLISECONDS = 150;

type Service = Awaited<ReturnType<typeof paidService>>;

/** Sends a call to a service whose database is far away, and counts the round trips until the first byte of its response, and until its end. */
async function tripsOf(service: Service, call: Call = {}) {
  let made = 0;
  const database = watchedDatabase(async (run) => {
    await scheduler.wait(FAR_MILLISECONDS / 2);
    const result = await run();
    await scheduler.wait(FAR_MILLISECONDS / 2);
    made += 1;
    return result;
  });
  const { response, ended } = await service.open({ ...call, bindings: { ...env, DB: database } });
  const reader = response.clone().body?.getReader();
  await reader?.read();
  const first = made;
  const whole = new Response(await response.arrayBuffer(), response);
  await ended();
  return { outcome: await outcome(whole), credits: creditsOf(whole)[0], first, all: made };
}

test.each<[string, Call]>([
  ["small", {}],
  ["streamed", { file: largePdf() }],
  ["of several files", { fields: { act: "zip" } }],
])("an operation whose response is %s waits for two, and settles while the response begins", async (_, call) => {
  const service = await paidService();
  expect(await tripsOf(service, call)).toMatchObject({ outcome: [200, undefined], credits: "2", first: 2, all: 3 });
  expect(await service.used()).toBe(2);
});

test("an Idempotency-Key needs the body, so authentication and reservation are two, for the first request and for a retry", async () => {
  const service = await paidService();
  const call = { idempotencyKey: "k" };
  expect(await tripsOf(service, call)).toEqual({ outcome: [200, undefined], credits: "2", first: 2, all: 3 });
  expect(await tripsOf(service, call)).toEqual({ outcome: [200, undefined], credits: "0", first: 2, all: 3 });
  expect(await service.used()).toBe(2);
});

test("requests that are refused before their body wait for one", async () => {
  const service = await paidService();
  const unknown = { Authorization: `Bearer ${newToken(true, 0)}` };
  expect(await tripsOf(service, { headers: unknown })).toMatchObject({ outcome: [401, "unauthenticated"], all: 1 });
  const madeUp = { Authorization: "Bearer sk_live_nonsense" };
  expect(await tripsOf(service, { headers: madeUp })).toMatchObject({ outcome: [401, "unauthenticated"], all: 0 });
  expect(await tripsOf(service, { path: "/api/v1/nothing" })).toMatchObject({ outcome: [404, "not_found"], all: 0 });
  const json = { body: "{}", headers: { "Content-Type": "application/json" } };
  expect(await tripsOf(service, json)).toMatchObject({ outcome: [415, "unsupported_format"], all: 1 });
  const reader = await paidService("enterprise", ["pdf:read"]);
  expect(await tripsOf(reader)).toMatchObject({ outcome: [403, "forbidden"], all: 1 });
  const poor = await paidService("free");
  await poor.leave(1);
  expect(await tripsOf(poor)).toMatchObject({ outcome: [429, "quota_exceeded"], first: 1 });
});

test("requests over the rate limit wait for one, and then for none", async () => {
  const service = await paidService("free");
  await env.DB.prepare("UPDATE accounts SET minute = ?, minute_requests = 10 WHERE id = ?")
    .bind(Math.floor(Date.now() / 60_000) + 1, service.account)
    .run();
  for (const all of [1, 0]) {
    expect(await tripsOf(service)).toMatchObject({ outcome: [429, "rate_limit_exceeded"], all });
  }
  expect(await service.used()).toBe(0);
});

test.each(["/api/v1/usage", "/api/v1/keys"])("%s waits for authentication and its own query", async (path) => {
  const service = await paidService("enterprise", ["billing:read", "keys:manage"]);
  expect(await tripsOf(service, { path, method: "GET" })).toMatchObject({
    outcome: [200, undefined],
    first: 2,
    all: 2,
  });
});
