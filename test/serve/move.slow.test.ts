/** `npm run account -- export`, `import`, and `delete`, from one data folder to another. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { program, SECRET, start } from "./started.ts";
import { newToken } from "../../src/accounts/token.ts";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { document } from "../harness/fixtures/fixtures.ts";

const NEW_SECRET = "the secret of the server that follows it";

async function account(data: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [join(dirname(program), "account.js"), ...args, "--data", data], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: Number(code), output: stdout === "" ? {} : (JSON.parse(stdout) as Record<string, unknown>), stderr };
}

test("accounts of a data folder that does not exist are an error, and a new one is for its user alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-move-"));
  const data = join(folder, "data");
  expect(await account(data, "list")).toEqual({
    code: 1,
    output: {},
    stderr: `${data} (--data) has no data of npm run serve.\n`,
  });
  await expect(access(data)).rejects.toThrow("ENOENT");
  const made = await account(data, "create", "--name", "First");
  expect([made.code, made.stderr]).toEqual([0, `${data} (--data) had no data: this makes a new data folder.\n`]);
  expect((await stat(data)).mode & 0o777).toBe(0o700);
  expect(await account(data, "list")).toMatchObject({ code: 0, output: { accounts: [{ name: "First" }] }, stderr: "" });
  await rm(folder, { recursive: true, force: true });
});

test("accounts move to another data folder with their keys, webhooks, and files, also under another secret", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-move-"));
  const [from, to, file] = [join(folder, "from"), join(folder, "to"), join(folder, "accounts.jsonl")];
  const key = newToken(true, 0);
  const headers = { Authorization: `Bearer ${key}` };
  const letter = new Uint8Array(document({ name: "letter", pages: 2 }));

  const first = await start(from, ["--single-tenant"], { API_KEY: key });
  const form = new FormData();
  form.append("file", new Blob([letter]), "letter.pdf");
  const stored = await fetch(`${first.baseUrl}/api/v1/files`, { method: "POST", headers, body: form });
  const { id } = (await stored.json()) as { id: string };
  const hook = await fetch(`${first.baseUrl}/api/v1/webhooks`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ url: "https://example.com/hook", events: ["job.succeeded"] }),
  });
  expect([stored.status, hook.status]).toEqual([201, 201]);
  // While the server runs.
  const exported = await account(from, "export", file);
  expect(exported).toMatchObject({ code: 0, output: { accounts: 1, keys: 1, webhooks: 1, files: 1, filesLeftOut: 0 } });
  await first.stop();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, "utf8")).not.toContain(key);
  expect((await account(from, "export", file)).stderr).toContain("EEXIST");

  expect(await account(to, "import", file)).toMatchObject({ code: 0, output: { accounts: 1, files: 1 } });
  expect(await account(to, "import", file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("exists already"),
  });
  // The imported data has another secret.
  const refused = await start(to, [], { SERVER_SECRET: NEW_SECRET });
  expect([refused.baseUrl, refused.stderr]).toEqual([undefined, expect.stringContaining("SERVER_SECRET is not")]);
  const second = await start(to, [], { SERVER_SECRET: NEW_SECRET, SERVER_SECRET_PREVIOUS: SECRET });
  const content = await fetch(`${second.baseUrl}/api/v1/files/${id}/content`, { headers });
  expect(content.status).toBe(200);
  expect(new Uint8Array(await content.arrayBuffer())).toEqual(letter);
  const usage = await fetch(`${second.baseUrl}/api/v1/usage`, { headers });
  expect(await usage.json()).toMatchObject({ plan: "unlimited", limit: null });

  const { output } = await account(to, "list");
  const [{ account: moved }] = output["accounts"] as [{ account: string }];
  const unconfirmed = await account(to, "delete", "--account", moved);
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining("delete needs --yes") });
  const deleted = await account(to, "delete", "--account", moved, "--yes");
  expect([deleted.code, deleted.output]).toEqual([
    0,
    { account: moved, deleted: { keys: 1, files: 1, jobs: 0, webhooks: 1 } },
  ]);
  expect((await fetch(`${second.baseUrl}/api/v1/usage`, { headers })).status).toBe(401);
  await second.stop();
  await withLocalDatabases(to, async (_, bucket) => {
    expect((await bucket.list()).objects).toEqual([]);
  });
  await rm(folder, { recursive: true, force: true });
});
