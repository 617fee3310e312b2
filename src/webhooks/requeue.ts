import type { Queue } from "@cloudflare/workers-types";
import { pickLate } from "./lanes.ts";
import { type DeliveryMessage, wake } from "./message.ts";
import type { Database } from "../db/client.ts";

/** Maximum number of deliveries woken per sweep. */
const ROWS = 1_000;

/** Wakes deliveries whose messages were lost, and returns how many. */
export async function requeueLate(
  db: Database,
  shard: number,
  queue: Queue<DeliveryMessage>,
  now: Date,
): Promise<number> {
  const late = await pickLate(db, now, ROWS);
  await wake(
    queue,
    shard,
    late.map(({ id }) => id),
  );
  return late.length;
}
