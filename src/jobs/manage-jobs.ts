import { and, eq, gt, lte, type SQL } from "drizzle-orm";
import { endJob } from "./finish.ts";
import { failedPages, isLive, type JobContext, jobRow, type JobRow, jobsOf, over, viewOf } from "./job.ts";
import { countedPage, type Page, type PageRequest } from "../accounts/list-cursor.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { jobDeliveries, jobs } from "../db/schema.ts";
import type { JobView } from "../events/job-schema.ts";
import type { FileOwner, StoredFile } from "../files/file.ts";
import { type FileSource, openFile } from "../files/read.ts";
import { eraseJobFiles, removeJobFiles } from "../files/remove.ts";
import { limits } from "../limits.ts";

type Status = JobView["status"];

/** The jobs of an account and mode, newest first. `pageErrors` of live jobs are left out. Throws `invalid_parameters`. */
export async function listJobs(
  db: Database,
  { baseUrl }: Pick<JobContext, "baseUrl">,
  owner: FileOwner,
  { status, ...request }: PageRequest & { readonly status?: Status | undefined },
  now: Date,
): Promise<Page<JobView> & { readonly count: number }> {
  const listed = and(jobsOf(owner), status && withStatus(status, now));
  const list = { table: jobs, rows: listed, prefix: "job" } as const;
  const page = await countedPage(db, db.select().from(jobs).$dynamic(), list, request);
  return { ...page, data: page.data.map((row) => viewOf(row, baseUrl, now)) };
}

function withStatus(status: Status, now: Date): SQL | undefined {
  if (status === "expired") return and(lte(jobs.expiresAt, now), over);
  return status === "queued" || status === "running"
    ? eq(jobs.state, status)
    : and(eq(jobs.state, status), gt(jobs.expiresAt, now));
}

/** A job as its owner sees it, with the pages that have failed so far. */
export async function jobView(
  db: Database,
  { baseUrl }: Pick<JobContext, "baseUrl">,
  row: JobRow,
  now: Date,
): Promise<JobView> {
  const failed = isLive(row) && row.pagesFailed > 0 ? await failedPages(db, row.id) : [];
  return viewOf(row, baseUrl, now, failed);
}

/** Milliseconds after which a job is looked at again at first; then ever longer. */
const SHORTEST_LOOK = 50;

/** The row of a job once it has ended, or its current row after `milliseconds`. Throws `not_found`. */
export async function awaitJob(db: Database, owner: FileOwner, id: string, milliseconds: number): Promise<JobRow> {
  const until = Date.now() + milliseconds;
  for (let look = SHORTEST_LOOK; ; look = Math.min(2 * look, limits.jobs.lookMilliseconds)) {
    const row = await jobRow(db, owner, id);
    const left = until - Date.now();
    if (!isLive(row) || left <= 0) return row;
    await scheduler.wait(Math.min(left, look));
  }
}

/** The result of a job. Throws `not_ready`, `expired`; a job that failed has none either, see `error` of its row. */
export async function openResult(
  db: Database,
  { store }: Pick<JobContext, "store">,
  owner: FileOwner,
  row: JobRow,
  now: Date,
): Promise<{ readonly file: StoredFile; readonly source: FileSource }> {
  if (isLive(row)) {
    throw new AccountRefusal(
      "not_ready",
      `The job is ${row.state}. Wait until it ends: \`GET /jobs/${row.id}?wait=${limits.jobs.waitSeconds}\`.`,
      undefined,
      limits.jobs.retryAfterSeconds,
    );
  }
  if (row.state === "canceled") throw new AccountRefusal("not_ready", "The job was canceled and has no result.");
  if (row.expiresAt <= now || row.result === null) throw resultExpired();
  return openFile(db, store, { ...owner, job: row.id }, row.result.file, now).catch((error: unknown) => {
    throw error instanceof AccountRefusal ? resultExpired() : error;
  });
}

const resultExpired = (): AccountRefusal =>
  new AccountRefusal("expired", "The result of the job has been deleted. Send the request again.");

/** Cancels a job, unless it has ended. Throws `not_found`. */
export async function cancelJob(
  db: Database,
  context: JobContext,
  owner: FileOwner,
  id: string,
  now: Date,
): Promise<JobView> {
  await jobRow(db, owner, id);
  await endJob(db, context, id, { state: "canceled" }, now);
  return jobView(db, context, await jobRow(db, owner, id), now);
}

/** Deletes a job and everything it has stored, and returns its last state. A live one is canceled first. Throws `not_found`. */
export async function deleteJob(
  db: Database,
  context: JobContext,
  owner: FileOwner,
  id: string,
  now: Date,
): Promise<JobView> {
  const view = await cancelJob(db, context, owner, id, now);
  await batch(db, {
    files: eraseJobFiles(db, id, "", undefined),
    delivery: db.delete(jobDeliveries).where(eq(jobDeliveries.job, id)),
    job: db.delete(jobs).where(eq(jobs.id, id)),
  });
  await removeJobFiles(db, context.store, id);
  return view;
}
