import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Who pays: keys, credits and limits belong to an account. Ids are `acct_...`, the last digit the database's number. */
export const accounts = sqliteTable("accounts", {
  id: text().primaryKey(),
  /** For the operator, as given to `npm run account`. */
  name: text().notNull(),
  /** One of `plans` in accounts/plans.ts; text, so that a new plan needs no migration. */
  plan: text().notNull(),
  createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
  /** The minute (since 1970) of the account's last request, and how many it made in it. */
  minute: integer().notNull().default(0),
  minuteRequests: integer("minute_requests").notNull().default(0),
  /** The number of its newest event, live and test together: `data.sequence` of what is delivered. */
  eventSequence: integer("event_sequence").notNull().default(0),
  /** The minute in which it last asked for deliveries itself, tests and replays, and how many in it. */
  askedMinute: integer("asked_minute").notNull().default(0),
  askedDeliveries: integer("asked_deliveries").notNull().default(0),
});

/** API keys, of which only the hash is kept. Ids are `key_...`. */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    account: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    livemode: integer({ mode: "boolean" }).notNull(),
    scopes: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    /** SHA-256 of the whole key, lower-case hexadecimal. */
    hash: text().notNull().unique(),
    lastFour: text("last_four").notNull(),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    expiresAt: integer("expires_at", { mode: "timestamp_ms" }),
    revokedAt: integer("revoked_at", { mode: "timestamp_ms" }),
  },
  // For the list of an account's keys, which is kept apart by mode and paged by time.
  (table) => [index("api_keys_account").on(table.account, table.livemode, table.createdAt, table.id)],
);

/** What an account used in one calendar month (UTC), live and test keys apart. Ids are `acct_...:live:2026-11`. */
export const periods = sqliteTable(
  "periods",
  {
    id: text().primaryKey(),
    start: integer({ mode: "timestamp_ms" }).notNull(),
    /** Credits used, including those reserved for running requests. What is left is the plan's limit minus this. */
    used: integer().notNull(),
    /** The highest threshold that an event has reported, in percent of the limit: 0, 80, or 100. */
    warned: integer().notNull().default(0),
  },
  // For the sweep, which deletes what is old.
  (table) => [index("periods_start").on(table.start)],
);

/** Credits of a period by operation; only what was settled. */
export const periodOperations = sqliteTable(
  "period_operations",
  { period: text().notNull(), operation: text().notNull(), credits: integer().notNull() },
  (table) => [primaryKey({ columns: [table.period, table.operation] })],
);

/**
 * The credits of a request are `reserved` before the work, then `settled` (charged) or `released`. A settled request whose response broke
 * off because the service failed is `refunded`, or `refund_pending` while it has been retried: the charge stands unless all retries fail.
 * `sweeping` exists only within a batch of the sweep.
 */
export const ledgerStates = ["reserved", "settled", "released", "refunded", "refund_pending", "sweeping"] as const;

/** One row per request that reserved credits. IDs are `acct_.../req_...`, with the request's ID. */
export const ledger = sqliteTable(
  "ledger",
  {
    id: text().primaryKey(),
    period: text().notNull(),
    operation: text().notNull(),
    /** 0 for the retry of a charged request, under its Idempotency-Key. */
    credits: integer().notNull(),
    state: text({ enum: ledgerStates }).notNull(),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    /** The ID of the idempotency row, if the request had a key. */
    idempotency: text(),
  },
  // For the sweep: reservations that a dead isolate left, and rows that are old.
  (table) => [index("ledger_state").on(table.state, table.createdAt)],
);

/** Requests that came with an Idempotency-Key. Ids are `acct_...:live:<operation>:<HMAC of the key>`. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    id: text().primaryKey(),
    /** HMAC-SHA-256 of the request's parameters and files under the server's secret, hexadecimal. */
    fingerprint: text().notNull(),
    /** The ledger row that paid for the request; null until there is one. */
    charge: text(),
    /** The ledger row of the request in progress; null if there is none. */
    inFlight: text("in_flight"),
    /** How often the request was retried without a charge. */
    replays: integer().notNull(),
    /** When the charge was reserved: the key is forgotten 24 hours after it. */
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
  },
  (table) => [index("idempotency_created").on(table.createdAt)],
);

/** Webhook subscriptions. Ids are `wh_...`. A deleted one is gone; its deliveries go when their time is over. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    account: text()
      .notNull()
      .references(() => accounts.id),
    /** It gets only the events of its own mode. */
    livemode: integer({ mode: "boolean" }).notNull(),
    url: text().notNull(),
    /** Event types, as events/event-types.ts lists them. */
    events: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    description: text(),
    /** The signing secret, encrypted under a key that is derived from the server's secret. */
    secret: text().notNull(),
    secretLastFour: text("secret_last_four").notNull(),
    /** The secret before the last rotation, which signs beside the new one until it expires. */
    previousSecret: text("previous_secret"),
    previousSecretExpiresAt: integer("previous_secret_expires_at", { mode: "timestamp_ms" }),
    active: integer({ mode: "boolean" }).notNull(),
    /** When the failures began that no success has ended since; null while it works. */
    failingSince: integer("failing_since", { mode: "timestamp_ms" }),
    /** Attempts in a row that have timed out, the last one included: from a few on, its deliveries use the account's slow lanes. */
    timeouts: integer().notNull().default(0),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
  },
  (table) => [index("webhooks_account").on(table.account, table.livemode, table.createdAt, table.id)],
);

/**
 * Events, each written in the batch of the change that it reports, and only if a webhook wants it. IDs are `evt_...`, the `webhook-id` of
 * every delivery.
 */
export const webhookEvents = sqliteTable(
  "webhook_events",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    livemode: integer({ mode: "boolean" }).notNull(),
    type: text().notNull(),
    /** The account's number of it; 0 while it is held. */
    sequence: integer().notNull(),
    /** `data` of the body but for the sequence. */
    data: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
    /** `timestamp` of the body. */
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    /**
     * The ledger row of the request whose end the event is held for. When the response has ended, the event is emitted as another row with a
     * number and deliveries, and this one is deleted in the same batch.
     */
    awaits: text(),
  },
  // For the sweep: events that a dead isolate left, and rows that are old.
  (table) => [index("webhook_events_created").on(table.createdAt), index("webhook_events_awaits").on(table.awaits)],
);

/** `pending` until an attempt succeeded, or the last one failed (`exhausted`), or the subscription ended before (`canceled`). */
export const deliveryStates = ["pending", "succeeded", "exhausted", "canceled"] as const;

/** One event for one subscription. Ids are `<event>.<webhook>`, so that an event is delivered to each but once. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: text().primaryKey(),
    event: text().notNull(),
    webhook: text().notNull(),
    state: text({ enum: deliveryStates }).notNull(),
    /** Attempts begun. */
    attempts: integer().notNull(),
    /**
     * When the next attempt is due; where it is past by more than a minute the sweep queues the delivery again. While one is
     * made, the instant at which it counts as lost.
     */
    nextAttemptAt: integer("next_attempt_at", { mode: "timestamp_ms" }),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    /** When it left `pending`. */
    finishedAt: integer("finished_at", { mode: "timestamp_ms" }),
    /** How many attempts there were when it was last replayed: the schedule began anew after them. */
    replayedAfter: integer("replayed_after").notNull().default(0),
    /**
     * While an attempt is made, until `nextAttemptAt`: which of its account's lanes it holds; or that it waits for one, or that
     * another message was sent for it. See webhooks/lanes.ts.
     */
    lane: text(),
  },
  (table) => [
    index("webhook_deliveries_due").on(table.state, table.nextAttemptAt),
    index("webhook_deliveries_webhook").on(table.webhook, table.createdAt, table.id),
    index("webhook_deliveries_created").on(table.createdAt),
    // Those that are pending, by subscription: for the sweep.
    index("webhook_deliveries_pending")
      .on(table.webhook, table.nextAttemptAt)
      .where(sql`next_attempt_at is not null`),
    // How many lanes of an account are held, and what waits for one.
    index("webhook_deliveries_lane")
      .on(table.lane, table.nextAttemptAt)
      .where(sql`lane is not null`),
  ],
);

/** The log: each attempt of a delivery, with the beginning of the response. */
export const webhookAttempts = sqliteTable(
  "webhook_attempts",
  {
    delivery: text().notNull(),
    /** 1 for the first. */
    attempt: integer().notNull(),
    startedAt: integer("started_at", { mode: "timestamp_ms" }).notNull(),
    durationMilliseconds: integer("duration_milliseconds").notNull(),
    /** The HTTP status; null if there was no response. */
    status: integer(),
    /** Why the attempt failed, other than its status: a word of a closed list. */
    error: text(),
    /** The first kilobyte of the response body, as text. */
    response: text("answer"),
  },
  (table) => [primaryKey({ columns: [table.delivery, table.attempt] })],
);
