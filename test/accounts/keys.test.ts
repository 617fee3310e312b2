import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { createAccount, insertAccount } from "../../src/accounts/operator.ts";
import { createKey, findKey, insertKey } from "../../src/keys/operator.ts";
import { scopes } from "../../src/accounts/scopes.ts";
import { MAX_SHARDS, newAccountId, newToken, shardOfAccount, shardOfToken } from "../../src/accounts/token.ts";
import { openDatabase } from "../../src/db/client.ts";
import { literalSql } from "../../src/db/literal-sql.ts";
import { accounts, apiKeys } from "../../src/db/schema.ts";

const db = openDatabase(env.DB);
const now = new Date("2026-11-20T12:00:00.000Z");
const later = (ms: number) => new Date(now.getTime() + ms);

/** A database that no query may reach. */
const unreachable = openDatabase(
  new Proxy(env.DB, {
    get() {
      throw new Error("a query was made");
    },
  }),
);

describe("tokens", () => {
  test("a token has its mode's prefix, 43 random digits, and a checksum", () => {
    expect(newToken(true, 0)).toMatch(/^sk_live_[0-9A-Za-z]{49}$/);
    expect(newToken(false, 0)).toMatch(/^sk_test_[0-9A-Za-z]{49}$/);
    const many = Array.from({ length: 1_000 }, () => newToken(true, 0));
    expect(new Set(many).size).toBe(1_000);
    expect(many.every((token) => shardOfToken(token) === 0)).toBe(true);
  });

  test("a token with any one character changed is refused without a query", async () => {
    const token = newToken(true, 0);
    for (let index = 0; index < token.length; index += 1) {
      const changed = token.slice(0, index) + (token[index] === "x" ? "y" : "x") + token.slice(index + 1);
      expect(await findKey(unreachable, changed, now)).toEqual({ ok: false, reason: "bad" });
    }
  });

  test.each([
    "",
    "sk_live_",
    "sk_live_made_up",
    `${newToken(true, 0)} `,
    newToken(true, 0).replace("live", "test"),
    "é".repeat(57),
  ])("an invalid token %j is refused without a query", async (token) => {
    expect(await findKey(unreachable, token, now)).toEqual({ ok: false, reason: "bad" });
  });

  test("a token identifies its database, as the ID of its account does", () => {
    expect(MAX_SHARDS).toBe(13);
    for (let shard = 0; shard < MAX_SHARDS; shard += 1) {
      expect(newToken(true, shard)).toMatch(/^sk_live_[0-9A-Za-z]{49}$/);
      expect(shardOfToken(newToken(true, shard))).toBe(shard);
      expect(shardOfAccount(newAccountId(shard))).toBe(shard);
    }
  });

  test("a token keeps the checksum that keys in use have", () => {
    // CRC-32 of everything before it, computed with zlib: a change of the algorithm would lock every caller out.
    expect(shardOfToken(`sk_test_${"0".repeat(43)}1NyHUD`)).toBe(0);
  });
});

describe("findKey", () => {
  let account: string;
  beforeAll(async () => {
    account = await createAccount(db, { name: "Acme", plan: "pro" }, now);
  });

  test("findKey returns the bearer of the key", async () => {
    const live = await createKey(db, account, { name: "a", livemode: true }, now);
    const test = await createKey(
      db,
      account,
      { name: "b", livemode: false, scopes: ["billing:read", "pdf:read"] },
      now,
    );
    expect(await findKey(db, live.token, now)).toEqual({
      ok: true,
      caller: { account, plan: "pro", key: live.id, livemode: true, scopes, expiresAt: null },
    });
    expect(await findKey(db, test.token, now)).toEqual({
      ok: true,
      caller: {
        account,
        plan: "pro",
        key: test.id,
        livemode: false,
        scopes: ["pdf:read", "billing:read"],
        expiresAt: null,
      },
    });
  });

  test("findKey does not find a well-formed key that was never made", async () => {
    expect(await findKey(db, newToken(true, 0), now)).toEqual({ ok: false, reason: "bad" });
  });

  test("findKey refuses a revoked key", async () => {
    const { id, token } = await createKey(db, account, { name: "c", livemode: true }, now);
    await db.update(apiKeys).set({ revokedAt: now }).where(eq(apiKeys.id, id));
    expect(await findKey(db, token, now)).toEqual({ ok: false, reason: "revoked" });
  });

  test("findKey refuses a key from the instant that it expires", async () => {
    const { token } = await createKey(db, account, { name: "d", livemode: true, expiresAt: later(1_000) }, now);
    expect((await findKey(db, token, later(999))).ok).toBe(true);
    expect(await findKey(db, token, later(1_000))).toEqual({ ok: false, reason: "expired" });
  });

  test("findKey fails loudly on a plan that this version does not know", async () => {
    const other = await createAccount(db, { name: "From the future", plan: "free" }, now);
    const { token } = await createKey(db, other, { name: "e", livemode: true }, now);
    await db.update(accounts).set({ plan: "platinum" }).where(eq(accounts.id, other));
    await expect(findKey(db, token, now)).rejects.toThrow("platinum");
  });
});

describe("key storage", () => {
  test("the database contains nothing from which a key could be derived", async () => {
    const account = await createAccount(db, { name: "Acme", plan: "free" }, now);
    const { id, token } = await createKey(db, account, { name: "f", livemode: true }, now);
    const row = await env.DB.prepare("SELECT * FROM api_keys WHERE id = ?").bind(id).first();
    expect(JSON.stringify(row)).not.toContain(token.slice(8, 20));
    expect(row).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), last_four: token.slice(-4) });
  });

  test("the database stores no key without an account", async () => {
    await expect(createKey(db, newAccountId(0), { name: "g", livemode: true }, now)).rejects.toMatchObject({
      cause: expect.objectContaining({ message: expect.stringContaining("FOREIGN KEY") }),
    });
  });
});

describe("literalSql", () => {
  test.each([`O'Brien`, `'); DROP TABLE accounts;--`, `"?" ' ? ''`, "Ünïcödé 漢字 🙂", "back\\slash", "line\nbreak"])(
    "literalSql writes %j so that the database reads the same",
    async (name) => {
      const account = insertAccount(db, { name, plan: "free" }, now);
      const key = await insertKey(db, account.id, { name, livemode: true }, now);
      const sql = literalSql([account.statement.toSQL(), key.statement.toSQL()]);
      // `exec` would split at line breaks; two statements, so at the first ";\n" that ends one.
      const [first = "", second = ""] = sql.split(/;\n(?=insert into "api_keys")/);
      await env.DB.batch([env.DB.prepare(first), env.DB.prepare(second)]);
      const [row] = await db.select().from(accounts).where(eq(accounts.id, account.id));
      expect(row).toMatchObject({ id: account.id, name, plan: "free", createdAt: now });
      expect((await findKey(db, key.token, now)).ok).toBe(true);
    },
  );

  test("literalSql refuses values without a literal", () => {
    expect(() => literalSql([{ sql: "select ?", params: ["a\0b"] }])).toThrow("No SQL literal");
    expect(() => literalSql([{ sql: "select ?", params: [1.5] }])).toThrow("No SQL literal");
    expect(() => literalSql([{ sql: "select ?, ?", params: [1] }])).toThrow("2 places for 1 parameters");
  });
});
