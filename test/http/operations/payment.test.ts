import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Call, creditsOf, expectNoCredits, largePdf, outcome, paidService, type Sent } from "../paid-service.ts";
import { expectConsistency } from "../../billing/ledger-facts.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

type Service = Awaited<ReturnType<typeof paidService>>;

/**
 * Sends calls at once and counts their outcomes. Only two are at work at a time. The clock stands still after a second, so that however
 * slow the machine is, none of the others waits for the five seconds after which it would be turned away.
 */
async function storm(service: Service, calls: number, call: Call): Promise<Record<string, number>> {
  const now = Date.now;
  const end = now() + 1_000;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => Math.min(now(), end));
  try {
    const responses = await Promise.all(Array.from({ length: calls }, () => service.send(call)));
    const outcomes = await Promise.all(responses.map(outcome));
    const tally = Map.groupBy(outcomes, ([status, code]) => `${status} ${code ?? ""}`.trim());
    return Object.fromEntries(Array.from(tally, ([name, all]) => [name, all.length]));
  } finally {
    clock.mockRestore();
  }
}

describe("concurrent requests", () => {
  test("25 of 200 requests of two credits succeed with 50 credits left, and the other errors give the exact number left", async () => {
    const service = await paidService();
    await service.leave(50);
    expect(await storm(service, 200, {})).toEqual({ "200": 25, "429 quota_exceeded": 175 });
    expect(await service.used()).toBe(1_000_000);
    const before = Date.now();
    const refused = await service.send();
    const { error } = await refused.clone().json<{ error: object }>();
    const end = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1));
    expect(error).toMatchObject({
      code: "quota_exceeded",
      details: { limit: 1_000_000, used: 1_000_000, remaining: 0, resetAt: end.toISOString() },
    });
    const wait = Number(refused.headers.get("Retry-After"));
    expect(wait).toBeGreaterThanOrEqual((end.getTime() - Date.now()) / 1_000);
    expect(wait).toBeLessThanOrEqual(Math.ceil((end.getTime() - before) / 1_000));
  });

  test("51 of 200 requests of one credit succeed with 51 credits left", async () => {
    const service = await paidService();
    await service.leave(51);
    expect(await storm(service, 200, { path: "/api/v1/other" })).toEqual({ "200": 51, "429 quota_exceeded": 149 });
    expect(await service.used()).toBe(1_000_000);
  });

  test.each([
    ["refuse", "400 invalid_file", 200],
    ["throw", "500 internal_error", 50],
    ["first", "500 internal_error", 50],
  ])("concurrent requests that all fail (%s) are not charged", async (act, expected, calls) => {
    const service = await paidService();
    await service.leave(50);
    const counts = await storm(service, calls, { fields: { act } });
    // Some may find all credits set aside for 25 others, which will fail: they are refused, but never charged.
    const { [expected]: failed = 0, "429 quota_exceeded": refused = 0, ...others } = counts;
    expect([failed + refused, others]).toEqual([calls, {}]);
    expect(failed).toBeGreaterThanOrEqual(25);
    expect(await service.used()).toBe(1_000_000 - 50);
  });

  test("one of many requests under one Idempotency-Key is charged, and five more are free", async () => {
    const service = await paidService();
    await service.leave(50);
    const counts = await storm(service, 100, { idempotencyKey: "k" });
    const { "200": done = 0, "409 idempotency_conflict": conflicts = 0, ...others } = counts;
    expect([done + conflicts, others]).toEqual([100, {}]);
    expect(await service.used()).toBe(1_000_000 - 50 + 2 * Math.ceil(done / 6));
  });
});

describe("credits of a response", () => {
  test("a response reports its cost and the remaining credits", async () => {
    const service = await paidService("free");
    expect(creditsOf(await service.send())).toEqual(["2", "98", null]);
    expect(creditsOf(await service.send({ path: "/api/v1/other" }))).toEqual(["1", "97", null]);
    expect(creditsOf(await service.send({ fields: { act: "zip" } }))).toEqual(["2", "95", null]);
    expect(creditsOf(await service.send({ file: largePdf() }))).toEqual(["2", "93", null]);
    expect(await service.used()).toBe(7);
  });

  test("an error reports no credits, and is not charged", async () => {
    const service = await paidService();
    const calls: [Call, number][] = [
      [{ fields: { unknown: "1" } }, 400],
      [{ file: new Blob(["no PDF"]) }, 415],
      [{ body: "{}", headers: { "Content-Type": "application/json" } }, 415],
      [{ fields: { act: "refuse" } }, 400],
      [{ fields: { act: "trap" } }, 500],
    ];
    for (const [call, status] of calls) {
      const response = await service.send(call);
      expect(response.status).toBe(status);
      expectNoCredits(response);
    }
    expect(await service.used()).toBe(0);
  });

  test("the headers of a response are exposed to scripts of other origins", async () => {
    const service = await paidService();
    await service.send({ idempotencyKey: "k" });
    const response = await service.send({ idempotencyKey: "k", headers: { Origin: "https://example.com" } });
    const exposed = new Set(response.headers.get("Access-Control-Expose-Headers")?.split(", "));
    for (const name of [
      "RateLimit",
      "RateLimit-Policy",
      "X-Credits-Charged",
      "X-Credits-Remaining",
      "Idempotency-Replayed",
    ]) {
      expect(response.headers.get(name), name).not.toBeNull();
      expect(exposed, name).toContain(name);
    }
    expect(exposed).toContain("Retry-After");
  });
});

describe("streamed responses", () => {
  const states = async ({ account }: Service): Promise<unknown[]> => {
    const { results } = await env.DB.prepare("SELECT state FROM ledger WHERE id > ?1 || '/' AND id < ?1 || '0'")
      .bind(account)
      .all<{ state: string }>();
    return results.map(({ state }) => state);
  };

  test("a streamed response is charged before its last byte", async () => {
    const service = await paidService();
    const { response, ended } = await service.open({ file: largePdf() });
    expect(creditsOf(response)).toEqual(["2", "999998", null]);
    await response.arrayBuffer();
    expect([await service.used(), await states(service)]).toEqual([2, ["settled"]]);
    await ended();
    expect(await states(service)).toEqual(["settled"]);
  });

  test("a response that the service aborts is refunded when the client sees it, and its key can be used again", async () => {
    const service = await paidService();
    const { response, ended } = await service.open({ fields: { act: "late" }, idempotencyKey: "k" });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow("the response broke off");
    expect([await service.used(), await states(service)]).toEqual([0, ["refunded"]]);
    const next = await service.send({ fields: { note: "another" }, idempotencyKey: "k" });
    expect(creditsOf(next)).toEqual(["2", "999998", null]);
    await ended();
  });

  test("a response that the document aborts stays charged, because its entries were delivered", async () => {
    const service = await paidService();
    for (const used of [2, 4]) {
      const { response, ended } = await service.open({ fields: { act: "spoiled" } });
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow("the response broke off");
      await ended();
      expect(await service.used()).toBe(used);
    }
    expect(await states(service)).toEqual(["settled", "settled"]);
    expect((await service.send()).status).toBe(200);
  });

  async function leave({ response, ended }: Sent): Promise<void> {
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await ended();
  }

  test("a response that the client abandons is charged, and its retry is not", async () => {
    const service = await paidService();
    await leave(await service.open({ file: largePdf(), idempotencyKey: "k" }));
    expect([await service.used(), await states(service)]).toEqual([2, ["settled"]]);
    const repetition = await service.send({ file: largePdf(), idempotencyKey: "k" });
    expect([repetition.status, ...creditsOf(repetition)]).toEqual([200, "0", "999998", "true"]);
  });
});
