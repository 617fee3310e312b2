import { beforeEach, describe, expect, it } from "vitest";
import {
  expire,
  fieldsOf,
  inSeconds,
  type Key,
  type Made,
  makeKey,
  newAccount,
  send,
  statusOf,
} from "../accounts/account-service.ts";

let owner: Awaited<ReturnType<typeof newAccount>>;
let admin: Made;
beforeEach(async () => {
  owner = await newAccount();
  admin = await owner.key();
});

const make = (body: Readonly<Record<string, unknown>>, token = admin.token) => makeKey(token, body);

describe("POST /keys", () => {
  it("creates a key that works, with the requested properties", async () => {
    const made = await make({
      name: "Ünï 🙂",
      scopes: ["keys:manage", "pdf:read"],
      expiresAt: "2999-01-31T01:00:00+01:00",
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{22}$/),
      name: "Ünï 🙂",
      livemode: true,
      scopes: ["pdf:read", "keys:manage"],
      lastFour: made.key.slice(-4),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expiresAt: "2999-01-31T00:00:00.000Z",
      revokedAt: null,
      key: expect.stringMatching(/^sk_live_/),
    });
    expect(await statusOf(made.key)).toBe(200);
  });

  it("gives a new key the properties of the calling key by default", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const test = await owner.key({ livemode: false, scopes: ["keys:manage", "billing:read"], expiresAt });
    const made = await make({ name: "child" }, test.token);
    expect(made).toMatchObject({
      livemode: false,
      scopes: ["keys:manage", "billing:read"],
      expiresAt: expiresAt.toISOString(),
      key: expect.stringMatching(/^sk_test_/),
    });
  });

  it("forbids caches to store the new key", async () => {
    const { headers } = await send("POST", "/keys", admin.token, { name: "a" });
    expect(headers.get("Cache-Control")).toBe("no-store");
  });

  it.each([
    ["no name", {}, "name", "is required"],
    ["an empty name", { name: "" }, "name", "1 to 100"],
    ["a long name", { name: "🙂".repeat(101) }, "name", "1 to 100"],
    ["a control character", { name: "a\u0085b" }, "name", "control"],
    ["half a character", { name: "a\ud800" }, "name", "control"],
    ["a number for a name", { name: 7 }, "name", "string"],
    ["an unknown scope", { name: "a", scopes: ["pdf:read", "root"] }, "scopes.1", "must be one of pdf:read"],
    ["no scopes", { name: "a", scopes: [] }, "scopes", "at least one"],
    ["text for scopes", { name: "a", scopes: "pdf:read" }, "scopes", "array"],
    ["a word for livemode", { name: "a", livemode: "true" }, "livemode", "true or false"],
    ["a date without time", { name: "a", expiresAt: "2999-01-01" }, "expiresAt", "ISO 8601"],
    ["a time without offset", { name: "a", expiresAt: "2999-01-01T00:00:00" }, "expiresAt", "ISO 8601"],
    ["a day that is none", { name: "a", expiresAt: "2999-02-30T00:00:00Z" }, "expiresAt", "ISO 8601"],
    ["a past expiry", { name: "a", expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt", "future"],
    ["a member that is none", { name: "a", expires: null }, "expires", "not a known parameter"],
    ["a member of the response", { name: "a", revokedAt: null }, "revokedAt", "not a known parameter"],
  ])("POST /keys refuses %s", async (_case, body, name, issue) => {
    const { status, code, details } = await send("POST", "/keys", admin.token, body);
    expect([status, code]).toEqual([400, "invalid_parameters"]);
    expect(details).toEqual({ fields: [{ name, issue: expect.stringContaining(issue) }] });
  });

  it("accepts a name of 100 characters beyond the basic plane", async () => {
    expect((await make({ name: "🙂".repeat(100) })).name).toBe("🙂".repeat(100));
  });

  it("lists all problems at once, and ignores the query", async () => {
    const body = { name: "", scopes: ["x"], livemode: 1, __proto: 1 };
    const { details } = await send("POST", "/keys?dryRun=1", admin.token, body);
    const names = fieldsOf(details).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["__proto", "livemode", "name", "scopes.0"]);
  });

  it("creates the 100th key of a mode and no more, however many requests race", async () => {
    const early = await Promise.all(Array.from({ length: 90 }, () => owner.key()));
    // 91 with the one that asks: 9 places for 30.
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => send("POST", "/keys", admin.token, { name: "race" })),
    );
    const won = responses.filter(({ status }) => status === 201);
    expect(won.length).toBe(9);
    for (const { status, code, details } of responses.filter((response) => !won.includes(response))) {
      expect([status, code, details]).toEqual([409, "limit_reached", { limit: 100 }]);
    }
    expect((await send("GET", "/keys?limit=1", admin.token)).json["count"]).toBe(100);
    // The other mode has places of its own; one that is revoked or expired gives its place free.
    const test = await owner.key({ livemode: false });
    await make({ name: "test" }, test.token);
    const [first, second] = early;
    await send("DELETE", `/keys/${first?.id}`, admin.token);
    await expire(second?.id ?? "");
    await make({ name: "for the revoked" });
    await make({ name: "for the expired" });
    expect((await send("POST", "/keys", admin.token, { name: "too many" })).status).toBe(409);
  });
});

describe("POST /keys/{id}/rotate", () => {
  it("makes a key like the old one, which works until its grace period ends", async () => {
    const { key, ...old } = await make({ name: "a", scopes: ["keys:manage"], expiresAt: inSeconds(10 * 86_400) });
    const before = Date.now();
    const { status, json } = await send("POST", `/keys/${old.id}/rotate`, admin.token);
    const { key: newKey, ...fresh } = json as Key;
    expect(status).toBe(201);
    expect(fresh).toEqual({
      ...old,
      id: expect.not.stringMatching(old.id),
      lastFour: newKey.slice(-4),
      createdAt: expect.any(String),
    });
    expect([await statusOf(key), await statusOf(newKey)]).toEqual([200, 200]);
    const { json: after } = await send("GET", `/keys/${old.id}`, admin.token);
    const rotated = Date.parse(after["expiresAt"] as string) - 86_400_000;
    expect(rotated).toBeGreaterThanOrEqual(before);
    expect(rotated).toBeLessThanOrEqual(Date.now());
    await expire(old.id);
    expect([await statusOf(key), await statusOf(newKey)]).toEqual([401, 200]);
  });

  it("never extends the old key's life", async () => {
    const expiresAt = inSeconds(100);
    const { id } = await make({ name: "a", expiresAt });
    await send("POST", `/keys/${id}/rotate`, admin.token, { gracePeriodSeconds: 2_592_000 });
    expect((await send("GET", `/keys/${id}`, admin.token)).json["expiresAt"]).toBe(expiresAt);
  });

  it("replaces the key at once without a grace period, even at the limit of keys", async () => {
    await Promise.all(Array.from({ length: 99 }, () => owner.key()));
    const withGrace = await send("POST", `/keys/${admin.id}/rotate`, admin.token, {});
    expect([withGrace.status, withGrace.code, withGrace.details]).toEqual([409, "limit_reached", { limit: 100 }]);
    expect(await statusOf(admin.token)).toBe(200);
    const { status, json } = await send("POST", `/keys/${admin.id}/rotate`, admin.token, { gracePeriodSeconds: 0 });
    expect(status).toBe(201);
    expect(await statusOf(admin.token)).toBe(401);
    expect(await statusOf((json as Key).key)).toBe(200);
  });

  it("keeps the limit when many keys are rotated at once", async () => {
    const many = await Promise.all(Array.from({ length: 94 }, () => owner.key()));
    // 95 with the one that asks: 5 places for 12 new keys beside their old ones.
    const responses = await Promise.all(
      many.slice(0, 12).map(({ id }) => send("POST", `/keys/${id}/rotate`, admin.token, { gracePeriodSeconds: 60 })),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 5 }, () => 201),
      ...Array.from({ length: 7 }, () => 409),
    ]);
    // Where there was no place the old key is as it was.
    const { json } = await send("GET", "/keys", admin.token);
    expect(json["count"]).toBe(100);
    expect((json["data"] as Key[]).filter(({ expiresAt }) => expiresAt !== null).length).toBe(5);
  });

  it("does not rotate a revoked or expired key", async () => {
    const revoked = await make({ name: "a" });
    await send("DELETE", `/keys/${revoked.id}`, admin.token);
    const expired = await make({ name: "b", expiresAt: inSeconds(100) });
    await expire(expired.id);
    for (const { id } of [revoked, expired]) {
      expect((await send("POST", `/keys/${id}/rotate`, admin.token)).code).toBe("not_found");
    }
  });

  it("leaves a consistent state when rotations race with each other and with DELETE", async () => {
    const { id } = await make({ name: "a" });
    const responses = await Promise.all([
      ...Array.from({ length: 5 }, () => send("POST", `/keys/${id}/rotate`, admin.token, { gracePeriodSeconds: 0 })),
      send("DELETE", `/keys/${id}`, admin.token),
    ]);
    // With no grace the key is gone with the first.
    const made = responses.filter(({ status }) => status === 201);
    expect(made.length).toBeLessThanOrEqual(1);
    expect((await send("GET", "/keys", admin.token)).json["count"]).toBe(2 + made.length);
  });

  it.each([-1, 2_592_001, 1.5, "60", null])("refuses a grace period of %j", async (gracePeriodSeconds) => {
    const { details } = await send("POST", `/keys/${admin.id}/rotate`, admin.token, { gracePeriodSeconds });
    expect(details).toEqual({ fields: [{ name: "gracePeriodSeconds", issue: expect.any(String) }] });
  });
});
