import type { Message, MessageSendRequest, Queue } from "@cloudflare/workers-types";
import { and, eq } from "drizzle-orm";
import { type Claim, claim } from "./claim.ts";
import { type Attempt, attempt, hasSucceeded, notAttempted } from "../outbound/attempt.ts";
import { lanes } from "./lanes.ts";
import type { DeliveryMessage } from "./message.ts";
import { recordAttempt } from "./record-attempt.ts";
import { signatureHeaders } from "./sign.ts";
import type { WebhookSettings } from "./webhook.ts";
import { unseal } from "../accounts/sealed-secret.ts";
import type { Database } from "../db/client.ts";
import { webhookDeliveries } from "../db/schema.ts";
import { logFault, LONGEST_FAULT_SECONDS, secondsAfterFault } from "../faults.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { firstStep, type Step, stepAfter, traceparentOf } from "../telemetry/trace-context.ts";

/** Maximum seconds to delay a message that arrived early; the sweep handles longer waits. */
const EARLY_SECONDS = 60;
/** The maximum delay that Cloudflare Queues supports. */
const LONGEST_DELAY_SECONDS = 86_400;

type Wakeup = Message<DeliveryMessage>;

/** The consumer's dependencies. */
export interface Consumer {
  /** The name of this process, if it has one. */
  readonly name: string | undefined;
  readonly settings: WebhookSettings;
  readonly queue: Pick<Queue<DeliveryMessage>, "sendBatch">;
  /** The database with this number. Throws if there is none. */
  databaseOf(shard: number): Database;
  /** Lets attempts continue after the batch. */
  waitUntil(promise: Promise<unknown>): void;
  /** Is told of attempts. */
  readonly telemetry: Telemetry | undefined;
}

/**
 * Delivers what a batch of messages wakes. The batch ends as soon as each message is claimed, rejected, or delayed. The
 * attempts continue after it, so that a receiver that hangs does not block the next batch. From then on the row represents the
 * delivery: if the isolate is lost, the sweep finds it.
 */
export async function consume(messages: readonly Wakeup[], consumer: Consumer): Promise<void> {
  const byShard = Map.groupBy(messages, ({ body }) => body.shard);
  await Promise.all(Array.from(byShard, ([shard, wakeups]) => consumeOf(shard, wakeups, consumer)));
}

/** The messages of one database. */
async function consumeOf(shard: number, messages: readonly Wakeup[], consumer: Consumer): Promise<void> {
  try {
    const ids = new Set(messages.map(({ body }) => body.delivery));
    const results = await claim(consumer.databaseOf(shard), Array.from(ids), new Date(), consumer.name);
    for (const message of messages) {
      const result = results.get(message.body.delivery);
      // A second message for a delivery that this batch has claimed is obsolete.
      const isFirst = ids.delete(message.body.delivery);
      if (result !== undefined && "wakeAt" in result) wakeEarly(message, result.wakeAt);
      else message.ack();
      if (result !== undefined && !("wakeAt" in result) && isFirst) {
        consumer.waitUntil(finish(result, message, consumer));
      }
    }
  } catch (error) {
    for (const message of messages) {
      logWakeup(message, error);
      message.retry({ delaySeconds: secondsAfterFault(message.attempts) });
    }
  }
}

/** Makes the attempt and wakes the deliveries that follow. Never throws. */
async function finish(claimed: Claim, message: Wakeup, consumer: Consumer): Promise<void> {
  const { shard, delivery } = message.body;
  const { settings, queue, databaseOf, telemetry } = consumer;
  const step = stepAfter(claimed.event.trace ?? undefined) ?? (telemetry && firstStep());
  try {
    const made = await deliver(claimed, settings, step);
    if (telemetry && step) {
      tell(telemetry, step, claimed, made);
      telemetry.flushSoon((promise) => consumer.waitUntil(promise));
    }
    const { next, waiting } = await recordAttempt(databaseOf(shard), claimed, made, settings.retrySeconds);
    const wakeups: MessageSendRequest<DeliveryMessage>[] = waiting.map((id) => ({
      body: { kind: "delivery", shard, delivery: id },
    }));
    if (next !== undefined)
      wakeups.push({ body: { kind: "delivery", shard, delivery }, delaySeconds: secondsUntil(next) });
    if (wakeups.length > 0) await queue.sendBatch(wakeups);
  } catch (error) {
    logWakeup(message, error);
  }
}

/** Delays a message that arrived early because clocks differ; one that is far too early is an obsolete duplicate. */
function wakeEarly(message: Wakeup, at: Date | undefined): void {
  const delaySeconds = at === undefined ? Infinity : secondsUntil(at);
  if (delaySeconds > EARLY_SECONDS) message.ack();
  else message.retry({ delaySeconds });
}

/** Capped at the maximum delay of a queue. */
const secondsUntil = (time: Date): number =>
  Math.min(Math.max(0, Math.ceil((time.getTime() - Date.now()) / 1_000)), LONGEST_DELAY_SECONDS);

async function deliver(
  { event, webhook, lane }: Claim,
  { serverSecrets, endpoints }: WebhookSettings,
  step: Step | undefined,
): Promise<Attempt> {
  const now = new Date();
  const secret = await unseal(serverSecrets, "webhook signing secrets", webhook.id, webhook.secret);
  if (secret === undefined) return notAttempted("secret_unreadable", now);
  const { previousSecret: sealed, previousSecretExpiresAt: end } = webhook;
  const previous =
    sealed !== null &&
    end !== null &&
    end > now &&
    (await unseal(serverSecrets, "webhook signing secrets", webhook.id, sealed));
  const body = JSON.stringify({
    type: event.type,
    timestamp: event.createdAt.toISOString(),
    data: { ...event.data, sequence: event.sequence },
  });
  const headers = await signatureHeaders(previous ? [secret, previous] : [secret], { id: event.id, at: now, body });
  const trace = step && { traceparent: traceparentOf(step) };
  const sent = { ...headers, ...trace, "Content-Type": "application/json" };
  return attempt(webhook.url, { method: "POST", headers: sent, body }, endpoints, lanes[lane].milliseconds);
}

function tell(telemetry: Telemetry, step: Step, { id, attempt, event }: Claim, made: Attempt): void {
  const { startedAt, durationMilliseconds, status, error } = made;
  const facts = {
    "http.request.method": "POST",
    "http.response.status_code": status ?? undefined,
    "error.type": error ?? undefined,
    "pdf.event": event.type,
  };
  telemetry.metrics.record("pdf.webhook.attempt.duration", durationMilliseconds / 1000, facts);
  telemetry.span({
    step,
    name: `deliver ${event.type}`,
    kind: "client",
    start: startedAt.getTime(),
    end: startedAt.getTime() + durationMilliseconds,
    failed: !hasSucceeded(made),
    attributes: { ...facts, "pdf.delivery": id, "pdf.attempt": attempt },
  });
}

/** Ends the deliveries whose messages failed too often. */
export async function consumeDead(
  messages: readonly Wakeup[],
  { databaseOf }: Pick<Consumer, "databaseOf">,
): Promise<void> {
  for (const message of messages) {
    const { shard, delivery } = message.body;
    try {
      await databaseOf(shard)
        .update(webhookDeliveries)
        .set({ state: "exhausted", nextAttemptAt: null, finishedAt: new Date(), lane: null })
        .where(and(eq(webhookDeliveries.id, delivery), eq(webhookDeliveries.state, "pending")));
      message.ack();
    } catch (error) {
      logWakeup(message, error);
      message.retry({ delaySeconds: LONGEST_FAULT_SECONDS });
    }
  }
}

function logWakeup({ body, attempts }: Wakeup, error: unknown): void {
  logFault("webhook", { delivery: body.delivery, attempts }, error);
}
