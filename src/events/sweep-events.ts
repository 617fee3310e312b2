import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { ledger } from "../db/schema.ts";
import { dropHeld, forgetEvents, heldBefore, holdEach, isHeld, type NewEvent, record } from "./outbox.ts";

/** A call older than this belongs to an isolate that is gone: none takes half as long. */
export const ABANDONED_AFTER = 15 * 60 * 1_000;
/** Held events that one sweep records, each in a batch of its own; the rest waits for the next minute. */
const RECORDED = 200;
/** For how long events are kept, with their deliveries. */
const KEPT = 30 * 24 * 60 * 60 * 1_000;
/** Deliveries deleted at once, and how often in one sweep: there may be many more than of any other row. */
const ROWS = 1_000;
const ROUNDS = 10;

/** Tells of the calls whose reservations are expiring, in their batch; `recordHeld` then makes the deliveries. */
export function holdFailures(db: Database) {
  const { id, period, operation } = ledger;
  const account = sql`substr(${period}, 1, instr(${period}, ':') - 1)`;
  const livemode = sql`(instr(${period}, ':live:') > 0)`;
  const data = sql`json_object('operation', ${operation}, 'requestId', substr(${id}, instr(${id}, '/') + 1), 'credits', 0,
    'livemode', json(iif(${livemode}, 'true', 'false')), 'durationMilliseconds', NULL, 'inputBytes', NULL, 'outputBytes', NULL,
    'pageCount', NULL, 'status', 500, 'code', 'internal_error')`;
  return holdEach(db, "operation.failed", { account, livemode, data }, eq(ledger.state, "expiring"));
}

/** Records the events of calls whose isolates did not come back to do it, and returns how many. */
export async function recordHeld(db: Database, now: Date): Promise<number> {
  const held = await heldBefore(db, new Date(now.getTime() - ABANDONED_AFTER), RECORDED);
  for (const { awaits, ...event } of held) {
    if (awaits === null) continue;
    // The row holds what was an event when it was written.
    const again = { ...event, at: now } as NewEvent;
    await db.batch([...record(db, again, isHeld(db, awaits)), dropHeld(db, awaits)]);
  }
  return held.length;
}

/** Deletes events whose time is over, their deliveries and the log of those; returns how many rows. */
export async function forgetOldEvents(db: Database, now: Date): Promise<number> {
  let deleted = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const results = await db.batch(forgetEvents(db, new Date(now.getTime() - KEPT), ROWS));
    deleted += results.reduce((sum, { meta }) => sum + meta.changes, 0);
    if (!results.some(({ meta }) => meta.changes >= ROWS)) break;
  }
  return deleted;
}
