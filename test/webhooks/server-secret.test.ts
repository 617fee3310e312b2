import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, getTableColumns } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { db, own, ownAccounts } from "./delivery-facts.ts";
import { documentBytes, fileService, sha256Of } from "../files/file-service.ts";
import { seal, type ServerSecrets, unseal } from "../../src/accounts/sealed-secret.ts";
import { webhooks } from "../../src/db/schema.ts";
import worker from "../../src/worker.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
ownAccounts();

const old = env.SERVER_SECRET;
const fresh = "another secret of this server, 32 letters";
const MINUTE = 60_000;
const purpose = "webhook signing secrets";
/** What is bound in each step of a replacement, as docs/operating.md has them. */
const announced = { ...env, SERVER_SECRET: old, SERVER_SECRET_PREVIOUS: fresh };
const replaced = { ...env, SERVER_SECRET: fresh, SERVER_SECRET_PREVIOUS: old };
const finished = { ...env, SERVER_SECRET: fresh };

describe("replacement of the server's secret", () => {
  test("isolates of both steps read every file that was stored before or since", async () => {
    const service = await fileService();
    const bytes = documentBytes(100_000);
    const before = await service.upload(bytes);
    const form = new FormData();
    form.append("file", new Blob([bytes]), "document.pdf");
    const stored = await service.send("POST", "/files", { body: form, bindings: replaced });
    const since = (await stored.json()) as { readonly id: string };
    const read = async (id: string, bindings: object): Promise<string | number> => {
      const response = await service.send("GET", `/files/${id}/content`, { bindings });
      const body = new Uint8Array(await response.arrayBuffer());
      return response.status === 200 ? sha256Of(body) : response.status;
    };
    const whole = await sha256Of(bytes);
    for (const bindings of [announced, replaced]) {
      expect([await read(before.id, bindings), await read(since.id, bindings)]).toEqual([whole, whole]);
    }
    // Sealed under the new one alone, and what is left of the old one is lost.
    expect([await read(before.id, finished), await read(since.id, finished)]).toEqual([500, whole]);
    expect(await read(since.id, env)).toBe(500);
  });

  const sweep = (bindings: object, scheduledTime: number) =>
    worker.scheduled({ cron: "* * * * *", scheduledTime, noRetry() {} }, bindings, createExecutionContext());
  const secretsOf = async (id: string) => (await db.select().from(webhooks).where(eq(webhooks.id, id)))[0];

  test("signing secrets of webhooks are sealed under the new secret, both the current one and the previous", async () => {
    const [current, previous] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const sealed = {
      secret: await seal([old], purpose, own.webhook, current),
      previousSecret: await seal([old], purpose, own.webhook, previous),
    };
    await db.update(webhooks).set(sealed).where(eq(webhooks.id, own.webhook));
    const opened = async (secrets: ServerSecrets) => {
      const row = await secretsOf(own.webhook);
      return Promise.all(
        [row?.secret, row?.previousSecret].map((one) => unseal(secrets, purpose, own.webhook, one ?? "")),
      );
    };
    await sweep(env, Date.now());
    expect(await secretsOf(own.webhook)).toMatchObject(sealed);
    await sweep(replaced, Date.now());
    expect(await opened([fresh])).toEqual([current, previous]);
    expect(await opened([old])).toEqual([undefined, undefined]);
    const once = await secretsOf(own.webhook);
    await sweep(replaced, Date.now() + MINUTE);
    expect(await secretsOf(own.webhook)).toEqual(once);
  });

  test("the sweep reseals all webhooks, a slice each minute", async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `wh_${String(index).padStart(4, "0")}`);
    const rows = await Promise.all(
      ids.map(async (id) => ({ id, secret: await seal([old], purpose, id, new Uint8Array(32)) })),
    );
    const names = Object.values(getTableColumns(webhooks)).map(({ name }) => name);
    const values = names.map((name) => (name === "id" || name === "secret" ? `value ->> '${name}'` : name));
    await env.DB.prepare(
      `INSERT INTO webhooks (${names.join(", ")}) SELECT ${values.join(", ")}
       FROM (SELECT * FROM webhooks WHERE id = ?), (SELECT value FROM json_each(?))`,
    )
      .bind(own.webhook, JSON.stringify(rows))
      .run();
    for (const minute of [0, 1, 2]) await sweep(replaced, Date.now() + minute * MINUTE);
    const all = await db.select({ id: webhooks.id, secret: webhooks.secret }).from(webhooks);
    const kept = all.filter(({ id }) => id.length === 7);
    expect(kept).toHaveLength(ids.length);
    for (const { id, secret } of kept) expect(await unseal([fresh], purpose, id, secret), id).toBeDefined();
  });
});
