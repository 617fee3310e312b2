import { and, desc, eq, exists, getTableColumns, gt, inArray, ne, notExists, or, sql, type SQL } from "drizzle-orm";
import { LEASE } from "./lanes.ts";
import { noSuchWebhook, visibleAs } from "./webhook.ts";
import type { Caller } from "../accounts/caller.ts";
import { isBehind, type Page, pageOf, type PageRequest } from "../accounts/list-cursor.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import {
  type deliveryStates,
  webhookAttempts as attempts,
  webhookDeliveries as deliveries,
  webhookEvents as events,
  webhooks,
} from "../db/schema.ts";
import type { EventType } from "../events/event-types.ts";

export { deliveryStates } from "../db/schema.ts";

/** A delivery as shown to the owner of its subscription. */
export interface Delivery {
  readonly id: string;
  /** `webhook-id` of every attempt. */
  readonly event: string;
  readonly type: EventType;
  readonly state: (typeof deliveryStates)[number];
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** The completed attempts, oldest first. */
  readonly attempts: readonly LoggedAttempt[];
}

export type LoggedAttempt = Omit<typeof attempts.$inferSelect, "delivery">;

const { delivery: ofDelivery, ...logged } = getTableColumns(attempts);

/** The deliveries of a subscription, newest first. Throws `not_found`, and `invalid_parameters` for a bad cursor. */
export async function listDeliveries(
  db: Database,
  caller: Caller,
  webhook: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Delivery>> {
  const condition = and(eq(deliveries.webhook, webhook), isBehind(deliveries, cursor, "evt"));
  return pageOf(await readDeliveries(db, caller, webhook, limit + 1, condition), limit);
}

/** Throws `not_found`. */
export async function fetchDelivery(db: Database, caller: Caller, webhook: string, id: string): Promise<Delivery> {
  const [found] = await readDeliveries(
    db,
    caller,
    webhook,
    1,
    and(eq(deliveries.webhook, webhook), eq(deliveries.id, id)),
  );
  if (found === undefined) throw noSuchDelivery();
  return found;
}

async function readDeliveries(
  db: Database,
  caller: Caller,
  webhook: string,
  rows: number,
  condition: SQL | undefined,
): Promise<Delivery[]> {
  const page = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(condition)
    .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
    .limit(rows);
  const { id, event, state, nextAttemptAt, createdAt, finishedAt } = deliveries;
  const {
    own: [own],
    found,
    log,
  } = await batch(db, {
    own: db.select({ id: webhooks.id }).from(webhooks).where(visibleAs(caller, webhook)),
    found: db
      .select({ id, event, type: events.type, state, nextAttemptAt, createdAt, finishedAt })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.event))
      .where(inArray(deliveries.id, page))
      .orderBy(desc(deliveries.createdAt), desc(deliveries.id)),
    log: db
      .select({ delivery: ofDelivery, entry: logged })
      .from(attempts)
      .where(inArray(ofDelivery, page))
      .orderBy(ofDelivery, attempts.attempt),
  });
  if (own === undefined) throw noSuchWebhook();
  const logs = Map.groupBy(log, ({ delivery }) => delivery);
  return found.map(({ type, ...row }) => ({
    ...row,
    type: type as EventType,
    attempts: (logs.get(row.id) ?? []).map(({ entry }) => entry),
  }));
}

/** Sends a delivery again with a fresh retry schedule; a pending one is attempted now. Throws `not_found`. */
export async function replayDelivery(
  db: Database,
  caller: Caller,
  webhook: string,
  id: string,
  now: Date,
): Promise<Delivery> {
  const own = db
    .select({ one: sql`1` })
    .from(webhooks)
    .where(and(visibleAs(caller, webhook), eq(webhooks.active, true)));
  await db
    .update(deliveries)
    .set({
      replayedAfter: sql`iif(${deliveries.state} = 'pending', ${deliveries.replayedAfter}, ${deliveries.attempts})`,
      state: "pending",
      nextAttemptAt: now,
      finishedAt: null,
    })
    .where(
      and(
        eq(deliveries.id, id),
        eq(deliveries.webhook, webhook),
        exists(own),
        // Leaves a delivery alone if an attempt is running or about to.
        or(ne(deliveries.state, "pending"), gt(deliveries.nextAttemptAt, new Date(now.getTime() + LEASE))),
      ),
    );
  return fetchDelivery(db, caller, webhook, id);
}

/** Cancels the pending deliveries of a subscription that is inactive or deleted; changes nothing while it is active. */
export function cancelPending(db: Database, webhook: string, now: Date) {
  return db
    .update(deliveries)
    .set({ state: "canceled", nextAttemptAt: null, finishedAt: now, lane: null })
    .where(
      and(
        eq(deliveries.state, "pending"),
        // The plus makes SQLite use the index of pending deliveries, which is small.
        sql`+${deliveries.webhook} = ${webhook}`,
        notExists(
          db
            .select({ one: sql`1` })
            .from(webhooks)
            .where(and(eq(webhooks.id, webhook), eq(webhooks.active, true))),
        ),
      ),
    );
}

const noSuchDelivery = (): AccountRefusal => new AccountRefusal("not_found", "No such delivery.");
