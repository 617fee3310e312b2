import { and, eq, gt, isNotNull, or, sql, type SQL } from "drizzle-orm";
import type { Claim } from "./claim.ts";
import { type Attempt, hasSucceeded } from "./deliver.ts";
import { cancelPending } from "./deliveries.ts";
import { pickWaiting } from "./lanes.ts";
import { nextAttempt } from "./retry-schedule.ts";
import type { Database } from "../db/client.ts";
import { webhookAttempts, webhookDeliveries as deliveries, webhooks } from "../db/schema.ts";

/** Milliseconds of failures without a success after which a subscription is deactivated. */
const GIVEN_UP_AFTER = 5 * 24 * 60 * 60 * 1_000;
/** The receiver wants no more (RFC 9110, section 15.5.11). */
const GONE = 410;

/** What is to be woken once an attempt has ended. */
export interface Outcome {
  /** When the delivery's next attempt is due; undefined where there is none. */
  readonly next: Date | undefined;
  /** Deliveries of the account that have waited for a lane. */
  readonly waiting: readonly string[];
}

/**
 * Records how an attempt ended and frees its lane. A claim that was lost in the meantime only leaves its entry in the log.
 */
export async function recordOutcome(
  db: Database,
  claim: Claim,
  attempt: Attempt,
  schedule: readonly number[],
): Promise<Outcome> {
  return hasSucceeded(attempt) ? recordSuccess(db, claim, attempt) : recordFailure(db, claim, attempt, schedule);
}

async function recordSuccess(db: Database, claim: Claim, attempt: Attempt): Promise<Outcome> {
  const at = endOf(attempt);
  const [, , , waiting] = await db.batch([
    logEntry(db, claim, attempt),
    db
      .update(deliveries)
      .set({ state: "succeeded", nextAttemptAt: null, finishedAt: at, lane: null })
      .where(isOurs(claim)),
    db
      .update(webhooks)
      .set({ failingSince: null, timeouts: 0 })
      .where(and(eq(webhooks.id, claim.webhook.id), or(isNotNull(webhooks.failingSince), gt(webhooks.timeouts, 0)))),
    pickWaiting(db, claim.account, at),
  ]);
  return { next: undefined, waiting: waiting.map(({ id }) => id) };
}

async function recordFailure(
  db: Database,
  claim: Claim,
  attempt: Attempt,
  schedule: readonly number[],
): Promise<Outcome> {
  const at = endOf(attempt);
  const isGone = attempt.status === GONE;
  const failures = claim.attempt - claim.replayedAfter;
  const next = isGone
    ? undefined
    : nextAttempt({ failures, at, retryAfter: attempt.retryAfter, random: Math.random() }, schedule);
  const outcome =
    next === undefined
      ? ({ state: "exhausted", nextAttemptAt: null, finishedAt: at, lane: null } as const)
      : ({ state: "pending", nextAttemptAt: next, lane: null } as const);
  const failingSince = sql`coalesce(${webhooks.failingSince}, ${at.getTime()})`;
  const [, , [webhook], waiting] = await db.batch([
    logEntry(db, claim, attempt),
    db.update(deliveries).set(outcome).where(isOurs(claim)),
    db
      .update(webhooks)
      .set({
        failingSince,
        timeouts: attempt.error === "timeout" ? sql`${webhooks.timeouts} + 1` : 0,
        active: isGone ? false : sql`${failingSince} > ${at.getTime() - GIVEN_UP_AFTER}`,
      })
      // A URL that was changed meanwhile has not failed.
      .where(and(eq(webhooks.id, claim.webhook.id), eq(webhooks.active, true), eq(webhooks.url, claim.webhook.url)))
      .returning({ active: webhooks.active }),
    pickWaiting(db, claim.account, at),
  ]);
  if (webhook?.active === false) await cancelPending(db, claim.webhook.id, at);
  return { next, waiting: waiting.map(({ id }) => id) };
}

function logEntry(db: Database, { id, attempt }: Claim, outcome: Attempt) {
  const { startedAt, durationMilliseconds, status, error, response } = outcome;
  return db
    .insert(webhookAttempts)
    .values({ delivery: id, attempt, startedAt, durationMilliseconds, status, error, response })
    .onConflictDoNothing();
}

/** Whether the delivery is still in the attempt that was claimed. */
const isOurs = ({ id, attempt }: Claim): SQL | undefined =>
  and(eq(deliveries.id, id), eq(deliveries.state, "pending"), eq(deliveries.attempts, attempt));

const endOf = ({ startedAt, durationMilliseconds }: Attempt): Date =>
  new Date(startedAt.getTime() + durationMilliseconds);
