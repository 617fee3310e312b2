import { and, eq, sql } from "drizzle-orm";
import { forgetExpired, isReplay, isTaken, markInFlight, type RequestKey } from "./idempotency.ts";
import { creditsOf, inState, returnReserved, type State } from "./ledger-statements.ts";
import { type Month, monthOf, periodId } from "../accounts/periods.ts";
import type { PlanName } from "../accounts/plans.ts";
import { passedMarks, type UsageMark } from "./thresholds.ts";
import type { Database } from "../db/client.ts";
import { idempotency, ledger, periods } from "../db/schema.ts";

/** A call that asks for its credits. */
export interface Charge {
  readonly account: string;
  readonly livemode: boolean;
  readonly plan: PlanName;
  /** The request's id, which the ledger row bears: what becomes of a lost call is told under it. Random where there is none. */
  readonly requestId?: string | undefined;
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
  /** What was asked for. */
  readonly charge: Charge;
  readonly month: Month;
  /** Marks of the period that the reservation has passed, and no event has told of. */
  readonly marks: readonly UsageMark[];
  /** What the call costs: 0 when it repeats a request that was paid. */
  readonly credits: number;
  readonly key?: RequestKey | undefined;
}

/** Why no credits were set aside: too few are left, or the Idempotency-Key is at work or another request's. */
export type Denied =
  | { readonly reason: "quota"; readonly used: number; readonly warned: number }
  | { readonly reason: "in flight" }
  | { readonly reason: "reused" };

/**
 * Sets a call's credits aside, or says why not: one batch, so that of two calls for the last credit one wins. Where the
 * database does not answer, it is not known whether the reservation stands: it is released, or if that fails the sweep does it.
 */
export async function reserve(db: Database, charge: Charge, now: Date): Promise<Reservation | Denied> {
  const { key, limit } = charge;
  const month = monthOf(now);
  const period = periodId(charge.account, charge.livemode, month);
  const id = `${charge.account}/${charge.requestId ?? crypto.randomUUID()}`;
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
      warned: periods.warned,
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
    await db.batch(returnReserved(db, { id, period, key })).catch(() => {});
    throw error;
  });
  if (found === undefined) throw new Error(`the period ${period} is not there right after it was made`);
  const { credits } = found;
  if (credits !== null) return { id, period, limit, charge, month, credits, key, marks: passedMarks(found, limit) };
  if (found.fingerprint !== null && found.fingerprint !== key?.fingerprint) return { reason: "reused" };
  return found.inFlight === null
    ? { reason: "quota", used: found.used, warned: found.warned }
    : { reason: "in flight" };
}
