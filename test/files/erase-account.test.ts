import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { type Sent, sendRaw } from "../accounts/account-service.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { paidService } from "../http/paid-service.ts";
import { setSetting } from "../../src/accounts/server-settings.ts";
import { openDatabase } from "../../src/db/client.ts";
import { readEnv } from "../../src/env.ts";
import { eraseAccount } from "../../src/files/erase-account.ts";
import { exportAccounts, importAccounts } from "../../src/files/export-accounts.ts";
import { MiB } from "../../src/limits.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

const db = openDatabase(env.DB);
const letter = document({ name: "letter", pages: 2 });
const { bucket } = readEnv(env).files;
const now = () => new Date();
const erase = (account: string, from: typeof bucket | null = bucket) =>
  eraseAccount(db, account, { bucket: from ?? undefined, settings: db, now: now() });

/** All rows of all tables, and the keys and sizes of all objects. */
async function everything(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
  ).all<{ name: string }>();
  const found: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const { results } = await env.DB.prepare(`SELECT * FROM "${name}"`).all();
    found[name] = results.map((row) => JSON.stringify(row)).toSorted();
  }
  const { objects } = await env.FILES.list();
  return { ...found, objects: objects.map(({ key, size }) => `${key} ${size}`).toSorted() };
}

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** An account that has something in every table. */
async function busyAccount() {
  const service = await paidService("pro");
  const ask = (path: string, init: RequestInit = {}): Promise<Sent> =>
    sendRaw(path, { ...init, headers: { Authorization: `Bearer ${service.token}`, ...init.headers } });
  const url = "https://example.com/hook";
  const hook = await ask("/webhooks", json({ url, events: ["operation.completed", "key.created"] }));
  await ask("/keys", json({ name: "Second" }));
  await service.send({ idempotencyKey: "once" });
  await service.send();
  const form = new FormData();
  form.append("file", new Blob(["%PDF-1.7\n", "x".repeat(MiB)]), "letter.pdf");
  const { id: file } = (await ask("/files", { method: "POST", body: form })).json as { id: string };
  // Of its two parts, the last has arrived.
  const pending = await ask("/files", json({ name: "large.pdf", size: 16 * MiB + 4 }));
  const uploaded = await ask(`/files/${String(pending.json["id"])}/parts/2`, {
    method: "PUT",
    headers: { "Content-Length": "4" },
    body: "last",
  });
  const rotation = new FormData();
  rotation.append("file", new Blob([new Uint8Array(letter)]), "letter.pdf");
  rotation.append("angle", "90");
  rotation.append("deliverTo", "https://bucket.example.com/letter.pdf");
  const job = await ask("/rotate", { method: "POST", body: rotation, headers: { Prefer: "respond-async" } });
  await env.DB.prepare(
    "INSERT INTO webhook_attempts SELECT id, 1, 0, 5, 200, NULL, NULL FROM webhook_deliveries WHERE webhook = ?",
  )
    .bind(String(hook.json["id"]))
    .run();
  expect([hook.status, pending.status, uploaded.status, job.status]).toEqual([201, 201, 200, 202]);
  return { ...service, ask, file };
}

describe("eraseAccount", () => {
  test("deleting an account leaves nothing of it in any table or in the bucket, and all of the others", async () => {
    await busyAccount();
    await setSetting(db, "secret check", "other");
    const before = await everything();
    const { account } = await busyAccount();
    await setSetting(db, "single account", account);
    const during = await everything();
    const grown = Object.keys(during).filter((name) => (during[name]?.length ?? 0) > (before[name]?.length ?? 0));
    expect(grown.toSorted()).toEqual(
      Object.keys(before)
        .filter((name) => name !== "d1_migrations")
        .toSorted(),
    );
    expect(await erase(account)).toEqual({ keys: 2, files: 4, jobs: 1, webhooks: 1 });
    expect(await everything()).toEqual(before);
  });

  test("deleting an account ends its unfinished uploads", async () => {
    const { account } = await busyAccount();
    const row = await env.DB.prepare("SELECT id, upload_id FROM files WHERE account = ? AND state = 'pending'")
      .bind(account)
      .first<{ id: string; upload_id: string }>();
    await erase(account);
    const upload = env.FILES.resumeMultipartUpload(`0/${row?.id}`, row?.upload_id ?? "");
    await expect(upload.uploadPart(2, "x")).rejects.toThrow("10024");
  });

  test("an account that does not exist is not deleted", async () => {
    expect(await erase("acct_00000000000000000000000")).toBeUndefined();
  });

  test("an account that is deleted without a bucket loses its rows, so that the sweep removes the objects", async () => {
    const { account, token } = await busyAccount();
    await erase(account, null);
    expect(JSON.stringify((await everything())["files"])).not.toContain(account);
    expect((await sendRaw("/usage", { headers: { Authorization: `Bearer ${token}` } })).status).toBe(401);
  });
});

describe("exportAccounts and importAccounts", () => {
  const exported = async (account?: string, from: typeof bucket | null = bucket) => {
    const lines: string[] = [];
    const moved = await exportAccounts(
      [db],
      from ?? undefined,
      { account, now: now() },
      async (line) => void lines.push(line),
    );
    return { moved, lines };
  };
  async function* linesOf(lines: readonly string[]) {
    yield* lines;
  }
  const imported = (lines: readonly string[], into: typeof bucket | null = bucket) =>
    importAccounts([db], into ?? undefined, linesOf(lines), now());

  test("an account that is exported, deleted, and imported has its keys, usage, webhooks, and files", async () => {
    const { account, ask, file, used } = await busyAccount();
    const usage = await ask("/usage");
    const hooks = await ask("/webhooks");
    const credits = await used();
    const { moved, lines } = await exported(account);
    expect(moved).toEqual({ accounts: 1, keys: 2, webhooks: 1, files: 1, filesLeftOut: 0 });
    await erase(account);
    expect((await ask("/usage")).status).toBe(401);
    expect(await imported(lines)).toEqual({ ...moved, isOtherSecret: false });
    expect((await ask("/usage")).json).toEqual(usage.json);
    expect((await ask("/webhooks")).json).toEqual(hooks.json);
    expect(await used()).toBe(credits);
    const content = await ask(`/files/${file}/content`);
    expect([content.status, content.text.length]).toEqual([200, MiB + 9]);
  });

  test("a file of several pieces is the same after its import", async () => {
    const { account, ask } = await busyAccount();
    const bytes = new Uint8Array(18 * MiB).map((_, index) => (index * 7919) >> 5);
    bytes.set(new TextEncoder().encode("%PDF-1.7\n"));
    const form = new FormData();
    form.append("file", new Blob([bytes]), "large.pdf");
    const stored = await ask("/files", { method: "POST", body: form });
    expect(stored.status).toBe(201);
    const { lines } = await exported(account);
    await erase(account);
    await imported(lines);
    const { id, sha256 } = stored.json as { id: string; sha256: string };
    const object = await env.FILES.head(`0/${id}`);
    expect(object?.size).toBeGreaterThan(18 * MiB);
    const range = await ask(`/files/${id}/content`, { headers: { Range: "bytes=17825792-17825801" } });
    expect(range.status).toBe(206);
    expect((await ask(`/files/${id}`)).json["sha256"]).toBe(sha256);
  });

  test("an account moves without its files if there is no bucket", async () => {
    const { account, ask, file } = await busyAccount();
    const { lines } = await exported(account);
    await erase(account);
    expect(await imported(lines, null)).toMatchObject({ accounts: 1, files: 0, filesLeftOut: 1 });
    expect((await ask("/usage")).status).toBe(200);
    expect((await ask(`/files/${file}`)).status).toBe(404);
    expect((await exported(account, null)).moved).toMatchObject({ accounts: 1, files: 0, filesLeftOut: 0 });
  });

  test("an export does not contain keys or open secrets", async () => {
    const { account, token } = await busyAccount();
    const text = (await exported(account)).lines.join("");
    expect(text).not.toContain(token);
    expect(text).not.toContain(env.SERVER_SECRET);
  });

  test("an import of an account that exists changes nothing", async () => {
    const { account } = await busyAccount();
    const { lines } = await exported(account);
    const before = await everything();
    await expect(imported(lines)).rejects.toThrow(`${account} exists already. Nothing was imported.`);
    expect(await everything()).toEqual(before);
  });

  test.each([
    ["ends early", (lines: string[]) => lines.slice(0, -1), "The export ends early."],
    ["is of another format", () => ['{"format":"other","version":1}'], "not an export of accounts"],
    ["is no JSON", () => ["PK"], "not an export of accounts"],
    [
      "has an unknown column",
      (lines: string[]) => lines.map((line) => line.replace('"plan":', '"rank":')),
      "newer version: it has accounts.rank",
    ],
    [
      "belongs to another database",
      (lines: string[]) => lines.map((line) => line.replaceAll(/(acct_\w{22})0/g, "$11")),
      "There is no database DB_1",
    ],
  ])("an import that %s leaves nothing behind", async (_, damaged, message) => {
    const { account } = await busyAccount();
    const { lines } = await exported(account);
    await erase(account);
    const before = await everything();
    await expect(imported(damaged(lines))).rejects.toThrow(message);
    const after = await everything();
    expect({ ...after, objects: [] }).toEqual({ ...before, objects: [] });
  });

  test("an import reports that its data is encrypted under another secret", async () => {
    const { account } = await busyAccount();
    await setSetting(db, "secret check", "one");
    const { lines } = await exported(account);
    await erase(account);
    await setSetting(db, "secret check", "another");
    expect(await imported(lines)).toMatchObject({ isOtherSecret: true });
  });

  test("an export of an account that does not exist is refused", async () => {
    await expect(exported("acct_00000000000000000000000")).rejects.toThrow("does not exist");
  });
});
