/** Credits of calls that failed while the database could not be reached: they are given back once it can be. */
import type { Message } from "@cloudflare/workers-types";
import type { CallFailure } from "./operation-events.ts";
import { refund, release } from "./ledger.ts";
import type { Reservation } from "./reserve.ts";
import type { Database } from "../db/client.ts";
import { logFault, secondsAfterFault } from "../faults.ts";

/**
 * A call that failed and may have been charged: neither its settlement nor its return was confirmed. The queue holds it, as the
 * database cannot be told.
 */
export interface LateReturn {
  /** The number of the database that the account is in. */
  readonly shard: number;
  readonly reservation: Reservation;
  readonly failure: CallFailure;
}

/**
 * Gives the credits back, whatever became of the call, and records the event of its failure, which the sweep announces. A second
 * message changes nothing. Never throws.
 */
export async function returnLate(message: Message<LateReturn>, databaseOf: (shard: number) => Database): Promise<void> {
  const { shard, reservation, failure } = message.body;
  try {
    const db = databaseOf(shard);
    // Only one of the two finds the call in its state.
    await release(db, reservation, failure, () => {});
    await refund(db, reservation, failure, () => {});
    message.ack();
  } catch (error) {
    logFault("credits not given back", { id: reservation.id, attempts: message.attempts }, error);
    message.retry({ delaySeconds: secondsAfterFault(message.attempts) });
  }
}
