import { and, eq, gte, isNotNull, lt, lte, ne, notExists, type SQL, sql } from "drizzle-orm";
import { type Claim, claimedBy } from "./claim.ts";
import { dividePart, endJob, failPage, repeatPart, settleEnded } from "./finish.ts";
import { type JobContext, live, over, pageNumberOf } from "./job.ts";
import { wakeDeliveries } from "./deliver-result.ts";
import { type JobQueue, wakeConsumers } from "./message.ts";
import type { Database } from "../db/client.ts";
import { files, jobParts, jobs } from "../db/schema.ts";
import { eraseFiles } from "../files/remove.ts";
import { limits } from "../limits.ts";

/** Rows of one kind per sweep. The rest waits for the next minute. */
const ROWS = 200;
/** An upload that belongs to no job after this time, in milliseconds, belongs to a request that died. */
const ORPHANED_AFTER = 900_000;

/** The results of a sweep, for the log. */
export interface SweptJobs {
  /** Parts whose consumers were lost. */
  readonly lost: number;
  /** Jobs that took too long. */
  readonly overdue: number;
  /** Jobs whose credits were settled late. */
  readonly settled: number;
  /** Messages sent for parts that nobody had begun. */
  readonly woken: number;
  /** Messages sent for results that nobody had sent on. */
  readonly undelivered: number;
  /** Files of jobs that were gone. */
  readonly orphans: number;
  /** Rows of jobs that expired long ago, which were deleted. */
  readonly forgotten: number;
}

/** Puts right what lost consumers, lost messages and failing bindings left behind. Every step can be repeated. */
export async function sweepJobs(
  db: Database,
  context: JobContext,
  queue: JobQueue,
  shard: number,
  now: Date,
): Promise<SweptJobs> {
  const lost = await takeBackLost(db, context, { now, most: limits.jobs.attempts }, lte(jobParts.dueAt, now));
  const overdue = await endOverdue(db, context, now);
  const settled = await settleEnded(db, context, ROWS);
  const woken = await wakeLate(db, queue, shard, now);
  const undelivered = await wakeDeliveries(db, queue, shard, now);
  const orphans = await eraseOrphans(db, now);
  await db
    .update(jobs)
    .set({ result: null })
    .where(and(over, lte(jobs.expiresAt, now), isNotNull(jobs.result)));
  const remembered = new Date(now.getTime() - limits.jobs.rememberedSeconds * 1_000);
  const forgotten = await db.delete(jobs).where(and(over, lt(jobs.expiresAt, remembered)));
  return { lost, overdue, settled, woken, undelivered, orphans, forgotten: forgotten.meta.changes };
}

/**
 * How often a part is begun whose process was lost each time. It is often another part that ended the process, and a part begins again within seconds, so
 * that it can be lost several times in a row.
 */
const MOST_LOSSES = 10;

/** Takes back the parts of consumers that are known to be lost, and wakes others for them. `consumer`: the name of a process; undefined: all. */
export async function replaceLost(
  db: Database,
  context: JobContext,
  { queue, shard, consumer }: { readonly queue: JobQueue; readonly shard: number; readonly consumer?: string },
  now: Date,
): Promise<void> {
  await wakeConsumers(queue, shard, await takeBackLost(db, context, { now, most: MOST_LOSSES }, claimedBy(consumer)));
}

/** Parts whose consumers are lost or gave no sign of life. The one that takes too long or too much each time fails in the end. */
async function takeBackLost(
  db: Database,
  context: JobContext,
  { now, most }: { readonly now: Date; readonly most: number },
  are: SQL | undefined,
): Promise<number> {
  const rows = await db
    .select({ part: jobParts, job: jobs })
    .from(jobParts)
    .innerJoin(jobs, and(eq(jobs.id, jobParts.job), live))
    .where(and(eq(jobParts.state, "running"), are))
    .limit(ROWS);
  for (const { part, job } of rows) {
    const claim = { job, part, token: part.token ?? "" };
    if (part.attempts < most) await repeatPart(db, claim, now);
    else if (part.pages > 1) await dividePart(db, claim, now);
    else await failLost(db, context, claim, now);
  }
  return rows.length;
}

async function failLost(db: Database, context: JobContext, claim: Claim, now: Date): Promise<void> {
  const { job, part } = claim;
  const message = "The service could not finish this part of the job.";
  if (part.pages === 1 && job.onPageError === "continue") {
    await failPage(db, claim, { page: pageNumberOf(job, part), code: "internal_error", message }, now);
    return;
  }
  const details = part.pages === 1 ? { page: pageNumberOf(job, part) } : undefined;
  const failure = { status: 500, code: "internal_error", message, ...(details && { details }) };
  await endJob(db, context, job.id, { state: "failed", failure }, now, claim);
}

async function endOverdue(db: Database, context: JobContext, now: Date): Promise<number> {
  const rows = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(live, lte(jobs.expiresAt, now)))
    .limit(ROWS);
  const hours = limits.jobs.longestSeconds / 3_600;
  const message = `The job did not end within ${hours} hours. Split the document, and send its parts as jobs of their own.`;
  const failure = { status: 500, code: "internal_error", message };
  for (const { id } of rows) await endJob(db, context, id, { state: "failed", failure }, now);
  return rows.length;
}

/** Wakes consumers for parts whose messages were lost. */
async function wakeLate(db: Database, queue: JobQueue, shard: number, now: Date): Promise<number> {
  const late = new Date(now.getTime() - limits.jobs.lateMilliseconds);
  const rows = await db
    .select({ page: jobParts.page })
    .from(jobs)
    .innerJoin(jobParts, and(eq(jobParts.job, jobs.id), eq(jobParts.state, "queued"), lte(jobParts.dueAt, late)))
    .where(live)
    .limit(ROWS);
  await wakeConsumers(queue, shard, rows.length);
  return rows.length;
}

/** Erases the files of jobs that do not exist, or have ended without them. The sweep of files then removes their bytes. */
async function eraseOrphans(db: Database, now: Date): Promise<number> {
  const job = db
    .select({ one: sql`1` })
    .from(jobs)
    .where(and(eq(jobs.id, files.job), sql`(${live} or ${jobs.result} ->> 'file' = ${files.id})`));
  const erased = await eraseFiles(
    db,
    and(
      gte(files.job, "job_"),
      ne(files.state, "deleted"),
      lt(files.createdAt, new Date(now.getTime() - ORPHANED_AFTER)),
      notExists(job),
    ),
  );
  return erased.meta.changes;
}
