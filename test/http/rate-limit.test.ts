import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { outcome, paidService } from "./paid-service.ts";
import { clientNetwork } from "../../src/http/auth/client-network.ts";
import { createKey } from "../../src/keys/operator.ts";
import { hashToken, newToken } from "../../src/accounts/token.ts";
import { openDatabase } from "../../src/db/client.ts";
import { apiKeys } from "../../src/db/schema.ts";
import { countedDatabase } from "../accounts/counted-database.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

type Service = Awaited<ReturnType<typeof paidService>>;
const minuteNow = (): number => Math.floor(Date.now() / 60_000);

/**
 * Sets the account's minute. The next one for a test in which no minute must begin: an isolate whose clock is behind counts
 * for the minute that has begun elsewhere.
 */
async function setMinute({ account }: Service, minute: number, requests: number): Promise<void> {
  await env.DB.prepare("UPDATE accounts SET minute = ?, minute_requests = ? WHERE id = ?")
    .bind(minute, requests, account)
    .run();
}

const requestsOf = async ({ account }: Service): Promise<unknown> =>
  (await env.DB.prepare("SELECT minute_requests AS n FROM accounts WHERE id = ?").bind(account).first("n")) ??
  undefined;

const remainingOf = ({ headers }: Response): string | undefined =>
  /^"default";r=(\d+);t=\d+$/.exec(headers.get("RateLimit") ?? "")?.[1];

describe("requests of a minute", () => {
  test("exactly 10 of 30 concurrent requests pass on the free plan", async () => {
    const service = await paidService("free");
    await setMinute(service, minuteNow() + 1, 0);
    // 415 before the body is read: what is counted is the request, and nobody waits for memory.
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => service.send({ body: "{}", headers: { "Content-Type": "application/json" } })),
    );
    const outcomes = await Promise.all(responses.map(async (response) => (await outcome(response)).join(" ")));
    expect(outcomes.filter((one) => one === "415 unsupported_format")).toHaveLength(10);
    expect(outcomes.filter((one) => one === "429 rate_limit_exceeded")).toHaveLength(20);
    const left = responses.map(remainingOf).sort((a, b) => Number(b) - Number(a));
    expect(left.slice(0, 10)).toEqual(["9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]);
    expect(new Set(left.slice(10))).toEqual(new Set(["0"]));
  });

  test("the count begins anew with each minute, and is shared by all keys of the account", async () => {
    const service = await paidService("free");
    await setMinute(service, minuteNow() - 1, 10);
    expect(remainingOf(await service.send())).toBe("9");
    await setMinute(service, minuteNow() + 1, 9);
    const headers = { Authorization: `Bearer ${await service.newKey({ livemode: false })}` };
    expect((await service.send({ headers })).status).toBe(200);
    expect((await service.send()).status).toBe(429);
    expect((await service.send({ headers })).status).toBe(429);
    const stranger = await paidService("free");
    expect((await stranger.send()).status).toBe(200);
  });

  test("refused requests are counted on every route that needs a key", async () => {
    const service = await paidService("free", ["pdf:write"]);
    await setMinute(service, minuteNow() + 1, 0);
    const statuses = [];
    for (const call of [
      {},
      { fields: { unknown: "1" } },
      { path: "/api/v1/other" },
      { file: new Blob(["no PDF"]) },
      { idempotencyKey: "" },
      { fields: { act: "throw" } },
    ]) {
      const response = await service.send(call);
      statuses.push([response.status, remainingOf(response)]);
    }
    expect(statuses).toEqual([
      [200, "9"],
      [400, "8"],
      [403, "7"],
      [415, "6"],
      [400, "5"],
      [500, "4"],
    ]);
    expect(await requestsOf(service)).toBe(6);
  });

  test("requests without a key or with an invalid one are not counted", async () => {
    const service = await paidService("free");
    await setMinute(service, minuteNow() + 1, 3);
    const db = openDatabase(env.DB);
    const expired = await createKey(
      db,
      service.account,
      { name: "e", livemode: true, expiresAt: new Date(1) },
      new Date(0),
    );
    expect((await service.send({ method: "GET", path: "/api/v1/health" })).status).toBe(200);
    for (const token of [expired.token, newToken(true, 0), "sk_live_x"]) {
      const response = await service.send({ headers: { Authorization: `Bearer ${token}` } });
      expect([response.status, response.headers.get("RateLimit")]).toEqual([401, null]);
    }
    expect(await requestsOf(service)).toBe(3);
  });

  test("a request over the limit gets Retry-After, and costs nothing", async () => {
    const service = await paidService("free");
    await setMinute(service, minuteNow() + 1, 10);
    const response = await service.send();
    expect(await outcome(response)).toEqual([429, "rate_limit_exceeded"]);
    expect(response.headers.get("RateLimit-Policy")).toBe('"default";q=10;w=60');
    const seconds = Number(response.headers.get("Retry-After"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(response.headers.get("RateLimit")).toBe(`"default";r=0;t=${seconds}`);
    expect(await service.used()).toBe(0);
  });

  test("requests over the limit write nothing, and from the second on do not reach the database", async () => {
    const service = await paidService("free", ["pdf:write"]);
    await setMinute(service, minuteNow() + 1, 9);
    const { database, counts } = countedDatabase();
    const bindings = { ...env, DB: database };
    expect((await service.send({ bindings })).status).toBe(200);
    const second = { Authorization: `Bearer ${await service.newKey({ livemode: true })}` };
    const costs = [];
    // Another key of the account is looked up once.
    for (const headers of [{}, {}, second, second]) {
      Object.assign(counts, { trips: 0, rowsWritten: 0 });
      const response = await service.send({ bindings, headers });
      expect(await outcome(response)).toEqual([429, "rate_limit_exceeded"]);
      expect(remainingOf(response)).toBe("0");
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
      costs.push([counts.trips, counts.rowsWritten]);
    }
    expect(costs).toEqual([
      // This one is the eleventh, which is counted.
      [1, 1],
      [0, 0],
      [1, 0],
      [0, 0],
    ]);
    expect(await requestsOf(service)).toBe(11);
    expect(await outcome(await service.send({ bindings, path: "/api/v1/other" }))).toEqual([403, "forbidden"]);
  });

  test("the rate limit is checked after the scope, and before the body", async () => {
    const service = await paidService("free", ["billing:read"]);
    await setMinute(service, minuteNow() + 1, 10);
    expect(await outcome(await service.send())).toEqual([403, "forbidden"]);
    const full = await paidService("free");
    await setMinute(full, minuteNow() + 1, 10);
    const wrongBody = { body: "{}", headers: { "Content-Type": "application/json" } };
    expect(await outcome(await full.send(wrongBody))).toEqual([429, "rate_limit_exceeded"]);
  });
});

describe("shields of the database", () => {
  /** Uses a shield's limit up for a key. It is a matter of the binding's clock when a period begins, so until it says no. */
  async function exhaust(shield: RateLimit, key: string): Promise<void> {
    for (let round = 0; round < 100; round += 1) {
      const results = await Promise.all(Array.from({ length: 200 }, () => shield.limit({ key })));
      if (results.some(({ success }) => !success)) return;
    }
    throw new Error("the shield never said no");
  }

  const groups = () => crypto.randomUUID().slice(9, 18).replace("-", ":");
  const networkOf = () => `2001:db8:a:${crypto.randomUUID().slice(0, 4)}`;

  test("the shield stops a key that is far too fast", async () => {
    const service = await paidService();
    const { database, counts } = countedDatabase();
    // The address shield's binding in its place: 6,000 calls of the real one would take long.
    const bindings = { ...env, DB: database, KEY_SHIELD: env.ADDRESS_SHIELD };
    expect((await service.send({ bindings })).status).toBe(200);
    await exhaust(env.ADDRESS_SHIELD, await hashToken(service.token));
    counts.trips = 0;
    counts.statements.clear();
    const response = await service.send({ bindings });
    expect(await outcome(response)).toEqual([429, "rate_limit_exceeded"]);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect([counts.trips, counts.statements.size]).toEqual([0, 0]);
    // The account's other keys are not stopped.
    const headers = { Authorization: `Bearer ${await service.newKey({ livemode: true })}` };
    expect((await service.send({ bindings, headers })).status).toBe(200);
  });

  test("the shield stops the whole /64 of a network that sends bad keys, and no other", async () => {
    const service = await paidService();
    const { database, counts } = countedDatabase();
    const bindings = { ...env, DB: database };
    const network = networkOf();
    const bad = () => ({
      Authorization: `Bearer ${newToken(true, 0)}`,
      "CF-Connecting-IP": `${network}:${groups()}:${groups()}`.toUpperCase(),
    });
    expect((await service.send({ bindings, headers: bad() })).status).toBe(401);
    expect(counts.trips).toBe(1);
    await exhaust(env.ADDRESS_SHIELD, clientNetwork(new Headers(bad())));
    // This one is what tells the isolate; from then on nothing of the address reaches the database.
    expect((await service.send({ bindings, headers: bad() })).status).toBe(401);
    const before = counts.trips;
    for (let call = 0; call < 5; call += 1) {
      const response = await service.send({ bindings, headers: bad() });
      expect(await outcome(response)).toEqual([429, "rate_limit_exceeded"]);
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    expect(counts.trips).toBe(before);
    for (const address of [`${networkOf()}::1`, "192.0.2.1", ""]) {
      const headers = { "CF-Connecting-IP": address };
      expect((await service.send({ headers })).status).toBe(200);
      expect((await service.send({ headers: { ...bad(), ...headers } })).status).toBe(401);
    }
  });

  test.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8:1:3:3:4:5:6", "2001:db8:1:3::/64"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["192.0.2.1", "192.0.2.1"],
    ["", ""],
  ])("the shield identifies the client %s as %s", (address, network) => {
    expect(clientNetwork(new Headers({ "CF-Connecting-IP": address }))).toBe(network);
  });

  test("the shields are not queried for a key that cannot exist", async () => {
    const service = await paidService();
    const { database, counts } = countedDatabase();
    const shields = { KEY_SHIELD: 0, ADDRESS_SHIELD: 0 };
    const counting = (name: keyof typeof shields): RateLimit => ({
      limit: (options) => {
        shields[name] += 1;
        return env[name].limit(options);
      },
    });
    const bindings = {
      ...env,
      DB: database,
      KEY_SHIELD: counting("KEY_SHIELD"),
      ADDRESS_SHIELD: counting("ADDRESS_SHIELD"),
    };
    const token = `${service.token.slice(0, -1)}${service.token.endsWith("x") ? "y" : "x"}`;
    expect((await service.send({ bindings, headers: { Authorization: `Bearer ${token}` } })).status).toBe(401);
    expect([counts.trips, shields]).toEqual([0, { KEY_SHIELD: 0, ADDRESS_SHIELD: 0 }]);
    expect((await service.send({ bindings })).status).toBe(200);
    expect(shields).toEqual({ KEY_SHIELD: 1, ADDRESS_SHIELD: 0 });
    await openDatabase(env.DB).delete(apiKeys).where(eq(apiKeys.account, service.account));
    expect((await service.send({ bindings })).status).toBe(401);
    expect(shields).toEqual({ KEY_SHIELD: 2, ADDRESS_SHIELD: 1 });
  });
});
