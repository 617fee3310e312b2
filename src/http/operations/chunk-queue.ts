/**
 * The chunks of a response that are made and not yet sent. Making and sending go on side by side, so that a slow reader does not hold the
 * engine while there is memory for what it makes.
 */
export class ChunkQueue {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isDropped = false;
  #state: "open" | "complete" | { readonly error: unknown } = "open";
  /** Whoever waits for a change; there are two sides, and either may. */
  #changed = Promise.withResolvers<void>();

  /** Bytes that lie here. */
  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#isDropped) return;
    // A view keeps all that it looks at, and may be overwritten by whoever made it.
    this.#chunks.push(chunk.byteLength === chunk.buffer.byteLength ? chunk : chunk.slice());
    this.#bytes += chunk.byteLength;
    this.#wake();
  }

  /** There will be no more chunks. */
  complete(): void {
    if (this.#state === "open") this.#state = "complete";
    this.#wake();
  }

  /** There will be no more chunks, and what there is does not make a whole: `next` throws `error` behind the last. */
  fail(error: unknown): void {
    if (this.#state === "open") this.#state = { error };
    this.#wake();
  }

  /** Throws away what lies here, and what is still made: `next` throws `error`. */
  drop(error: unknown): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
    this.#isDropped = true;
    this.#state = { error };
    this.#wake();
  }

  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** The next chunk, taken out; waits for one to be made. Undefined behind the last. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.byteLength;
        this.#wake();
        return chunk;
      }
      if (this.#state === "complete") return undefined;
      if (this.#state !== "open") throw this.#state.error;
      await this.#changed.promise;
    }
  }

  /** Waits until something was taken out or thrown away. */
  drained(): Promise<void> {
    return this.#changed.promise;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
