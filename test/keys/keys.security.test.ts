import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldsOf, inSeconds, type Key, makeKey, newAccount, send } from "../accounts/account-service.ts";
import { call, idRoutes, seenBy, titleOf } from "../accounts/registered-routes.ts";
import { type Scope, scopes } from "../../src/accounts/scopes.ts";
import { hashToken } from "../../src/accounts/token.ts";

const keyRoutes = idRoutes.filter(({ path }) => path.startsWith("/keys/"));
const changing = keyRoutes.filter(({ method }) => method !== "GET");

/** Everything in the database, as text. */
async function database(): Promise<string> {
  const { results } = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{
    name: string;
  }>();
  const tables = results.map(({ name }) => name).filter((name) => !name.startsWith("_cf_"));
  const rows = await env.DB.batch(tables.map((name) => env.DB.prepare(`SELECT * FROM "${name}"`)));
  return JSON.stringify(rows.map(({ results }) => results));
}

describe("secrecy of keys", () => {
  it("a full key is returned once: no later response contains it or its hash, and the database has only the hash", async () => {
    const account = await newAccount();
    const admin = await account.key();
    const made = await makeKey(admin.token, { name: "once" });
    const rotated = (await send("POST", `/keys/${made.id}/rotate`, admin.token)).json as Key;
    expect(made.key).toMatch(/^sk_live_/);
    expect(rotated.key).toMatch(/^sk_live_/);
    const secrets = [admin.token, made.key, rotated.key];
    const hashes = await Promise.all(secrets.map(hashToken));
    // `rotate` responds with a key of its own, so it is checked against the ones from before.
    const responses = [(await send("GET", "/keys", admin.token)).text];
    for (const route of keyRoutes) {
      for (const id of [made.id, rotated.id]) responses.push((await call(route, admin.token, id)).text);
    }
    responses.push((await send("GET", "/keys", admin.token)).text);
    expect(responses.length).toBe(2 + 2 * keyRoutes.length);
    for (const response of responses) {
      for (const secret of [...secrets.map((token) => token.slice(8, -4)), ...hashes, "hash"]) {
        expect(response).not.toContain(secret);
      }
    }
    const stored = await database();
    for (const hash of hashes) expect(stored).toContain(hash);
    for (const token of secrets) expect(stored).not.toContain(token.slice(8, -4));
  });
});

describe("keys with fewer scopes", () => {
  it.each(changing.map((route) => [titleOf(route), route] as const))(
    "a key cannot %s of a key with more scopes",
    async (_title, route) => {
      const account = await newAccount();
      const admin = await account.key();
      const lesser = await account.key({ scopes: ["keys:manage", "pdf:read"] });
      for (const { id } of [admin, await account.key({ scopes: ["pdf:read", "billing:read"] })]) {
        const before = await seenBy(route, admin.token, id);
        const { status, code, details } = await call(route, lesser.token, id);
        expect([status, code]).toEqual([403, "forbidden"]);
        expect(["pdf:write", "billing:read"]).toContain(details?.["requiredScope"]);
        expect(await seenBy(route, admin.token, id)).toBe(before);
      }
      const equal = await account.key({ scopes: ["pdf:read", "keys:manage"] });
      expect((await call(route, lesser.token, equal.id)).status).toBeLessThan(300);
    },
  );

  it("a key creates no key with more scopes", async () => {
    const account = await newAccount();
    const lesser = await account.key({ scopes: ["keys:manage", "pdf:read"] });
    const more = await send("POST", "/keys", lesser.token, { name: "a", scopes: ["pdf:read", "pdf:write"] });
    expect([more.status, more.code, more.details]).toEqual([403, "forbidden", { requiredScope: "pdf:write" }]);
    expect((await makeKey(lesser.token, { name: "a" })).scopes).toEqual(["pdf:read", "keys:manage"]);
    expect((await send("GET", "/keys", lesser.token)).json["count"]).toBe(2);
  });

  it("a live key creates test keys, and a test key creates no live key", async () => {
    const account = await newAccount();
    const live = await account.key({ scopes: ["keys:manage", "pdf:read"] });
    const test = await makeKey(live.token, { name: "a", livemode: false });
    expect(test).toMatchObject({ livemode: false, scopes: ["pdf:read", "keys:manage"] });
    expect(test.key).toMatch(/^sk_test_/);
    // It belongs to its own mode from then on.
    expect((await send("GET", `/keys/${test.id}`, live.token)).status).toBe(404);
    expect((await send("GET", "/keys", live.token)).json["count"]).toBe(1);
    expect((await send("GET", "/keys", test.key)).json["count"]).toBe(1);
    const reverse = await send("POST", "/keys", test.key, { name: "b", livemode: true });
    expect([reverse.status, reverse.code]).toEqual([403, "forbidden"]);
  });
});

describe("keys with an expiry", () => {
  it("a key creates no key that outlives it", async () => {
    const account = await newAccount();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const mortal = await account.key({ expiresAt });
    for (const later of [null, new Date(expiresAt.getTime() + 1).toISOString()]) {
      const { status, details } = await send("POST", "/keys", mortal.token, { name: "a", expiresAt: later });
      expect([status, fieldsOf(details).map(({ name }) => name)]).toEqual([400, ["expiresAt"]]);
    }
    expect((await makeKey(mortal.token, { name: "a", expiresAt: expiresAt.toISOString() })).expiresAt).toBe(
      expiresAt.toISOString(),
    );
    const sooner = inSeconds(5);
    expect((await makeKey(mortal.token, { name: "a", expiresAt: sooner })).expiresAt).toBe(sooner);
  });

  it("a key rotates no key that outlives it, and its own successor expires with it", async () => {
    const account = await newAccount();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const mortal = await account.key({ expiresAt });
    const immortal = await account.key();
    const { status, code } = await send("POST", `/keys/${immortal.id}/rotate`, mortal.token);
    expect([status, code]).toEqual([403, "forbidden"]);
    expect((await send("GET", `/keys/${immortal.id}`, mortal.token)).json["expiresAt"]).toBeNull();
    const like = (await send("POST", `/keys/${mortal.id}/rotate`, mortal.token)).json;
    expect(like["expiresAt"]).toBe(expiresAt.toISOString());
  });

  it("a rotated key creates no key that outlives its grace period", async () => {
    const account = await newAccount();
    const leaked = await account.key();
    await send("POST", `/keys/${leaked.id}/rotate`, leaked.token, { gracePeriodSeconds: 60 });
    const grace = (await send("GET", `/keys/${leaked.id}`, leaked.token)).json["expiresAt"];
    expect((await makeKey(leaked.token, { name: "a" })).expiresAt).toBe(grace);
    const again = await send("POST", `/keys/${leaked.id}/rotate`, leaked.token, { gracePeriodSeconds: 600 });
    expect(again.json["expiresAt"]).toBe(grace);
    expect((await send("GET", `/keys/${leaked.id}`, leaked.token)).json["expiresAt"]).toBe(grace);
  });
});

/** What the holder of some keys may try; `by` and `on` choose among those that it has got hold of. */
const attempt = fc.record({
  by: fc.nat(20),
  on: fc.nat(20),
  act: fc.constantFrom("create", "rotate", "rename", "fetch"),
  body: fc.record(
    {
      name: fc.constant("gained"),
      livemode: fc.boolean(),
      scopes: fc.uniqueArray(fc.constantFrom(...scopes), { minLength: 1 }),
      expiresAt: fc.option(fc.integer({ min: 1, max: 200 }), { nil: null }),
    },
    { requiredKeys: ["name"] },
  ),
  grace: fc.integer({ min: 0, max: 300 }),
});

describe("escalation", () => {
  it("no key that a holder gains can do more, live longer, or belong elsewhere", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom<Scope>("pdf:read", "pdf:write", "billing:read"), { maxLength: 2 }),
        fc.boolean(),
        fc.array(attempt, { minLength: 4, maxLength: 12 }),
        async (further, livemode, attempts) => {
          const account = await newAccount();
          const held = [...further, "keys:manage" as const];
          const end = Date.now() + 100_000;
          const root = await account.key({ livemode, scopes: held, expiresAt: new Date(end) });
          // What it must not get hold of: keys that can do more, live longer, or are of the other mode.
          const others = [await account.key({ livemode }), await account.key({ livemode: !livemode, scopes: held })];
          const forever = await account.key({ livemode, scopes: held });
          const tokens = [root.token];
          const ids = [root.id, forever.id, ...others.map(({ id }) => id)];
          for (const { by, on, act, body, grace } of attempts) {
            const token = tokens[by % tokens.length];
            const path = `/keys/${ids[on % ids.length]}`;
            const { expiresAt, ...rest } = body;
            const expiry = typeof expiresAt === "number" ? { expiresAt: inSeconds(expiresAt) } : body;
            const { status, json } = await {
              create: () => send("POST", "/keys", token, { ...rest, ...expiry }),
              rotate: () => send("POST", `${path}/rotate`, token, { gracePeriodSeconds: grace }),
              rename: () => send("PATCH", path, token, { name: "renamed" }),
              fetch: () => send("GET", path, token),
            }[act]();
            if (status !== 201) continue;
            tokens.push(json["key"] as string);
            ids.push(json["id"] as string);
          }
          const hashes = await Promise.all(tokens.map(hashToken));
          for (const hash of hashes) {
            const row = await env.DB.prepare("SELECT * FROM api_keys WHERE hash = ?").bind(hash).first();
            expect(row?.["account"]).toBe(account.account);
            // A live key may make test keys; what a test key gains is never live.
            expect(row?.["livemode"]).toBeLessThanOrEqual(livemode ? 1 : 0);
            expect(row?.["expires_at"]).toBeLessThanOrEqual(end);
            expect(held).toEqual(expect.arrayContaining(JSON.parse(String(row?.["scopes"])) as string[]));
          }
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});
