import { and, eq, gt, inArray, isNull, lt, notExists, sql } from "drizzle-orm";
import { KEY_LIFETIME, releaseSweptKeys } from "./idempotency.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { idempotency, jobs, ledger, ledgerStates, periodOperations, periods } from "../db/schema.ts";
import { holdEach } from "../events/outbox.ts";
import { ABANDONED_AFTER, emitHeld, forgetOldEvents } from "../events/sweep-events.ts";

/** Rows of one kind per sweep: a batch must finish within D1's 30 seconds. The rest waits for the next minute. */
const ROWS = 1_000;
/** Months that ledger rows and periods are kept after the period's end. */
const KEPT_MONTHS = 13;

/** The results of a sweep, for the log. */
export interface Swept {
  /** Abandoned reservations. */
  readonly released: number;
  /** Charges whose responses were all aborted. */
  readonly refunded: number;
  /** Held events whose isolates are gone. */
  readonly emitted: number;
  /** Expired rows that were deleted. */
  readonly deleted: number;
}

/**
 * Releases and refunds what dead isolates left behind, and deletes old rows. Two concurrent sweeps are safe: each step is one
 * transaction.
 */
export async function sweep(db: Database, now: Date): Promise<Swept> {
  const released = await releaseAbandoned(db, now);
  const refunded = await refundPending(db, now);
  const emitted = await emitHeld(db, now);
  const deleted = (await deleteOld(db, now)) + (await forgetOldEvents(db, now));
  return { released, refunded, emitted, deleted };
}

async function releaseAbandoned(db: Database, now: Date): Promise<number> {
  const abandoned = db
    .select({ id: ledger.id })
    .from(ledger)
    .where(
      and(
        eq(ledger.state, "reserved"),
        lt(ledger.createdAt, new Date(now.getTime() - ABANDONED_AFTER)),
        // The reservation of a job ends with the job.
        notExists(
          db
            .select({ one: sql`1` })
            .from(jobs)
            .where(eq(jobs.ledger, ledger.id)),
        ),
      ),
    )
    .limit(ROWS);
  // There are almost never any, so the transaction is usually skipped.
  if ((await abandoned).length === 0) return 0;

  const { released } = await batch(db, {
    sweeping: db.update(ledger).set({ state: "sweeping" }).where(inArray(ledger.id, abandoned)),
    events: holdFailures(db),
    used: subtractSwept(db),
    keys: releaseSweptKeys(db),
    released: db.update(ledger).set({ state: "released" }).where(isSwept),
  });
  return released.meta.changes;
}

/** Holds the event of each request whose reservation is being released; `emitHeld` emits it. */
function holdFailures(db: Database) {
  const { id, period, operation } = ledger;
  const account = sql`substr(${period}, 1, instr(${period}, ':') - 1)`;
  const livemode = sql`(instr(${period}, ':live:') > 0)`;
  const data = sql`json_object('operation', ${operation}, 'requestId', substr(${id}, instr(${id}, '/') + 1), 'credits', 0,
    'livemode', json(iif(${livemode}, 'true', 'false')), 'durationMilliseconds', NULL, 'inputBytes', NULL, 'outputBytes', NULL,
    'pageCount', NULL, 'status', 500, 'code', 'internal_error')`;
  return holdEach(db, "operation.failed", { account, livemode, data }, isSwept);
}

/** Refunds charges that stood for retries, if no retry is left (`refund` in ledger.ts). */
async function refundPending(db: Database, now: Date): Promise<number> {
  const alone = and(eq(idempotency.charge, ledger.id), eq(idempotency.replays, 0), isNull(idempotency.inFlight));
  const pending = db
    .select({ id: ledger.id })
    .from(ledger)
    .innerJoin(idempotency, and(eq(idempotency.id, ledger.idempotency), alone))
    // There are no retries after this time.
    .where(and(eq(ledger.state, "refund_pending"), gt(ledger.createdAt, new Date(now.getTime() - KEY_LIFETIME))))
    .limit(ROWS);
  if ((await pending).length === 0) return 0;

  const keys = db.select({ key: ledger.idempotency }).from(ledger).where(isSwept);
  const sums = db
    .select({ period: ledger.period, operation: ledger.operation, sum: sum() })
    .from(ledger)
    .where(isSwept)
    .groupBy(ledger.period, ledger.operation)
    .as("sums");
  const { refunded } = await batch(db, {
    sweeping: db.update(ledger).set({ state: "sweeping" }).where(inArray(ledger.id, pending)),
    byOperation: db
      .update(periodOperations)
      .set({ credits: sql`${periodOperations.credits} - ${sums.sum}` })
      .from(sums)
      .where(and(eq(periodOperations.period, sums.period), eq(periodOperations.operation, sums.operation))),
    used: subtractSwept(db),
    keys: db.delete(idempotency).where(inArray(idempotency.id, keys)),
    refunded: db.update(ledger).set({ state: "refunded" }).where(isSwept),
  });
  return refunded.meta.changes;
}

const isSwept = eq(ledger.state, "sweeping");

const sum = () => sql<number>`SUM(${ledger.credits})`.as("sum");

/** Subtracts the credits of the swept rows from their periods, summed once because there may be many rows and periods. */
function subtractSwept(db: Database) {
  const sums = db
    .select({ period: ledger.period, sum: sum() })
    .from(ledger)
    .where(isSwept)
    .groupBy(ledger.period)
    .as("sums");
  return db
    .update(periods)
    .set({ used: sql`${periods.used} - ${sums.sum}` })
    .from(sums)
    .where(eq(periods.id, sums.period));
}

async function deleteOld(db: Database, now: Date): Promise<number> {
  const oldest = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - KEPT_MONTHS));
  const ended = db.select({ id: periods.id }).from(periods).where(lt(periods.start, oldest)).limit(ROWS);
  const forgotten = db
    .select({ id: idempotency.id })
    .from(idempotency)
    .where(and(lt(idempotency.createdAt, new Date(now.getTime() - KEY_LIFETIME)), isNull(idempotency.inFlight)))
    .limit(ROWS);
  const oldRows = db
    .select({ id: ledger.id })
    .from(ledger)
    // Lists the states so that the index, which begins with the state, applies.
    .where(and(inArray(ledger.state, [...ledgerStates]), lt(ledger.createdAt, oldest)))
    .limit(ROWS);
  const results = await batch(db, {
    keys: db.delete(idempotency).where(inArray(idempotency.id, forgotten)),
    rows: db.delete(ledger).where(inArray(ledger.id, oldRows)),
    byOperation: db.delete(periodOperations).where(inArray(periodOperations.period, ended)),
    periods: db.delete(periods).where(inArray(periods.id, ended)),
  });
  return Object.values(results).reduce((sum, { meta }) => sum + meta.changes, 0);
}
