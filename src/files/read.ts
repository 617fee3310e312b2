import type { R2Bucket, R2ObjectBody } from "@cloudflare/workers-types";
import {
  CHUNK_BYTES,
  chunkCount,
  DamagedFile,
  FileCipher,
  PREFIX_BYTES,
  SEALED_CHUNK_BYTES,
  sealedSize,
} from "./cipher.ts";
import { fileExpired, fileOf, type FileOwner, fileRow, type FileStore, objectKey, type StoredFile } from "./file.ts";
import { AccountRefusal } from "../accounts/refusal.ts";
import { unseal } from "../accounts/sealed-secret.ts";
import type { Database } from "../db/client.ts";
import type { files } from "../db/schema.ts";
import { fromBase64 } from "../bytes/base64.ts";
import type { ByteSource } from "../bytes/source.ts";
import { nextTurn } from "../next-turn.ts";

/** An opened file: its bytes, decrypted and authenticated, in ranges or as a stream. */
export interface FileSource extends ByteSource {
  /** The bytes [start, end) in order, in pieces of at most 64 KiB. Throws as `read` does. */
  stream(start: number, end: number): AsyncGenerator<Uint8Array, void>;
}

/**
 * Opens a file for reading. Throws `not_found` for a file of another account or mode, `not_ready` for one that is not complete,
 * and `expired`.
 *
 * Reading throws `DamagedFile` if the stored bytes are not those that were written, and `expired` if they are gone.
 */
export async function openFile(
  db: Database,
  store: FileStore,
  owner: FileOwner,
  id: string,
  now: Date,
): Promise<{ readonly file: StoredFile; readonly source: FileSource }> {
  const row = await fileRow(db, owner, id, now);
  if (row.state !== "ready" || row.nonces === null) {
    throw new AccountRefusal("not_ready", "The file is not complete. Upload its parts, then complete it.");
  }
  return { file: fileOf(row), source: await sourceOf(store, row, fromBase64(row.nonces)) };
}

/** The key of a file, which the database has encrypted. */
export async function cipherOf(
  { serverSecrets }: FileStore,
  { id, key }: { id: string; key: string },
): Promise<FileCipher> {
  const opened = await unseal(serverSecrets, "file keys", id, key);
  if (opened === undefined) throw new DamagedFile("the key of the file cannot be read");
  return FileCipher.of(id, new Uint8Array(opened));
}

/** The bytes of a stored file, whatever its state. `nonces`: the prefixes of its parts, one after the other. */
export async function sourceOf(
  store: FileStore,
  row: Pick<typeof files.$inferSelect, "id" | "key" | "size" | "partBytes">,
  nonces: Uint8Array,
): Promise<FileSource> {
  return new SealedSource(store.bucket, row, await cipherOf(store, row), nonces);
}

/**
 * Chunks that one request to the bucket gets: 4 MiB. The body of a request may arrive faster than it is read: the local bucket sends
 * all of it at once, so a single request for 1 GiB would hold 1 GiB (`npm run measure -- bench --only files`).
 */
const CHUNKS_AT_ONCE = 64;

/** Chunks that are read between two turns of the event loop. */
const CHUNKS_PER_TURN = 4;

class SealedSource implements FileSource {
  readonly length: number;
  readonly #bucket: R2Bucket;
  readonly #key: string;
  readonly #cipher: FileCipher;
  readonly #nonces: Uint8Array;
  readonly #chunksPerPart: number;

  constructor(
    bucket: R2Bucket,
    { id, size, partBytes }: Pick<typeof files.$inferSelect, "id" | "size" | "partBytes">,
    cipher: FileCipher,
    nonces: Uint8Array,
  ) {
    this.length = size;
    this.#bucket = bucket;
    this.#key = objectKey(id);
    this.#cipher = cipher;
    this.#nonces = nonces;
    this.#chunksPerPart = partBytes / CHUNK_BYTES;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    let at = 0;
    for await (const piece of this.stream(start, end)) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  async *stream(start: number, end: number): AsyncGenerator<Uint8Array, void> {
    if (start < 0 || start > end || end > this.length) throw new RangeError("the range is outside the file");
    if (start === end) return;
    const past = chunkCount(end);
    let next = Math.floor(start / CHUNK_BYTES);
    // A bucket that fails is asked once more for the chunk that is missing.
    for (let failed = false; next < past;) {
      try {
        for await (const sealed of this.#sealedChunks(next, Math.min(next + CHUNKS_AT_ONCE, past))) {
          const chunk = await this.#cipher.open(next, this.#prefixOf(next), sealed);
          const offset = next * CHUNK_BYTES;
          next += 1;
          failed = false;
          if (next % CHUNKS_PER_TURN === 0 || next === past) await nextTurn();
          yield chunk.subarray(Math.max(start - offset, 0), Math.min(end - offset, chunk.length));
        }
      } catch (error) {
        if (failed || error instanceof DamagedFile || error instanceof AccountRefusal) throw error;
        failed = true;
      }
    }
  }

  /** The encrypted chunks [from, past), by one request to the bucket. A chunk is valid until the next is asked for. */
  async *#sealedChunks(from: number, past: number): AsyncGenerator<Uint8Array, void> {
    const offset = from * SEALED_CHUNK_BYTES;
    const end = Math.min(past * SEALED_CHUNK_BYTES, sealedSize(this.length));
    const object = await this.#bucket.get(this.#key, { range: { offset, length: end - offset } });
    if (object === null) throw fileExpired();
    if (object.size !== sealedSize(this.length)) {
      await object.body.cancel();
      throw new DamagedFile("the object has another size");
    }
    yield* framesOf(object, end - offset);
  }

  #prefixOf(chunk: number): Uint8Array {
    const at = Math.floor(chunk / this.#chunksPerPart) * PREFIX_BYTES;
    return this.#nonces.subarray(at, at + PREFIX_BYTES);
  }
}

/** The body of an object in encrypted chunks. Throws if it has fewer than `length` bytes. */
async function* framesOf({ body }: R2ObjectBody, length: number): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(Math.min(SEALED_CHUNK_BYTES, length));
  let at = 0;
  try {
    while (at < length) {
      const wanted = Math.min(SEALED_CHUNK_BYTES, length - at);
      const { value } = await reader.readAtLeast(wanted, new Uint8Array(buffer, 0, wanted));
      if (value === undefined || value.length < wanted) throw new Error("the object ends early");
      at += wanted;
      yield value;
      buffer = value.buffer;
    }
    // To its end: a body that is canceled before that counts as broken off.
    await reader.read(new Uint8Array(buffer, 0, 1));
  } finally {
    if (at < length) await reader.cancel().catch(() => {});
  }
}
