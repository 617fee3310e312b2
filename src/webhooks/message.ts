import type { Queue } from "@cloudflare/workers-types";
import type { Enqueue } from "../events/outbox.ts";

/** The queue's message for a delivery: a wake-up. Everything else is in the row, which is the truth. */
export interface DeliveryMessage {
  readonly kind: "delivery";
  /** The number of the row's database. */
  readonly shard: number;
  /** The ID of the row in `webhook_deliveries`. */
  readonly delivery: string;
}

/** Cloudflare's limit for one `sendBatch`. */
const MESSAGES = 100;

/** Sends a message for each delivery of a database, by ID. */
export async function wake(
  queue: Pick<Queue<DeliveryMessage>, "sendBatch">,
  shard: number,
  deliveries: readonly string[],
): Promise<void> {
  for (let start = 0; start < deliveries.length; start += MESSAGES) {
    const some = deliveries.slice(start, start + MESSAGES);
    await queue.sendBatch(some.map((delivery) => ({ body: { kind: "delivery", shard, delivery } })));
  }
}

/**
 * Enqueues the deliveries that a batch created. Nobody waits for the queue, and a message that cannot be sent fails nothing: the
 * sweep finds the delivery in the database.
 */
export function enqueuer(
  queue: Pick<Queue<DeliveryMessage>, "sendBatch">,
  shard: number,
  waitUntil: (promise: Promise<unknown>) => void,
): Enqueue {
  return (deliveries) => {
    if (deliveries.length > 0) waitUntil(wake(queue, shard, deliveries).catch(() => {}));
  };
}
