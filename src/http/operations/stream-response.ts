import type { Payment } from "./payment.ts";
import { type ApiError, asApiError } from "../errors/api-error.ts";
import { ClientGone, type Lease } from "../admission/lease.ts";
import { ChunkQueue } from "./chunk-queue.ts";
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
