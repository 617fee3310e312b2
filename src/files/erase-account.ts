import { and, eq, gt, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { R2Bucket } from "@cloudflare/workers-types";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { objectKey } from "./file.ts";
import { abortUpload, eraseFiles } from "./remove.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import {
  accounts,
  apiKeys,
  fileParts,
  files,
  idempotency,
  jobDeliveries,
  jobParts,
  jobs,
  ledger,
  periodOperations,
  periods,
  serverSettings,
  webhookAttempts,
  webhookDeliveries,
  webhookEvents,
  webhooks,
} from "../db/schema.ts";

/** Rows that one statement deletes, and objects that one request to the bucket does. */
const ROWS = 500;

/** The numbers of deleted objects of an account. */
export interface ErasedAccount {
  readonly keys: number;
  readonly files: number;
  readonly jobs: number;
  readonly webhooks: number;
}

/** The IDs that begin with this one and a separator, as those of periods and of the ledger do. */
export const below = (column: SQLiteColumn, account: string, separator: ":" | "/"): SQL | undefined =>
  and(gt(column, account + separator), lt(column, account + String.fromCharCode(separator.charCodeAt(0) + 1)));

/**
 * Deletes an account with everything that belongs to it; undefined if it does not exist. Its keys and files are unusable from the first statement on.
 * If it is interrupted, the next call completes it. Without a bucket, the sweep removes the objects, which nobody can decrypt anymore. `db`: the
 * account's, `settings`: the first database.
 */
export async function eraseAccount(
  db: Database,
  account: string,
  { bucket, settings, now }: { readonly bucket: R2Bucket | undefined; readonly settings: Database; readonly now: Date },
): Promise<ErasedAccount | undefined> {
  const own = {
    keys: eq(apiKeys.account, account),
    files: eq(files.account, account),
    jobs: eq(jobs.account, account),
  };
  const { known, keys, stored, started, subscribed } = await batch(db, {
    known: db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, account)),
    keys: db.select({ id: apiKeys.id }).from(apiKeys).where(own.keys),
    stored: db.select({ id: files.id }).from(files).where(own.files),
    started: db.select({ id: jobs.id }).from(jobs).where(own.jobs),
    subscribed: db.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.account, account)),
    revoked: db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(own.keys, isNull(apiKeys.revokedAt))),
    erased: eraseFiles(db, own.files),
  });
  if (known.length === 0) return undefined;
  if (bucket !== undefined) await removeObjects(db, bucket, own.files);

  const events = db.select({ id: webhookEvents.id }).from(webhookEvents).where(eq(webhookEvents.account, account));
  const hooks = db.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.account, account));
  const deliveries = or(inArray(webhookDeliveries.event, events), inArray(webhookDeliveries.webhook, hooks));
  const delivered = db.select({ id: webhookDeliveries.id }).from(webhookDeliveries).where(deliveries);
  // There may be millions of these: a statement has to end within D1's 30 seconds.
  await deleteAll(db, webhookAttempts, webhookAttempts.delivery, inArray(webhookAttempts.delivery, delivered));
  await deleteAll(db, webhookDeliveries, webhookDeliveries.id, deliveries);
  await deleteAll(db, webhookEvents, webhookEvents.id, eq(webhookEvents.account, account));
  await deleteAll(db, ledger, ledger.id, below(ledger.id, account, "/"));
  await deleteAll(db, idempotency, idempotency.id, below(idempotency.id, account, ":"));
  await batch(db, {
    jobParts: db.delete(jobParts).where(inArray(jobParts.job, db.select({ id: jobs.id }).from(jobs).where(own.jobs))),
    jobDeliveries: db
      .delete(jobDeliveries)
      .where(inArray(jobDeliveries.job, db.select({ id: jobs.id }).from(jobs).where(own.jobs))),
    jobs: db.delete(jobs).where(own.jobs),
    fileParts: db
      .delete(fileParts)
      .where(inArray(fileParts.file, db.select({ id: files.id }).from(files).where(own.files))),
    files: db.delete(files).where(own.files),
    webhooks: db.delete(webhooks).where(eq(webhooks.account, account)),
    byOperation: db.delete(periodOperations).where(below(periodOperations.period, account, ":")),
    periods: db.delete(periods).where(below(periods.id, account, ":")),
    keys: db.delete(apiKeys).where(own.keys),
    account: db.delete(accounts).where(eq(accounts.id, account)),
  });
  await settings.delete(serverSettings).where(inArray(serverSettings.value, [account, ...keys.map(({ id }) => id)]));
  return { keys: keys.length, files: stored.length, jobs: started.length, webhooks: subscribed.length };
}

/** Removes the objects and unfinished uploads of files, whose rows stay. */
async function removeObjects(db: Database, bucket: R2Bucket, which: SQL): Promise<void> {
  for (let after = ""; ;) {
    const rows = await db
      .select({ id: files.id, uploadId: files.uploadId })
      .from(files)
      .where(and(which, gt(files.id, after)))
      .orderBy(files.id)
      .limit(ROWS);
    for (const row of rows) await abortUpload({ bucket }, row);
    if (rows.length > 0) await bucket.delete(rows.map(({ id }) => objectKey(id)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = last.id;
  }
}

/** Deletes rows, `ROWS` at a time. `id`: a column by which to choose them. */
async function deleteAll(db: Database, table: SQLiteTable, id: SQLiteColumn, which: SQL | undefined): Promise<void> {
  for (;;) {
    const [last] = await db
      .select({ id: sql<string>`${id}` })
      .from(table)
      .where(which)
      .orderBy(id)
      .limit(1)
      .offset(ROWS);
    await db.delete(table).where(last === undefined ? which : and(which, lt(id, last.id)));
    if (last === undefined) return;
  }
}
