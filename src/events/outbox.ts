import { and, eq, exists, gt, inArray, is, lt, SQL, sql } from "drizzle-orm";
import type { EventData, EventType } from "./event-types.ts";
import { newId } from "../accounts/token.ts";
import type { Database } from "../db/client.ts";
import { accounts, ledger, webhookAttempts, webhookDeliveries, webhookEvents, webhooks } from "../db/schema.ts";

/* The outbox: an event and its deliveries are rows, written in the same batch as the change they report, so that neither
   exists without the other. Nothing here sends anything. */

/** Enqueues a message for each delivery that a batch created, by ID. The sweep finds deliveries whose message was lost. */
export type Enqueue = (deliveries: readonly string[]) => void;

/** Something that happens to an account, in one of its modes. */
export type NewEvent = {
  readonly [Type in EventType]: {
    readonly type: Type;
    /** An SQL expression if the batch itself computes the data. */
    readonly data: EventData<Type> | SQL;
    readonly account: string;
    readonly livemode: boolean;
    readonly at: Date;
    /** The `traceparent` of the request that it is about. */
    readonly trace?: string | null | undefined;
    /** Restricts the event to this webhook, whatever event types it subscribes to. */
    readonly to?: string;
  };
}[EventType];

/**
 * The statements that write an event and its deliveries, if `guard` holds when they run in the batch and a webhook subscribes
 * to the event. Otherwise they change nothing and read next to nothing. Each run of a batch needs new statements, with a new
 * event ID.
 */
export function emit(db: Database, event: NewEvent, guard?: SQL, id = newId("evt")) {
  const number = sql`(select ${accounts.eventSequence} + 1 from ${accounts} where ${eq(accounts.id, event.account)})`;
  const insert = insertEvent(db, event, { id, number, awaits: null }, guard);
  const sequence = db
    .update(accounts)
    .set({ eventSequence: sql`${accounts.eventSequence} + 1` })
    .where(
      eq(
        accounts.id,
        db.select({ account: webhookEvents.account }).from(webhookEvents).where(eq(webhookEvents.id, id)),
      ),
    );
  const deliveries = db
    .insert(webhookDeliveries)
    .select(
      db
        .select({
          id: sql<string>`${webhookEvents.id} || '.' || ${webhooks.id}`.as("id"),
          event: webhookEvents.id,
          webhook: webhooks.id,
          state: sql<"pending">`'pending'`.as("state"),
          attempts: sql<number>`0`.as("attempts"),
          nextAttemptAt: webhookEvents.createdAt,
          createdAt: webhookEvents.createdAt,
          finishedAt: sql<null>`null`.as("finished_at"),
          replayedAfter: sql<number>`0`.as("replayed_after"),
          lane: sql<null>`null`.as("lane"),
          consumer: sql<null>`null`.as("consumer"),
        })
        .from(webhookEvents)
        .innerJoin(webhooks, wanting(event))
        .where(eq(webhookEvents.id, id)),
    )
    .returning({ id: webhookDeliveries.id });
  return { insert, sequence, deliveries };
}

/** The results of the statements returned by `emit`. */
interface Emitted {
  readonly deliveries: readonly { readonly id: string }[];
}

/** The delivery IDs of events, from the results of their batch. */
export const deliveriesOf = (...events: readonly Emitted[]): string[] =>
  events.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));

/**
 * The statement that holds an event until the response of a request (`awaits`, its ledger row) has ended. A held event has no
 * sequence number and no deliveries. The batch that emits it, or another event in its place, deletes it.
 */
export function hold(db: Database, event: NewEvent, awaits: string, guard?: SQL, id = newId("evt")) {
  return insertEvent(db, event, { id, number: sql`0`, awaits }, guard);
}

/** Holds an event for each ledger row that matches the condition, for the next sweep. `of` are expressions over the row. */
export function holdEach(
  db: Database,
  type: EventType,
  of: { readonly account: SQL; readonly livemode: SQL; readonly data: SQL },
  condition: SQL,
) {
  const { account, livemode, data } = of;
  const { createdAt, id } = ledger;
  return db.insert(webhookEvents).select(
    sql`select 'evt_' || lower(hex(randomblob(16))), ${account}, ${livemode}, ${type}, 0, ${data}, ${createdAt}, ${id}, null
      from ${ledger} where ${and(condition, isWanted(db, { type, account, livemode }))}`,
  );
}

/** Returns a row if the event of a request is held. */
export function heldFor(db: Database, awaits: string) {
  return db.select({ held: webhookEvents.awaits }).from(webhookEvents).where(eq(webhookEvents.awaits, awaits));
}

/** Whether the event of a request is held. */
export function isHeld(db: Database, awaits: string): SQL {
  return exists(heldFor(db, awaits));
}

/** Events that have been held since before `time`. */
export function heldBefore(db: Database, time: Date, rows: number) {
  const { account, livemode, type, data, awaits, createdAt } = webhookEvents;
  return (
    db
      .select({ account, livemode, type, data, awaits })
      .from(webhookEvents)
      // The plus makes SQLite use the index of held events, which is small.
      .where(and(gt(awaits, ""), sql`+${createdAt} < ${time.getTime()}`))
      .limit(rows)
  );
}

export function dropHeld(db: Database, awaits: string) {
  return db.delete(webhookEvents).where(eq(webhookEvents.awaits, awaits));
}

function insertEvent(
  db: Database,
  event: NewEvent,
  { id, number, awaits }: { readonly id: string; readonly number: SQL; readonly awaits: string | null },
  guard: SQL | undefined,
) {
  const { account, livemode, type, at, trace = null } = event;
  const mode = sql.param(livemode, webhookEvents.livemode);
  const data = is(event.data, SQL) ? event.data : sql.param(event.data, webhookEvents.data);
  const time = sql.param(at, webhookEvents.createdAt);
  return db.insert(webhookEvents).select(
    sql`select ${id}, ${account}, ${mode}, ${type}, ${number}, ${data}, ${time}, ${awaits}, ${trace}
      where ${and(isWanted(db, event), guard)}`,
  );
}

interface Wanted {
  readonly type: EventType;
  readonly account: string | SQL;
  readonly livemode: boolean | SQL;
  readonly to?: string;
}

/** Whether a webhook subscribes to the event. */
function isWanted(db: Database, event: Wanted): SQL {
  return exists(
    db
      .select({ one: sql`1` })
      .from(webhooks)
      .where(wanting(event)),
  );
}

/** The webhooks that receive an event. */
function wanting({ account, livemode, type, to }: Wanted): SQL | undefined {
  return and(
    eq(webhooks.account, account),
    eq(webhooks.livemode, livemode),
    eq(webhooks.active, true),
    // A quoted name only matches a complete entry of the list.
    to === undefined ? sql`instr(${webhooks.events}, ${`"${type}"`}) > 0` : eq(webhooks.id, to),
  );
}

/**
 * The statements that delete events from before `time` with their deliveries and attempts, up to `rows` deliveries and as many
 * events.
 */
export function forgetEvents(db: Database, time: Date, rows: number) {
  const deliveries = db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(lt(webhookDeliveries.createdAt, time))
    .orderBy(webhookDeliveries.createdAt)
    .limit(rows);
  const events = db
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(
      and(
        lt(webhookEvents.createdAt, time),
        // Delivery IDs begin with the event's ID and a dot; the next character after the dot is the slash.
        sql`not exists (select 1 from ${webhookDeliveries} where ${webhookDeliveries.id} > ${webhookEvents.id} || '.' and ${webhookDeliveries.id} < ${webhookEvents.id} || '/')`,
      ),
    )
    .orderBy(webhookEvents.createdAt)
    .limit(rows);
  return {
    attempts: db.delete(webhookAttempts).where(inArray(webhookAttempts.delivery, deliveries)),
    deliveries: db.delete(webhookDeliveries).where(inArray(webhookDeliveries.id, deliveries)),
    events: db.delete(webhookEvents).where(inArray(webhookEvents.id, events)),
  };
}
