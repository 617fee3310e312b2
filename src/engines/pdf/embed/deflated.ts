import { Zlib } from "fflate";
import { Collector } from "../mupdf/collector.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";

/** Bytes that are handed to the platform at a time. */
const BATCH = 64 * 1024;

/**
 * A zlib stream that the platform makes as bytes come, two to six times as fast as a library. `using` it, or its end, lets go
 * of it: nothing is written into the engine's heap any more.
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
    // Whoever writes next is told.
    this.#collected.catch(() => {});
  }

  /**
   * Takes bytes, as a copy. Wait for what it gives back, where it gives anything, before the next.
   * @throws Refusal `limit_exceeded`, `overloaded` (memory).
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#filled + bytes.length > BATCH) return this.#sendWith(bytes);
    this.#batch.set(bytes, this.#filled);
    this.#filled += bytes.length;
    return undefined;
  }

  /** @throws Refusal as `write`. */
  async end(): Promise<EngineBytes> {
    await this.#send(this.#batch.subarray(0, this.#filled));
    await this.#told(this.#writer.close());
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
    return this.#told(this.#writer.write(bytes));
  }

  /** What broke the stream is told by the one who reads it. */
  async #told(done: Promise<void>): Promise<void> {
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

/** Little effort: more of it takes twice the time on noise and makes it no smaller. */
const LEVEL = 2;

/** The same where nothing can be waited for. */
export class DeflatedAtOnce {
  readonly #collector: Collector;
  readonly #stream: Zlib;

  constructor(engine: PdfEngine) {
    this.#collector = new Collector(engine);
    this.#stream = new Zlib({ level: LEVEL }, (chunk) => this.#collector.write(chunk));
  }

  /** @throws Refusal `limit_exceeded`, `overloaded` (memory). */
  write(bytes: Uint8Array): void {
    this.#stream.push(bytes);
  }

  end(): EngineBytes {
    this.#stream.push(new Uint8Array(), true);
    return this.#collector.bytes;
  }
}
