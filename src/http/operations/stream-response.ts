import type { Payment } from "./payment.ts";
import type { Lease } from "../admission/lease.ts";
import { type ApiError, asApiError } from "../errors/api-error.ts";
import type { RequestLog } from "../exchange/request-log.ts";
import { MinDataRate } from "../multipart/timeouts.ts";
import { limits, MiB } from "../../limits.ts";
import { ClientGone } from "../errors/load-errors.ts";

/** The part of the request's lease that a response needs. */
export type ResponseLease = Pick<
  Lease,
  "check" | "expire" | "explain" | "finishWork" | "mayHold" | "onLost" | "sent" | "waitForReader"
>;

interface ResponseContext {
  readonly log: RequestLog;
  readonly payment: Pick<Payment, "ended" | "reverse">;
  readonly lease: ResponseLease;
}

/** Bytes produced before other requests get a turn. */
const TURN_BYTES = MiB;

/**
 * Sends a response that is in memory, but its last byte only when the charge is confirmed. Does not wait for the reader. Resolves when the charge is
 * confirmed or reversed. Never throws.
 */
export async function sendWhole(
  body: Uint8Array,
  writable: WritableStream<Uint8Array>,
  settled: Promise<void>,
  { log, payment }: Omit<ResponseContext, "lease">,
): Promise<void> {
  const writer = writable.getWriter();
  let isGone = false;
  const write = (bytes: Uint8Array): void =>
    void writer.write(bytes).catch(() => {
      isGone = true;
    });
  const last = body.length - 1;
  if (last > 0) write(body.subarray(0, last));
  try {
    await settled;
    write(body.subarray(last));
    writer.close().catch(() => {});
    log.responseBytes = body.length;
    log.end(200, isGone ? "aborted" : "complete");
  } catch (error) {
    const failure = asApiError(error);
    log.failed(failure);
    await payment.reverse(failure);
    writer.abort(new Error("the response broke off")).catch(() => {});
    log.end(200, "aborted");
  }
}

/**
 * Streams a response while it is charged, but its last chunk only when the charge is confirmed. Produces chunks as fast as memory allows, sends them as
 * fast as the client reads, and returns the engines when the last chunk is produced. Resolves when no more work runs under the lease. Never throws.
 */
export async function streamResponse(
  chunks: AsyncGenerator<Uint8Array, void>,
  writable: WritableStream<Uint8Array>,
  settled: Promise<void>,
  { log, payment, lease }: ResponseContext,
): Promise<void> {
  const queue = new ChunkQueue();
  lease.onLost((reason) => queue.drop(reason));
  const made = make(chunks, queue, lease);
  const writer = writable.getWriter();
  try {
    await send(queue, writer, settled, (bytes) => {
      log.responseBytes += bytes;
      lease.sent(bytes, queue.bytes);
    });
    log.end(200, "complete");
    await payment.ended(log.responseBytes);
  } catch (error) {
    // Nobody will read the rest, and the platform may drop the work for a disconnected client early.
    queue.drop(error);
    lease.expire();
    const failure = error instanceof Broken ? error.failure : undefined;
    if (failure !== undefined) log.failed(failure);
    // Before the client sees the break, so that when it retries its credits are back and its Idempotency-Key is free.
    if (failure !== undefined && failure.status >= 500) await payment.reverse(failure);
    // Not awaited: a client that does not read would block it. Not with the original error: the runtime logs the reason of an
    // abort.
    writer.abort(new Error("the response broke off")).catch(() => {});
    log.end(200, "aborted");
    if (failure === undefined || failure.status < 500) await payment.ended(log.responseBytes, failure);
    await made;
  }
}

/** An error from producing a response, as opposed to sending it. */
class Broken extends Error {
  readonly failure: ApiError;

  constructor(failure: ApiError) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Produces chunks until memory runs out, and continues when they are removed. Never throws: errors go into the queue. */
async function make(chunks: AsyncGenerator<Uint8Array, void>, queue: ChunkQueue, lease: ResponseLease): Promise<void> {
  let clean = true;
  try {
    let sinceTurn = 0;
    for await (const chunk of chunks) {
      lease.check();
      queue.push(chunk);
      sinceTurn += chunk.byteLength;
      while (!lease.mayHold(queue.bytes)) {
        lease.waitForReader();
        await queue.drained();
      }
      if (queue.isDropped) break;
      if (sinceTurn < TURN_BYTES) continue;
      sinceTurn = 0;
      await scheduler.wait(0);
    }
    queue.complete();
  } catch (error) {
    const failure = asApiError(lease.explain(error));
    clean = failure.status < 500;
    queue.fail(failure instanceof ClientGone ? failure : new Broken(failure));
  }
  lease.finishWork(clean, queue.bytes);
}

const tooSlow = (): Error => new Error("the reader is too slow");

/** Sends the chunks in the queue. Throws what producing or charging them threw, `tooSlow`, or that the client is gone. */
async function send(
  queue: ChunkQueue,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  settled: Promise<void>,
  sent: (bytes: number) => void,
): Promise<void> {
  const rate = new MinDataRate(limits.response.graceMilliseconds, limits.slowestBytesPerSecond);
  let isPaid = false;
  const paid = settled.then(
    () => {
      isPaid = true;
    },
    (error: unknown) => {
      throw new Broken(asApiError(error));
    },
  );
  // Something else may end the response first.
  paid.catch(() => {});
  for (let chunk = await queue.next(); chunk !== undefined; chunk = await queue.next()) {
    // Until the charge is confirmed, a chunk goes only once there is another one behind it.
    if (!isPaid) await Promise.race([paid, queue.hasMore()]);
    if (!isPaid && queue.isEmpty) await paid;
    const { byteLength } = chunk;
    await rate.wait(writer.write(chunk), tooSlow);
    rate.passed(byteLength);
    sent(byteLength);
  }
  await paid;
  await writer.close();
}

/**
 * Chunks of a response that are produced but not yet sent. Production and sending run side by side, so that a slow reader does
 * not hold the engine while there is memory for the output.
 */
class ChunkQueue {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isDropped = false;
  #state: "open" | "complete" | { readonly error: unknown } = "open";
  /** Wakes whichever side waits for a change. */
  #changed = Promise.withResolvers<void>();

  /** Bytes that lie here. */
  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#isDropped) return;
    // A view keeps its whole buffer alive, and its producer may overwrite it.
    this.#chunks.push(chunk.byteLength === chunk.buffer.byteLength ? chunk : chunk.slice());
    this.#bytes += chunk.byteLength;
    this.#wake();
  }

  /** There will be no more chunks. */
  complete(): void {
    if (this.#state === "open") this.#state = "complete";
    this.#wake();
  }

  /** Ends an incomplete response: `next` throws `error` after the last chunk. */
  fail(error: unknown): void {
    if (this.#state === "open") this.#state = { error };
    this.#wake();
  }

  /** Discards the queue and any later chunks: `next` throws `error`. */
  drop(error: unknown): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
    this.#isDropped = true;
    this.#state = { error };
    this.#wake();
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Resolves once there is another chunk, or there will be none. */
  async hasMore(): Promise<void> {
    while (this.isEmpty && this.#state === "open") await this.#changed.promise;
  }

  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Removes the next chunk, waiting for one if necessary. Undefined after the last. */
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

  /** Waits until a chunk is removed or the queue is discarded. */
  drained(): Promise<void> {
    return this.#changed.promise;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
