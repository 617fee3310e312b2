import { and, eq, exists, gt, sql } from "drizzle-orm";
import {
  forgetExpired,
  freeKey,
  isReplay,
  isShared,
  isTaken,
  markInFlight,
  noteCharge,
  type RequestKey,
  withdrawCharge,
} from "./idempotency.ts";
import { monthOf, periodId } from "./periods.ts";
import type { Database } from "../db/client.ts";
import { idempotency, ledger, type ledgerStates, periodOperations, periods } from "../db/schema.ts";

/** A call that asks for its credits. */
export interface Charge {
  readonly account: string;
  readonly livemode: boolean;
  /** The operation's name, as it stands in usage. */
  readonly operation: string;
  readonly credits: number;
  /** Credits of the whole month, by the plan. */
  readonly limit: number;
  /** Where the request came with an Idempotency-Key. */
  readonly key?: RequestKey | undefined;
}

/** Credits set aside for one call. It is settled or released, or the sweep does it. */
export interface Reservation {
  /** The ledger row. */
  readonly id: string;
  readonly period: string;
  readonly limit: number;
  /** What the call costs: 0 when it repeats a request that was paid. */
  readonly credits: number;
  readonly key?: RequestKey | undefined;
}

/** Why no credits were set aside: too few are left, or the Idempotency-Key is at work or another request's. */
export type Denied =
  | { readonly reason: "quota"; readonly used: number }
  | { readonly reason: "in flight" }
  | { readonly reason: "reused" };

type State = (typeof ledgerStates)[number];

/** Whether the row is still in the state in which this call left it: the sweep, or another try, may have been faster. */
function inState(db: Database, id: string, state: State) {
  return exists(
    db
      .select({ one: sql`1` })
      .from(ledger)
      .where(and(eq(ledger.id, id), eq(ledger.state, state))),
  );
}

const creditsOf = (id: string) => sql`(SELECT ${ledger.credits} FROM ${ledger} WHERE ${ledger.id} = ${id})`;

/**
 * Sets a call's credits aside, or says why not: one batch, so that of two calls for the last credit one wins. Where the
 * database does not answer, it is not known whether the reservation stands: it is released, or if that fails the sweep does it.
 */
export async function reserve(db: Database, charge: Charge, now: Date): Promise<Reservation | Denied> {
  const { key, limit } = charge;
  const month = monthOf(now);
  const period = periodId(charge.account, charge.livemode, month);
  const id = `${charge.account}/${crypto.randomUUID()}`;
  const isRepeated = key === undefined ? sql`0` : isReplay(db, key);

  const openPeriod = db.insert(periods).values({ id: period, start: month.start, used: 0 }).onConflictDoNothing();
  const insert = db.insert(ledger).select(
    db
      .select({
        id: sql<string>`${id}`.as("id"),
        period: periods.id,
        operation: sql<string>`${charge.operation}`.as("operation"),
        credits: sql<number>`CASE WHEN ${isRepeated} THEN 0 ELSE ${charge.credits} END`.as("credits"),
        state: sql<State>`'reserved'`.as("state"),
        createdAt: sql<Date>`${now.getTime()}`.as("created_at"),
        idempotency: sql<string | null>`${key?.id ?? null}`.as("idempotency"),
      })
      .from(periods)
      .where(
        and(
          eq(periods.id, period),
          sql`(${isRepeated} OR ${periods.used} + ${charge.credits} <= ${limit})`,
          key && sql`NOT ${isTaken(db, key)}`,
        ),
      ),
  );
  const count = db
    .update(periods)
    .set({ used: sql`${periods.used} + ${creditsOf(id)}` })
    .where(and(eq(periods.id, period), inState(db, id, "reserved")));
  const look = db
    .select({
      used: periods.used,
      credits: ledger.credits,
      fingerprint: idempotency.fingerprint,
      inFlight: idempotency.inFlight,
    })
    .from(periods)
    .leftJoin(ledger, eq(ledger.id, id))
    .leftJoin(idempotency, eq(idempotency.id, key?.id ?? ""))
    .where(eq(periods.id, period));

  const send = async () =>
    key === undefined
      ? (await db.batch([openPeriod, insert, count, look]))[3]
      : (
          await db.batch([forgetExpired(db, key, now), openPeriod, insert, count, markInFlight(db, key, id, now), look])
        )[5];
  const [found] = await send().catch(async (error: unknown) => {
    await release(db, { id, period, key }).catch(() => {});
    throw error;
  });
  if (found === undefined) throw new Error(`the period ${period} is not there right after it was made`);
  if (found.credits !== null) return { id, period, limit, credits: found.credits, key };
  if (found.fingerprint !== null && found.fingerprint !== key?.fingerprint) return { reason: "reused" };
  return found.inFlight === null ? { reason: "quota", used: found.used } : { reason: "in flight" };
}

/** What a settled call leaves: the credits that it cost, and those that the account has left. */
export interface Settled {
  readonly charged: number;
  readonly remaining: number;
}

/**
 * Charges a call, once: sending it again changes nothing. A reservation that the sweep took for abandoned is not charged
 * any more.
 */
export async function settle(db: Database, { id, period, limit, key, credits }: Reservation): Promise<Settled> {
  const byOperation = db
    .insert(periodOperations)
    .select(
      db
        .select({ period: ledger.period, operation: ledger.operation, credits: ledger.credits })
        .from(ledger)
        .where(and(eq(ledger.id, id), eq(ledger.state, "reserved"))),
    )
    .onConflictDoUpdate({
      target: [periodOperations.period, periodOperations.operation],
      set: { credits: sql`${periodOperations.credits} + excluded.credits` },
    });
  const mark = db
    .update(ledger)
    .set({ state: "settled" })
    .where(and(eq(ledger.id, id), eq(ledger.state, "reserved")));
  const look = db
    .select({ used: periods.used, state: ledger.state })
    .from(ledger)
    .innerJoin(periods, eq(periods.id, period))
    .where(eq(ledger.id, id));
  const [found] =
    key === undefined
      ? (await db.batch([byOperation, mark, look]))[2]
      : (await db.batch([byOperation, noteCharge(db, key, id, credits), mark, look]))[3];
  if (found === undefined) throw new Error("the reservation is not in the ledger");
  return { charged: found.state === "settled" ? credits : 0, remaining: Math.max(0, limit - found.used) };
}

/** Gives the credits of a call that did not succeed back. Sending it again changes nothing. */
export async function release(db: Database, reservation: Pick<Reservation, "id" | "period" | "key">): Promise<void> {
  const { id, key } = reservation;
  const giveBack = returnCredits(db, reservation, "reserved");
  const mark = markReturned(db, id, "reserved", "released");
  if (key === undefined) await db.batch([giveBack, mark]);
  else await db.batch([giveBack, ...freeKey(db, key, id), mark]);
}

/**
 * Takes a charge back, for an answer that broke off by our fault. Where the request was repeated in the meantime, the charge
 * stands for the repetitions, and the sweep takes it back when none of them succeeds. Sending it again changes nothing.
 */
export async function refund(db: Database, reservation: Reservation): Promise<void> {
  const { id, period, key, credits } = reservation;
  const byOperation = db
    .update(periodOperations)
    .set({ credits: sql`${periodOperations.credits} - ${credits}` })
    .where(
      and(
        eq(periodOperations.period, period),
        eq(
          periodOperations.operation,
          db.select({ operation: ledger.operation }).from(ledger).where(eq(ledger.id, id)),
        ),
        inState(db, id, "settled"),
      ),
    );
  const giveBack = returnCredits(db, reservation, "settled");
  const mark = markReturned(db, id, "settled", "refunded");
  if (key === undefined) await db.batch([byOperation, giveBack, mark]);
  else {
    const keep = db
      .update(ledger)
      .set({ state: "broken" })
      .where(and(eq(ledger.id, id), eq(ledger.state, "settled"), gt(ledger.credits, 0), isShared(db, key, id)));
    await db.batch([keep, byOperation, giveBack, withdrawCharge(db, key, id, credits), mark]);
  }
}

function returnCredits(db: Database, { id, period }: Pick<Reservation, "id" | "period">, state: State) {
  return db
    .update(periods)
    .set({ used: sql`${periods.used} - ${creditsOf(id)}` })
    .where(and(eq(periods.id, period), inState(db, id, state)));
}

function markReturned(db: Database, id: string, from: State, to: State) {
  return db
    .update(ledger)
    .set({ state: to })
    .where(and(eq(ledger.id, id), eq(ledger.state, from)));
}
