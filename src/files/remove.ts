import { eq } from "drizzle-orm";
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

/** The bucket's code for a multipart upload that it does not have, at the end of the message. */
const NO_SUCH_UPLOAD = "(10024)";

/** Aborts the multipart upload of a file, if it has one that is not completed. */
export async function abortUpload(
  { bucket }: FileStore,
  { id, uploadId }: { readonly id: string; readonly uploadId: string | null },
): Promise<void> {
  if (uploadId === null) return;
  const upload = bucket.resumeMultipartUpload(objectKey(id), uploadId);
  await upload.abort().catch((error: unknown) => {
    if (!(error instanceof Error && error.message.includes(NO_SUCH_UPLOAD))) throw error;
  });
}
