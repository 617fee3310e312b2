import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, gt, isNotNull } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withLocalDatabases } from "../../scripts/local-database.ts";
import type { Database } from "../../src/db/client.ts";
import { files, jobParts, ledger, periods } from "../../src/db/schema.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { startServer, type StartedServer } from "../e2e/server.ts";

/** Two parts, and the result. */
const PAGES = 101;
/** A job for each stage, which its `expiresIn` names in the database. */
const stages = { created: 3_601, queued: 3_602, running: 3_603, done: 3_604, assembling: 3_605, settled: 3_606 };
type Stage = keyof typeof stages;

const isAt = (stage: Stage): string => `(select kept_seconds from jobs where id = new.job) = ${stages[stage]}`;
const never = "update job_parts set due_at = 8000000000000000 where job = new.job";
/** They keep jobs at their stages until the server is killed. */
const holds = {
  hold_queued: `after insert on job_parts when ${isAt("queued")} begin ${never}; end`,
  hold_running: `after update of state on job_parts when ${isAt("running")} and new.state = 'done' begin ${never} and state = 'queued'; end`,
  hold_result: `after update of state on job_parts when (${isAt("done")} or ${isAt("assembling")}) and new.state = 'queued' and new.pages = 0
    begin ${never} and pages = 0; end`,
  hold_settled: `before update of state on ledger when new.state = 'settled'
    and (select kept_seconds from jobs where ledger = new.id) = ${stages.settled} begin select raise(abort, 'killed'); end`,
};

let persistTo: string;
let server: StartedServer;
beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), "pdf-service-killed-"));
  await withDatabase(async ({ $client }) => {
    for (const [name, hold] of Object.entries(holds)) await $client.prepare(`create trigger ${name} ${hold}`).run();
  });
  server = await startServer(persistTo);
});
afterAll(async () => {
  await server.stop();
  await rm(persistTo, { recursive: true, force: true });
});

interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress: { readonly done: number };
  readonly credits: { readonly charged: number };
}

const withDatabase = (work: (db: Database) => Promise<void>): Promise<void> =>
  withLocalDatabases(persistTo, ([db]) => work(db));

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.baseUrl}/api/v1${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${server.liveKey}`, ...(init.headers as Record<string, string> | undefined) },
  });

async function create(stage: Stage): Promise<string> {
  const form = new FormData();
  form.append("file", new Blob([document({ name: "long", pages: PAGES }).slice()]), "long.pdf");
  form.append("expiresIn", String(stages[stage]));
  const created = await send("/extract-text", { method: "POST", headers: { Prefer: "respond-async" }, body: form });
  expect(created.status).toBe(202);
  return ((await created.json()) as Job).id;
}

async function until(id: string, holds: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const job = (await (await send(`/jobs/${id}`)).json()) as Job;
    if (holds(job) || !["queued", "running"].includes(job.status)) return job;
    await sleep(50);
  }
}

/** What only a process that is killed at that moment leaves: leases that end, and a result of which a part is written. */
async function leaveAsKilled(db: Database, jobs: Readonly<Record<Stage, string>>): Promise<void> {
  for (const name of Object.keys(holds)) await db.$client.prepare(`drop trigger ${name}`).run();
  await db.update(jobParts).set({ dueAt: new Date(0) });
  const lost = { state: "running", token: "lost", attempts: 1 } as const;
  await db
    .update(jobParts)
    .set(lost)
    .where(and(eq(jobParts.job, jobs.running), gt(jobParts.page, 0), gt(jobParts.pages, 0)));
  await db
    .update(jobParts)
    .set(lost)
    .where(and(eq(jobParts.job, jobs.assembling), eq(jobParts.pages, 0)));
  const [file] = await db.select().from(files).where(eq(files.job, jobs.assembling)).limit(1);
  if (file === undefined) throw new Error("the job has no files");
  const unwritten = { state: "uploading", contentType: null, sha256: null, nonces: null } as const;
  await db.insert(files).values({ ...file, ...unwritten, id: `${file.id}x` });
}

test("a job ends once if the process is killed at any of its stages and starts again", async () => {
  const jobs = {
    queued: await create("queued"),
    running: await create("running"),
    done: await create("done"),
    assembling: await create("assembling"),
    settled: await create("settled"),
  };
  const left = await Promise.all([
    until(jobs.running, ({ progress }) => progress.done === PAGES - 1),
    until(jobs.done, ({ progress }) => progress.done === PAGES),
    until(jobs.assembling, ({ progress }) => progress.done === PAGES),
    until(jobs.settled, () => false),
  ]);
  expect(left.map(({ status }) => status)).toEqual(["running", "running", "running", "succeeded"]);
  const all = { ...jobs, created: await create("created") };
  await server.kill();
  await withDatabase(async (db) => {
    expect(await db.$count(ledger, eq(ledger.state, "reserved"))).toBeGreaterThanOrEqual(5);
    await leaveAsKilled(db, all);
  });
  server = await startServer(persistTo);
  await server.sweep();
  for (const id of Object.values(all)) {
    expect(await until(id, () => false)).toMatchObject({ status: "succeeded", credits: { charged: 1 } });
    const { pages } = (await (await send(`/jobs/${id}/result`)).json()) as { pages: { text: string }[] };
    expect(pages).toHaveLength(PAGES);
    expect(new Set(pages.map(({ text }) => text)).size).toBe(PAGES);
  }
  await server.kill();
  await withDatabase(async (db) => {
    const entries = await db.select({ state: ledger.state, credits: ledger.credits }).from(ledger);
    expect(entries).toEqual(Object.keys(stages).map(() => ({ state: "settled", credits: 1 })));
    expect(await db.select({ used: periods.used }).from(periods)).toEqual([{ used: 6 }]);
    expect(await db.$count(jobParts)).toBe(0);
    expect(await db.$count(files, isNotNull(files.job))).toBe(6);
  });
});
