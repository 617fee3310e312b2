import { and, asc, count, eq, gt, isNotNull, lt, lte, not, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Database } from "../db/client.ts";
import { webhookDeliveries as deliveries, webhooks } from "../db/schema.ts";

/**
 * Every account has lanes of its own, and an attempt holds one of them from its claim to its outcome. Endpoints that hang therefore
 * hold up no account but their own, however many there are and however many consumers run. Endpoints that keep timing out move to
 * the account's slow lanes, so that they stop holding up its other endpoints too.
 */
export const lanes = {
  /** `milliseconds` is how long the receiver has for its whole response, headers and body. */
  fast: { attempts: 10, milliseconds: 15_000 },
  slow: { attempts: 3, milliseconds: 5_000 },
} as const;

export type Lane = keyof typeof lanes;

/** Time-outs in a row after which an endpoint is slow. Any response, even an error, makes it fast again. */
const SLOW_AFTER = 3;

export const laneOf = (timeouts: number): Lane => (timeouts < SLOW_AFTER ? "fast" : "slow");

const isSlow = sql`${webhooks.timeouts} >= ${SLOW_AFTER}`;

/** The name of the lanes that a delivery uses, as its row has it: the account and `fast` or `slow`. */
export function laneName(db: Database): SQL {
  const name = sql`${webhooks.account} || iif(${isSlow}, '/slow', '/fast')`;
  return sql`${db.select({ name }).from(webhooks).where(eq(webhooks.id, deliveries.webhook))}`;
}

/** Whether one of the lanes that a delivery uses is free. A lane whose attempt was lost is free again when its lease ends. */
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

/** What a delivery's row has for a lane while it waits for one. Its message is gone then: an attempt that ends sends another. */
export const WAITING = sql`${deliveries.webhook} || '/waiting'`;

/**
 * Picks the deliveries to wake when an attempt ends, one for the account's fast lanes and one for its slow ones, which wait no more then.
 * Endpoints that have not timed out come first, and among equals chance decides, so that no endpoint waits for another one's backlog.
 */
export function pickWaiting(db: Database, account: string, now: Date) {
  const first = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.lane, sql`${webhooks.id} || '/waiting'`), lte(deliveries.nextAttemptAt, now)))
    .orderBy(asc(deliveries.nextAttemptAt))
    .limit(1);
  const pickOf = (isTheirs: SQL) => sql`select first from (
      select ${first} as first, ${webhooks.timeouts} as timeouts from ${webhooks}
        where ${and(eq(webhooks.account, account), eq(webhooks.active, true), isTheirs)}
    ) where first is not null order by timeouts, random() limit 1`;
  return db
    .update(deliveries)
    .set({ lane: null })
    .where(
      sql`${deliveries.id} in (select * from (${pickOf(not(isSlow))}) union all select * from (${pickOf(isSlow)}))`,
    )
    .returning({ id: deliveries.id });
}

/** Deliveries of each endpoint that a sweep wakes: the endpoint's share of the lanes; the attempts wake the others as they end. */
const SHARE = lanes.fast.attempts;

/**
 * Deliveries that have been due since before `time`: some of each endpoint, of endpoints in random order, at most `rows`. Each endpoint
 * is found by one step of the index, however many deliveries it has.
 */
export async function lateDeliveries(db: Database, time: Date, rows: number): Promise<string[]> {
  const { webhook, nextAttemptAt } = deliveries;
  const pending = isNotNull(nextAttemptAt);
  const ofEndpoint = sql`${deliveries} where ${webhook} = endpoint.id and ${lt(nextAttemptAt, time)}`;
  const found = await db.all<{ id: string }>(sql`
    with recursive endpoint(id) as (
      select min(${webhook}) from ${deliveries} where ${pending}
      union all
      select (select min(${webhook}) from ${deliveries} where ${pending} and ${webhook} > endpoint.id) from endpoint
        where endpoint.id is not null
    )
    select late.id as id from (select id from endpoint where exists (select 1 from ${ofEndpoint}) order by random()) as endpoint
      join ${deliveries} as late on late.id in (
        select ${deliveries.id} from ${ofEndpoint} order by ${nextAttemptAt} limit ${SHARE}
      )
      limit ${rows}`);
  return found.map(({ id }) => id);
}
