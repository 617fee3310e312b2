import { fileOf, fileRow, type FileStore, type StoredFile } from "./file.ts";
import { removeFile } from "./remove.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Database } from "../db/client.ts";

/** A file of the caller's account and mode. Throws `not_found`, `expired`. */
export async function fetchFile(db: Database, caller: Caller, id: string, now: Date): Promise<StoredFile> {
  return fileOf(await fileRow(db, caller, id, now));
}

/** Deletes a file and returns its last state. Throws `not_found`, `expired`. */
export async function deleteFile(
  db: Database,
  store: FileStore,
  caller: Caller,
  id: string,
  now: Date,
): Promise<StoredFile> {
  const file = await fetchFile(db, caller, id, now);
  await removeFile(db, store, id);
  return file;
}
