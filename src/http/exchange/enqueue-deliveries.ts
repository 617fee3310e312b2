import type { Context } from "hono";
import type { AppEnv } from "./exchange.ts";
import { shardOfAccount } from "../../accounts/token.ts";
import { readEnv } from "../../env.ts";
import type { Enqueue } from "../../events/outbox.ts";
import { wake } from "../../webhooks/message.ts";

/**
 * Enqueues the deliveries created by this request's batches. The response does not wait for the queue, and a message that
 * cannot be sent does not fail the request: the sweep finds the delivery in the database.
 */
export function enqueuerOf(c: Context<AppEnv>): Enqueue {
  const { webhookQueue } = readEnv(c.env);
  const shard = shardOfAccount(c.get("caller").account) ?? 0;
  return (deliveries) => {
    if (deliveries.length > 0) c.executionCtx.waitUntil(wake(webhookQueue, shard, deliveries).catch(() => {}));
  };
}
