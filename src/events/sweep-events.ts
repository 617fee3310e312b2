import { dropHeld, emit, forgetEvents, heldBefore, isHeld, type NewEvent } from "./outbox.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";

/** Milliseconds after which a request's isolate is assumed to be gone: no request takes half as long. */
export const ABANDONED_AFTER = 15 * 60 * 1_000;
/** Held events emitted per sweep, each in its own batch; the rest waits for the next minute. */
const EMITTED = 200;
/** Milliseconds that events and their deliveries are kept. */
const KEPT = 30 * 24 * 60 * 60 * 1_000;
/** Deliveries deleted per batch, and batches per sweep: deliveries can outnumber all other rows. */
const ROWS = 1_000;
const ROUNDS = 10;

/** Emits the held events of requests whose isolates are gone, and returns how many. */
export async function emitHeld(db: Database, now: Date): Promise<number> {
  const held = await heldBefore(db, new Date(now.getTime() - ABANDONED_AFTER), EMITTED);
  for (const { awaits, ...event } of held) {
    if (awaits === null) continue;
    // The row was a valid event when it was written.
    const again = { ...event, at: now } as NewEvent;
    await batch(db, { event: emit(db, again, isHeld(db, awaits)), drop: dropHeld(db, awaits) });
  }
  return held.length;
}

/** Deletes expired events with their deliveries and attempts, and returns the number of rows. */
export async function forgetOldEvents(db: Database, now: Date): Promise<number> {
  let deleted = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const results = await batch(db, forgetEvents(db, new Date(now.getTime() - KEPT), ROWS));
    const changes = Object.values(results).map(({ meta }) => meta.changes);
    deleted += changes.reduce((sum, rows) => sum + rows, 0);
    if (changes.every((rows) => rows < ROWS)) break;
  }
  return deleted;
}
