import { and, eq, inArray, isNull, lt, lte, ne, or, sql } from "drizzle-orm";
import { type FileStore, objectKey } from "./file.ts";
import { abortUpload } from "./remove.ts";
import { newFileId, shardDigit } from "../accounts/token.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { fileParts, files } from "../db/schema.ts";
import { logFault } from "../faults.ts";
import { limits } from "../limits.ts";

/** Files per sweep. The rest waits for the next minute. */
const ROWS = 500;
/** Objects of the bucket that are looked at per sweep. */
const OBJECTS = 1_000;

/** The results of a sweep, for the log. */
export interface SweptFiles {
  /** Files and uploads whose bytes were removed: they had expired, or were deleted while the bucket failed. */
  readonly removed: number;
  /** Objects without a row that were removed. */
  readonly orphans: number;
  /** Rows of files that expired long ago, which were deleted. */
  readonly forgotten: number;
}

/** Removes the bytes of expired files and abandoned uploads, and objects of the bucket that have no row. */
export async function sweepFiles(db: Database, store: FileStore, shard: number, now: Date): Promise<SweptFiles> {
  const removed = await removeExpired(db, store, now);
  const orphans = await removeOrphans(db, store, shard);
  const forgotten = await db
    .delete(files)
    .where(
      and(
        eq(files.state, "expired"),
        lt(files.expiresAt, new Date(now.getTime() - limits.storage.rememberedSeconds * 1_000)),
      ),
    );
  return { removed, orphans, forgotten: forgotten.meta.changes };
}

async function removeExpired(db: Database, store: FileStore, now: Date): Promise<number> {
  const due = or(
    and(inArray(files.state, ["uploading", "pending", "ready"]), lte(files.expiresAt, now)),
    eq(files.state, "deleted"),
  );
  const rows = await db.select({ id: files.id, uploadId: files.uploadId }).from(files).where(due).limit(ROWS);
  const ids: string[] = [];
  for (const row of rows) {
    try {
      await abortUpload(store, row);
      ids.push(row.id);
    } catch (error) {
      logFault("upload not aborted", { id: row.id }, error);
    }
  }
  if (ids.length === 0) return 0;
  await store.bucket.delete(ids.map(objectKey));
  const listed = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  const removed = and(inArray(files.id, listed), due);
  await batch(db, {
    parts: db.delete(fileParts).where(inArray(fileParts.file, listed)),
    // Its ID gets 410 for a while. Nothing else is kept of it.
    expired: db
      .update(files)
      .set({ state: "expired", key: "", nonces: null, name: "", sha256: null, contentType: null })
      .where(and(removed, eq(files.state, "ready"), isNull(files.job))),
    others: db.delete(files).where(and(removed, ne(files.state, "expired"))),
  });
  return ids.length;
}

/**
 * Removes objects that have no row: what an upload stored after its file was deleted, or what a restored database does not know.
 * An upload creates its row before its object, so an object without a row belongs to nobody. The bucket's keys are random: a
 * sweep looks at those after a random one, and comes to all of them in time.
 */
async function removeOrphans(db: Database, { bucket }: FileStore, shard: number): Promise<number> {
  const digit = shardDigit(shard);
  const prefix = `${digit}/`;
  const found = await bucket.list({ prefix, startAfter: objectKey(newFileId(digit)), limit: OBJECTS });
  const first = found.truncated ? [] : (await bucket.list({ prefix, limit: OBJECTS })).objects;
  const ids = [...found.objects, ...first].map(({ key }) => key.slice(prefix.length));
  const rows = await db.all<{ id: string }>(
    sql`select distinct value as id from json_each(${JSON.stringify(ids)}) where not exists (
      select 1 from ${files} where ${files.id} = value and ${files.state} <> 'expired')`,
  );
  if (rows.length > 0) await bucket.delete(rows.slice(0, OBJECTS).map(({ id }) => prefix + id));
  return rows.length;
}
