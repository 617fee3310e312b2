import type { Context } from "hono";
import type { AppEnv } from "./exchange.ts";
import { shardOfAccount } from "../../accounts/token.ts";
import { readEnv } from "../../env.ts";
import type { Announce } from "../../events/outbox.ts";

/** Cloudflare's limit for one `sendBatch`. */
const MESSAGES = 100;

/**
 * Wakes the consumer for deliveries that a batch of this request has made. The answer does not wait for the queue, and a
 * message that fails to be sent is no failure of the call: the sweep finds the delivery in the database.
 */
export function announcer(c: Context<AppEnv>): Announce {
  const { webhookQueue } = readEnv(c.env);
  const shard = shardOfAccount(c.get("caller").account) ?? 0;
  return (deliveries) => {
    for (let start = 0; start < deliveries.length; start += MESSAGES) {
      const messages = deliveries.slice(start, start + MESSAGES).map((delivery) => ({ body: { shard, delivery } }));
      c.executionCtx.waitUntil(webhookQueue.sendBatch(messages).catch(() => {}));
    }
  };
}
