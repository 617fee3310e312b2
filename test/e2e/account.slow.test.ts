import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import timers from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { ownServer } from "./own-server.ts";
import { readCommandLine, UsageError } from "../../scripts/account-command-line.ts";
import { withAccountDatabases } from "../../scripts/account-database.ts";
import { carryOut, type StoredOrder } from "../../scripts/account-orders.ts";
import { openThroughWrangler } from "../../scripts/wrangler-database.ts";
import type { Databases } from "../../src/serve/databases.ts";
import { root } from "./server.ts";

type Json = Readonly<Record<string, unknown>>;

const server = ownServer();

/** Runs the account tool as the README says. */
async function account(...args: string[]) {
  const npm = spawn("npm", ["--silent", "run", "account", "--", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(npm.stdout),
    text(npm.stderr),
    once(npm, "exit") as Promise<[number]>,
  ]);
  return { stdout, stderr, code };
}

/** 401 for a key that is not taken; the operation's own 400 for an empty form shows that it is. */
async function rotate(key: unknown): Promise<number> {
  const response = await fetch(`${server.baseUrl}/api/v1/rotate`, {
    method: "POST",
    headers: { authorization: `Bearer ${String(key)}` },
    body: new FormData(),
  });
  await response.arrayBuffer();
  return response.status;
}

describe("npm run account", () => {
  test("prints one JSON object, and the running server takes the key at once", async () => {
    const name = `O'Brien & "Söhne"; DROP TABLE accounts;--`;
    const { stdout, code } = await account("create", "--name", name, "--plan", "pro", "--persist-to", server.persistTo);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\{.*\}\n$/);
    const made = JSON.parse(stdout) as Json;
    expect(made).toEqual({
      account: expect.stringMatching(/^acct_[0-9A-Za-z]{23}$/),
      plan: "pro",
      key: expect.stringMatching(/^sk_live_[0-9A-Za-z]{49}$/),
    });
    expect(await rotate(made["key"])).toBe(400);
    const target = { kind: "local", persistTo: server.persistTo } as const;
    const list = await withAccountDatabases(target, (all) => carryOut({ command: "list" }, all, new Date()));
    expect(list).toMatchObject({ accounts: expect.arrayContaining([expect.objectContaining({ name })]) as unknown });
  });

  test("npm run account fails with exit code 1, the reason on stderr", async () => {
    const { stdout, stderr, code } = await account("keys", "--account", "acct_none", "--persist-to", server.persistTo);
    expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: "acct_none does not exist.\n", code: 1 });
  });

  test("invalid arguments have exit code 2, and the reason and the usage on stderr", async () => {
    const { stdout, stderr, code } = await account("create", "--name", "N", "--plan", "gold");
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
    expect(stderr).toMatch(/^--plan must be one of free[^]*\n\nUsage: /);
  });

  test("--help prints the usage on stdout", async () => {
    const { stdout, stderr, code } = await account("revoke", "--help");
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/^Usage: npm run account/);
  });
});

describe("command line", () => {
  test.each([
    ["no command", ["--name", "N"], "create, new-key, delete, export, import, list, plan, keys, revoke"],
    [
      "an unknown command",
      ["destroy", "--name", "N"],
      "create, new-key, delete, export, import, list, plan, keys, revoke",
    ],
    ["two commands", ["list", "keys"], "The command must be one of"],
    ["no name", ["create"], "--name"],
    ["a control character", ["create", "--name", "a\nb"], "control character"],
    ["an unknown plan", ["create", "--name", "N", "--plan", "gold"], "--plan must be one of free"],
    ["an unknown option", ["create", "--name", "N", "--paln", "pro"], "--paln"],
    [
      "a plan for an account that there is",
      ["create", "--name", "N", "--account", "acct_1", "--plan", "pro"],
      "--plan",
    ],
    ["another command's option", ["list", "--plan", "pro"], "--plan is not an option of list"],
    ["no account", ["keys"], "--account must be an ID"],
    ["a name for an id", ["plan", "--account", "Acme", "--plan", "pro"], "--account must be an ID"],
    ["no plan", ["plan", "--account", "acct_1"], "--plan must be one of free"],
    ["nothing to revoke", ["revoke"], "--key or --account"],
    ["two things to revoke", ["revoke", "--key", "key_1", "--account", "acct_1"], "--key or --account"],
    ["a key for its id", ["revoke", "--key", "sk_live_1"], "--key must be an ID"],
    ["an environment without --remote", ["list", "--env", "staging"], "--remote"],
    ["a folder with --remote", ["list", "--remote", "--persist-to", "x"], "--persist-to"],
  ])("a command line with %s is refused", (_case, args, reason) => {
    expect(() => readCommandLine(args)).toThrow(reason);
    expect(() => readCommandLine(args)).toThrow(UsageError);
  });

  test("a command line names the database", () => {
    expect(readCommandLine(["list", "--remote"])?.target).toEqual({ kind: "remote", env: "production" });
    expect(readCommandLine(["list", "--remote", "--env", "staging"])?.target).toEqual({
      kind: "remote",
      env: "staging",
    });
    expect(readCommandLine(["list", "--persist-to", "/x"])?.target).toEqual({ kind: "local", persistTo: "/x" });
  });
});

const name = `O'Brien & "Söhne" 漢字 🙂 ? ; DROP TABLE accounts;-- \\`;

/** Carries out orders in these databases; returns what the tool prints. */
const ordering =
  (databases: Databases) =>
  async (given: StoredOrder): Promise<Json> =>
    JSON.parse(JSON.stringify(await carryOut(given, databases, new Date()))) as Json;

test("accounts and keys are made, listed, changed, and revoked", () =>
  withAccountDatabases({ kind: "local", persistTo: server.persistTo }, async (databases) => {
    const order = ordering(databases);
    const made = await order({ command: "create", name, plan: "pro", livemode: true });
    const id = String(made["account"]);
    const more = await order({ command: "create-key", account: id, name: "Second", livemode: false });
    expect(more).toEqual({ account: id, plan: "pro", key: expect.stringMatching(/^sk_test_/) });
    expect([await rotate(made["key"]), await rotate(more["key"])]).toEqual([400, 400]);

    expect(await order({ command: "plan", account: id, plan: "free" })).toEqual({ account: id, plan: "free" });
    const { accounts } = (await order({ command: "list" })) as { accounts: Json[] };
    expect(accounts.length).toBeGreaterThan(1);
    expect(accounts.find((one) => one["account"] === id)).toEqual({
      account: id,
      name,
      plan: "free",
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      liveKeys: 1,
      testKeys: 1,
    });

    const { keys } = (await order({ command: "keys", account: id })) as { keys: Json[] };
    expect(keys.map((key) => key["name"])).toEqual(["Second", name]);
    expect(keys[0]).toEqual({
      id: expect.stringMatching(/^key_/),
      name: "Second",
      livemode: false,
      scopes: expect.arrayContaining(["pdf:read"]),
      lastFour: String(more["key"]).slice(-4),
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: null,
      revokedAt: null,
    });

    const second: StoredOrder = { command: "revoke-key", key: String(keys[0]?.["id"]) };
    const revokedAt = expect.stringMatching(/Z$/) as unknown;
    expect(await order(second)).toEqual({ account: id, revoked: [{ ...keys[0], revokedAt }] });
    expect([await rotate(made["key"]), await rotate(more["key"])]).toEqual([400, 401]);
    expect(await order(second)).toEqual({ account: id, revoked: [] });
    expect(await order({ command: "revoke", account: id })).toEqual({
      account: id,
      revoked: [{ ...keys[1], revokedAt }],
    });
    expect(await rotate(made["key"])).toBe(401);
  }));

// As with --remote, but for the flag: the statements, their text, and the parts of wrangler's response that are read are the same.
test("commands do the same through `wrangler d1 execute`", async () => {
  // Of its own: SQLite refuses wrangler while a server writes.
  const persistTo = await mkdtemp(join(tmpdir(), "account-"));
  const local = { kind: "local", persistTo } as const;
  await withAccountDatabases(local, () => Promise.resolve());
  const order = ordering([openThroughWrangler("DB", ["--local", "--persist-to", persistTo])]);
  const { account: id, plan } = await order({ command: "create", name, plan: "pro", livemode: true });
  const account = String(id);
  const { key } = await order({ command: "create-key", account, name: "Second", livemode: false });
  expect({ plan, key }).toEqual({ plan: "pro", key: expect.stringMatching(/^sk_test_/) });
  expect(await order({ command: "plan", account, plan: "free" })).toEqual({ account, plan: "free" });
  const seen = { list: await order({ command: "list" }), keys: await order({ command: "keys", account }) };
  expect(seen).toMatchObject({ list: { accounts: [{ account, name, plan: "free" }] }, keys: { keys: [{}, { name }] } });
  await withAccountDatabases(local, async (databases) => {
    const expected = ordering(databases);
    expect(seen).toEqual({
      list: await expected({ command: "list" }),
      keys: await expected({ command: "keys", account }),
    });
  });
  const { revoked } = (await order({ command: "revoke", account })) as { revoked: Json[] };
  expect(revoked.map((one) => one["revokedAt"])).toEqual([expect.any(String), expect.any(String)]);
  await withAccountDatabases(local, async (databases) => {
    const { keys } = (await ordering(databases)({ command: "keys", account })) as { keys: Json[] };
    expect(new Set(keys)).toEqual(new Set(revoked));
  });
  await rm(persistTo, { recursive: true });
});

test("a command waits while a server writes", async () => {
  const persistTo = await mkdtemp(join(tmpdir(), "account-"));
  const local = { kind: "local", persistTo } as const;
  await withAccountDatabases(local, () => Promise.resolve());
  const folder = join(persistTo, "v3/d1/miniflare-D1DatabaseObject");
  const files = (await readdir(folder)).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file));
  const writers = files.map((file) => new DatabaseSync(join(folder, file)));
  expect(writers.length).toBeGreaterThan(0);
  const made = await withAccountDatabases(local, async (databases) => {
    for (const writer of writers) writer.exec("BEGIN IMMEDIATE");
    const pauses = vi.spyOn(timers, "setTimeout");
    syncBuiltinESMExports();
    const creating = ordering(databases)({ command: "create", name, plan: "free", livemode: true });
    // The tool pauses when SQLite has refused it.
    await vi.waitFor(() => expect(pauses.mock.calls.length).toBeGreaterThan(1), { timeout: 60_000, interval: 1 });
    for (const writer of writers) writer.close();
    pauses.mockRestore();
    syncBuiltinESMExports();
    return creating;
  });
  expect(made).toMatchObject({ plan: "free" });
  await rm(persistTo, { recursive: true });
});

test("a command names the missing resource", () =>
  withAccountDatabases({ kind: "local", persistTo: server.persistTo }, async (databases) => {
    const nobody = { account: "acct_none" } as const;
    for (const order of [
      { command: "plan", plan: "pro", ...nobody },
      { command: "keys", ...nobody },
      { command: "create-key", name: "N", livemode: true, ...nobody },
      { command: "revoke", ...nobody },
      { command: "revoke-key", key: "key_none" },
    ] as const) {
      await expect(carryOut(order, databases, new Date())).rejects.toThrow(/^(?:acct|key)_none does not exist\.$/);
    }
  }));

test("a refusal by wrangler is an error with its reason", async () => {
  const wrong = openThroughWrangler("DB", ["--local", "--no-such-flag"]);
  await expect(carryOut({ command: "list" }, [wrong], new Date())).rejects.toMatchObject({
    cause: expect.objectContaining({ message: expect.stringContaining("wrangler ended with 1") as unknown }) as unknown,
  });
});
