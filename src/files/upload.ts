import { and, eq } from "drizzle-orm";
import { FileCipher } from "./cipher.ts";
import { fileOf, type FileOwner, type FileStore, objectKey, shownColumns, type StoredFile } from "./file.ts";
import { ObjectWriter } from "./object-writer.ts";
import { removeFile } from "./remove.ts";
import { type FileQuota, fileTooLarge, reserveFile } from "./reserve.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import type { Database } from "../db/client.ts";
import { files } from "../db/schema.ts";
import { logFault } from "../faults.ts";
import { limits, MiB } from "../limits.ts";

/** How much of a single-request upload is collected before it goes to the bucket. Two such buffers are held in memory. */
export const BUFFER_BYTES = 5 * MiB;

/** A file that is about to be written. */
export interface NewUpload {
  /** The most bytes that it can have, if that is known. */
  readonly length: number | undefined;
  /** As for `reserveFile`. */
  readonly quota: FileQuota | undefined;
  /** When it is removed if it is not finished. Default: what the slowest client needs. */
  readonly expiresAt?: Date;
}

/** Milliseconds that an upload may take in addition to what the slowest client needs. */
const UPLOAD_MARGIN = 300_000;

/**
 * A file that arrives in one request, from a client or from a URL. Call `write` for its bytes as they come, and then `finish`,
 * or `abort` in any other outcome. If neither is called, because the platform dropped the request, the sweep removes the file.
 */
export class FileUpload {
  readonly #db: Database;
  readonly #store: FileStore;
  readonly #id: string;
  readonly #writer: ObjectWriter;
  /** The largest file of the plan, in bytes. */
  readonly #most: number;

  private constructor(db: Database, store: FileStore, id: string, writer: ObjectWriter, most: number) {
    this.#db = db;
    this.#store = store;
    this.#id = id;
    this.#writer = writer;
    this.#most = most;
  }

  /**
   * Makes room for the file. If its length is not known, it counts as the largest file of the plan until it has arrived. Throws
   * `file_too_large`, `limit_reached`.
   */
  static async begin(
    db: Database,
    store: FileStore,
    owner: FileOwner,
    { length, quota, ...abandoned }: NewUpload,
    now: Date,
  ): Promise<FileUpload> {
    const most = quota?.largestFileBytes ?? limits.jobs.fileBytes;
    const size = length ?? most;
    const partBytes = BUFFER_BYTES;
    const slowest = (size / limits.slowestBytesPerSecond) * 1_000;
    const { row, key } = await reserveFile(
      db,
      store,
      owner,
      {
        state: "uploading",
        name: "",
        size,
        partBytes,
        keptSeconds: 0,
        expiresAt: abandoned.expiresAt ?? new Date(now.getTime() + slowest + UPLOAD_MARGIN),
        quota,
      },
      now,
    );
    const { id } = row;
    const options = {
      bucket: store.bucket,
      key: objectKey(id),
      cipher: await FileCipher.of(id, key),
      partBytes,
      // The sweep aborts it if nobody else does.
      beforeParts: async (uploadId: string) => void (await db.update(files).set({ uploadId }).where(eq(files.id, id))),
    };
    return new FileUpload(db, store, id, new ObjectWriter(options, size), most);
  }

  /** The memory in bytes that an upload holds. `length`: as for `begin`. */
  static memoryBytes(length: number | undefined): number {
    const needed = length === undefined || length > BUFFER_BYTES ? 2 * BUFFER_BYTES : length;
    // The tags of its chunks, the chunk itself, and the bytes on their way through the digest and the cipher.
    return Math.ceil(needed * 1.001) + OWN_BYTES;
  }

  /** Appends bytes, which may be changed once the promise is resolved. Throws `file_too_large`. */
  async write(bytes: Uint8Array): Promise<void> {
    const size = this.#writer.size + bytes.length;
    if (size > this.#most) throw fileTooLarge(this.#most, size, false);
    await this.#writer.write(bytes);
  }

  /** Stores the remaining bytes; the file is then ready. Throws `invalid_file` for an empty one. */
  async finish({ name, keptSeconds }: { name: string; keptSeconds: number }): Promise<StoredFile> {
    if (this.#writer.size === 0) throw new AccountRefusal("invalid_file", "The file is empty.");
    const written = await this.#writer.finish();
    const expiresAt = new Date(Date.now() + keptSeconds * 1_000);
    const [row] = await this.#db
      .update(files)
      .set({ ...written, state: "ready", name, keptSeconds, expiresAt, uploadId: null })
      .where(and(eq(files.id, this.#id), eq(files.state, "uploading")))
      .returning(shownColumns);
    if (row === undefined) throw new Error("the sweep took the upload for abandoned");
    return fileOf(row);
  }

  /** Removes the stored bytes. Never throws: the sweep removes any that are left. */
  async abort(): Promise<void> {
    await this.#writer.abort();
    await removeFile(this.#db, this.#store, this.#id).catch((error: unknown) =>
      logFault("upload not removed", { id: this.#id }, error),
    );
  }
}

/** Memory of an upload besides its buffers: windows of the body, the chunk, and copies on their way. */
const OWN_BYTES = 512 * 1024;
