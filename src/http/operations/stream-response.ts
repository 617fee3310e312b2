import type { Payment } from "./payment.ts";
import { ClientGone, type Lease } from "../admission/lease.ts";
import { type ApiError, asApiError } from "../errors/api-error.ts";
import type { RequestLog } from "../exchange/request-log.ts";
import { MinDataRate } from "../multipart/timeouts.ts";
import { limits, MiB } from "../../limits.ts";

/** What a response needs of its request's lease. Whoever took the lease releases it. */
export type ResponseLease = Pick<
  Lease,
  "check" | "expire" | "explain" | "finishWork" | "mayHold" | "onLost" | "sent" | "waitForReader"
>;

interface ResponseContext {
  readonly log: RequestLog;
  readonly payment: Pick<Payment, "ended" | "reverse">;
  readonly lease: ResponseLease;
}

/** Bytes that are made between two turns of other requests. */
const TURN_BYTES = MiB;

/**
 * Streams a response that has been charged: makes its chunks as fast as memory for them allows, sends them as fast as the client reads, and
 * returns the engines when the last chunk is made. Ends when nothing works under the lease any more. Never throws.
 */
export async function streamResponse(
  chunks: AsyncGenerator<Uint8Array, void>,
  writable: WritableStream<Uint8Array>,
  { log, payment, lease }: ResponseContext,
): Promise<void> {
  const queue = new ChunkQueue();
  lease.onLost((reason) => queue.drop(reason));
  const made = make(chunks, queue, lease);
  const writer = writable.getWriter();
  try {
    await send(queue, writer, (bytes) => {
      log.responseBytes += bytes;
      lease.sent(bytes, queue.bytes);
    });
    log.end(200, "complete");
    await payment.ended(log.responseBytes);
  } catch (error) {
    // Nobody takes what is still made, and the platform may drop the work for a client that is gone before it ends.
    queue.drop(error);
    lease.expire();
    const failure = error instanceof Broken ? error.failure : undefined;
    if (failure !== undefined) log.failed(failure);
    // A client that sees the break and retries has its credits back by then, and its Idempotency-Key is free.
    if (failure !== undefined && failure.status >= 500) await payment.reverse(failure);
    // Not awaited: a reader that takes nothing would hold it up. Not with the error itself: the runtime logs what breaks a response.
    writer.abort(new Error("the response broke off")).catch(() => {});
    log.end(200, "aborted");
    if (failure === undefined || failure.status < 500) await payment.ended(log.responseBytes, failure);
    await made;
  }
}

/** What went wrong in making a response, apart from what went wrong in sending it. */
class Broken extends Error {
  readonly failure: ApiError;

  constructor(failure: ApiError) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Makes chunks until memory runs out, and goes on as they are taken out. Never throws: what goes wrong is in the queue. */
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

/** Sends what comes out of the queue. Throws what making it threw, or `tooSlow`, or that the client is gone. */
async function send(
  queue: ChunkQueue,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  sent: (bytes: number) => void,
): Promise<void> {
  const rate = new MinDataRate(limits.response.graceMilliseconds, limits.slowestBytesPerSecond);
  for (let chunk = await queue.next(); chunk !== undefined; chunk = await queue.next()) {
    const { byteLength } = chunk;
    await rate.wait(writer.write(chunk), tooSlow);
    rate.passed(byteLength);
    sent(byteLength);
  }
  await writer.close();
}

/**
 * The chunks of a response that are made and not yet sent. Making and sending go on side by side, so that a slow reader does not hold the
 * engine while there is memory for what it makes.
 */
class ChunkQueue {
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
