import { createApp } from "./app.ts";
import { type LateReversal, reverseLate } from "./billing/late-reversal.ts";
import { sweep } from "./billing/sweep.ts";
import { suspends } from "./engines/fuel-gauge.ts";
import { dropIdle, keptBytes } from "./engines/lease/pool.ts";
import { databaseAt, type Env, readEnv } from "./env.ts";
import { logFault, secondsAfterFault } from "./faults.ts";
import { sweepFiles } from "./files/sweep.ts";
import { telemetryIn } from "./http/admission/telemetry.ts";
import { partWorker } from "./http/operations/job-part.ts";
import { consumeJobs, type JobConsumer } from "./jobs/consumer.ts";
import type { JobMessage } from "./jobs/message.ts";
import { sweepJobs } from "./jobs/sweep.ts";
import { operations } from "./operations/index.ts";
import { pipelineOf } from "./operations/pipeline.ts";
import { REST_CRON } from "./rest-cron.ts";
import { FLUSH_CRON } from "./telemetry/flush-cron.ts";
import { consume, consumeDead } from "./webhooks/consumer.ts";
import { type DeliveryMessage, enqueuer } from "./webhooks/message.ts";
import { resealSecrets } from "./webhooks/reseal.ts";
import { requeueLate, requeueLost } from "./webhooks/requeue.ts";

const app = createApp(operations);
/** What jobs can be of. */
const runnable = [...operations, pipelineOf(operations)];

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  async queue(batch, env, context) {
    const configured = readEnv(env);
    const telemetry = telemetryIn(configured);
    const consumers = consumersIn(configured, batch.queue, context, telemetry);
    for (const [kind, messages] of Map.groupBy(batch.messages, ({ body }) => kindOf(body))) {
      const isKnown = Object.hasOwn(consumers, kind);
      for (const { timestamp } of messages) {
        const seconds = Math.max(0, Date.now() - timestamp.getTime()) / 1000;
        telemetry?.metrics.record("pdf.queue.age", seconds, { "pdf.message": isKnown ? kind : "unknown" });
      }
      if (isKnown) await consumers[kind as QueueMessage["kind"]](messages as never);
      else retryUnknown(messages);
    }
  },
  async scheduled({ cron, scheduledTime }, env, context) {
    const configured = readEnv(env);
    if (cron === FLUSH_CRON) return telemetryIn(configured)?.flush();
    if (cron === REST_CRON) return void dropIdle();
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
    // The runtime logs errors thrown here, so this is not the original error.
    if (failed) throw new Error("the scheduled work failed");
  },
} satisfies ExportedHandler<object, QueueMessage>;

type QueueMessage = DeliveryMessage | LateReversal | JobMessage;

type Consumers = {
  readonly [K in QueueMessage["kind"]]: (messages: Message<Extract<QueueMessage, { kind: K }>>[]) => Promise<void>;
};

/** The consumer of each kind of message. */
function consumersIn(
  env: Env,
  queue: string,
  context: ExecutionContext,
  telemetry: ReturnType<typeof telemetryIn>,
): Consumers {
  const waitUntil = (promise: Promise<unknown>): void => context.waitUntil(promise);
  const databaseOf = (shard: number) => databaseAt(env, shard);
  const webhooks = {
    name: env.consumerName,
    settings: env.webhooks,
    queue: env.webhookQueue,
    databaseOf,
    waitUntil,
    telemetry,
  };
  return {
    parts: (messages) => consumeJobs(messages, jobConsumer(env, context)),
    result: (messages) => consumeJobs(messages, jobConsumer(env, context)),
    "abandoned job": (messages) => consumeJobs(messages, jobConsumer(env, context)),
    "lost consumers": async (messages) => {
      for (const message of messages) {
        try {
          await requeueLost(databaseOf(message.body.shard), { ...message.body, queue: env.webhookQueue }, new Date());
          await consumeJobs([message], jobConsumer(env, context));
        } catch (error) {
          logFault("lost consumers", { shard: message.body.shard, attempts: message.attempts }, error);
          message.retry({ delaySeconds: secondsAfterFault(message.attempts) });
        }
      }
    },
    delivery: (messages) =>
      queue === env.deadLetterQueue ? consumeDead(messages, webhooks) : consume(messages, webhooks),
    "late reversal": async (messages) => {
      for (const message of messages) await reverseLate(message, databaseOf);
    },
  };
}

/** The kind of a message, whatever its sender was: an empty string if it has none. */
function kindOf(body: unknown): string {
  if (typeof body !== "object" || body === null || !("kind" in body)) return "";
  return typeof body.kind === "string" ? body.kind : "";
}

/** A newer version may have sent these before it replaced this one everywhere, so they stay in the queue for it. */
function retryUnknown(messages: readonly Message[]): void {
  for (const message of messages) {
    logFault("unknown message", { id: message.id, attempts: message.attempts }, new Error("no consumer for its kind"));
    message.retry({ delaySeconds: secondsAfterFault(message.attempts) });
  }
}

function jobConsumer(env: Env, context: ExecutionContext): JobConsumer {
  const waitUntil = (promise: Promise<unknown>): void => context.waitUntil(promise);
  return {
    store: env.files,
    baseUrl: env.baseUrl,
    queue: env.jobQueue,
    receivers: env.webhooks,
    waitUntil,
    name: env.consumerName,
    databaseOf: (shard) => databaseAt(env, shard),
    work: partWorker({ env, operations: runnable, waitUntil }),
    enqueueOf: (shard) => enqueuer(env.webhookQueue, shard, waitUntil),
  };
}
