import type { R2Bucket, R2MultipartUpload, R2UploadedPart } from "@cloudflare/workers-types";
import { chunkCount, ChunkSealer, type FileCipher, newPrefix, sealedSize } from "./cipher.ts";
import { contentTypeOf, HEAD_BYTES } from "./content-type.ts";
import { base64 } from "../bytes/base64.ts";
import { concat } from "../bytes/concat.ts";
import { hex } from "../bytes/hex.ts";
import { nextTurn } from "../next-turn.ts";

/** The facts of a file once all its bytes are stored. */
export interface Written {
  readonly size: number;
  readonly sha256: string;
  readonly contentType: string;
  /** The nonce prefixes of its parts, in base64. */
  readonly nonces: string;
}

export interface WriterOptions {
  readonly bucket: R2Bucket;
  /** The key of the object. */
  readonly key: string;
  readonly cipher: FileCipher;
  /** Bytes of each stored part but the last, before encryption: a multiple of 64 KiB. A smaller file is one object, put at once. */
  readonly partBytes: number;
  /** Called before the first part of a multipart upload, with the bucket's ID of it. */
  beforeParts(uploadId: string): Promise<void>;
}

/**
 * Encrypts a file and stores it while it arrives. It holds two parts: one is filled while the other is on its way to the
 * bucket. A part that fails is sent once more.
 */
export class ObjectWriter {
  readonly #options: WriterOptions;
  readonly #digest = new crypto.DigestStream("SHA-256");
  readonly #hash = this.#digest.getWriter();
  readonly #sealer: ChunkSealer;
  /** The part that is being filled, and the one that was sent last. */
  #part: Uint8Array<ArrayBuffer>;
  #spare: Uint8Array<ArrayBuffer> | undefined;
  #partBytes = 0;
  #size = 0;
  readonly #head: Uint8Array[] = [];
  /** The nonce prefixes of all parts. */
  readonly #prefixes: Uint8Array[] = [];
  readonly #sent: R2UploadedPart[] = [];
  #sending: Promise<void> = Promise.resolve();
  #upload: R2MultipartUpload | undefined;

  /** `most`: the most bytes that will be written, if that is less than a part. */
  constructor(options: WriterOptions, most: number) {
    const chunksPerPart = chunkCount(options.partBytes);
    this.#options = options;
    this.#part = new Uint8Array(sealedSize(Math.min(most, options.partBytes)));
    this.#sealer = new ChunkSealer(
      options.cipher,
      0,
      (chunk) => (this.#prefixes[Math.floor(chunk / chunksPerPart)] ??= newPrefix()),
    );
    this.#digest.digest.catch(() => {});
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size;
  }

  /** Appends bytes, which may be changed once the promise is resolved. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#size < HEAD_BYTES) this.#head.push(bytes.slice(0, HEAD_BYTES - this.#size));
    this.#size += bytes.length;
    await this.#hash.write(bytes);
    for await (const sealed of this.#sealer.add(bytes)) await this.#append(sealed);
  }

  /** Stores the remaining bytes of a file that is not empty. The object exists from then on. */
  async finish(): Promise<Written> {
    await this.#append(await this.#sealer.last());
    if (this.#upload === undefined) await this.#putWhole();
    else await this.#completeParts(this.#upload);
    await this.#hash.close();
    return {
      size: this.#size,
      sha256: hex(new Uint8Array(await this.#digest.digest)),
      contentType: contentTypeOf(concat(this.#head)),
      nonces: base64(concat(this.#prefixes)),
    };
  }

  /** Ends the work. Resolves when nothing is on its way to the bucket anymore. */
  async abort(): Promise<void> {
    this.#hash.abort().catch(() => {});
    await this.#sending.catch(() => {});
  }

  async #append(sealed: Uint8Array): Promise<void> {
    if (this.#partBytes === sealedSize(this.#options.partBytes)) await this.#sendPart();
    this.#part.set(sealed, this.#partBytes);
    this.#partBytes += sealed.length;
  }

  async #putWhole(): Promise<void> {
    const { bucket, key } = this.#options;
    const bytes = this.#part.subarray(0, this.#partBytes);
    await twice(() => sent(bytes, (body) => bucket.put(key, body)));
  }

  /** Begins to send the part, once the one before it has arrived. */
  async #sendPart(): Promise<void> {
    const upload = (this.#upload ??= await this.#begin());
    await this.#sending;
    const bytes = this.#part.subarray(0, this.#partBytes);
    const number = this.#sent.length + 1;
    this.#sending = twice(() => sent(bytes, (body) => upload.uploadPart(number, body))).then(
      (part) => void this.#sent.push(part),
    );
    // Reported where it is awaited.
    this.#sending.catch(() => {});
    [this.#part, this.#spare] = [this.#spare ?? new Uint8Array(this.#part.length), this.#part];
    this.#partBytes = 0;
  }

  async #begin(): Promise<R2MultipartUpload> {
    const { bucket, key, beforeParts } = this.#options;
    const upload = await twice(() => bucket.createMultipartUpload(key));
    await beforeParts(upload.uploadId);
    return upload;
  }

  async #completeParts(upload: R2MultipartUpload): Promise<void> {
    await this.#sendPart();
    await this.#sending;
    await upload.complete(this.#sent);
  }
}

/** How much is sent to the bucket between two turns of the event loop. */
const PIECE_BYTES = 256 * 1024;
/** How long the bucket may take for a piece, or for its response after the last one, in ms. */
const PATIENCE = 20_000;

/**
 * Sends bytes in pieces. As a whole, a part of 5 MiB keeps everybody else waiting for 0.2 seconds in the local bucket, which writes 4 KiB after 4 KiB
 * (`npm run measure -- turns --only "a job of"`).
 */
async function sent<T>(bytes: Uint8Array, send: (body: ReadableStream<Uint8Array>) => Promise<T>): Promise<T> {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const writer = writable.getWriter();
  const sending = send(readable);
  sending.catch(() => {});
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      // If the bucket fails, nothing reads what is written.
      await Promise.race([taken(writer.write(bytes.subarray(at, at + PIECE_BYTES))), failed(sending)]);
      await nextTurn();
    }
    await Promise.race([taken(writer.close()), failed(sending)]);
    return await taken(sending);
  } catch (error) {
    writer.abort(error).catch(() => {});
    throw error;
  }
}

const failed = (work: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => void work.catch((error: unknown) => reject(error)));

/** Waits for the bucket. On a full disk, the local one neither responds nor fails. */
export async function taken<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Stalled()), PATIENCE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tries once more if the bucket fails. */
export const twice = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch((error: unknown) => {
    if (error instanceof Stalled) throw error;
    return send();
  });

/** The bucket does not take bytes. It has had its time. */
class Stalled extends Error {
  constructor() {
    super("the bucket does not take the bytes");
  }
}
