import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRunning, processesBelow } from "../../src/serve/processes.ts";
import { ownServer } from "./own-server.ts";
import { root, startServer } from "./server.ts";

const running = ownServer();
const start = (...args: string[]) =>
  promisify(execFile)(process.execPath, ["scripts/start.ts", ...args], { cwd: root, encoding: "utf8" });
const accountFile = (folder: string) => join(folder, ".dev-account.json");

/** 401 for a key that is not known; the operation's own 400 for an empty form shows that the key is. */
async function statusWith(baseUrl: string, key: string): Promise<number> {
  const response = await fetch(`${baseUrl}/api/v1/rotate`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: new FormData(),
  });
  await response.arrayBuffer();
  return response.status;
}

describe("npm start", () => {
  test("npm start serves, and accepts both keys of the account file", async () => {
    expect((await fetch(`${running.baseUrl}/api/v1/health`)).status).toBe(200);
    expect(running.liveKey).toMatch(/^sk_live_/);
    expect(running.testKey).toMatch(/^sk_test_/);
    expect(await statusWith(running.baseUrl, running.liveKey)).toBe(400);
    expect(await statusWith(running.baseUrl, running.testKey)).toBe(400);
  });

  test("npm start hides the account file from other users of the machine", async () => {
    expect((await stat(accountFile(running.persistTo))).mode & 0o777).toBe(0o600);
  });

  test("npm start names its own address in the description of the API", async () => {
    const description = (await (await fetch(`${running.baseUrl}/api/v1/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    expect(description.servers[0]?.url).toContain(running.baseUrl);
  });

  test("npm start runs the sweep that Cloudflare triggers each minute", async () => {
    const response = await fetch(`${running.baseUrl}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`);
    expect(response.status).toBe(200);
  });
});

describe("options of npm start", () => {
  test("the options are listed by --help", async () => {
    const { stdout } = await start("--help");
    for (const option of ["--port", "--log", "--persist-to", "--var", "wrangler dev --help"]) {
      expect(stdout).toContain(option);
    }
  });

  test("a port in use and an unknown form of log are refused before anything starts", async () => {
    const { port } = new URL(running.baseUrl);
    await expect(start("--port", port)).rejects.toMatchObject({
      code: 1,
      stderr: `Port ${port} is in use. Choose another one: npm start -- --port ${Number(port) + 1}\n`,
    });
    await expect(start("--log", "xml")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--log must be pretty or json\./) as unknown,
    });
  });
});

test("the data of a running server are not used by another one, which names the owner", async () => {
  const { baseUrl, persistTo, liveKey } = running;
  await expect(start("--port", "0", "--persist-to", persistTo)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(
        `^Another server \\(process \\d+, ${baseUrl}\\) uses the data in ${relative(root, persistTo)}\\.\\nStop it, or .* --persist-to`,
      ),
    ) as unknown,
  });
  expect(await statusWith(baseUrl, liveKey)).toBe(400);
});

test("the listening process is restarted when it dies", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pdf-service-start-"));
  const server = await startServer(folder);
  const listener = async (): Promise<number | undefined> => {
    const { port } = new URL(server.baseUrl);
    const below = await processesBelow(server.pid);
    return below.find(({ command }) => command.includes(`--socket-addr=entry=localhost:${port} `))?.pid;
  };
  let last: readonly number[] = [];
  try {
    for (let times = 1; times <= 2; times += 1) {
      const killed = await listener();
      if (killed === undefined) throw new Error("no process listens");
      process.kill(killed, "SIGKILL");
      await expect.poll(() => server.printed().split("The service is ready again.").length - 1).toBe(times);
      expect(server.printed()).toContain("The process that listens has died.");
      expect(await listener()).not.toBe(killed);
      // With the same data, at the same address.
      expect(await statusWith(server.baseUrl, server.liveKey)).toBe(400);
    }
    last = (await processesBelow(server.pid)).map(({ pid }) => pid);
  } finally {
    await server.stop();
  }
  expect(last.length).toBeGreaterThan(3);
  await expect.poll(() => last.filter(isRunning)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

describe("second npm start", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pdf-service-start-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  // That it keeps its keys where both are left is tested in servers/killed.slow.test.ts.
  test("a second start makes new keys if the database or the account file is missing", async () => {
    await copyFile(accountFile(running.persistTo), accountFile(folder));
    const withoutDatabase = await startServer(folder);
    expect(withoutDatabase.account).not.toBe(running.account);
    expect(await statusWith(withoutDatabase.baseUrl, withoutDatabase.liveKey)).toBe(400);
    expect(await statusWith(withoutDatabase.baseUrl, running.liveKey)).toBe(401);
    expect(withoutDatabase.printed()).toMatch(/"message":"ready".*"reason":"unknown keys"/);
    await withoutDatabase.stop();

    await rm(accountFile(folder));
    // As in a terminal.
    const withoutFile = await startServer(folder, ["--log", "pretty"]);
    const [, started = ""] = withoutFile.printed().split(/^> node .*\n/m);
    const { liveKey, testKey, baseUrl } = withoutFile;
    const file = relative(root, accountFile(folder));
    // The line of the harness's own request may follow.
    expect(stripVTControlCharacters(started).trim().split(/\n\s*/).slice(0, 5)).toEqual([
      "Starting the service …",
      `${file} is missing, so a new account was created. The old one still exists: npm run account -- list`,
      `API key      ${liveKey}`,
      `Reference    ${baseUrl}/docs`,
      `Playground   ${baseUrl}/#key=${testKey}`,
    ]);
    expect(await statusWith(withoutFile.baseUrl, withoutFile.testKey)).toBe(400);
    expect(await statusWith(withoutFile.baseUrl, withoutDatabase.testKey)).toBe(400);
    const line = /\d\d:\d\d:\d\d {2}400 {2}POST \/api\/v1\/rotate {2}\d+ ms {2}invalid_parameters\n/;
    await expect.poll(() => stripVTControlCharacters(withoutFile.printed())).toMatch(line);
    expect(withoutFile.printed()).not.toMatch(/\{"|wrangler:/);
    await withoutFile.stop();
  });

  test("a second start ends with wrangler's exit code when wrangler refuses, and prints the reason", async () => {
    await expect(startServer(folder, ["--no-such-option"])).rejects.toThrow(/ended with 1[^]*no-such-option/);
  });

  test("a second start keeps the account file complete", async () => {
    expect(JSON.parse(await readFile(accountFile(folder), "utf8"))).toMatchObject({ plan: "enterprise" });
  });
});
