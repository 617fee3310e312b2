import { and, asc, count, eq, gt, isNotNull, like, lt, lte, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Database } from "../db/client.ts";
import { webhookDeliveries as deliveries, webhooks } from "../db/schema.ts";

/**
 * Each account has its own lanes, and an attempt occupies one of them from its claim to its result. Endpoints that hang
 * therefore delay only their own account, however many there are and however many consumers run. Endpoints that keep timing out
 * move to the account's slow lanes, so that they no longer delay its other endpoints either.
 */
export const lanes = {
  /** `milliseconds`: the time limit for the receiver's complete response, headers and body. */
  fast: { attempts: 10, milliseconds: 15_000 },
  slow: { attempts: 3, milliseconds: 5_000 },
} as const;

export type Lane = keyof typeof lanes;

/** Consecutive timeouts after which an endpoint counts as slow. Any response, even an error, makes it fast again. */
const SLOW_AFTER = 3;

export const laneOf = (timeouts: number): Lane => (timeouts < SLOW_AFTER ? "fast" : "slow");

const isSlow = sql`${webhooks.timeouts} >= ${SLOW_AFTER}`;

/**
 * Milliseconds after which an unfinished attempt counts as lost with its isolate: twice the time limit of a receiver. Until
 * then nobody else attempts the delivery, unless its process is known to have died.
 */
export const LEASE = 30_000;

/** The name of a delivery's lanes, as stored in its row: the account and `fast` or `slow`. */
export function laneName(db: Database): SQL {
  const name = sql`${webhooks.account} || iif(${isSlow}, '/slow', '/fast')`;
  return sql`${db.select({ name }).from(webhooks).where(eq(webhooks.id, deliveries.webhook))}`;
}

/** Whether one of the delivery's lanes is free. The lane of a lost attempt becomes free when its lease ends. */
export function hasFreeLane(db: Database, now: Date): SQL {
  const held = alias(deliveries, "held");
  const heldLanes = db
    .select({ count: count() })
    .from(held)
    .where(and(eq(held.lane, laneName(db)), gt(held.nextAttemptAt, now)));
  const width = db
    .select({ width: sql`iif(${isSlow}, ${lanes.slow.attempts}, ${lanes.fast.attempts})` })
    .from(webhooks)
    .where(eq(webhooks.id, deliveries.webhook));
  return sql`${heldLanes} < ${width}`;
}

/** The lane value of a row that waits for a lane. It has no message anymore: the end of another attempt sends one. */
export const WAITING = sql`${deliveries.webhook} || '/waiting'`;

/** The lane value once another message was sent for it, so that the next attempt to end wakes a different delivery. */
const WOKEN = "woken";

/**
 * Picks the deliveries that a process has attempted when it died, or, without a name, that all have, and makes them due. They have no message anymore.
 */
export function pickLost(db: Database, consumer: string | undefined, now: Date) {
  const { state, lane, nextAttemptAt } = deliveries;
  const isAttempted = and(eq(state, "pending"), gt(nextAttemptAt, now), or(like(lane, "%/fast"), like(lane, "%/slow")));
  return db
    .update(deliveries)
    .set({ nextAttemptAt: now, lane: WOKEN })
    .where(and(isAttempted, consumer === undefined ? undefined : eq(deliveries.consumer, consumer)))
    .returning({ id: deliveries.id });
}

/** Milliseconds past its due time after which a delivery's message counts as lost. */
const LATE = 60_000;

/**
 * Picks the deliveries to wake when an attempt ends, one for the account's fast lanes and one for its slow lanes. Each endpoint's candidate is its
 * oldest late delivery, whatever happened to its message, or else the oldest waiting one. However many messages were lost, once a few deliveries are
 * awake the others follow as fast as the lanes allow. Endpoints that have not timed out come first and ties are broken at random, so that no endpoint
 * waits for another one's backlog.
 */
export function pickWaiting(db: Database, account: string, now: Date) {
  const oldest = (condition: SQL | undefined) =>
    db.select({ id: deliveries.id }).from(deliveries).where(condition).orderBy(asc(deliveries.nextAttemptAt)).limit(1);
  const late = oldest(
    and(
      eq(deliveries.webhook, webhooks.id),
      lt(deliveries.nextAttemptAt, new Date(now.getTime() - LATE)),
      sql`${deliveries.lane} is not ${WOKEN}`,
    ),
  );
  const waiting = oldest(
    and(eq(deliveries.lane, sql`${webhooks.id} || '/waiting'`), lte(deliveries.nextAttemptAt, now)),
  );
  const pickOf = (isTheirs: SQL) => sql`select first from (
      select coalesce(${late}, ${waiting}) as first, ${webhooks.timeouts} as timeouts from ${webhooks}
        where ${and(eq(webhooks.account, account), eq(webhooks.active, true), isTheirs)}
    ) where first is not null order by timeouts, random() limit 1`;
  return db
    .update(deliveries)
    .set({ lane: WOKEN })
    .where(
      sql`${deliveries.id} in (select * from (${pickOf(not(isSlow))}) union all select * from (${pickOf(isSlow)}))`,
    )
    .returning({ id: deliveries.id });
}

/** Deliveries per endpoint that a sweep wakes: the endpoint's share of the lanes. The end of each attempt wakes the others. */
const SHARE = lanes.fast.attempts;

/**
 * Picks the late deliveries that a sweep wakes: a few per endpoint, endpoints in random order, at most `rows`. Finding each
 * endpoint takes one step of the index, however many deliveries it has.
 */
export function pickLate(db: Database, now: Date, rows: number) {
  const { id, webhook, nextAttemptAt } = deliveries;
  const pending = isNotNull(nextAttemptAt);
  const ofEndpoint = sql`${deliveries} where ${webhook} = endpoint.id and ${lt(nextAttemptAt, new Date(now.getTime() - LATE))}`;
  const late = sql`
    with recursive endpoint(id) as (
      select min(${webhook}) from ${deliveries} where ${pending}
      union all
      select (select min(${webhook}) from ${deliveries} where ${pending} and ${webhook} > endpoint.id) from endpoint
        where endpoint.id is not null
    )
    select late.id from (select id from endpoint where exists (select 1 from ${ofEndpoint}) order by random()) as endpoint
      join ${deliveries} as late on late.id in (
        select ${id} from ${ofEndpoint} order by ${nextAttemptAt} limit ${SHARE}
      )
      limit ${rows}`;
  return db
    .update(deliveries)
    .set({ lane: WOKEN })
    .where(sql`${id} in (${late})`)
    .returning({ id });
}
