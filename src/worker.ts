import { createApp } from "./app.ts";
import { type LateReversal, reverseLate } from "./billing/late-reversal.ts";
import { sweep } from "./billing/sweep.ts";
import { suspends } from "./engines/fuel-gauge.ts";
import { keptBytes } from "./engines/lease/pool.ts";
import { databaseAt, readEnv } from "./env.ts";
import { logFault } from "./faults.ts";
import { sweepFiles } from "./files/sweep.ts";
import { operations } from "./operations/index.ts";
import { consume, consumeDead } from "./webhooks/consumer.ts";
import type { DeliveryMessage } from "./webhooks/message.ts";
import { requeueLate } from "./webhooks/requeue.ts";

const app = createApp(operations);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  async queue(batch, env, context) {
    const configured = readEnv(env);
    const consumer = {
      settings: configured.webhooks,
      queue: configured.webhookQueue,
      databaseOf: (shard: number) => databaseAt(configured, shard),
      waitUntil: (promise: Promise<unknown>) => context.waitUntil(promise),
    };
    const [reversals, deliveries] = sorted(batch.messages);
    // Queue names differ by environment: pdf-service-webhooks-dead-staging.
    if (batch.queue.includes("-dead")) await consumeDead(deliveries, consumer);
    else await consume(deliveries, consumer);
    for (const message of reversals) await reverseLate(message, consumer.databaseOf);
  },
  async scheduled({ cron, scheduledTime }, env) {
    const { databases, files, webhookQueue } = readEnv(env);
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
        // In parallel: a failure of one must not keep the other from its work.
        const [done, requeued, sweptFiles] = await Promise.all([
          guard("sweep", shard, sweep(db, now)),
          guard("requeue", shard, requeueLate(db, shard, webhookQueue, now)),
          guard("sweep of files", shard, sweepFiles(db, files, shard, now)),
        ]);
        return { ...done, requeued, files: sweptFiles };
      }),
    );
    console.log(JSON.stringify({ level: "info", message: "scheduled", cron, keptBytes: keptBytes(), suspends, swept }));
    // The runtime logs what is thrown here, so this is not the original error.
    if (failed) throw new Error("the scheduled work failed");
  },
} satisfies ExportedHandler<object, DeliveryMessage | LateReversal>;

/** Groups the messages of a batch by kind. */
function sorted(
  messages: readonly Message<DeliveryMessage | LateReversal>[],
): [Message<LateReversal>[], Message<DeliveryMessage>[]] {
  const isReversal = (message: Message<DeliveryMessage | LateReversal>): message is Message<LateReversal> =>
    "reservation" in message.body;
  const isDelivery = (message: Message<DeliveryMessage | LateReversal>): message is Message<DeliveryMessage> =>
    !isReversal(message);
  return [messages.filter(isReversal), messages.filter(isDelivery)];
}
