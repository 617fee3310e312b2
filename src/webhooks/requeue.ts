import type { Queue } from "@cloudflare/workers-types";
import { lateDeliveries } from "./lanes.ts";
import type { DeliveryMessage } from "./message.ts";
import type { Database } from "../db/client.ts";

/** Milliseconds past its time after which a delivery's message counts as lost. */
const LATE = 60_000;
/** Deliveries of one sweep; the rest waits for the next minute. */
const ROWS = 1_000;
/** Cloudflare's limit for one `sendBatch`. */
const MESSAGES = 100;

/** Wakes deliveries that nobody came back to, and returns how many. */
export async function requeueLate(
  db: Database,
  shard: number,
  queue: Queue<DeliveryMessage>,
  now: Date,
): Promise<number> {
  const late = await lateDeliveries(db, new Date(now.getTime() - LATE), ROWS);
  for (let start = 0; start < late.length; start += MESSAGES) {
    await queue.sendBatch(late.slice(start, start + MESSAGES).map((delivery) => ({ body: { shard, delivery } })));
  }
  return late.length;
}
