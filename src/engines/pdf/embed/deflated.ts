import { Zlib } from "fflate";
import { Collector } from "../mupdf/collector.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";

/** Bytes passed to the platform at a time. */
const BATCH = 64 * 1024;

/**
 * A zlib stream compressed by the platform as bytes arrive, two to six times as fast as a library. Once disposed or ended,
 * it no longer writes into the engine's heap.
 */
export class Deflated implements Disposable {
  readonly #collector: Collector;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #collected: Promise<void>;
  #batch = new Uint8Array(BATCH);
  #filled = 0;
  #stopped = false;

  constructor(engine: PdfEngine) {
    this.#collector = new Collector(engine);
    const { readable, writable } = new CompressionStream("deflate");
    this.#writer = writable.getWriter();
    this.#collected = this.#collect(readable.getReader());
    // The error is reported to the next writer.
    this.#collected.catch(() => {});
  }

  /**
   * Writes a copy of the bytes. If it returns a promise, await it before the next write.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory)
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#filled + bytes.length > BATCH) return this.#sendWith(bytes);
    this.#batch.set(bytes, this.#filled);
    this.#filled += bytes.length;
    return undefined;
  }

  /** @throws Refusal as `write` */
  async end(): Promise<EngineBytes> {
    await this.#send(this.#batch.subarray(0, this.#filled));
    await this.#original(this.#writer.close());
    await this.#collected;
    return this.#collector.bytes;
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#writer.abort().catch(() => {});
  }

  async #sendWith(bytes: Uint8Array): Promise<void> {
    await this.#send(this.#batch.subarray(0, this.#filled));
    this.#batch = new Uint8Array(BATCH);
    this.#filled = 0;
    let at = 0;
    for (; bytes.length - at > BATCH; at += BATCH) await this.#send(bytes.slice(at, at + BATCH));
    this.#batch.set(bytes.subarray(at));
    this.#filled = bytes.length - at;
  }

  #send(bytes: Uint8Array): Promise<void> {
    return this.#original(this.#writer.write(bytes));
  }

  /** An error of the stream is reported by its reader. */
  async #original(done: Promise<void>): Promise<void> {
    try {
      await done;
    } catch (error) {
      await this.#collected;
      throw error;
    }
  }

  async #collect(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    try {
      for (let next = await reader.read(); !next.done && !this.#stopped; next = await reader.read()) {
        this.#collector.write(next.value);
      }
    } catch (error) {
      reader.cancel(error).catch(() => {});
      throw error;
    }
  }
}

/** Low compression level: on noise, more effort takes twice the time and saves nothing. */
const LEVEL = 2;

/** The same for synchronous code. */
export class DeflatedAtOnce {
  readonly #collector: Collector;
  readonly #stream: Zlib;

  constructor(engine: PdfEngine) {
    this.#collector = new Collector(engine);
    this.#stream = new Zlib({ level: LEVEL }, (chunk) => this.#collector.write(chunk));
  }

  /** @throws Refusal `limit_exceeded`, `overloaded` (memory) */
  write(bytes: Uint8Array): void {
    this.#stream.push(bytes);
  }

  end(): EngineBytes {
    this.#stream.push(new Uint8Array(), true);
    return this.#collector.bytes;
  }
}
