import { and, eq, exists, lt, ne, notExists, sql } from "drizzle-orm";
import { isLive, type JobRow, jobsOf, live } from "./job.ts";
import type { Caller } from "../accounts/caller.ts";
import { plans } from "../accounts/plans.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { KEY_LIFETIME, type RequestKey } from "../billing/idempotency.ts";
import { type Reservation, storedReservation } from "../billing/reservation.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { rowOf } from "../db/row.ts";
import { accounts, jobDeliveries, jobParts, jobs } from "../db/schema.ts";
import { eraseJobFiles } from "../files/remove.ts";
import { limits } from "../limits.ts";

/** A job that has been paid for and whose files are stored. */
export interface NewJob {
  readonly id: string;
  readonly operation: string;
  /** The file with the text fields of the request. */
  readonly request: string;
  readonly pages: number;
  /** The numbers of the pages in the document; undefined if they are 1, 2, 3, and so on. */
  readonly pageNumbers: readonly number[] | undefined;
  /** Pages of each part; undefined if the operation does not work page by page. */
  readonly pagesPerPart: number | undefined;
  readonly pricedPages: number;
  readonly price: number;
  readonly onPageError: "fail" | "continue";
  readonly keptSeconds: number;
  readonly reservation: Reservation;
  /** Where its result is to be sent, encrypted; undefined if nowhere. */
  readonly deliverTo: string | undefined;
}

/** When a job that begins now times out. */
export const jobDeadline = (now: Date): Date => new Date(now.getTime() + limits.jobs.longestSeconds * 1_000);

/** Creates the rows of a job and its parts. Throws `limit_reached` if the account has too many live jobs. */
export async function createJob(db: Database, caller: Caller, job: NewJob, now: Date): Promise<JobRow> {
  const { account, livemode, plan } = caller;
  const { liveJobs, jobLanes } = plans[plan];
  const row = rowOf(jobs, {
    id: job.id,
    account: accounts.id,
    livemode,
    operation: job.operation,
    state: "queued",
    request: job.request,
    lanes: jobLanes,
    onPageError: job.onPageError,
    pageNumbers: job.pageNumbers ?? null,
    pagesTotal: job.pages,
    pagesDone: 0,
    pagesFailed: 0,
    pricedPages: job.pricedPages,
    price: job.price,
    ledger: job.reservation.id,
    reservation: job.reservation,
    charged: 0,
    idempotency: job.reservation.key?.id ?? null,
    result: null,
    error: null,
    pageErrors: null,
    delivery: job.deliverTo === undefined ? null : { status: "pending", attempts: 0, httpStatus: null, error: null },
    keptSeconds: job.keptSeconds,
    createdAt: now,
    startedAt: null,
    servedAt: new Date(0),
    finishedAt: null,
    expiresAt: jobDeadline(now),
  });
  const mayBegin = lt(db.$count(jobs, and(jobsOf(caller), live)), liveJobs);
  const made = exists(
    db
      .select({ one: sql`1` })
      .from(jobs)
      .where(eq(jobs.id, job.id)),
  );
  const parts = JSON.stringify(partsOf(job));
  const { created } = await batch(db, {
    created: db
      .insert(jobs)
      .select(sql`select ${row} from ${accounts} where ${and(eq(accounts.id, account), mayBegin)}`)
      .returning(),
    parts: db.insert(jobParts).select(
      sql`select ${job.id}, value ->> 0, value ->> 1, value ->> 2, 0, null, ${now.getTime()}, null, null
        from json_each(${parts}) where ${made}`,
    ),
    delivery: db
      .insert(jobDeliveries)
      .select(sql`select ${job.id}, ${job.deliverTo ?? ""}, 0, null where ${job.deliverTo !== undefined} and ${made}`),
  });
  const [result] = created;
  if (result !== undefined) return result;
  throw new AccountRefusal(
    "limit_reached",
    `Your plan allows ${liveJobs.toLocaleString("en-US")} unfinished jobs in each mode. Wait until one ends, or cancel one.`,
    { limit: liveJobs },
  );
}

/** Removes a job whose request failed after all, unless it has begun, and erases its files. */
export async function abandonJob(db: Database, id: string): Promise<void> {
  const begun = db
    .select({ one: sql`1` })
    .from(jobs)
    .where(and(eq(jobs.id, id), ne(jobs.state, "queued")));
  await batch(db, {
    files: eraseJobFiles(db, id, "", notExists(begun)),
    parts: db.delete(jobParts).where(and(eq(jobParts.job, id), notExists(begun))),
    delivery: db.delete(jobDeliveries).where(and(eq(jobDeliveries.job, id), notExists(begun))),
    job: db.delete(jobs).where(and(eq(jobs.id, id), eq(jobs.state, "queued"))),
  });
}

/** First page, number of pages, and state of each part. */
function partsOf({ pages, pagesPerPart }: NewJob): [page: number, pages: number, state: PartState][] {
  if (pagesPerPart === undefined) return [[0, 0, "queued"]];
  const parts: [number, number, PartState][] = [];
  for (let page = 0; page < pages; page += pagesPerPart) {
    parts.push([page, Math.min(pagesPerPart, pages - page), "queued"]);
  }
  return [...parts, [pages, 0, "waiting"]];
}

type PartState = "queued" | "waiting";

/**
 * The job of an earlier request with the same Idempotency-Key; undefined if there is none. `isSame`: whether that request was
 * the same.
 */
export async function jobWithKey(
  db: Database,
  { id, fingerprint }: RequestKey,
  now: Date,
): Promise<{ readonly row: JobRow; readonly isSame: boolean } | undefined> {
  const [row] = await db
    .select()
    .from(jobs)
    .where(eq(jobs.idempotency, id))
    .orderBy(sql`${jobs.createdAt} desc`)
    .limit(1);
  if (row === undefined) return undefined;
  // A job that failed or was canceled for nothing leaves the key free, as a failed request does.
  const isOver = !isLive(row) && row.result === null && row.charged === 0;
  if (isOver || row.createdAt.getTime() <= now.getTime() - KEY_LIFETIME) return undefined;
  return { row, isSame: storedReservation(row.reservation).key?.fingerprint === fingerprint };
}
