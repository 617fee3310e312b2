import { and, eq, exists, lte, notExists, sql } from "drizzle-orm";
import { LEASE } from "./lease.ts";
import type { Database } from "../db/client.ts";
import { webhookDeliveries as deliveries, webhookEvents as events, webhooks } from "../db/schema.ts";

/** A delivery that is this consumer's to try, until the lease ends. */
export interface Claim {
  readonly id: string;
  /** The number of the attempt. Whoever ends it names it, so that a claim which was lost ends nothing. */
  readonly attempt: number;
  /** Attempts before the last replay: the schedule counts from there. */
  readonly replayedAfter: number;
  readonly event: Pick<typeof events.$inferSelect, "id" | "type" | "sequence" | "data" | "createdAt">;
  readonly webhook: Pick<
    typeof webhooks.$inferSelect,
    "id" | "url" | "secret" | "previousSecret" | "previousSecretExpiresAt"
  >;
}

/** There is nothing to do for a delivery that is over; or not yet. */
export type NotClaimed = { readonly over: true } | { readonly over: false; readonly dueAt: Date };

/**
 * Takes a delivery that is due for one attempt, in one batch: of two wake-ups one gets it. One whose subscription is inactive or
 * gone is cancelled instead.
 */
export async function claim(db: Database, id: string, now: Date): Promise<Claim | NotClaimed> {
  const receiver = db
    .select({ one: sql`1` })
    .from(webhooks)
    .where(and(eq(webhooks.id, deliveries.webhook), eq(webhooks.active, true)));
  const { type, sequence, data } = events;
  const { url, secret, previousSecret, previousSecretExpiresAt } = webhooks;
  const pending = and(eq(deliveries.id, id), eq(deliveries.state, "pending"));
  const [, [claimed], [found]] = await db.batch([
    db
      .update(deliveries)
      .set({ state: "cancelled", nextAttemptAt: null, finishedAt: now })
      .where(and(pending, notExists(receiver))),
    db
      .update(deliveries)
      .set({ attempts: sql`${deliveries.attempts} + 1`, nextAttemptAt: new Date(now.getTime() + LEASE) })
      .where(and(pending, lte(deliveries.nextAttemptAt, now), exists(receiver)))
      .returning({ attempt: deliveries.attempts, replayedAfter: deliveries.replayedAfter }),
    db
      // A batch's rows are known by the names of their columns, so each name is here once.
      .select({
        state: deliveries.state,
        dueAt: deliveries.nextAttemptAt,
        event: { id: deliveries.event, type, sequence, data, createdAt: events.createdAt },
        webhook: { id: deliveries.webhook, url, secret, previousSecret, previousSecretExpiresAt },
      })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.event))
      .innerJoin(webhooks, eq(webhooks.id, deliveries.webhook))
      .where(eq(deliveries.id, id)),
  ]);
  if (found === undefined || found.state !== "pending" || found.dueAt === null) return { over: true };
  const { event, webhook, dueAt } = found;
  return claimed === undefined ? { over: false, dueAt } : { id, ...claimed, event, webhook };
}
