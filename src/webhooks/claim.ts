import { and, eq, exists, lte, notExists, sql } from "drizzle-orm";
import { hasFreeLane, type Lane, laneName, laneOf, WAITING } from "./lanes.ts";
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
  readonly account: string;
  readonly lane: Lane;
  readonly event: Pick<typeof events.$inferSelect, "id" | "type" | "sequence" | "data" | "createdAt">;
  readonly webhook: Pick<
    typeof webhooks.$inferSelect,
    "id" | "url" | "secret" | "previousSecret" | "previousSecretExpiresAt"
  >;
}

/**
 * Why a delivery is not tried now. With `wakeAt` it is not due before that instant; without, its message has no more use: either the
 * delivery is over, or all lanes are held, and then an attempt that ends wakes it.
 */
export interface NotClaimed {
  readonly wakeAt: Date | undefined;
}

/**
 * Claims a delivery that is due for one attempt, if its account has a free lane, in one batch: of two wake-ups one gets it. A delivery
 * whose subscription is inactive or gone is canceled instead.
 */
export async function claim(db: Database, id: string, now: Date): Promise<Claim | NotClaimed> {
  const receiver = db
    .select({ one: sql`1` })
    .from(webhooks)
    .where(and(eq(webhooks.id, deliveries.webhook), eq(webhooks.active, true)));
  const { type, sequence, data } = events;
  const { account, timeouts, url, secret, previousSecret, previousSecretExpiresAt } = webhooks;
  const pending = and(eq(deliveries.id, id), eq(deliveries.state, "pending"));
  const [, [claimed], , [found]] = await db.batch([
    db
      .update(deliveries)
      .set({ state: "cancelled", nextAttemptAt: null, finishedAt: now, lane: null })
      .where(and(pending, notExists(receiver))),
    db
      .update(deliveries)
      .set({
        attempts: sql`${deliveries.attempts} + 1`,
        nextAttemptAt: new Date(now.getTime() + LEASE),
        lane: laneName(db),
      })
      .where(and(pending, lte(deliveries.nextAttemptAt, now), exists(receiver), hasFreeLane(db, now)))
      .returning({ attempt: deliveries.attempts, replayedAfter: deliveries.replayedAfter }),
    // Still due, as it has not been claimed: all lanes are held.
    db
      .update(deliveries)
      .set({ lane: WAITING })
      .where(and(pending, lte(deliveries.nextAttemptAt, now))),
    db
      // A batch's rows are known by the names of their columns, so each name is here once.
      .select({
        state: deliveries.state,
        dueAt: deliveries.nextAttemptAt,
        account,
        timeouts,
        event: { id: deliveries.event, type, sequence, data, createdAt: events.createdAt },
        webhook: { id: deliveries.webhook, url, secret, previousSecret, previousSecretExpiresAt },
      })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.event))
      .innerJoin(webhooks, eq(webhooks.id, deliveries.webhook))
      .where(eq(deliveries.id, id)),
  ]);
  if (found === undefined || found.state !== "pending" || found.dueAt === null) return { wakeAt: undefined };
  const { event, webhook, account: owner, dueAt } = found;
  if (claimed === undefined) return { wakeAt: dueAt > now ? dueAt : undefined };
  return { id, ...claimed, event, webhook, account: owner, lane: laneOf(found.timeouts) };
}
