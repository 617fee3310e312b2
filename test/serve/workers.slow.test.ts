/** `npm run serve` with two workers: one service, of which a process that dies or hangs costs only its own work. */
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { EVERY, FAILURES, PATIENCE } from "../../src/serve/kept-process.ts";
import { isRunning, isWorkerd, processesBelow } from "../../src/serve/processes.ts";
import { newToken } from "../../src/accounts/token.ts";
import { startServer, type StartedServer } from "../e2e/server.ts";
import { document } from "../harness/fixtures/fixtures.ts";

const letter = document({ name: "letter", pages: 2 });

let data: string;
let server: StartedServer;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "pdf-service-workers-"));
  server = await startServer(data, ["--var", "WORKERS:2"]);
});
afterAll(async () => {
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

const send = (path: string, init: RequestInit = {}, key = server.liveKey): Promise<Response> =>
  fetch(`${server.baseUrl}/api/v1${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, ...(init.headers as Record<string, string> | undefined) },
  });

function formOf(fields: Readonly<Record<string, string>>, file: Uint8Array = letter): FormData {
  const form = new FormData();
  form.append("file", new Blob([file.slice()]), "letter.pdf");
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

async function rotate(headers: Readonly<Record<string, string>> = {}): Promise<{ status: number; bytes: Buffer }> {
  const response = await send("/rotate", { method: "POST", headers, body: formOf({ angle: "90" }) });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

const used = async (): Promise<number> => ((await (await send("/usage")).json()) as { used: number }).used;

interface Line {
  readonly process?: string;
  readonly message: string;
  readonly route?: string;
  readonly reason?: string;
  readonly job?: string;
  readonly attempt?: number;
}
/** The lines of the log since a place in it. */
const linesSince = (start: number): Line[] =>
  server
    .printed()
    .slice(start)
    .split("\n")
    .flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line) as Line] : []));
const workersOf = (lines: readonly Line[]): string[] =>
  Array.from(new Set(lines.flatMap(({ process: worker }) => worker ?? []))).toSorted();
const BOTH = ["worker-1", "worker-2"];

/** The ID of the process with this name. */
async function pidOf(name: string): Promise<number> {
  const found = (await processesBelow(server.pid)).filter((one) => isWorkerd(one) && one.name === name);
  expect(found, name).toHaveLength(1);
  return found[0]?.pid ?? 0;
}

const ready = async () => (await (await send("/ready")).json()) as { status: string; workers?: readonly string[] };
const allReady = () => expect.poll(ready).toMatchObject({ status: "ready", workers: ["ready", "ready"] });

describe("two workers", () => {
  test("requests go to both, and both know the same keys, files, and credits", async () => {
    const start = server.printed().length;
    const before = await used();
    const made = (await (
      await send("/keys", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ name: "made" }),
      })
    ).json()) as { key: string };
    const stored = (await (await send("/files", { method: "POST", body: formOf({}) })).json()) as { id: string };
    // Each in turn, so that both workers have each.
    for (let count = 0; count < 4; count++) expect((await send("/usage", {}, made.key)).status).toBe(200);
    for (let count = 0; count < 4; count++) {
      const content = await send(`/files/${stored.id}/content`);
      expect(Buffer.from(await content.arrayBuffer()).equals(letter)).toBe(true);
    }
    const results = await Promise.all(Array.from({ length: 20 }, () => rotate()));
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await used()).toBe(before + 20);
    for (const route of ["/api/v1/usage", "/api/v1/files/{id}/content", "/api/v1/rotate"])
      expect(workersOf(linesSince(start).filter((line) => line.route === route)), route).toEqual(BOTH);
  });

  test("a large file is the same through both, in parts and in ranges", async () => {
    const large = new Uint8Array(12 * 1024 * 1024).map((_, at) => (at * 7 + (at >> 12)) & 0xff);
    const stored = (await (await send("/files", { method: "POST", body: formOf({}, large) })).json()) as { id: string };
    for (let count = 0; count < 2; count++) {
      const whole = new Uint8Array(await (await send(`/files/${stored.id}/content`)).arrayBuffer());
      expect(Buffer.from(whole).equals(large)).toBe(true);
    }
    expect((await send(`/files/${stored.id}`, { method: "DELETE" })).status).toBeLessThan(300);
    for (let count = 0; count < 2; count++) expect((await send(`/files/${stored.id}/content`)).status).toBe(404);
  });

  test("concurrent requests with one Idempotency-Key are charged once, whichever worker has them", async () => {
    const before = await used();
    const own = { "Idempotency-Key": randomUUID() };
    // With the last, no more than one charge covers: on a busy machine, all may come one after the other.
    const all = await Promise.all(Array.from({ length: 5 }, () => rotate(own)));
    for (const { status } of all) expect([200, 409]).toContain(status);
    expect((await rotate(own)).status).toBe(200);
    expect(await used()).toBe(before + 1);
  });

  test("unknown keys of an address are counted together, whichever worker has them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pdf-service-workers-"));
    const own = await startServer(folder, ["--var", "WORKERS:2"]);
    const ask = async (): Promise<number> => {
      const headers = { Authorization: `Bearer ${newToken(true, 0)}` };
      return (await fetch(`${own.baseUrl}/api/v1/usage`, { headers })).status;
    };
    // 300 a minute, and the minute may change.
    const statuses: number[] = [];
    while (statuses.length < 1_000 && !statuses.includes(429))
      statuses.push(...(await Promise.all(Array.from({ length: 20 }, ask))));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    await own.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("the parts of one job are worked on by both", async () => {
    const start = server.printed().length;
    const long = document({ name: "long", pages: 60 });
    const created = await send("/to-images", {
      method: "POST",
      headers: { Prefer: "respond-async" },
      body: formOf({ dpi: "150" }, long),
    });
    expect(created.status).toBe(202);
    const { id } = (await created.json()) as { id: string };
    await expect
      .poll(async () => ((await (await send(`/jobs/${id}`)).json()) as { status: string }).status)
      .toBe("succeeded");
    const parts = linesSince(start).filter(({ message, job }) => message === "job part" && job === id);
    expect(workersOf(parts)).toEqual(BOTH);
  });

  test("all processes are written down for the next start", async () => {
    const recorded = JSON.parse(await readFile(join(data, ".workerd.json"), "utf8")) as number[];
    for (const name of ["state", ...BOTH]) expect(recorded).toContain(await pidOf(name));
  });
});

describe("lost processes", () => {
  test("a killed worker costs only its own requests, and its part of a job begins again at once", async () => {
    await allReady();
    const start = server.printed().length;
    const [state, other] = [await pidOf("state"), await pidOf("worker-2")];
    const created = await send("/to-images", {
      method: "POST",
      headers: { Prefer: "respond-async" },
      body: formOf({ dpi: "150" }, document({ name: "long", pages: 120 })),
    });
    expect(created.status).toBe(202);
    const { id } = (await created.json()) as { id: string };
    await expect
      .poll(async () => ((await (await send(`/jobs/${id}`)).json()) as { status: string }).status)
      .toBe("running");
    process.kill(await pidOf("worker-1"), "SIGKILL");
    const results = await Promise.all(Array.from({ length: 10 }, () => rotate()));
    // Requests that it had accepted may be lost, and nothing else.
    expect(results.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(5);
    for (const { status } of results) expect([200, 503]).toContain(status);
    await expect
      .poll(async () => ((await (await send(`/jobs/${id}`)).json()) as { status: string }).status)
      .toBe("succeeded");
    await allReady();
    expect([await pidOf("state"), await pidOf("worker-2")]).toEqual([state, other]);
    // The sweep, which waits for a lease to end, has found none.
    const swept =
      server
        .printed()
        .slice(start)
        .match(/"lost":\d+/g) ?? [];
    expect(swept.filter((lost) => lost !== '"lost":0')).toEqual([]);
  });

  test("a worker that follows a killed one and starts slowly is waited for", async () => {
    await allReady();
    const killed = await pidOf("worker-1");
    process.kill(killed, "SIGKILL");
    const next = await vi.waitUntil(
      async () => {
        const all = await processesBelow(server.pid);
        return all.find((one) => isWorkerd(one) && one.name === "worker-1" && one.pid !== killed)?.pid;
      },
      { timeout: 60_000, interval: 10 },
    );
    process.kill(next, "SIGSTOP");
    // Longer than one that responded before may take to respond.
    await wait(EVERY + FAILURES * PATIENCE + 2_000);
    process.kill(next, "SIGCONT");
    await allReady();
    expect(await pidOf("worker-1")).toBe(next);
  });

  test("a worker that hangs costs only its own requests, and is started again alone", async () => {
    await allReady();
    const start = server.printed().length;
    const [state, other] = [await pidOf("state"), await pidOf("worker-2")];
    process.kill(await pidOf("worker-1"), "SIGSTOP");
    const results = await Promise.all(Array.from({ length: 12 }, () => rotate()));
    expect(results.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(6);
    for (const { status } of results) expect([200, 503]).toContain(status);
    await expect
      .poll(() =>
        linesSince(start)
          .filter(({ message }) => message === "restarted")
          .map((line) => line.process),
      )
      .toContain("worker-1");
    await allReady();
    const restarted = linesSince(start).filter(({ message }) => message === "restarting");
    expect(workersOf(restarted)).toEqual(["worker-1"]);
    expect([await pidOf("state"), await pidOf("worker-2")]).toEqual([state, other]);
  });

  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "the workers go on with the storage that replaces one that got %s, and nothing is lost",
    async (signal) => {
      await allReady();
      const workers = await Promise.all(BOTH.map(pidOf));
      const before = await used();
      const stored = (await (await send("/files", { method: "POST", body: formOf({}) })).json()) as { id: string };
      const state = await pidOf("state");
      process.kill(state, signal);
      const during = await Promise.all(Array.from({ length: 4 }, () => rotate()));
      await expect.poll(() => isRunning(state)).toBe(false);
      // The workers may not know yet that the storage is away.
      await expect.poll(async () => (await rotate()).status).toBe(200);
      await allReady();
      const succeeded = during.filter(({ status }) => status === 200).length + 1;
      expect(await used()).toBeGreaterThanOrEqual(before + succeeded);
      const content = await send(`/files/${stored.id}/content`);
      expect(Buffer.from(await content.arrayBuffer()).equals(letter)).toBe(true);
      expect(await Promise.all(BOTH.map(pidOf))).toEqual(workers);
    },
  );

  test("SIGTERM lets the requests of both workers end, and leaves nothing behind", async () => {
    await allReady();
    const below = (await processesBelow(server.pid)).filter(isWorkerd).map(({ pid }) => pid);
    expect(below).toHaveLength(3);
    const start = server.printed().length;
    const requests = Array.from({ length: 4 }, async () => {
      const body = formOf({ dpi: "100" }, document({ name: "some", pages: 3 }));
      const response = await send("/to-images", { method: "POST", body });
      await response.arrayBuffer();
      return response.status;
    });
    // Each is with a worker by then.
    await expect.poll(async () => (await send("/health")).status).toBe(200);
    // Not to its processes, as a terminal would.
    process.kill(server.pid, "SIGTERM");
    expect(await Promise.all(requests)).toEqual([200, 200, 200, 200]);
    await server.stop();
    expect(workersOf(linesSince(start).filter(({ route }) => route === "/api/v1/to-images"))).toEqual(BOTH);
    expect(linesSince(start).map(({ message }) => message)).toContain("stopped");
    expect(below.filter(isRunning)).toEqual([]);
    server = await startServer(data, ["--var", "WORKERS:2"]);
  });
});
