import { and, eq, inArray, ne, sql, type SQL } from "drizzle-orm";
import { type FileStore, objectKey } from "./file.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { fileParts, files } from "../db/schema.ts";
import { logFault } from "../faults.ts";

/**
 * Deletes a file. From the first statement on, nobody can read it: its key is gone. If the bucket then fails, the sweep removes
 * the bytes.
 */
export async function removeFile(db: Database, store: FileStore, id: string): Promise<void> {
  const [row] = await db
    .update(files)
    .set({ state: "deleted", key: "", nonces: null })
    .where(eq(files.id, id))
    .returning({ id: files.id, uploadId: files.uploadId });
  if (row === undefined) return;
  try {
    await abortUpload(store, row);
    await store.bucket.delete(objectKey(id));
    await batch(db, {
      parts: db.delete(fileParts).where(eq(fileParts.file, id)),
      file: db.delete(files).where(eq(files.id, id)),
    });
  } catch (error) {
    logFault("file not removed", { id }, error);
  }
}

/** Objects that one request to the bucket deletes. */
const OBJECTS = 1_000;

/** The statement that deletes files. From then on nobody can read them, and `removeJobFiles` or the sweep removes their bytes. */
export function eraseFiles(db: Database, which: SQL | undefined) {
  return db.update(files).set({ state: "deleted", key: "", nonces: null, name: "", sha256: null }).where(which);
}

/** The same for the files of a job, but for one, if `guard` holds. */
export const eraseJobFiles = (db: Database, job: string, kept: string, guard: SQL | undefined) =>
  eraseFiles(db, and(eq(files.job, job), ne(files.id, kept), guard));

/** Removes the bytes and rows of the deleted files of a job. Never throws: the sweep removes what this cannot. */
export async function removeJobFiles(db: Database, store: FileStore, job: string): Promise<void> {
  const deleted = and(eq(files.job, job), eq(files.state, "deleted"));
  try {
    const rows = await db.select({ id: files.id, uploadId: files.uploadId }).from(files).where(deleted).limit(OBJECTS);
    if (rows.length === 0) return;
    for (const row of rows) await abortUpload(store, row);
    await store.bucket.delete(rows.map(({ id }) => objectKey(id)));
    const listed = sql`(select value from json_each(${JSON.stringify(rows.map(({ id }) => id))}))`;
    await db.delete(files).where(and(deleted, inArray(files.id, listed)));
  } catch (error) {
    logFault("files of a job not removed", { id: job }, error);
  }
}

/** The bucket's code for a multipart upload that it does not have, at the end of the message. */
const NO_SUCH_UPLOAD = "(10024)";

/** Aborts the multipart upload of a file, if it has one that is not completed. */
export async function abortUpload(
  { bucket }: Pick<FileStore, "bucket">,
  { id, uploadId }: { readonly id: string; readonly uploadId: string | null },
): Promise<void> {
  if (uploadId === null) return;
  const upload = bucket.resumeMultipartUpload(objectKey(id), uploadId);
  await upload.abort().catch((error: unknown) => {
    if (!(error instanceof Error && error.message.includes(NO_SUCH_UPLOAD))) throw error;
  });
}
