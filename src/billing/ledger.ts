import { and, eq, gt, sql } from "drizzle-orm";
import { type CallEnd, type CallFailure, completedEvent, failedEvent } from "./operation-events.ts";
import { isShared, noteCharge, withdrawCharge } from "./idempotency.ts";
import { inState, mark, returnCredits, returnReserved } from "./ledger-statements.ts";
import type { Reservation } from "./reserve.ts";
import { tellMarks } from "./thresholds.ts";
import type { Database } from "../db/client.ts";
import { ledger, periodOperations, periods } from "../db/schema.ts";
import { type Announce, deliveriesOf, dropHeld, heldFor, hold, isHeld, record } from "../events/outbox.ts";

/** What a settled call leaves: the credits that it cost, and those that the account has left. */
export interface Settled {
  readonly charged: number;
  readonly remaining: number;
  /** Whether an event waits for the end of the answer. */
  readonly held: boolean;
}

/**
 * Charges a call, once: sending it again changes nothing. A reservation that the sweep took for abandoned is not charged
 * any more. Records `operation.completed`, or holds it for `finish` where the answer is streamed.
 */
export async function settle(
  db: Database,
  reservation: Reservation,
  end: CallEnd,
  announce: Announce,
): Promise<Settled> {
  const { id, period, limit, key, credits, charge, month, marks } = reservation;
  // Before the others: what is reserved now is settled by them.
  const look = db
    .select({ used: periods.used, state: ledger.state })
    .from(ledger)
    .innerJoin(periods, eq(periods.id, period))
    .where(eq(ledger.id, id));
  const event = completedEvent(reservation, end);
  const streamed = end.outputBytes === null;
  const isReserved = inState(db, id, "reserved");
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
  const [[found], ...results] = await db.batch([
    look,
    ...(streamed ? [hold(db, event, id, isReserved)] : record(db, event, isReserved)),
    byOperation,
    ...(key === undefined ? [] : [noteCharge(db, key, id, credits)]),
    mark(db, id, "reserved", "settled"),
    ...tellMarks(db, { ...charge, month }, marks, end.at),
    ...(streamed ? [heldFor(db, id)] : []),
  ]);
  if (found === undefined) throw new Error("the reservation is not in the ledger");
  announce(deliveriesOf(results));
  const isCharged = found.state === "reserved" || found.state === "settled";
  const last = results.at(-1);
  return {
    charged: isCharged ? credits : 0,
    remaining: Math.max(0, limit - found.used),
    held: streamed && Array.isArray(last) && last.length > 0,
  };
}

/**
 * Records the end of a streamed response: complete, left by its client, or broken off by the document, in which case the
 * charge stands. Sending it again changes nothing.
 */
export async function finish(
  db: Database,
  reservation: Reservation,
  end: CallEnd | CallFailure,
  announce: Announce,
): Promise<void> {
  const { id, credits } = reservation;
  const event = record(
    db,
    "code" in end ? failedEvent(reservation, end, credits) : completedEvent(reservation, end),
    isHeld(db, id),
  );
  announce(deliveriesOf(await db.batch([...event, dropHeld(db, id)])));
}

/** Gives the credits of a call that did not succeed back, and tells of it. Sending it again changes nothing. */
export async function release(
  db: Database,
  reservation: Reservation,
  end: CallFailure,
  announce: Announce,
): Promise<void> {
  const event = record(db, failedEvent(reservation, end), inState(db, reservation.id, "reserved"));
  announce(deliveriesOf(await db.batch([...event, ...returnReserved(db, reservation)])));
}

/**
 * Takes a charge back, for an answer that broke off by our fault, and tells of it. Where the request was repeated in the
 * meantime, the charge stands for the repetitions, and the sweep takes it back when none of them succeeds. Sending it again
 * changes nothing.
 */
export async function refund(
  db: Database,
  reservation: Reservation,
  end: CallFailure,
  announce: Announce,
): Promise<void> {
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
  const keep =
    key &&
    db
      .update(ledger)
      .set({ state: "broken" })
      .where(and(eq(ledger.id, id), eq(ledger.state, "settled"), gt(ledger.credits, 0), isShared(db, key, id)));
  const results = await db.batch([
    ...record(db, failedEvent(reservation, end), inState(db, id, "settled")),
    dropHeld(db, id),
    ...(keep === undefined ? [] : [keep]),
    byOperation,
    returnCredits(db, reservation, "settled"),
    ...(key === undefined ? [] : [withdrawCharge(db, key, id, credits)]),
    mark(db, id, "settled", "refunded"),
  ]);
  announce(deliveriesOf(results));
}
