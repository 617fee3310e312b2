import { and, eq, exists, inArray, lte, notExists, sql } from "drizzle-orm";
import { hasFreeLane, type Lane, laneName, laneOf, LEASE, WAITING } from "./lanes.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { webhookDeliveries as deliveries, webhookEvents as events, webhooks } from "../db/schema.ts";

/** A delivery that this consumer alone may attempt until the lease ends. */
export interface Claim {
  readonly id: string;
  /** The number of the attempt. Recording its result requires it, so that a lost claim cannot end a newer attempt. */
  readonly attempt: number;
  /** Attempts before the last replay; the retry schedule restarts there. */
  readonly replayedAfter: number;
  readonly account: string;
  readonly lane: Lane;
  readonly event: Pick<typeof events.$inferSelect, "id" | "type" | "sequence" | "data" | "createdAt" | "trace">;
  readonly webhook: Pick<
    typeof webhooks.$inferSelect,
    "id" | "url" | "secret" | "previousSecret" | "previousSecretExpiresAt"
  >;
}

/**
 * Why a delivery is not attempted now. With `wakeAt`, it is not due before that instant. Without, its message is obsolete:
 * either the delivery is over, or all lanes are busy, and the end of another attempt will wake it.
 */
export interface NotClaimed {
  readonly wakeAt: Date | undefined;
}

/**
 * Claims one attempt each for deliveries that are due, as far as their accounts have free lanes, in one batch: of two
 * concurrent wake-ups, one wins. A delivery whose subscription is inactive or deleted is canceled instead. `consumer`: the name of this process, if it has
 * one.
 */
export async function claim(
  db: Database,
  ids: readonly string[],
  now: Date,
  consumer?: string,
): Promise<ReadonlyMap<string, Claim | NotClaimed>> {
  const receiver = db
    .select({ one: sql`1` })
    .from(webhooks)
    .where(and(eq(webhooks.id, deliveries.webhook), eq(webhooks.active, true)));
  const { type, sequence, data, trace } = events;
  const { account, timeouts, url, secret, previousSecret, previousSecretExpiresAt } = webhooks;
  const pending = eq(deliveries.state, "pending");
  const due = and(pending, lte(deliveries.nextAttemptAt, now));
  // One by one, so that each counts the lanes held by the ones before it.
  const claims = ids.map((id) =>
    db
      .update(deliveries)
      .set({
        attempts: sql`${deliveries.attempts} + 1`,
        nextAttemptAt: new Date(now.getTime() + LEASE),
        lane: laneName(db),
        consumer: consumer ?? null,
      })
      .where(and(eq(deliveries.id, id), due, exists(receiver), hasFreeLane(db, now)))
      .returning({ id: deliveries.id, attempt: deliveries.attempts, replayedAfter: deliveries.replayedAfter }),
  );
  const results = await batch(db, {
    canceled: db
      .update(deliveries)
      .set({ state: "canceled", nextAttemptAt: null, finishedAt: now, lane: null })
      .where(and(inArray(deliveries.id, ids), pending, notExists(receiver))),
    found: db
      // Rows of a batch are keyed by column name, so each name may occur only once.
      .select({
        delivery: sql<string>`${deliveries.id}`.as("delivery"),
        dueAt: deliveries.nextAttemptAt,
        account,
        timeouts,
        event: { id: deliveries.event, type, sequence, data, createdAt: events.createdAt, trace },
        webhook: { id: deliveries.webhook, url, secret, previousSecret, previousSecretExpiresAt },
      })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.event))
      .innerJoin(webhooks, eq(webhooks.id, deliveries.webhook))
      .where(and(inArray(deliveries.id, ids), pending)),
    claims,
    // Those that are still due have not been claimed: all lanes are busy.
    waiting: db
      .update(deliveries)
      .set({ lane: WAITING })
      .where(and(inArray(deliveries.id, ids), due)),
  });
  const claimed = new Map(results.claims.flat().map((row) => [row.id, row]));
  const known = new Map(results.found.map((row) => [row.delivery, row]));
  return new Map(
    ids.map((id): [string, Claim | NotClaimed] => {
      const [row, own] = [known.get(id), claimed.get(id)];
      if (row === undefined || row.dueAt === null) return [id, { wakeAt: undefined }];
      if (own === undefined) return [id, { wakeAt: row.dueAt > now ? row.dueAt : undefined }];
      const { event, webhook } = row;
      return [id, { ...own, event, webhook, account: row.account, lane: laneOf(row.timeouts) }];
    }),
  );
}
