import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { expectConsistency } from "../../billing/ledger-facts.ts";
import { subscribe, typesOf } from "../../events/outbox-facts.ts";
import { document } from "../../harness/fixtures/fixtures.ts";
import { watchedDatabase } from "../../faults/watched-database.ts";
import { newToken } from "../../../src/accounts/token.ts";
import { createApp } from "../../../src/app.ts";
import { headroom } from "../../../src/billing/admit.ts";
import { MiB } from "../../../src/limits.ts";
import { operations } from "../../../src/operations/index.ts";
import { type Call, creditsOf, largePdf, outcome, paidService, pdf } from "../paid-service.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

const FAR_MILLISECONDS = 150;

type Service = Awaited<ReturnType<typeof paidService>>;

/** A database that responds after 150 ms, and how many round trips have come back. `isLost`: which of them do not reach it, from 0. */
function farDatabase(isLost: (trip: number) => boolean = () => false) {
  let [sent, made] = [0, 0];
  const database = watchedDatabase(async (run) => {
    const trip = sent++;
    await scheduler.wait(FAR_MILLISECONDS / 2);
    if (isLost(trip)) throw new Error("D1_ERROR: Network connection lost.");
    const result = await run();
    await scheduler.wait(FAR_MILLISECONDS / 2);
    made += 1;
    return result;
  });
  return { bindings: { ...env, DB: database }, trips: () => made };
}

/** Sends a call to a service with a far database, and counts the round trips until the first byte of its response, and until its end. */
async function tripsOf(service: Service, call: Call = {}) {
  const { bindings, trips } = farDatabase();
  const { response, ended } = await service.open({ ...call, bindings });
  const reader = response.clone().body?.getReader();
  await reader?.read();
  const first = trips();
  const whole = new Response(await response.arrayBuffer(), response);
  await ended();
  return { outcome: await outcome(whole), credits: creditsOf(whole)[0], first, all: trips() };
}

/** The states of the account's reservations. */
async function statesOf({ account }: Service): Promise<string[]> {
  const { results } = await env.DB.prepare("SELECT state FROM ledger WHERE id LIKE ? || '/req%' ORDER BY created_at")
    .bind(account)
    .all<{ state: string }>();
  return results.map(({ state }) => state);
}

describe("round trips before the first byte", () => {
  test.each<[string, Call]>([
    ["small", {}],
    ["streamed", { file: largePdf() }],
    ["of several files", { fields: { act: "zip" } }],
  ])("an operation whose response is %s waits for one, and settles while the response starts", async (_, call) => {
    const service = await paidService();
    expect(await tripsOf(service, call)).toEqual({ outcome: [200, undefined], credits: "2", first: 1, all: 2 });
    expect([await service.used(), await statesOf(service)]).toEqual([2, ["settled"]]);
  });

  test("an operation with more than 4 MiB waits for two, because its body may take long", async () => {
    const service = await paidService();
    const call = { file: pdf("x".repeat(5 * MiB)) };
    expect(await tripsOf(service, call)).toEqual({ outcome: [200, undefined], credits: "2", first: 2, all: 3 });
  });

  test("an operation without Content-Length waits for two, because its body may be large", async () => {
    const service = await paidService();
    const head = 'Content-Disposition: form-data; name="file"; filename="a.pdf"';
    const body = new Blob([`--b\r\n${head}\r\n\r\n%PDF-1.7\n\r\n--b--\r\n`]).stream();
    const call = { body, headers: { "Content-Type": "multipart/form-data; boundary=b" } };
    expect(await tripsOf(service, call)).toEqual({ outcome: [200, undefined], credits: "2", first: 2, all: 3 });
  });

  test("a pipeline, whose price is in its form, waits for two", async () => {
    const service = await paidService();
    const steps = JSON.stringify([{ operation: "other" }, { operation: "work" }]);
    const call = { path: "/api/v1/pipeline", fields: { steps } };
    expect(await tripsOf(service, call)).toEqual({ outcome: [200, undefined], credits: "3", first: 2, all: 3 });
  });

  test("an Idempotency-Key needs the body, so the first request and a retry wait for two", async () => {
    const service = await paidService();
    const call = { idempotencyKey: "k" };
    expect(await tripsOf(service, call)).toEqual({ outcome: [200, undefined], credits: "2", first: 2, all: 3 });
    expect(await tripsOf(service, call)).toEqual({ outcome: [200, undefined], credits: "0", first: 2, all: 3 });
    expect(await service.used()).toBe(2);
  });

  test("a job waits until its files are stored and it exists", async () => {
    const service = await paidService("enterprise", ["pdf:read", "pdf:write"], createApp(operations));
    const file = new Blob([document({ name: "letter", pages: 1 })]);
    const call = { path: "/api/v1/rotate", file, fields: { angle: "90" }, headers: { Prefer: "respond-async" } };
    expect(await tripsOf(service, call)).toEqual({ outcome: [202, undefined], credits: null, first: 7, all: 7 });
  });

  test.each<[string, Call, [number, string]]>([
    ["by its engine", { fields: { act: "refuse" } }, [400, "invalid_file"]],
    ["because of a fault", { fields: { act: "throw" } }, [500, "internal_error"]],
    ["because of a parameter", { fields: { unknown: "1" } }, [400, "invalid_parameters"]],
    ["because of its file", { file: new Blob(["hello"]) }, [415, "unsupported_format"]],
  ])("an operation that is rejected %s waits for one, and releases its credits afterwards", async (_, call, error) => {
    const service = await paidService();
    expect(await tripsOf(service, call)).toEqual({ outcome: error, credits: null, first: 1, all: 2 });
    expect([await service.used(), await statesOf(service)]).toEqual([0, ["released"]]);
  });

  test("an operation that its form makes one of another scope waits for one, and costs nothing", async () => {
    const reader = await paidService("enterprise", ["pdf:read"], createApp(operations));
    const call = { path: "/api/v1/attachments", fields: { action: "remove", name: "a" } };
    expect(await tripsOf(reader, call)).toMatchObject({ outcome: [403, "forbidden"], first: 1, all: 2 });
    expect([await reader.used(), await statesOf(reader)]).toEqual([0, ["released"]]);
  });

  test("requests that are rejected before their body wait for one", async () => {
    const service = await paidService();
    const unknown = { Authorization: `Bearer ${newToken(true, 0)}` };
    expect(await tripsOf(service, { headers: unknown })).toMatchObject({ outcome: [401, "unauthenticated"], all: 1 });
    const madeUp = { Authorization: "Bearer sk_live_nonsense" };
    expect(await tripsOf(service, { headers: madeUp })).toMatchObject({ outcome: [401, "unauthenticated"], all: 0 });
    expect(await tripsOf(service, { path: "/api/v1/nothing" })).toMatchObject({ outcome: [404, "not_found"], all: 0 });
    const json = { body: "{}", headers: { "Content-Type": "application/json" } };
    expect(await tripsOf(service, json)).toMatchObject({ outcome: [415, "unsupported_format"], all: 1 });
    const poor = await paidService("free");
    await poor.leave(1);
    expect(await tripsOf(poor)).toMatchObject({ outcome: [429, "quota_exceeded"], first: 1 });
    for (const each of [service, poor]) expect(await statesOf(each)).toEqual([]);
  });

  test.each(["/api/v1/usage", "/api/v1/keys"])("%s waits for authentication and its own query", async (path) => {
    const service = await paidService("enterprise", ["billing:read", "keys:manage"]);
    const response = { outcome: [200, undefined], first: 2, all: 2 };
    expect(await tripsOf(service, { path, method: "GET" })).toMatchObject(response);
  });

  test("/api/v1/health waits for none", async () => {
    expect(await tripsOf(await paidService(), { path: "/api/v1/health", method: "GET" })).toMatchObject({ all: 0 });
  });
});

describe("credits with a far database", () => {
  test("one of two requests with credits for one is charged", async () => {
    const service = await paidService();
    await service.leave(3);
    const all = await Promise.all([tripsOf(service), tripsOf(service)]);
    const outcomes = all.map((one) => one.outcome).sort(([a], [b]) => a - b);
    expect(outcomes).toEqual([
      [200, undefined],
      [429, "quota_exceeded"],
    ]);
    expect(await service.used()).toBe(1_000_000 - 1);
    expect(await statesOf(service)).toEqual(["settled"]);
  });

  test("an operation of an account with few credits waits for each step, and so does its rejection", async () => {
    const service = await paidService();
    await service.leave(headroom("enterprise", 2) + 1);
    expect(await tripsOf(service)).toMatchObject({ outcome: [200, undefined], first: 2, all: 3 });
    const refused = { fields: { act: "refuse" } };
    expect(await tripsOf(service, refused)).toMatchObject({ outcome: [400, "invalid_file"], first: 3, all: 3 });
    const invalid = { fields: { unknown: "1" } };
    expect(await tripsOf(service, invalid)).toMatchObject({ outcome: [400, "invalid_parameters"], first: 1, all: 1 });
    expect(await statesOf(service)).toEqual(["settled", "released"]);
  });

  test("requests that fail never take the credits of those that succeed", async () => {
    const service = await paidService();
    const room = headroom("enterprise", 2);
    await service.leave(room + 10);
    const calls = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? {} : { fields: { act: "refuse" } }));
    const all = await Promise.all(calls.map((call) => tripsOf(service, call)));
    expect(all.map((one) => one.outcome[0])).toEqual(calls.map((call) => ("fields" in call ? 400 : 200)));
    expect(await service.used()).toBe(1_000_000 - room - 10 + 40);
  });

  test("a client that disconnects before the last byte is charged once", async () => {
    for (const file of [pdf(), largePdf()]) {
      const service = await paidService();
      const { response, ended } = await service.open({ file, bindings: farDatabase().bindings });
      const reader = response.body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      await reader?.cancel();
      await ended();
      expect([await service.used(), await statesOf(service)]).toEqual([2, ["settled"]]);
    }
  });

  test("a client that disconnects during the upload is charged nothing, which is no event", async () => {
    const service = await paidService();
    await subscribe(service.account);
    const begun = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n`;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(begun)),
      pull: (controller) => controller.error(new Error("the connection is gone")),
    });
    const headers = { "Content-Type": "multipart/form-data; boundary=b", "Content-Length": "1000" };
    const { response, ended } = await service.open({ body, headers, bindings: farDatabase().bindings });
    expect(response.status).toBeGreaterThanOrEqual(400);
    await ended();
    expect([await service.used(), await statesOf(service)]).toEqual([0, ["released"]]);
    expect(await typesOf(service.account)).toEqual([]);
  });

  test("a request that is rejected before its operation runs is no event, and one that fails is one", async () => {
    const service = await paidService();
    await subscribe(service.account);
    await tripsOf(service, { fields: { unknown: "1" } });
    expect(await typesOf(service.account)).toEqual([]);
    await tripsOf(service, { fields: { act: "refuse" } });
    expect(await typesOf(service.account)).toEqual(["operation.failed"]);
  });

  test("a revoked key reserves nothing", async () => {
    const service = await paidService();
    await env.DB.prepare("UPDATE api_keys SET revoked_at = 1 WHERE account = ?").bind(service.account).run();
    expect(await tripsOf(service)).toMatchObject({ outcome: [401, "unauthenticated"], first: 1, all: 1 });
    expect(await statesOf(service)).toEqual([]);
  });

  test("a key without the scope reserves nothing", async () => {
    const reader = await paidService("enterprise", ["pdf:read"]);
    expect(await tripsOf(reader)).toMatchObject({ outcome: [403, "forbidden"], first: 1, all: 1 });
    expect(await statesOf(reader)).toEqual([]);
  });

  test("requests over the rate limit reserve nothing, and then wait for nothing", async () => {
    const service = await paidService("free");
    await env.DB.prepare("UPDATE accounts SET minute = ?, minute_requests = 10 WHERE id = ?")
      .bind(Math.floor(Date.now() / 60_000) + 1, service.account)
      .run();
    for (const all of [1, 0]) {
      expect(await tripsOf(service)).toMatchObject({ outcome: [429, "rate_limit_exceeded"], all });
    }
    expect([await service.used(), await statesOf(service)]).toEqual([0, []]);
  });

  test("a response whose charge is not confirmed is aborted and costs nothing", async () => {
    const service = await paidService();
    // The settlement and its retry, after authentication.
    const { bindings, trips } = farDatabase((trip) => trip === 1 || trip === 2);
    const { response, ended } = await service.open({ bindings });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow("the response broke off");
    await ended();
    expect(trips()).toBeGreaterThanOrEqual(2);
    expect([await service.used(), await statesOf(service)]).toEqual([0, ["released"]]);
  });
});
