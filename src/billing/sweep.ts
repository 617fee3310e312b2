import { and, eq, gt, inArray, isNull, lt, sql } from "drizzle-orm";
import { freeKeysOfExpiring, KEY_LIFETIME } from "./idempotency.ts";
import { ABANDONED_AFTER, forgetOldEvents, holdFailures, recordHeld } from "../events/sweep-events.ts";
import type { Database } from "../db/client.ts";
import { idempotency, ledger, ledgerStates, periodOperations, periods } from "../db/schema.ts";

/** Rows of one kind that one sweep takes: a batch has to end within D1's 30 seconds. The rest waits for the next minute. */
const ROWS = 1_000;
/** Months that ledger and periods are kept after the period's end. */
const KEPT_MONTHS = 13;

/** What a sweep did, for the log. */
export interface Swept {
  /** Reservations given back. */
  readonly released: number;
  /** Charges taken back whose answers all broke off. */
  readonly refunded: number;
  /** Events recorded that no isolate came back to. */
  readonly recorded: number;
  /** Rows deleted because their time was over. */
  readonly deleted: number;
}

/** Gives back what dead isolates left, and deletes what is old. Two at once do no harm: each is one transaction. */
export async function sweep(db: Database, now: Date): Promise<Swept> {
  const released = await releaseAbandoned(db, now);
  const refunded = await refundBroken(db, now);
  const recorded = await recordHeld(db, now);
  const deleted = (await deleteOld(db, now)) + (await forgetOldEvents(db, now));
  return { released, refunded, recorded, deleted };
}

async function releaseAbandoned(db: Database, now: Date): Promise<number> {
  const abandoned = db
    .select({ id: ledger.id })
    .from(ledger)
    .where(and(eq(ledger.state, "reserved"), lt(ledger.createdAt, new Date(now.getTime() - ABANDONED_AFTER))))
    .limit(ROWS);
  // Nearly always there is none, and no transaction is begun then.
  if ((await abandoned).length === 0) return 0;

  const [, , , , , marked] = await db.batch([
    db.update(ledger).set({ state: "expiring" }).where(inArray(ledger.id, abandoned)),
    holdFailures(db),
    returnExpiring(db),
    ...freeKeysOfExpiring(db),
    db.update(ledger).set({ state: "released" }).where(isExpiring),
  ]);
  return marked.meta.changes;
}

/** Charges that were kept for repetitions, none of which is left (`refund` in ledger.ts). */
async function refundBroken(db: Database, now: Date): Promise<number> {
  const alone = and(eq(idempotency.charge, ledger.id), eq(idempotency.replays, 0), isNull(idempotency.inFlight));
  const broken = db
    .select({ id: ledger.id })
    .from(ledger)
    .innerJoin(idempotency, and(eq(idempotency.id, ledger.idempotency), alone))
    // Later than this there is no repetition.
    .where(and(eq(ledger.state, "broken"), gt(ledger.createdAt, new Date(now.getTime() - KEY_LIFETIME))))
    .limit(ROWS);
  if ((await broken).length === 0) return 0;

  const keys = db.select({ key: ledger.idempotency }).from(ledger).where(isExpiring);
  const sums = db
    .select({ period: ledger.period, operation: ledger.operation, sum: sum() })
    .from(ledger)
    .where(isExpiring)
    .groupBy(ledger.period, ledger.operation)
    .as("sums");
  const [, , , , marked] = await db.batch([
    db.update(ledger).set({ state: "expiring" }).where(inArray(ledger.id, broken)),
    db
      .update(periodOperations)
      .set({ credits: sql`${periodOperations.credits} - ${sums.sum}` })
      .from(sums)
      .where(and(eq(periodOperations.period, sums.period), eq(periodOperations.operation, sums.operation))),
    returnExpiring(db),
    db.delete(idempotency).where(inArray(idempotency.id, keys)),
    db.update(ledger).set({ state: "refunded" }).where(isExpiring),
  ]);
  return marked.meta.changes;
}

const isExpiring = eq(ledger.state, "expiring");

const sum = () => sql<number>`SUM(${ledger.credits})`.as("sum");

/** Gives the credits of the expiring rows back to their periods. Added up once for all: many rows may be of many periods. */
function returnExpiring(db: Database) {
  const sums = db
    .select({ period: ledger.period, sum: sum() })
    .from(ledger)
    .where(isExpiring)
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
    // By state, as the index is.
    .where(and(inArray(ledger.state, [...ledgerStates]), lt(ledger.createdAt, oldest)))
    .limit(ROWS);
  const results = await db.batch([
    db.delete(idempotency).where(inArray(idempotency.id, forgotten)),
    db.delete(ledger).where(inArray(ledger.id, oldRows)),
    db.delete(periodOperations).where(inArray(periodOperations.period, ended)),
    db.delete(periods).where(inArray(periods.id, ended)),
  ]);
  return results.reduce((sum, { meta }) => sum + meta.changes, 0);
}
