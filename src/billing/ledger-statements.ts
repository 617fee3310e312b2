import { and, eq, exists, sql } from "drizzle-orm";
import { freeKey } from "./idempotency.ts";
import type { Reservation } from "./reserve.ts";
import type { Database } from "../db/client.ts";
import { ledger, type ledgerStates, periods } from "../db/schema.ts";

export type State = (typeof ledgerStates)[number];

/** Whether the row is still in the state in which this call left it: the sweep, or another try, may have been faster. */
export function inState(db: Database, id: string, state: State) {
  return exists(
    db
      .select({ one: sql`1` })
      .from(ledger)
      .where(and(eq(ledger.id, id), eq(ledger.state, state))),
  );
}

export const creditsOf = (id: string) => sql`(SELECT ${ledger.credits} FROM ${ledger} WHERE ${ledger.id} = ${id})`;

type Row = Pick<Reservation, "id" | "period">;

/** Gives the credits of a row in this state back to its period. */
export function returnCredits(db: Database, { id, period }: Row, state: State) {
  return db
    .update(periods)
    .set({ used: sql`${periods.used} - ${creditsOf(id)}` })
    .where(and(eq(periods.id, period), inState(db, id, state)));
}

export function mark(db: Database, id: string, from: State, to: State) {
  return db
    .update(ledger)
    .set({ state: to })
    .where(and(eq(ledger.id, id), eq(ledger.state, from)));
}

/** Gives a reservation back, with its Idempotency-Key. */
export function returnReserved(db: Database, { key, ...row }: Row & Pick<Reservation, "key">) {
  return [
    returnCredits(db, row, "reserved"),
    ...(key === undefined ? [] : freeKey(db, key, row.id)),
    mark(db, row.id, "reserved", "released"),
  ] as const;
}
