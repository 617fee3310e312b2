import type { R2MultipartUpload } from "@cloudflare/workers-types";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { CHUNK_BYTES, ChunkSealer, type FileCipher, newPrefix, sealedSize } from "./cipher.ts";
import { contentTypeOf, HEAD_BYTES } from "./content-type.ts";
import {
  fileOf,
  fileRow,
  type FileParts,
  type FileStore,
  noSuchFile,
  objectKey,
  shownColumns,
  type StoredFile,
} from "./file.ts";
import { taken, twice } from "./object-writer.ts";
import { cipherOf, type FileSource, sourceOf } from "./read.ts";
import { removeFile } from "./remove.ts";
import { reserveFile } from "./reserve.ts";
import type { Caller } from "../accounts/caller.ts";
import { plans } from "../accounts/plans.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { rowOf } from "../db/row.ts";
import { fileParts, files } from "../db/schema.ts";
import { base64, fromBase64 } from "../bytes/base64.ts";
import { concat } from "../bytes/concat.ts";
import { hex } from "../bytes/hex.ts";
import { limits } from "../limits.ts";

type FileRow = typeof files.$inferSelect;

/** The bucket's code for a part that was replaced, at the end of the message. */
const INVALID_PART = "(10025)";
/** Missing parts that an error lists. */
const LISTED_PARTS = 100;

const countOf = ({ size, partBytes }: Pick<FileRow, "size" | "partBytes">): number => Math.ceil(size / partBytes);

const invalid = (name: string, issue: string): AccountRefusal =>
  new AccountRefusal("invalid_parameters", `\`${name}\` ${issue}.`, { fields: [{ name, issue }] });

/** Begins an upload in parts. Throws `file_too_large`, `limit_reached`. */
export async function beginParts(
  db: Database,
  store: FileStore,
  caller: Caller,
  { name, size, keptSeconds }: { readonly name: string; readonly size: number; readonly keptSeconds: number },
  now: Date,
): Promise<StoredFile> {
  const { partBytes, pendingSeconds } = limits.storage;
  const expiresAt = new Date(now.getTime() + pendingSeconds * 1_000);
  const reservation = {
    state: "pending",
    name,
    size,
    partBytes,
    keptSeconds,
    expiresAt,
    quota: plans[caller.plan],
  } as const;
  const { row } = await reserveFile(db, store, caller, reservation, now);
  try {
    const { uploadId } = await twice(() => store.bucket.createMultipartUpload(objectKey(row.id)));
    await db.update(files).set({ uploadId }).where(eq(files.id, row.id));
  } catch (error) {
    await removeFile(db, store, row.id);
    throw error;
  }
  return { ...fileOf(row), parts: { size: partBytes, count: countOf(row), received: [] } };
}

/** The parts of these files that have arrived, for those that are pending. */
export async function withParts(
  db: Database,
  rows: readonly (Parameters<typeof fileOf>[0] & Pick<FileRow, "partBytes">)[],
): Promise<StoredFile[]> {
  const pending = rows.filter(({ state }) => state === "pending").map(({ id }) => id);
  const arrived =
    pending.length === 0
      ? []
      : await db
          .select({ file: fileParts.file, part: fileParts.part })
          .from(fileParts)
          .where(inArray(fileParts.file, pending))
          .orderBy(asc(fileParts.part));
  const received = Map.groupBy(arrived, ({ file }) => file);
  return rows.map(({ partBytes, ...row }) => {
    if (row.state !== "pending") return fileOf(row);
    const numbers = received.get(row.id)?.map(({ part }) => part) ?? [];
    const parts: FileParts = { size: partBytes, count: countOf({ ...row, partBytes }), received: numbers };
    return { ...fileOf(row), parts };
  });
}

/** The size of a part in bytes. */
const lengthOf = ({ size, partBytes }: Pick<FileRow, "size" | "partBytes">, part: number): number =>
  Math.min(partBytes, size - (part - 1) * partBytes);

/** One part of a file, while it arrives. Call `write` for its bytes as they come, then `finish`, or `abort` in any other outcome. */
export class PartUpload {
  readonly #db: Database;
  readonly #row: FileRow;
  readonly #part: number;
  readonly #prefix = newPrefix();
  readonly #sealer: ChunkSealer;
  readonly #digest = new crypto.DigestStream("SHA-256");
  readonly #hash = this.#digest.getWriter();
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #sent: ReturnType<R2MultipartUpload["uploadPart"]>;

  #received = 0;

  private constructor(db: Database, row: FileRow, upload: R2MultipartUpload, part: number, cipher: FileCipher) {
    this.#db = db;
    this.#row = row;
    this.#part = part;
    this.#sealer = new ChunkSealer(cipher, ((part - 1) * row.partBytes) / CHUNK_BYTES, () => this.#prefix);
    const { readable, writable } = new FixedLengthStream(sealedSize(lengthOf(row, part)));
    this.#writer = writable.getWriter();
    this.#sent = upload.uploadPart(part, readable);
    // If the bucket fails, nothing reads the written bytes, so this ends a waiting `write`.
    this.#sent.catch((error: unknown) => this.#writer.abort(error).catch(() => {}));
    this.#digest.digest.catch(() => {});
  }

  /**
   * `length`: the Content-Length, which must be that of the part. Throws `not_found`, also for a part that the file does not
   * have, `invalid_parameters`, `upload_finished`, and `expired`.
   */
  static async begin(
    db: Database,
    store: FileStore,
    caller: Caller,
    { id, part, length }: { readonly id: string; readonly part: string; readonly length: number | undefined },
    now: Date,
  ): Promise<PartUpload> {
    const row = await fileRow(db, caller, id, now);
    if (row.uploadId === null) throw uploadFinished();
    const number = /^[1-9]\d{0,5}$/.test(part) ? Number(part) : 0;
    if (number < 1 || number > countOf(row)) {
      throw new AccountRefusal("not_found", `The file has no such part. Its parts are 1 to ${countOf(row)}.`);
    }
    const expected = lengthOf(row, number);
    if (length !== expected) {
      throw invalid("Content-Length", `must be ${expected}, the size of part ${number} in bytes`);
    }
    const upload = store.bucket.resumeMultipartUpload(objectKey(id), row.uploadId);
    return new PartUpload(db, row, upload, number, await cipherOf(store, row));
  }

  /** Sends bytes of the part, which may be changed once the promise is resolved. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#received += bytes.length;
    await this.#hash.write(bytes);
    for await (const sealed of this.#sealer.add(bytes)) await taken(this.#writer.write(sealed));
  }

  /**
   * Stores the part. `sha256`: the digest that the client sent, which is checked before the last chunk is sent, so that wrong bytes never
   * replace a part that has arrived. Throws `invalid_parameters`, and `not_found` if the file was deleted meanwhile.
   */
  async finish(sha256: Uint8Array | undefined): Promise<void> {
    await this.#hash.close();
    const digest = new Uint8Array(await this.#digest.digest);
    if (sha256 !== undefined && hex(sha256) !== hex(digest)) {
      throw invalid("Content-Digest", "is not the SHA-256 of the part that arrived");
    }
    if (this.#received < lengthOf(this.#row, this.#part)) throw invalid("Content-Length", "is more than what arrived");
    await taken(this.#writer.write(await this.#sealer.last()));
    await taken(this.#writer.close());
    const { etag } = await taken(this.#sent);
    const { id, uploadId } = this.#row;
    const row = rowOf(fileParts, { file: files.id, part: this.#part, etag, nonce: base64(this.#prefix) });
    const [stored] = await this.#db
      .insert(fileParts)
      .select(
        sql`select ${row} from ${files} where ${and(eq(files.id, id), eq(files.uploadId, uploadId ?? ""), eq(files.state, "pending"))}`,
      )
      .onConflictDoUpdate({
        target: [fileParts.file, fileParts.part],
        set: { etag: sql`excluded.etag`, nonce: sql`excluded.nonce` },
      })
      .returning({ part: fileParts.part });
    if (stored === undefined) throw noSuchFile();
  }

  /** Ends the work. Bytes of this part that were stored before remain. */
  async abort(): Promise<void> {
    this.#hash.abort().catch(() => {});
    this.#writer.abort(new Error("the part is not complete")).catch(() => {});
    await taken(this.#sent).catch(() => {});
  }
}

/**
 * Completes an upload in parts: joins the parts, and reads the file through for its SHA-256, which must be `sha256` if that is
 * given. Can be repeated, also after it was interrupted. `alive` is called for each chunk and throws if nobody waits for the
 * result anymore. Throws `not_ready` if parts are missing, `invalid_parameters`, `not_found`, and `expired`.
 */
export async function completeParts(
  db: Database,
  store: FileStore,
  caller: Caller,
  { id, sha256 }: { readonly id: string; readonly sha256: string | undefined },
  { now, alive }: { readonly now: Date; alive(): void },
): Promise<StoredFile> {
  const row = await fileRow(db, caller, id, now);
  if (row.state === "ready") {
    requireDigest(sha256, row.sha256);
    return fileOf(row);
  }
  const nonces = row.nonces ?? (await joinParts(db, store, row));
  const source = await sourceOf(store, row, fromBase64(nonces));
  const facts = await readThrough(source, alive);
  requireDigest(sha256, facts.sha256);
  const expiresAt = new Date(Date.now() + row.keptSeconds * 1_000);
  const { completed } = await batch(db, {
    completed: db
      .update(files)
      .set({ ...facts, state: "ready", expiresAt })
      .where(and(eq(files.id, id), inArray(files.state, ["pending", "ready"])))
      .returning(shownColumns),
    parts: db.delete(fileParts).where(eq(fileParts.file, id)),
  });
  const [file] = completed;
  if (file === undefined) throw noSuchFile();
  return fileOf(file);
}

/** Makes one object of the parts, and returns their nonce prefixes. They cannot be replaced from then on. */
async function joinParts(db: Database, { bucket }: FileStore, row: FileRow): Promise<string> {
  const parts = await db.select().from(fileParts).where(eq(fileParts.file, row.id)).orderBy(asc(fileParts.part));
  if (parts.length < countOf(row)) throw partsMissing(row, parts);
  const key = objectKey(row.id);
  const upload = bucket.resumeMultipartUpload(key, row.uploadId ?? "");
  await upload.complete(parts.map(({ part, etag }) => ({ partNumber: part, etag }))).catch(async (error: unknown) => {
    // The bucket may have joined them before, and its response, or the change below, was lost.
    const object = await bucket.head(key);
    if (object !== null && object.size === sealedSize(row.size)) return;
    if (!(error instanceof Error && error.message.includes(INVALID_PART))) throw error;
    // Two requests have sent the same part at the same time, and it is unknown whose bytes the bucket has.
    await db.delete(fileParts).where(eq(fileParts.file, row.id));
    throw partsMissing(row, []);
  });
  const nonces = base64(concat(parts.map(({ nonce }) => fromBase64(nonce))));
  await db
    .update(files)
    .set({ nonces, uploadId: null })
    .where(and(eq(files.id, row.id), eq(files.state, "pending")));
  return nonces;
}

/** The SHA-256 and the type of a stored file. */
async function readThrough(source: FileSource, alive: () => void) {
  const digest = new crypto.DigestStream("SHA-256");
  const hash = digest.getWriter();
  let contentType: string | undefined;
  try {
    for await (const chunk of source.stream(0, source.length)) {
      alive();
      contentType ??= contentTypeOf(chunk.subarray(0, HEAD_BYTES));
      await hash.write(chunk);
    }
  } catch (error) {
    digest.digest.catch(() => {});
    hash.abort().catch(() => {});
    throw error;
  }
  await hash.close();
  return { sha256: hex(new Uint8Array(await digest.digest)), contentType };
}

function requireDigest(expected: string | undefined, actual: string | null): void {
  if (expected === undefined || expected === actual) return;
  throw invalid("sha256", `is not the SHA-256 of the uploaded bytes, which is ${actual}`);
}

function partsMissing(row: FileRow, parts: readonly { readonly part: number }[]): AccountRefusal {
  const arrived = new Set(parts.map(({ part }) => part));
  const missing = Array.from({ length: countOf(row) }, (_, index) => index + 1).filter((part) => !arrived.has(part));
  const message = `${missing.length} of the file's ${countOf(row)} parts ${missing.length === 1 ? "is" : "are"} missing. Upload them, then complete it again.`;
  return new AccountRefusal("not_ready", message, { missingParts: missing.slice(0, LISTED_PARTS) });
}

const uploadFinished = (): AccountRefusal =>
  new AccountRefusal("upload_finished", "The upload is already complete. Upload another file instead.");
