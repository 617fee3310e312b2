import { concat } from "../bytes/concat.ts";

/** Bytes of a chunk but the last, before encryption. Each is encrypted, and can be read, on its own. */
export const CHUNK_BYTES = 64 * 1024;
/** Bytes of AES-GCM's tag, which follows each chunk. */
const TAG_BYTES = 16;
/** Bytes of a chunk but the last, encrypted. */
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;
/** Bytes of the random prefix of a stored part's nonces. */
export const PREFIX_BYTES = 8;
const KEY_BYTES = 32;

/** The number of chunks of `size` bytes. */
export const chunkCount = (size: number): number => Math.ceil(size / CHUNK_BYTES);

/** The size of `size` bytes once they are encrypted. */
export const sealedSize = (size: number): number => size + chunkCount(size) * TAG_BYTES;

/** The stored bytes of a file are not those that were written: bytes are missing, were changed, or exchanged. */
export class DamagedFile extends Error {
  override readonly name = "DamagedFile";
}

export const newFileKey = (): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(KEY_BYTES));
export const newPrefix = (): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(PREFIX_BYTES));

/**
 * Encrypts the chunks of one file with AES-256-GCM (NIST SP 800-38D). The additional data is the file's ID and the chunk's
 * number in the file, so a chunk is valid only in its own place.
 *
 * A nonce must never be used twice with a key. The chunk's number alone would not do: a client may send a part of an upload
 * again with other bytes. So a nonce is 64 random bits, new for each stored part, and the chunk's number in 32 bits (SP 800-38D,
 * section 8.2.1).
 */
export class FileCipher {
  readonly #id: string;
  readonly #key: CryptoKey;

  private constructor(id: string, key: CryptoKey) {
    this.#id = id;
    this.#key = key;
  }

  static async of(id: string, key: Uint8Array<ArrayBuffer>): Promise<FileCipher> {
    const imported = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"]);
    return new FileCipher(id, imported);
  }

  async seal(chunk: number, prefix: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.encrypt(this.#algorithm(chunk, prefix), this.#key, bytes));
  }

  /** Throws `DamagedFile` unless the bytes are those that were sealed as this chunk. */
  async open(chunk: number, prefix: Uint8Array, sealed: Uint8Array): Promise<Uint8Array> {
    try {
      return new Uint8Array(await crypto.subtle.decrypt(this.#algorithm(chunk, prefix), this.#key, sealed));
    } catch (cause) {
      throw new DamagedFile("a chunk is not authentic", { cause });
    }
  }

  #algorithm(chunk: number, prefix: Uint8Array) {
    const number = new Uint8Array(4);
    new DataView(number.buffer).setUint32(0, chunk);
    const additionalData = new TextEncoder().encode(`${this.#id}/${chunk}`);
    return { name: "AES-GCM", iv: concat([prefix, number]), additionalData };
  }
}

/** Cuts consecutive bytes of a file into chunks and encrypts them. */
export class ChunkSealer {
  readonly #cipher: FileCipher;
  /** The nonce prefix of the part that a chunk belongs to. */
  readonly #prefixOf: (chunk: number) => Uint8Array;
  #number: number;
  readonly #chunk = new Uint8Array(CHUNK_BYTES);
  #length = 0;

  /** `first`: the number of the first chunk in the file. */
  constructor(cipher: FileCipher, first: number, prefixOf: (chunk: number) => Uint8Array) {
    this.#cipher = cipher;
    this.#number = first;
    this.#prefixOf = prefixOf;
  }

  /** Adds bytes, and returns the chunks that they complete, encrypted. A full chunk is kept until more bytes come. */
  async *add(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < bytes.length;) {
      if (this.#length === CHUNK_BYTES) yield await this.last();
      const piece = bytes.subarray(at, at + CHUNK_BYTES - this.#length);
      this.#chunk.set(piece, this.#length);
      this.#length += piece.length;
      at += piece.length;
    }
  }

  /** The chunk that was kept, encrypted. */
  async last(): Promise<Uint8Array> {
    const bytes = this.#chunk.subarray(0, this.#length);
    this.#length = 0;
    const number = this.#number++;
    return this.#cipher.seal(number, this.#prefixOf(number), bytes);
  }
}
