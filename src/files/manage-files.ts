import { and, inArray, sql } from "drizzle-orm";
import { type FileStore, fileRow, shownColumns, type StoredFile, taking, visibleTo } from "./file.ts";
import { withParts } from "./parts.ts";
import { removeFile } from "./remove.ts";
import type { Caller } from "../accounts/caller.ts";
import { type Page, pageOf, pageQuery, type PageRequest } from "../accounts/list-cursor.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { files } from "../db/schema.ts";

export interface FilePage extends Page<StoredFile> {
  /** All files of the account and mode. */
  readonly count: number;
  /** Their size together, in bytes, including uploads in progress. */
  readonly storedBytes: number;
}

/** The files of the caller's account and mode, newest first. Throws `invalid_parameters` for a bad cursor. */
export async function listFiles(db: Database, caller: Caller, request: PageRequest, now: Date): Promise<FilePage> {
  const stored = and(visibleTo(caller), taking(now));
  const listed = and(stored, inArray(files.state, ["pending", "ready"]));
  const {
    rows,
    sums: [sums],
  } = await batch(db, {
    rows: pageQuery(
      db
        .select({ ...shownColumns, partBytes: files.partBytes })
        .from(files)
        .$dynamic(),
      { table: files, rows: listed, prefix: "file" },
      request,
    ),
    sums: db
      .select({
        count: sql<number>`count(*) filter (where ${files.state} <> 'uploading')`,
        bytes: sql<number>`coalesce(sum(${files.size}), 0)`,
      })
      .from(files)
      .where(stored),
  });
  const page = pageOf(rows, request.limit);
  return { ...page, data: await withParts(db, page.data), count: sums?.count ?? 0, storedBytes: sums?.bytes ?? 0 };
}

/** A file of the caller's account and mode. Throws `not_found`, `expired`. */
export async function fetchFile(db: Database, caller: Caller, id: string, now: Date): Promise<StoredFile> {
  const row = await fileRow(db, caller, id, now);
  const [file] = await withParts(db, [row]);
  if (file === undefined) throw new Error("a row has no file");
  return file;
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
