/** Encrypts the strings and streams of objects (ISO 32000-2, 7.6.3). */
import type { EngineBytes } from "../../memory/heap.ts";
import { concat } from "../../../bytes/concat.ts";
import { type CipherMethod, type FileKey, littleEndian, type PlatformCrypto } from "./parameters.ts";
import { rc4 } from "./rc4.ts";

/** Size of an AES block, and of an initialization vector, in bytes. */
const BLOCK = 16;

/** Bytes that are encrypted at once: WebCrypto copies its input and its output. A whole number of blocks. */
const CHUNK = 256 * 1024;

/** What Algorithm 1 adds to the file key for AES. */
const SALT = new TextEncoder().encode("sAlT");
const NONE = new Uint8Array();

/** Longest key in bytes that Algorithm 1 derives. */
const MOST_KEY = 16;

interface ObjectName {
  readonly number: number;
  readonly generation: number;
}

/** A string or the data of a stream. */
export interface Plaintext {
  readonly object: ObjectName;
  readonly use: "strings" | "streams";
  readonly data: EngineBytes;
}

/** The platform did not encrypt: nothing that was written so far may be sent. */
export class CipherFailure extends Error {}

/** Encrypts the data of a file with its key. */
export class Cipher {
  readonly #crypto: PlatformCrypto;
  readonly #file: FileKey;
  /** The key of the file with AES-256, where all objects have the same; else that of the last object. */
  #last: { readonly name: string; readonly key: Promise<CryptoKey> } | undefined;

  constructor(crypto: PlatformCrypto, file: FileKey) {
    this.#crypto = crypto;
    this.#file = file;
  }

  get encryptsStrings(): boolean {
    return this.#file.strings !== "none";
  }

  get encryptsStreams(): boolean {
    return this.#file.streams !== "none";
  }

  /** The length of so many bytes once they are encrypted. */
  lengthOf(use: Plaintext["use"], length: number): number {
    const method = this.#file[use];
    return method === "none" || method === "rc4" ? length : BLOCK + length + paddingOf(length);
  }

  /**
   * Encrypts data, which is read and returned in pieces. Data with the same key is encrypted as one message, since a call of WebCrypto takes
   * longer than encrypting a few kilobytes.
   * @throws CipherFailure
   */
  async encrypt(plaintexts: readonly Plaintext[]): Promise<Uint8Array[][]> {
    const encrypted: Uint8Array[][] = [];
    try {
      for (let from = 0, to = 0; from < plaintexts.length; from = to) {
        const name = this.#keyName(plaintexts[from]);
        while (to < plaintexts.length && this.#keyName(plaintexts[to]) === name) to++;
        encrypted.push(...(await this.#withOneKey(plaintexts.slice(from, to))));
      }
    } catch (cause) {
      throw new CipherFailure("the cipher failed", { cause });
    }
    return encrypted;
  }

  /** The same for all that is encrypted with the same key in the same way. */
  #keyName(plaintext: Plaintext | undefined): string {
    if (!plaintext) return "";
    const { use, object } = plaintext;
    const method = this.#file[use];
    return method === "none" || method === "aes-256" ? method : `${method} ${object.number} ${object.generation}`;
  }

  async #withOneKey(plaintexts: readonly Plaintext[]): Promise<Uint8Array[][]> {
    const [first] = plaintexts;
    if (!first) return [];
    const method = this.#file[first.use];
    const data = plaintexts.map((plaintext) => plaintext.data);
    const whole = (one: EngineBytes): Uint8Array => one.view(0, one.length);
    if (method === "none") return data.map((one) => [whole(one)]);
    if (method === "rc4") {
      const key = await this.#objectKey(first.object, NONE);
      return data.map((one) => [rc4(key, whole(one))]);
    }
    return this.#aesCbc(await this.#aesKey(method, first.object), data);
  }

  /**
   * Encrypts data as one message in CBC mode, each padded on its own. The first begins with a random initialization vector. The vector of each
   * other is the last block before it: all data is given before any of it is encrypted, so nobody could choose data for a vector that they
   * have seen.
   */
  async #aesCbc(key: CryptoKey, data: readonly EngineBytes[]): Promise<Uint8Array[][]> {
    const encrypted = data.map((): Uint8Array[] => []);
    let last = this.#crypto.getRandomValues(new Uint8Array(BLOCK));
    let plain: Uint8Array[] = [];
    let size = 0;
    /** Which data are in `plain`, and where each starts; one that continues starts at 0, too, but not its vector. */
    let members: { readonly to: Uint8Array[]; readonly start: number; readonly isFirst: boolean }[] = [];
    const flush = async (): Promise<void> => {
      const [only] = plain;
      const bytes = (plain.length === 1 && only ? only : concat(plain)) as Uint8Array<ArrayBuffer>;
      // WebCrypto pads its input; this is padded already.
      const algorithm = { name: "AES-CBC", iv: last };
      const output = new Uint8Array(await this.#crypto.subtle.encrypt(algorithm, key, bytes)).subarray(0, size);
      for (const [index, { to, start, isFirst }] of members.entries()) {
        const end = members[index + 1]?.start ?? size;
        if (isFirst && start === 0) to.push(last);
        to.push(output.subarray(isFirst ? Math.max(0, start - BLOCK) : start, end));
      }
      last = output.slice(-BLOCK);
      [plain, members, size] = [[], [], 0];
    };
    for (const [index, one] of data.entries()) {
      const { length } = one;
      const padding = paddingOf(length);
      for (let from = 0, isFirst = true; from < length + padding; isFirst = false) {
        if (size === CHUNK) await flush();
        const to = from + Math.min(CHUNK - size, length + padding - from);
        members.push({ to: encrypted[index] ?? [], start: size, isFirst });
        if (from < length) plain.push(one.view(from, Math.min(to, length)));
        if (to > length) plain.push(new Uint8Array(to - Math.max(from, length)).fill(padding));
        size += to - from;
        from = to;
      }
    }
    if (size > 0) await flush();
    return encrypted;
  }

  #aesKey(method: CipherMethod, object: ObjectName): Promise<CryptoKey> {
    const name = method === "aes-256" ? "" : `${object.number} ${object.generation}`;
    if (this.#last?.name === name) return this.#last.key;
    const key = (async () => {
      const bytes = method === "aes-256" ? this.#file.key : await this.#objectKey(object, SALT);
      return this.#crypto.subtle.importKey("raw", bytes, "AES-CBC", false, ["encrypt"]);
    })();
    this.#last = { name, key };
    return key;
  }

  /** The key of an object (Algorithm 1). */
  async #objectKey({ number, generation }: ObjectName, salt: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const { key } = this.#file;
    const object = [littleEndian(number).subarray(0, 3), littleEndian(generation).subarray(0, 2)];
    const hash = await this.#crypto.subtle.digest("MD5", concat([key, ...object, salt]));
    return new Uint8Array(hash).slice(0, Math.min(key.length + 5, MOST_KEY));
  }
}

/** Bytes that fill the last block: 1 to 16 (7.6.3.1). */
const paddingOf = (length: number): number => BLOCK - (length % BLOCK);
