import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The paying customer: keys, credits and limits belong to an account. IDs are `acct_...`; the last digit is the database's
 * number.
 */
export const accounts = sqliteTable("accounts", {
  id: text().primaryKey(),
  /** For the operator; set with `npm run account`. */
  name: text().notNull(),
  /** One of `plans` in accounts/plans.ts; text, so that a new plan needs no migration. */
  plan: text().notNull(),
  createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
  /** The minute (since 1970) of the account's last request, and its number of requests in that minute. */
  minute: integer().notNull().default(0),
  minuteRequests: integer("minute_requests").notNull().default(0),
  /** The number of its newest event, counting live and test together: `data.sequence` of the delivered event. */
  eventSequence: integer("event_sequence").notNull().default(0),
  /** The minute of its last test or replay, and the number of both in that minute. */
  askedMinute: integer("asked_minute").notNull().default(0),
  askedDeliveries: integer("asked_deliveries").notNull().default(0),
  /** When a part of one of its jobs was last begun: accounts that have waited longer come first. */
  servedAt: integer("served_at", { mode: "timestamp_ms" })
    .notNull()
    .default(sql`0`),
});

/** Facts about the server that its data depends on, by name: `SettingName`. Only in the first database. */
export const serverSettings = sqliteTable("server_settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/** API keys. Only the hash is stored. IDs are `key_...`. */
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
    /** SHA-256 of the full key, lower-case hexadecimal. */
    hash: text().notNull().unique(),
    lastFour: text("last_four").notNull(),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    expiresAt: integer("expires_at", { mode: "timestamp_ms" }),
    revokedAt: integer("revoked_at", { mode: "timestamp_ms" }),
  },
  // For listing an account's keys, separately by mode and paged by time.
  (table) => [index("api_keys_account").on(table.account, table.livemode, table.createdAt, table.id)],
);

/** An account's usage in one calendar month (UTC), live and test keys separately. IDs are `acct_...:live:2026-11`. */
export const periods = sqliteTable(
  "periods",
  {
    id: text().primaryKey(),
    start: integer({ mode: "timestamp_ms" }).notNull(),
    /** Credits used, including those reserved for running requests. The plan's limit minus this remains. */
    used: integer().notNull(),
    /** The highest threshold that an event has reported, in percent of the limit: 0, 80, or 100. */
    warned: integer().notNull().default(0),
  },
  // For the sweep, which deletes old rows.
  (table) => [index("periods_start").on(table.start)],
);

/** Credits of a period by operation; settled requests only. */
export const periodOperations = sqliteTable(
  "period_operations",
  { period: text().notNull(), operation: text().notNull(), credits: integer().notNull() },
  (table) => [primaryKey({ columns: [table.period, table.operation] })],
);

/**
 * The credits of a request are `reserved` before the work, then `settled` (charged) or `released`. A settled request whose response was aborted
 * because the service failed is `refunded`, or `refund_pending` if it has been retried: it stays charged unless all retries fail. `sweeping` exists
 * only within a batch of the sweep.
 */
export const ledgerStates = ["reserved", "settled", "released", "refunded", "refund_pending", "sweeping"] as const;

/** One row per request that reserved credits. IDs are `acct_.../req_...`, with the request's ID. */
export const ledger = sqliteTable(
  "ledger",
  {
    id: text().primaryKey(),
    period: text().notNull(),
    operation: text().notNull(),
    /** 0 for the retry of a charged request with the same Idempotency-Key. */
    credits: integer().notNull(),
    state: text({ enum: ledgerStates }).notNull(),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    /** The ID of the idempotency row, if the request had a key. */
    idempotency: text(),
  },
  // For the sweep: reservations left by a dead isolate, and old rows.
  (table) => [index("ledger_state").on(table.state, table.createdAt)],
);

/** Requests with an Idempotency-Key. IDs are `acct_...:live:<operation>:<HMAC of the key>`. */
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
    /** Number of retries without a charge. */
    replays: integer().notNull(),
    /** When the charge was reserved: the key expires 24 hours later. */
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
  },
  (table) => [index("idempotency_created").on(table.createdAt)],
);

/**
 * A file is `uploading` while a single request brings it, `pending` while its parts are uploaded, and then `ready`. Once it has
 * expired, the sweep removes its bytes, and the row is kept for a while as `expired`. `deleted` lasts until its bytes are
 * removed. The key is erased in both.
 */
export const fileStates = ["uploading", "pending", "ready", "expired", "deleted"] as const;

/** Uploaded files. IDs are `file_...`; the last digit is the database's number. Their bytes are in the bucket, encrypted. */
export const files = sqliteTable(
  "files",
  {
    id: text().primaryKey(),
    account: text()
      .notNull()
      .references(() => accounts.id),
    livemode: integer({ mode: "boolean" }).notNull(),
    state: text({ enum: fileStates }).notNull(),
    name: text().notNull(),
    /** In bytes, before encryption. While it is `uploading`: the most that it can become. */
    size: integer().notNull(),
    /** By its first bytes; null until it is `ready`. */
    contentType: text("content_type"),
    /** Of its bytes before encryption, in lower-case hexadecimal; null until it is `ready`. */
    sha256: text(),
    /** Its encryption key, encrypted with a key derived from the server's secret. Without it, the bytes are unreadable. */
    key: text().notNull(),
    /** Bytes of each stored part but the last, before encryption. */
    partBytes: integer("part_bytes").notNull(),
    /** The nonce prefixes of its stored parts, 8 bytes each, in base64; null until it is `ready`. */
    nonces: text(),
    /** The bucket's ID of the multipart upload that is not yet completed; null if there is none. */
    uploadId: text("upload_id"),
    /** The job that it belongs to: its input, what a part of it made, or its result. Null for a file of the account. */
    job: text(),
    /** How long it is kept once it is `ready`. */
    keptSeconds: integer("kept_seconds").notNull(),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    /** Until it is `ready`: when the upload is abandoned. */
    expiresAt: integer("expires_at", { mode: "timestamp_ms" }).notNull(),
  },
  (table) => [
    index("files_account").on(table.account, table.livemode, table.createdAt, table.id),
    // For the number and size of an account's files, from the index alone.
    index("files_stored").on(table.account, table.livemode, table.state, table.expiresAt, table.size),
    // For the sweep.
    index("files_expiry").on(table.state, table.expiresAt),
    index("files_job")
      .on(table.job)
      .where(sql`job is not null`),
  ],
);

/** The parts of a `pending` file that have arrived. */
export const fileParts = sqliteTable(
  "file_parts",
  {
    file: text().notNull(),
    /** 1 for the first. */
    part: integer().notNull(),
    /** The bucket's tag of the part. */
    etag: text().notNull(),
    /** The prefix of the nonces that it is encrypted with, in base64. */
    nonce: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.file, table.part] })],
);

/**
 * A job is `queued` until its first part begins, then `running`, then one of the others. Only the first two are live. Whether
 * it has expired follows from `expiresAt`.
 */
export const jobStates = ["queued", "running", "succeeded", "partial", "failed", "canceled"] as const;

/** Operations that run in the background. IDs are `job_...`; the last digit is the database's number. */
export const jobs = sqliteTable(
  "jobs",
  {
    id: text().primaryKey(),
    account: text()
      .notNull()
      .references(() => accounts.id),
    livemode: integer({ mode: "boolean" }).notNull(),
    operation: text().notNull(),
    state: text({ enum: jobStates }).notNull(),
    /** The file with the text fields of the request; null once the job has ended. */
    request: text(),
    /** The most parts of the account's jobs that may run at once. */
    lanes: integer().notNull(),
    onPageError: text("on_page_error", { enum: ["fail", "continue"] }).notNull(),
    /** The numbers of its pages in the document, for errors; null once it has ended, and where they are 1, 2, 3, and so on. */
    pageNumbers: text("page_numbers", { mode: "json" }).$type<readonly number[]>(),
    pagesTotal: integer("pages_total").notNull(),
    pagesDone: integer("pages_done").notNull().default(0),
    pagesFailed: integer("pages_failed").notNull().default(0),
    /** Pages that one price of the operation covers, and that price. */
    pricedPages: integer("priced_pages").notNull(),
    price: integer().notNull(),
    /** The ledger row that holds its credits. */
    ledger: text().notNull(),
    /** The reservation of its credits, for the end of the job. */
    reservation: text({ mode: "json" }).$type<unknown>().notNull(),
    /** The credits charged, once it has ended. */
    charged: integer().notNull().default(0),
    /** The ID of the idempotency row, if the request had a key. */
    idempotency: text(),
    /** The file with the result, and how it is sent. */
    result: text({ mode: "json" }).$type<JobResult>(),
    error: text({ mode: "json" }).$type<JobError>(),
    pageErrors: text("page_errors", { mode: "json" }).$type<readonly PageError[]>(),
    /** Where the sending of the result to `deliverTo` is; null if the request had none, or there is no result. */
    delivery: text({ mode: "json" }).$type<JobDelivery>(),
    keptSeconds: integer("kept_seconds").notNull(),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    startedAt: integer("started_at", { mode: "timestamp_ms" }),
    /** When one of its parts was last begun, 0 before that: of an account's jobs, those that have waited longer come first. */
    servedAt: integer("served_at", { mode: "timestamp_ms" }).notNull(),
    finishedAt: integer("finished_at", { mode: "timestamp_ms" }),
    /** While the job runs: when it times out. Afterwards: when its result is deleted. */
    expiresAt: integer("expires_at", { mode: "timestamp_ms" }).notNull(),
  },
  (table) => [
    index("jobs_account").on(table.account, table.livemode, table.createdAt, table.id),
    // For the next part to work on, and for the sweep.
    index("jobs_state").on(table.state, table.expiresAt),
    index("jobs_ledger").on(table.ledger),
    index("jobs_idempotency").on(table.idempotency),
  ],
);

/** The result of a job: the response that the operation would have sent. */
export interface JobResult {
  /** The ID of the file. */
  readonly file: string;
  readonly name: string | null;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
  /** Its headers other than those of any file, such as `X-Page-Count`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The sending of a result to where its owner wants it. */
export interface JobDelivery {
  readonly status: "pending" | "succeeded" | "failed";
  readonly attempts: number;
  /** The HTTP status of the last response, if there was one. */
  readonly httpStatus: number | null;
  /** Why there was none. */
  readonly error: string | null;
}

/** Why a job failed, as in an error response. */
export interface JobError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Why a page is missing from a result. */
export interface PageError {
  /** 1 for the first page of the document. */
  readonly page: number;
  readonly code: string;
  readonly message: string;
}

/**
 * A part is `queued` until it is `running`, and `queued` again if it has to be repeated. The last part of a job that works page
 * by page makes the result of what the others made, and is `waiting` until they have ended.
 */
export const jobPartStates = ["waiting", "queued", "running", "done", "failed"] as const;

/** Parts of live jobs. */
export const jobParts = sqliteTable(
  "job_parts",
  {
    job: text().notNull(),
    /** The index of its first page among the pages of the job. That of the last part follows the last page. */
    page: integer().notNull(),
    /** The number of its pages; 0 for the part that makes the result, of what the others made if there are any. */
    pages: integer().notNull(),
    state: text({ enum: jobPartStates }).notNull(),
    /** Number of times that it was begun. */
    attempts: integer().notNull(),
    /** While it is `running`: names who works on it. */
    token: text(),
    /** While it is `queued`: when it is due. While it is `running`: when whoever works on it counts as lost. */
    dueAt: integer("due_at", { mode: "timestamp_ms" }).notNull(),
    /** The file with its output. */
    file: text(),
    error: text({ mode: "json" }).$type<PageError>(),
  },
  (table) => [
    primaryKey({ columns: [table.job, table.page] }),
    index("job_parts_state").on(table.job, table.state, table.page),
  ],
);

/** Results that are to be sent to where their owners want them. */
export const jobDeliveries = sqliteTable(
  "job_deliveries",
  {
    job: text().primaryKey(),
    /** Encrypted with a key derived from the server's secret: it may let whoever has it write to the bucket of the owner. */
    url: text().notNull(),
    attempts: integer().notNull(),
    /** When the next attempt is due, or one that has begun counts as lost; null until the job has its result. */
    dueAt: integer("due_at", { mode: "timestamp_ms" }),
  },
  (table) => [index("job_deliveries_due").on(table.dueAt)],
);

/** Webhook subscriptions. IDs are `wh_...`. Deleting one deletes its row; its deliveries are deleted when they expire. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    account: text()
      .notNull()
      .references(() => accounts.id),
    /** It receives only events of its own mode. */
    livemode: integer({ mode: "boolean" }).notNull(),
    url: text().notNull(),
    /** Event types from events/event-types.ts. */
    events: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    description: text(),
    /** The signing secret, encrypted with a key derived from the server's secret. */
    secret: text().notNull(),
    secretLastFour: text("secret_last_four").notNull(),
    /** The secret before the last rotation, which keeps signing until it expires. */
    previousSecret: text("previous_secret"),
    previousSecretExpiresAt: integer("previous_secret_expires_at", { mode: "timestamp_ms" }),
    active: integer({ mode: "boolean" }).notNull(),
    /** When the current run of failures began; null after a success. */
    failingSince: integer("failing_since", { mode: "timestamp_ms" }),
    /** Consecutive attempts that timed out, including the last: past a few, deliveries use the account's slow lanes. */
    timeouts: integer().notNull().default(0),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
  },
  (table) => [index("webhooks_account").on(table.account, table.livemode, table.createdAt, table.id)],
);

/**
 * Events, each written in the batch of the change it reports, and only if a webhook subscribes to it. IDs are `evt_...`, the
 * `webhook-id` of every delivery.
 */
export const webhookEvents = sqliteTable(
  "webhook_events",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    livemode: integer({ mode: "boolean" }).notNull(),
    type: text().notNull(),
    /** The event's number within the account; 0 while it is held. */
    sequence: integer().notNull(),
    /** `data` of the body, without the sequence. */
    data: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
    /** `timestamp` of the body. */
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    /**
     * The ledger row of the request whose end the event is held for. When the response has ended, the event is emitted as another row with a
     * number and deliveries, and this one is deleted in the same batch.
     */
    awaits: text(),
    /** The `traceparent` of the request that it is about, if that is part of a trace. */
    trace: text(),
  },
  // For the sweep: events left by a dead isolate, and old rows.
  (table) => [index("webhook_events_created").on(table.createdAt), index("webhook_events_awaits").on(table.awaits)],
);

/** `pending` until an attempt succeeds, the last attempt fails (`exhausted`), or the subscription ends first (`canceled`). */
export const deliveryStates = ["pending", "succeeded", "exhausted", "canceled"] as const;

/** One event for one subscription. IDs are `<event>.<webhook>`, so that each subscription gets an event only once. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: text().primaryKey(),
    event: text().notNull(),
    webhook: text().notNull(),
    state: text({ enum: deliveryStates }).notNull(),
    /** Number of attempts begun. */
    attempts: integer().notNull(),
    /**
     * When the next attempt is due; if that is more than a minute ago, the sweep queues the delivery again. During an attempt,
     * the instant at which the attempt counts as lost.
     */
    nextAttemptAt: integer("next_attempt_at", { mode: "timestamp_ms" }),
    createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
    /** When it left `pending`. */
    finishedAt: integer("finished_at", { mode: "timestamp_ms" }),
    /** Number of attempts at its last replay: the schedule restarted after them. */
    replayedAfter: integer("replayed_after").notNull().default(0),
    /**
     * During an attempt, until `nextAttemptAt`: the lane it occupies in its account. Otherwise, whether it waits for a lane, or
     * that another message was sent for it. See webhooks/lanes.ts.
     */
    lane: text(),
    /** The process whose consumer has made the last attempt, where processes have names. */
    consumer: text(),
  },
  (table) => [
    index("webhook_deliveries_due").on(table.state, table.nextAttemptAt),
    index("webhook_deliveries_webhook").on(table.webhook, table.createdAt, table.id),
    index("webhook_deliveries_created").on(table.createdAt),
    // For the sweep: pending deliveries by subscription.
    index("webhook_deliveries_pending")
      .on(table.webhook, table.nextAttemptAt)
      .where(sql`next_attempt_at is not null`),
    // For counting an account's busy lanes and the deliveries that wait for one.
    index("webhook_deliveries_lane")
      .on(table.lane, table.nextAttemptAt)
      .where(sql`lane is not null`),
  ],
);

/** The log: each attempt of a delivery, with the start of the response. */
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
    /** Why the attempt failed, other than by its status: a word from a closed list. */
    error: text(),
    /** The first kilobyte of the response body, as text. */
    response: text("answer"),
  },
  (table) => [primaryKey({ columns: [table.delivery, table.attempt] })],
);
