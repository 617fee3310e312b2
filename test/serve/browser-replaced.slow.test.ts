/** `npm run serve -- --browser`: browsers that are replaced, a server that is killed, and printed documents in pipelines. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { start, type Started } from "./started.ts";
import { isWorkerd, killProcess, processesBelow } from "../../src/serve/processes.ts";
import { chromiumPath } from "../harness/engines/browser.ts";

describe.skipIf(chromiumPath === undefined)("npm run serve with a browser for two documents", () => {
  let data: string;
  let server: Started;
  let key: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "pdf-service-browser-"));
    server = await start(data, ["--single-tenant", "--browser", chromiumPath ?? ""], {
      BROWSER_FLAGS: "--no-sandbox",
      BROWSER_DOCUMENTS: "2",
      WORKERS: "1",
    });
    if (server.baseUrl === undefined) throw new Error(server.stderr);
    key = (await readFile(join(data, "api-key"), "utf8")).trim();
  });
  afterAll(async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  async function post(path: string, html: string, fields: Readonly<Record<string, string>>) {
    const body = new FormData();
    body.append("file", new Blob([html]), "page.html");
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${server.baseUrl}/api/v1/${path}`, { method: "POST", headers, body });
    return { status: response.status, text: new TextDecoder("latin1").decode(await response.arrayBuffer()) };
  }

  const ofServer = async () => (await processesBelow(0)).filter(({ command }) => command.includes(data));
  const browsers = async () =>
    (await ofServer()).filter(({ command }) => /--user-data-dir=/.test(command) && !/^\/bin\/sh|--type=/.test(command));

  test("a pipeline compresses what the browser has printed", async () => {
    const steps = JSON.stringify([{ operation: "to-pdf", engine: "browser" }, { operation: "compress" }]);
    const { status, text } = await post("pipeline", "<p>printed</p>", { steps });
    expect([status, text.slice(0, 5)]).toEqual([200, "%PDF-"]);
  });

  test("another browser takes its place after two documents, and prints the next", async () => {
    const [first] = await browsers();
    expect(first).toBeDefined();
    for (let count = 0; count < 2; count += 1)
      expect((await post("to-pdf", "<p>a</p>", { engine: "browser" })).status).toBe(200);
    await expect.poll(async () => (await browsers()).some(({ pid }) => pid !== first?.pid)).toBe(true);
    expect((await post("to-pdf", "<p>b</p>", { engine: "browser" })).status).toBe(200);
  });

  test("ten requests of an account at the same time are all printed", async () => {
    const html = "<p>a</p>";
    const all = Array.from({ length: 10 }, () => post("to-pdf", html, { engine: "browser", waitDelay: "1s" }));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
  });

  test("requests right after the browser's death are printed by the one that takes its place", async () => {
    for (let death = 0; death < 5; death += 1) {
      for (const { pid } of await browsers()) process.kill(pid, "SIGKILL");
      const all = Array.from({ length: 3 }, () => post("to-pdf", "<p>a</p>", { engine: "browser" }));
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
    }
  });

  test("a server that is killed leaves no browser behind", async () => {
    const own = (await processesBelow(process.pid)).find(
      ({ command, parent }) => parent === process.pid && command.includes(data),
    );
    expect((await browsers()).length).toBeGreaterThan(0);
    const others = (await processesBelow(own?.pid ?? 0)).filter(isWorkerd);
    process.kill(own?.pid ?? 0, "SIGKILL");
    await expect.poll(browsers, { timeout: 20_000 }).toEqual([]);
    // The next start would end them.
    for (const { pid } of others) killProcess(pid);
  });
});
