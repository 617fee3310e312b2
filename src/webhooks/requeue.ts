import type { Queue } from "@cloudflare/workers-types";
import { pickLate } from "./lanes.ts";
import type { DeliveryMessage } from "./message.ts";
import type { Database } from "../db/client.ts";

/** Deliveries that one sweep wakes. */
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
  const late = await pickLate(db, now, ROWS);
  for (let start = 0; start < late.length; start += MESSAGES) {
    await queue.sendBatch(late.slice(start, start + MESSAGES).map(({ id }) => ({ body: { shard, delivery: id } })));
  }
  return late.length;
}
