import { applyD1Migrations, createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, it, vi } from "vitest";
import { insertAccount } from "../../src/accounts/operator.ts";
import { insertKey } from "../../src/keys/operator.ts";
import { createApp } from "../../src/app.ts";
import { databaseAt, readEnv } from "../../src/env.ts";
import { echo, pdf } from "../http/echo-service.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
await applyD1Migrations(env.SECOND_DB, inject("migrations"));

const bindings = { ...env, DB_1: env.SECOND_DB };
const app = createApp([echo]);

async function accountIn(shard: number) {
  const db = databaseAt(readEnv(bindings), shard);
  const account = insertAccount(db, { name: "test", plan: "pro", shard }, new Date());
  const key = await insertKey(db, account.id, { name: "test", livemode: true }, new Date());
  await db.batch([account.statement, key.statement]);
  return { account: account.id, key: key.token };
}

interface Sent {
  readonly method?: string;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(path: string, key: string, sent: Sent = {}, to: object = bindings): Promise<Response> {
  const headers = { ...sent.headers, Authorization: `Bearer ${key}` };
  return app.fetch(new Request(`http://localhost${path}`, { ...sent, headers }), to, createExecutionContext());
}

const ledgerOf = async (db: D1Database, account: string): Promise<number> =>
  (await db.prepare("SELECT count(*) AS n FROM ledger WHERE id LIKE ?").bind(`${account}/%`).first<number>("n")) ?? -1;

describe("two databases", () => {
  it.each([
    [0, env.DB, env.SECOND_DB],
    [1, env.SECOND_DB, env.DB],
  ])("an account lives in the database that its keys name (%i)", async (shard, own, other) => {
    const { account, key } = await accountIn(shard);
    const form = new FormData();
    form.append("file", pdf(), "a.pdf");
    const response = await send("/api/v1/echo", key, { method: "POST", body: form });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect(await (await send("/api/v1/usage", key)).json()).toMatchObject({ used: 1, perOperation: { echo: 1 } });
    expect([await ledgerOf(own, account), await ledgerOf(other, account)]).toEqual([1, 0]);

    // A key made over the API names the same database.
    const headers = { "Content-Type": "application/json" };
    const made = await send("/api/v1/keys", key, { method: "POST", body: '{"name":"Second"}', headers });
    const { key: second } = await made.json<{ key: string }>();
    expect((await send("/api/v1/usage", second)).status).toBe(200);
  });

  it("an account is unknown where its database is not bound", async () => {
    const { key } = await accountIn(1);
    expect((await send("/api/v1/usage", key, {}, env)).status).toBe(401);
  });
});
