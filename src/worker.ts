import { createApp } from "./app.ts";
import { type LateReversal, reverseLate } from "./billing/late-reversal.ts";
import { sweep } from "./billing/sweep.ts";
import { suspends } from "./engines/fuel-gauge.ts";
import { keptBytes } from "./engines/lease/pool.ts";
import { databaseAt, type Env, readEnv } from "./env.ts";
import { logFault } from "./faults.ts";
import { sweepFiles } from "./files/sweep.ts";
import { telemetryIn } from "./http/admission/telemetry.ts";
import { partWorker } from "./http/operations/job-part.ts";
import { consumeJobs, type JobConsumer } from "./jobs/consumer.ts";
import type { JobMessage } from "./jobs/message.ts";
import { sweepJobs } from "./jobs/sweep.ts";
import { operations } from "./operations/index.ts";
import { pipelineOf } from "./operations/pipeline.ts";
import { consume, consumeDead } from "./webhooks/consumer.ts";
import { type DeliveryMessage, enqueuer } from "./webhooks/message.ts";
import { resealSecrets } from "./webhooks/reseal.ts";
import { requeueLate } from "./webhooks/requeue.ts";

const app = createApp(operations);
/** What jobs can be of. */
const runnable = [...operations, pipelineOf(operations)];

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  async queue(batch, env, context) {
    const configured = readEnv(env);
    const telemetry = telemetryIn(configured);
    const waitUntil = (promise: Promise<unknown>): void => context.waitUntil(promise);
    for (const { timestamp, body } of batch.messages) {
      const seconds = Math.max(0, Date.now() - timestamp.getTime()) / 1000;
      telemetry?.metrics.record("pdf.queue.age", seconds, { "pdf.message": body.kind });
    }
    const jobs = batch.messages.filter((message) => isOf(message, "parts") || isOf(message, "abandoned job"));
    if (jobs.length > 0) await consumeJobs(jobs, jobConsumer(configured, context));
    const consumer = {
      settings: configured.webhooks,
      queue: configured.webhookQueue,
      databaseOf: (shard: number) => databaseAt(configured, shard),
      waitUntil,
      telemetry,
    };
    const deliveries = batch.messages.filter((message) => isOf(message, "delivery"));
    // Where messages are that were retried too often, only the name of the queue tells: pdf-service-webhooks-dead-staging.
    if (batch.queue.includes("-dead")) await consumeDead(deliveries, consumer);
    else await consume(deliveries, consumer);
    for (const message of batch.messages.filter((one) => isOf(one, "late reversal"))) {
      await reverseLate(message, consumer.databaseOf);
    }
  },
  async scheduled({ cron, scheduledTime }, env, context) {
    const configured = readEnv(env);
    const { databases, files, webhookQueue, jobQueue, baseUrl, serverSecrets } = configured;
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
        const jobContext = {
          store: files,
          baseUrl,
          enqueue: enqueuer(webhookQueue, shard, (promise) => context.waitUntil(promise)),
        };
        const [done, requeued, resealed, sweptFiles, jobs] = await Promise.all([
          guard("sweep", shard, sweep(db, now)),
          guard("requeue", shard, requeueLate(db, shard, webhookQueue, now)),
          guard("reseal", shard, resealSecrets(db, serverSecrets, now)),
          guard("sweep of files", shard, sweepFiles(db, files, shard, now)),
          guard("sweep of jobs", shard, sweepJobs(db, jobContext, jobQueue, shard, now)),
        ]);
        return { ...done, requeued, resealed, files: sweptFiles, jobs };
      }),
    );
    console.log(JSON.stringify({ level: "info", message: "scheduled", cron, keptBytes: keptBytes(), suspends, swept }));
    telemetryIn(configured)?.flushSoon((promise) => context.waitUntil(promise));
    // The runtime logs what is thrown here, so this is not the original error.
    if (failed) throw new Error("the scheduled work failed");
  },
} satisfies ExportedHandler<object, QueueMessage>;

type QueueMessage = DeliveryMessage | LateReversal | JobMessage;

const isOf = <K extends QueueMessage["kind"]>(
  message: Message<QueueMessage>,
  kind: K,
): message is Message<Extract<QueueMessage, { kind: K }>> => message.body.kind === kind;

function jobConsumer(env: Env, context: ExecutionContext): JobConsumer {
  const waitUntil = (promise: Promise<unknown>): void => context.waitUntil(promise);
  return {
    store: env.files,
    baseUrl: env.baseUrl,
    queue: env.jobQueue,
    databaseOf: (shard) => databaseAt(env, shard),
    work: partWorker({ env, operations: runnable, waitUntil }),
    enqueueOf: (shard) => enqueuer(env.webhookQueue, shard, waitUntil),
  };
}
