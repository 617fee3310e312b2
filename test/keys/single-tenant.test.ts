import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { newAccount, send } from "../accounts/account-service.ts";
import { newToken } from "../../src/accounts/token.ts";
import { openDatabase } from "../../src/db/client.ts";
import { accounts, serverSettings } from "../../src/db/schema.ts";
import { ensureSingleTenant } from "../../src/keys/single-tenant.ts";

const db = openDatabase(env.DB);
const statusOf = async (token: string): Promise<number> => (await send("GET", "/usage", token)).status;
const planOf = async (id: string): Promise<string | undefined> =>
  (await db.select().from(accounts).where(eq(accounts.id, id)))[0]?.plan;

beforeEach(async () => {
  await db.delete(serverSettings);
});

describe("ensureSingleTenant", () => {
  test("the first start makes an account on the unlimited plan, and later ones keep it", async () => {
    const key = newToken(true, 0);
    expect(await statusOf(key)).toBe(401);
    const account = await ensureSingleTenant(db, key, new Date());
    expect([await statusOf(key), await planOf(account)]).toEqual([200, "unlimited"]);
    expect(await ensureSingleTenant(db, key, new Date())).toBe(account);
    expect(await statusOf(key)).toBe(200);
  });

  test("another key replaces the first in the same account, and the first works again once it is set again", async () => {
    const [first, second] = [newToken(true, 0), newToken(true, 0)];
    const account = await ensureSingleTenant(db, first, new Date());
    expect(await ensureSingleTenant(db, second, new Date())).toBe(account);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    expect(await ensureSingleTenant(db, first, new Date())).toBe(account);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 401]);
  });

  test("keys that the account has made itself stay", async () => {
    const [first, second] = [newToken(true, 0), newToken(true, 0)];
    await ensureSingleTenant(db, first, new Date());
    const { json } = await send("POST", "/keys", first, { name: "Worker" });
    await ensureSingleTenant(db, second, new Date());
    expect(await statusOf(String(json["key"]))).toBe(200);
  });

  test("a key that a client has revoked works after the next start", async () => {
    const key = newToken(true, 0);
    await ensureSingleTenant(db, key, new Date());
    const { json } = await send("GET", "/keys", key);
    const [{ id } = { id: "" }] = json["data"] as { id: string }[];
    await send("DELETE", `/keys/${id}`, key);
    expect(await statusOf(key)).toBe(401);
    await ensureSingleTenant(db, key, new Date());
    expect(await statusOf(key)).toBe(200);
  });

  test("the key of an account that exists makes that account the one, without limits", async () => {
    const { account, key } = await newAccount();
    const { token } = await key({ scopes: ["pdf:read"] });
    expect(await ensureSingleTenant(db, token, new Date())).toBe(account);
    expect([await planOf(account), await statusOf(token)]).toEqual(["unlimited", 200]);
  });
});
