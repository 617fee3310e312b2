import { and, eq, gt, isNotNull, or, sql, type SQL } from "drizzle-orm";
import type { Claim } from "./claim.ts";
import { type Attempt, hasSucceeded } from "../outbound/attempt.ts";
import { cancelPending } from "./deliveries.ts";
import { pickWaiting } from "./lanes.ts";
import { nextAttempt } from "../outbound/retry-schedule.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { webhookAttempts, webhookDeliveries as deliveries, webhooks } from "../db/schema.ts";

/** Milliseconds of failures without a success after which a subscription is deactivated. */
const GIVEN_UP_AFTER = 5 * 24 * 60 * 60 * 1_000;
/** The receiver has unsubscribed (RFC 9110, section 15.5.11). */
const GONE = 410;

/** What to do after an attempt. */
export interface FollowUp {
  /** When the next attempt of the delivery is due; undefined if there is none. */
  readonly next: Date | undefined;
  /** Deliveries of the account that have waited for a lane and are woken now. */
  readonly waiting: readonly string[];
}

/** Records an attempt and frees its lane. A claim lost in the meantime only adds its log entry. */
export async function recordAttempt(
  db: Database,
  claim: Claim,
  attempt: Attempt,
  schedule: readonly number[],
): Promise<FollowUp> {
  return hasSucceeded(attempt) ? recordSuccess(db, claim, attempt) : recordFailure(db, claim, attempt, schedule);
}

async function recordSuccess(db: Database, claim: Claim, attempt: Attempt): Promise<FollowUp> {
  const at = endOf(attempt);
  const { waiting } = await batch(db, {
    log: logEntry(db, claim, attempt),
    delivery: db
      .update(deliveries)
      .set({ state: "succeeded", nextAttemptAt: null, finishedAt: at, lane: null })
      .where(isOurs(claim)),
    webhook: db
      .update(webhooks)
      .set({ failingSince: null, timeouts: 0 })
      .where(and(eq(webhooks.id, claim.webhook.id), or(isNotNull(webhooks.failingSince), gt(webhooks.timeouts, 0)))),
    waiting: pickWaiting(db, claim.account, at),
  });
  return { next: undefined, waiting: waiting.map(({ id }) => id) };
}

async function recordFailure(
  db: Database,
  claim: Claim,
  attempt: Attempt,
  schedule: readonly number[],
): Promise<FollowUp> {
  const at = endOf(attempt);
  const isGone = attempt.status === GONE;
  const failures = claim.attempt - claim.replayedAfter;
  const next = isGone
    ? undefined
    : nextAttempt({ failures, at, retryAfter: attempt.retryAfter, random: Math.random() }, schedule);
  const change =
    next === undefined
      ? ({ state: "exhausted", nextAttemptAt: null, finishedAt: at, lane: null } as const)
      : ({ state: "pending", nextAttemptAt: next, lane: null } as const);
  const failingSince = sql`coalesce(${webhooks.failingSince}, ${at.getTime()})`;
  const {
    webhook: [webhook],
    waiting,
  } = await batch(db, {
    log: logEntry(db, claim, attempt),
    delivery: db.update(deliveries).set(change).where(isOurs(claim)),
    webhook: db
      .update(webhooks)
      .set({
        failingSince,
        timeouts: attempt.error === "timeout" ? sql`${webhooks.timeouts} + 1` : 0,
        active: isGone ? false : sql`${failingSince} > ${at.getTime() - GIVEN_UP_AFTER}`,
      })
      // A URL changed in the meantime has not failed.
      .where(and(eq(webhooks.id, claim.webhook.id), eq(webhooks.active, true), eq(webhooks.url, claim.webhook.url)))
      .returning({ active: webhooks.active }),
    waiting: pickWaiting(db, claim.account, at),
  });
  if (webhook?.active === false) await cancelPending(db, claim.webhook.id, at);
  return { next, waiting: waiting.map(({ id }) => id) };
}

function logEntry(db: Database, { id, attempt }: Claim, made: Attempt) {
  const { startedAt, durationMilliseconds, status, error, response } = made;
  return db
    .insert(webhookAttempts)
    .values({ delivery: id, attempt, startedAt, durationMilliseconds, status, error, response })
    .onConflictDoNothing();
}

/** Whether the delivery is still on the claimed attempt. */
const isOurs = ({ id, attempt }: Claim): SQL | undefined =>
  and(eq(deliveries.id, id), eq(deliveries.state, "pending"), eq(deliveries.attempts, attempt));

const endOf = ({ startedAt, durationMilliseconds }: Attempt): Date =>
  new Date(startedAt.getTime() + durationMilliseconds);
