/** Credits of requests that failed while the database was unreachable: they are released or refunded once it is back. */
import type { Message } from "@cloudflare/workers-types";
import { refund, release } from "./ledger.ts";
import type { RequestFailure } from "./operation-events.ts";
import type { Reservation } from "./reservation.ts";
import type { Database } from "../db/client.ts";
import { logFault, secondsAfterFault } from "../faults.ts";

/** A failed request that may have been charged: the database confirmed neither its settlement nor its release or refund. */
export interface LateReversal {
  readonly kind: "late reversal";
  /** The number of the account's database. */
  readonly shard: number;
  readonly reservation: Reservation;
  readonly failure: RequestFailure;
}

/**
 * Releases or refunds the credits, depending on the request's state, and emits its failure; the sweep enqueues the deliveries.
 * A duplicate message changes nothing. Never throws.
 */
export async function reverseLate(
  message: Message<LateReversal>,
  databaseOf: (shard: number) => Database,
): Promise<void> {
  const { shard, reservation, failure } = message.body;
  try {
    const db = databaseOf(shard);
    // Only one of the two finds the request in its state.
    await release(db, reservation, failure, () => {});
    await refund(db, reservation, failure, () => {});
    message.ack();
  } catch (error) {
    logFault("credits not returned", { id: reservation.id, attempts: message.attempts }, error);
    message.retry({ delaySeconds: secondsAfterFault(message.attempts) });
  }
}
