import type { Message, MessageBatch } from "@cloudflare/workers-types";
import { and, eq } from "drizzle-orm";
import { type Claim, claim } from "./claim.ts";
import { type Attempt, deliver, notAttempted } from "./deliver.ts";
import type { DeliveryMessage } from "./message.ts";
import { recordOutcome } from "./outcome.ts";
import { unseal } from "./sealed-secret.ts";
import type { WebhookSettings } from "./settings.ts";
import { signatureHeaders } from "./sign.ts";
import { webhookDeliveries } from "../db/schema.ts";
import { databaseAt, type Env } from "../env.ts";

/** Subscriptions that are delivered to at once: a Worker has six connections, and the database wants one. */
const LANES = 5;
/** Milliseconds after which the rest of a subscription's messages wait for another batch: others are to get their turn. */
const LANE_TIME = 5_000;
const PUT_OFF_SECONDS = 10;
/** Seconds that a message which came too early waits, at most: the sweep is there for more. */
const EARLY_SECONDS = 60;
/** Seconds until a message that met a fault is tried again, doubled each time, and at most. */
const FAULT_SECONDS = 5;
const LONGEST_FAULT_SECONDS = 3_600;

type Wakeup = Message<DeliveryMessage>;

/**
 * Delivers what a batch of messages wakes. Every message is acknowledged or put off on its own; those of one subscription follow
 * each other, and different subscriptions are served side by side.
 */
export async function consume({ messages }: MessageBatch<DeliveryMessage>, env: Env): Promise<void> {
  // Ids of deliveries end with the subscription's.
  const lanes = Map.groupBy(messages, ({ body }) => body.delivery.slice(body.delivery.indexOf(".") + 1)).values();
  // All take from the one iterator.
  await Promise.all(Array.from({ length: LANES }, () => workLanes(lanes, env)));
}

async function workLanes(lanes: Iterable<readonly Wakeup[]>, env: Env): Promise<void> {
  for (const lane of lanes) {
    const end = Date.now() + LANE_TIME;
    for (const message of lane) {
      try {
        await (Date.now() < end ? work(message, env) : putOff(message, env));
      } catch (error) {
        logFault(message, error);
        message.retry({ delaySeconds: Math.min(FAULT_SECONDS * 2 ** message.attempts, LONGEST_FAULT_SECONDS) });
      }
    }
  }
}

/** Tries the delivery that a message wakes, if it is due. */
async function work(message: Wakeup, env: Env): Promise<void> {
  const { shard, delivery } = message.body;
  const db = databaseAt(env, shard);
  const claimed = await claim(db, delivery, new Date());
  if ("over" in claimed) return claimed.over ? message.ack() : wakeEarly(message, claimed.dueAt);
  const outcome = await attempt(claimed, env.webhooks);
  const next = await recordOutcome(db, claimed, outcome, env.webhooks.retrySeconds);
  if (next === undefined) message.ack();
  else message.retry({ delaySeconds: secondsUntil(next) });
}

/** For a message that came before its time, by a clock that differs; one that is far too early is a second one, of no use. */
function wakeEarly(message: Wakeup, dueAt: Date): void {
  const delaySeconds = secondsUntil(dueAt);
  if (delaySeconds > EARLY_SECONDS) message.ack();
  else message.retry({ delaySeconds });
}

const secondsUntil = (time: Date): number => Math.max(0, Math.ceil((time.getTime() - Date.now()) / 1_000));

async function attempt({ event, webhook }: Claim, { serverSecret, targets }: WebhookSettings): Promise<Attempt> {
  const now = new Date();
  const secret = await unseal(serverSecret, webhook.id, webhook.secret);
  if (secret === undefined) return notAttempted("secret_unreadable", now);
  const { previousSecret: sealed, previousSecretExpiresAt: end } = webhook;
  const previous = sealed !== null && end !== null && end > now && (await unseal(serverSecret, webhook.id, sealed));
  const body = JSON.stringify({
    type: event.type,
    timestamp: event.createdAt.toISOString(),
    data: { ...event.data, sequence: event.sequence },
  });
  const headers = await signatureHeaders(previous ? [secret, previous] : [secret], { id: event.id, at: now, body });
  return deliver(webhook.url, { headers, body }, targets);
}

/** Wakes the delivery a little later, with a message of its own: being put off is no failure of this one. */
async function putOff(message: Wakeup, env: Env): Promise<void> {
  await env.webhookQueue.send(message.body, { delaySeconds: PUT_OFF_SECONDS });
  message.ack();
}

/** What is left of messages that failed too often: their deliveries are not tried any more. */
export async function consumeDead({ messages }: MessageBatch<DeliveryMessage>, env: Env): Promise<void> {
  for (const message of messages) {
    const { shard, delivery } = message.body;
    try {
      await databaseAt(env, shard)
        .update(webhookDeliveries)
        .set({ state: "exhausted", nextAttemptAt: null, finishedAt: new Date() })
        .where(and(eq(webhookDeliveries.id, delivery), eq(webhookDeliveries.state, "pending")));
      message.ack();
    } catch (error) {
      logFault(message, error);
      message.retry({ delaySeconds: LONGEST_FAULT_SECONDS });
    }
  }
}

function logFault({ body, attempts }: Wakeup, error: unknown): void {
  const { delivery } = body;
  console.log(JSON.stringify({ level: "error", message: "webhook", delivery, attempts, cause: String(error) }));
}
