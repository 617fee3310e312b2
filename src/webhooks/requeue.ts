import type { Queue } from "@cloudflare/workers-types";
import { pickLate, pickLost } from "./lanes.ts";
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

/** Wakes the deliveries that a process has attempted when it died. Without a name: that all processes have. */
export async function requeueLost(
  db: Database,
  {
    shard,
    consumer,
    queue,
  }: { readonly shard: number; readonly consumer?: string; readonly queue: Pick<Queue<DeliveryMessage>, "sendBatch"> },
  now: Date,
): Promise<void> {
  const lost = await pickLost(db, consumer, now);
  await wake(
    queue,
    shard,
    lost.map(({ id }) => id),
  );
}
