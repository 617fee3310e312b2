import { type LateReturn, returnLate } from "./billing/late-reversal.ts";
import { sweep } from "./billing/sweep.ts";
import { createApp } from "./app.ts";
import { suspends } from "./engines/fuel-gauge.ts";
import { keptBytes } from "./engines/lease/pool.ts";
import { databaseAt, readEnv } from "./env.ts";
import { logFault } from "./faults.ts";
import { operations } from "./operations/index.ts";
import { consume, consumeDead } from "./webhooks/consumer.ts";
import type { DeliveryMessage } from "./webhooks/message.ts";
import { requeueLate } from "./webhooks/requeue.ts";

const app = createApp(operations);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  async queue(batch, env, context) {
    const settings = readEnv(env);
    const [returns, deliveries] = parted(batch.messages);
    // The names differ by environment: pdf-service-webhooks-dead-staging.
    if (batch.queue.includes("-dead")) await consumeDead(deliveries, settings);
    else await consume(deliveries, settings, context);
    for (const message of returns) await returnLate(message, (shard) => databaseAt(settings, shard));
  },
  async scheduled({ cron, scheduledTime }, env) {
    const { databases, webhookQueue } = readEnv(env);
    const now = new Date(scheduledTime);
    let failed = false;
    const guard = async <T>(part: string, shard: number, work: Promise<T>): Promise<T | undefined> => {
      try {
        return await work;
      } catch (error) {
        failed = true;
        logFault(part, { shard }, error);
        return undefined;
      }
    };
    const swept = await Promise.all(
      databases.map(async (db, shard) => {
        // Side by side: a fault of one must not keep the other from its work.
        const [done, requeued] = await Promise.all([
          guard("sweep", shard, sweep(db, now)),
          guard("requeue", shard, requeueLate(db, shard, webhookQueue, now)),
        ]);
        return { ...done, requeued };
      }),
    );
    console.log(JSON.stringify({ level: "info", message: "scheduled", cron, keptBytes: keptBytes(), suspends, swept }));
    // The runtime logs what is thrown here, so it is not the fault itself.
    if (failed) throw new Error("the scheduled work failed");
  },
} satisfies ExportedHandler<object, DeliveryMessage | LateReturn>;

/** The messages of a batch, by what they are for. */
function parted(
  messages: readonly Message<DeliveryMessage | LateReturn>[],
): [Message<LateReturn>[], Message<DeliveryMessage>[]] {
  const isReturn = (message: Message<DeliveryMessage | LateReturn>): message is Message<LateReturn> =>
    "reservation" in message.body;
  const isDelivery = (message: Message<DeliveryMessage | LateReturn>): message is Message<DeliveryMessage> =>
    !isReturn(message);
  return [messages.filter(isReturn), messages.filter(isDelivery)];
}
