import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isNotNull, sql } from "drizzle-orm";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import { files, jobParts, ledger, periods } from "../../src/db/schema.ts";
import { document } from "../harness/fixtures.ts";
import { startServer, type StartedServer } from "../e2e/server.ts";

let persistTo: string;
let server: StartedServer;
beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), "pdf-service-killed-"));
  server = await startServer(persistTo);
});
afterAll(async () => {
  await server.stop();
  await rm(persistTo, { recursive: true, force: true });
});

const PAGES = 4;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress: { readonly done: number };
  readonly credits: { readonly charged: number };
}

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.baseUrl}/api/v1${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${server.liveKey}`, ...(init.headers as Record<string, string> | undefined) },
  });

/** Kills the server and starts it again a minute later: the leases of parts have ended, and the sweep runs. */
async function killAndRestart(): Promise<void> {
  await server.kill();
  await withLocalDatabases(persistTo, ([db]) => db.update(jobParts).set({ dueAt: sql`0` }));
  server = await startServer(persistTo);
  const swept = await fetch(`${server.baseUrl}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`);
  expect(swept.status).toBe(200);
}

async function until(id: string, holds: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const job = (await (await send(`/jobs/${id}`)).json()) as Job;
    if (holds(job) || !["queued", "running"].includes(job.status)) return job;
    await sleep(20);
  }
}

test("a process that is killed as soon as a job is created, and in the middle of it, ends the job once", async () => {
  const form = new FormData();
  form.append("file", new Blob([document({ name: "four", pages: PAGES }).slice()]), "four.pdf");
  form.append("dpi", "600");
  const created = await send("/to-images", { method: "POST", headers: { Prefer: "respond-async" }, body: form });
  expect(created.status).toBe(202);
  const { id } = (await created.json()) as Job;
  await killAndRestart();
  // As soon as there is something to lose, so that most of it is still to be done.
  const begun = await until(id, ({ progress }) => progress.done > 0);
  expect(begun.status).toBe("running");
  await killAndRestart();
  const job = await until(id, () => false);
  expect(job).toMatchObject({ status: "succeeded", progress: { done: PAGES }, credits: { charged: 2 } });
  const archive = unzipSync(new Uint8Array(await (await send(`/jobs/${id}/result`)).arrayBuffer()));
  expect(Object.keys(archive)).toEqual([1, 2, 3, 4].map((page) => `four-${page}.png`));
  await server.kill();
  await withLocalDatabases(persistTo, async ([db]) => {
    expect(await db.select({ state: ledger.state, credits: ledger.credits }).from(ledger)).toEqual([
      { state: "settled", credits: 2 },
    ]);
    expect(await db.select({ used: periods.used }).from(periods)).toEqual([{ used: 2 }]);
    expect(await db.$count(jobParts)).toBe(0);
    expect(await db.$count(files, isNotNull(files.job))).toBe(1);
  });
});
