import { and, eq, exists, isNull, notExists, sql, type SQL } from "drizzle-orm";
import { type Claim, isPart } from "./claim.ts";
import { costOf, failedPages, type JobContext, type JobRow, live, over, viewOf } from "./job.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { type JobResult, jobDeliveries, jobParts, jobs, files, ledger, type PageError } from "../db/schema.ts";
import { release, settle } from "../billing/ledger.ts";
import { storedReservation } from "../billing/reservation.ts";
import { deliveriesOf, emit } from "../events/outbox.ts";
import { logFault } from "../faults.ts";
import { eraseJobFiles, removeJobFiles } from "../files/remove.ts";

/** Why a part or a job failed, and the status that the response to a request would have. */
export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** How the end of a part was recorded. */
export interface EndedPart {
  /** Whether the part was still this consumer's. */
  readonly isMine: boolean;
  /** Whether it was the last, so that the result is due. */
  readonly isLast: boolean;
}

/** Records what a part made, and lets the result begin if this was the last of the others. */
export async function finishPart(db: Database, claim: Claim, file: string, now: Date): Promise<EndedPart> {
  return endPart(db, claim, { state: "done", file }, { pagesDone: sql`${jobs.pagesDone} + ${claim.part.pages}` }, now);
}

/** Records that a page failed, if the job continues without it. */
export async function failPage(db: Database, claim: Claim, error: PageError, now: Date): Promise<EndedPart> {
  return endPart(db, claim, { state: "failed", error }, { pagesFailed: sql`${jobs.pagesFailed} + 1` }, now);
}

async function endPart(
  db: Database,
  { job, part, token }: Claim,
  ended: Partial<typeof jobParts.$inferInsert>,
  progress: { readonly pagesDone: SQL } | { readonly pagesFailed: SQL },
  now: Date,
): Promise<EndedPart> {
  const mine = and(isPart(part), eq(jobParts.token, token));
  const others = db
    .select({ one: sql`1` })
    .from(sql`${jobParts} as other`)
    .where(sql`other.job = ${job.id} and other.pages > 0 and other.state in ('queued', 'running')`);
  const result = await batch(db, {
    progress: db
      .update(jobs)
      .set(progress)
      .where(and(eq(jobs.id, job.id), live, partExists(db, mine))),
    part: db
      .update(jobParts)
      .set({ ...ended, token: null })
      .where(mine)
      .returning({ page: jobParts.page }),
    last: db
      .update(jobParts)
      .set({ state: "queued", dueAt: now })
      .where(and(eq(jobParts.job, job.id), eq(jobParts.state, "waiting"), notExists(others)))
      .returning({ page: jobParts.page }),
  });
  return { isMine: result.part.length > 0, isLast: result.last.length > 0 };
}

/** Divides a part that failed into its pages, so that only the one at fault fails. */
export async function dividePart(db: Database, { part, token }: Claim, now: Date): Promise<void> {
  const mine = and(isPart(part), eq(jobParts.token, token));
  const pages = JSON.stringify(Array.from({ length: part.pages - 1 }, (_, index) => part.page + 1 + index));
  await batch(db, {
    others: db.insert(jobParts).select(
      sql`select ${part.job}, value, 1, 'queued', ${part.attempts - 1}, null, ${now.getTime()}, null, null
        from json_each(${pages}) where ${partExists(db, mine)}`,
    ),
    first: db
      .update(jobParts)
      .set({ pages: 1, state: "queued", token: null, attempts: part.attempts - 1, dueAt: now })
      .where(mine),
  });
}

/** Repeats a part that failed through no fault of the document. */
export async function repeatPart(db: Database, { part, token }: Claim, dueAt: Date): Promise<void> {
  await db
    .update(jobParts)
    .set({ state: "queued", token: null, dueAt })
    .where(and(isPart(part), eq(jobParts.token, token)));
}

function partExists(db: Database, condition: SQL | undefined): SQL {
  return exists(
    db
      .select({ one: sql`1` })
      .from(jobParts)
      .where(condition),
  );
}

/** How a job ends. */
export type JobEnd =
  | { readonly state: "succeeded" | "partial"; readonly result: JobResult }
  | { readonly state: "failed"; readonly failure: Failure }
  | { readonly state: "canceled" };

/**
 * Ends a live job: its state, its event, its files and its parts in one batch, then its credits. Of two that end it, one does;
 * the other gets undefined. `claim`: of the part that ends it; if that has been lost, nothing happens.
 */
export async function endJob(
  db: Database,
  context: JobContext,
  id: string,
  end: JobEnd,
  now: Date,
  claim?: Claim,
): Promise<JobRow | undefined> {
  for (;;) {
    const [row] = await db
      .select()
      .from(jobs)
      .where(and(eq(jobs.id, id), live));
    if (row === undefined) return undefined;
    const ended = endedRow(row, end, await failedPages(db, id), now);
    // The event reports the outcome, so nothing may change in between.
    const unchanged = and(
      eq(jobs.id, id),
      live,
      eq(jobs.pagesDone, row.pagesDone),
      eq(jobs.pagesFailed, row.pagesFailed),
    );
    const mine =
      claim && partExists(db, and(isPart(claim.part), eq(jobParts.token, claim.token), eq(jobParts.state, "running")));
    const guard = and(unchanged, mine);
    const view = viewOf(ended, context.baseUrl, now);
    const hasEnded = notExists(
      db
        .select({ one: sql`1` })
        .from(jobs)
        .where(and(eq(jobs.id, id), live)),
    );
    const result = ended.result?.file ?? "";
    const event = {
      type: `job.${end.state}` as const,
      account: row.account,
      livemode: row.livemode,
      at: now,
      data: view,
      trace: storedReservation(row.reservation).charge.trace,
    };
    const results = await batch(db, {
      event: emit(
        db,
        event,
        exists(
          db
            .select({ one: sql`1` })
            .from(jobs)
            .where(guard),
        ),
      ),
      job: db.update(jobs).set(ended).where(guard).returning(),
      result: db
        .update(files)
        .set({ expiresAt: ended.expiresAt })
        .where(and(eq(files.id, result), hasEnded)),
      files: eraseJobFiles(db, id, result, hasEnded),
      parts: db.delete(jobParts).where(and(eq(jobParts.job, id), hasEnded)),
      delivery:
        ended.result === null
          ? db.delete(jobDeliveries).where(and(eq(jobDeliveries.job, id), hasEnded))
          : db
              .update(jobDeliveries)
              .set({ dueAt: now })
              .where(and(eq(jobDeliveries.job, id), isNull(jobDeliveries.dueAt), hasEnded)),
    });
    context.enqueue(deliveriesOf(results.event));
    const [changed] = results.job;
    if (changed !== undefined) {
      await settleJob(db, context, changed).catch((error: unknown) => logFault("job not settled", { id }, error));
      await removeJobFiles(db, context.store, id);
      return changed;
    }
    if (claim !== undefined && !(await isMine(db, claim))) return undefined;
  }
}

async function isMine(db: Database, { part, token }: Claim): Promise<boolean> {
  const rows = await db
    .select({ page: jobParts.page })
    .from(jobParts)
    .where(and(isPart(part), eq(jobParts.token, token)));
  return rows.length > 0;
}

function endedRow(row: JobRow, end: JobEnd, pageErrors: readonly PageError[], now: Date): JobRow {
  const isFinished = "result" in end;
  const pagesDone = isFinished ? row.pagesTotal - row.pagesFailed : row.pagesDone;
  return {
    ...row,
    state: end.state,
    pagesDone,
    // A failed job costs nothing; otherwise the finished work is charged.
    charged: end.state === "failed" ? 0 : Math.min(costOf(row, pagesDone), storedReservation(row.reservation).credits),
    request: null,
    pageNumbers: null,
    result: isFinished ? end.result : null,
    error: end.state === "failed" ? end.failure : null,
    pageErrors,
    delivery: isFinished ? row.delivery : null,
    finishedAt: now,
    expiresAt: new Date(now.getTime() + row.keptSeconds * 1_000),
  };
}

/**
 * Charges a job that has ended, or releases its credits. Repeating it changes nothing: if it fails, the sweep does it again.
 */
async function settleJob(db: Database, { enqueue }: Pick<JobContext, "enqueue">, row: JobRow): Promise<void> {
  const reservation = storedReservation(row.reservation);
  const { error, result, finishedAt } = row;
  const at = finishedAt ?? row.createdAt;
  const pages = result?.headers["X-Page-Count"];
  const end = {
    at,
    durationMilliseconds: at.getTime() - row.createdAt.getTime(),
    inputBytes: null,
    outputBytes: result?.size ?? 0,
    pageCount: pages === undefined ? null : Number(pages),
  };
  if (row.charged > 0 || result !== null) await settle(db, reservation, end, enqueue, row.charged);
  else {
    const failure = error ?? { status: 499, code: "client_closed_request" };
    await release(db, reservation, { ...end, status: failure.status, code: failure.code }, enqueue);
  }
}

/** Settles jobs that ended while their credits could not be settled. Returns how many. */
export async function settleEnded(db: Database, context: Pick<JobContext, "enqueue">, rows: number): Promise<number> {
  const found = await db
    .select({ job: jobs })
    .from(jobs)
    .innerJoin(ledger, and(eq(ledger.id, jobs.ledger), eq(ledger.state, "reserved")))
    .where(over)
    .limit(rows);
  for (const { job } of found) await settleJob(db, context, job);
  return found.length;
}
