import { and, eq, lt, or, sql } from "drizzle-orm";
import { type Delivery, fetchDelivery, replayDelivery } from "./deliveries.ts";
import { fetchWebhook } from "./webhook.ts";
import type { Caller } from "../accounts/caller.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { accounts } from "../db/schema.ts";
import { deliveriesOf, emit, type Enqueue } from "../events/outbox.ts";
import { limits } from "../limits.ts";

const MINUTE = 60_000;

/** An owner's request for a delivery. */
interface DeliveryRequest {
  readonly db: Database;
  readonly caller: Caller;
  readonly now: Date;
  readonly enqueue: Enqueue;
}

/**
 * Sends a `webhook.test` to one subscription, whatever event types it has. Throws `not_found`, `webhook_inactive`,
 * `rate_limit_exceeded`.
 */
export async function sendTest({ db, caller, now, enqueue }: DeliveryRequest, webhook: string): Promise<Delivery> {
  const { id, active } = await fetchWebhook(db, caller, webhook, now);
  requireActive(active);
  await countAsked(db, caller, now);
  const { account, livemode } = caller;
  const data = { webhook: id, livemode };
  const event = emit(db, { type: "webhook.test", account, livemode, at: now, to: id, data });
  const deliveries = deliveriesOf(await batch(db, event));
  const [delivery] = deliveries;
  // It was deactivated or deleted in the meantime.
  if (delivery === undefined) throw inactive();
  enqueue(deliveries);
  return fetchDelivery(db, caller, id, delivery);
}

/** Sends a delivery again, with the same `webhook-id`. Throws `not_found`, `webhook_inactive`, `rate_limit_exceeded`. */
export async function replay(
  { db, caller, now, enqueue }: DeliveryRequest,
  webhook: string,
  id: string,
): Promise<Delivery> {
  const { active } = await fetchWebhook(db, caller, webhook, now);
  await fetchDelivery(db, caller, webhook, id);
  requireActive(active);
  await countAsked(db, caller, now);
  const delivery = await replayDelivery(db, caller, webhook, id, now);
  enqueue([id]);
  return delivery;
}

/** Counts a test or replay in the account's current minute. Throws `rate_limit_exceeded`; the count is exact. */
async function countAsked(db: Database, { account }: Caller, now: Date): Promise<void> {
  const minute = Math.floor(now.getTime() / MINUTE);
  const { askedPerMinute } = limits.webhooks;
  const counted = await db
    .update(accounts)
    .set({
      askedDeliveries: sql`CASE WHEN ${accounts.askedMinute} < ${minute} THEN 1 ELSE ${accounts.askedDeliveries} + 1 END`,
      // Clocks differ: the minute never goes back.
      askedMinute: sql`MAX(${accounts.askedMinute}, ${minute})`,
    })
    .where(
      and(eq(accounts.id, account), or(lt(accounts.askedMinute, minute), lt(accounts.askedDeliveries, askedPerMinute))),
    )
    .returning({ id: accounts.id });
  if (counted.length > 0) return;
  throw new AccountRefusal(
    "rate_limit_exceeded",
    `You can request up to ${askedPerMinute} tests and replays per minute.`,
    undefined,
    Math.ceil(((minute + 1) * MINUTE - now.getTime()) / 1_000),
  );
}

const inactive = (): AccountRefusal =>
  new AccountRefusal("webhook_inactive", "The webhook is inactive. Set `active` to `true` first.");

function requireActive(active: boolean): void {
  if (!active) throw inactive();
}
