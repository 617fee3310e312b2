import type { Context } from "hono";
import type { AppEnv } from "./exchange.ts";
import { shardOfAccount } from "../../accounts/token.ts";
import { readEnv } from "../../env.ts";
import type { Enqueue } from "../../events/outbox.ts";
import { enqueuer } from "../../webhooks/message.ts";

/** Enqueues the deliveries created by this request's batches. */
export function enqueuerOf(c: Context<AppEnv>): Enqueue {
  const shard = shardOfAccount(c.get("caller").account) ?? 0;
  return enqueuer(readEnv(c.env).webhookQueue, shard, (promise) => c.executionCtx.waitUntil(promise));
}
