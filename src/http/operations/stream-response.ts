import type { Payment } from "./payment.ts";
import { type ApiError, asApiError } from "../errors/api-error.ts";
import { ClientGone, type Lease } from "../admission/lease.ts";
import { Outbox } from "./chunk-queue.ts";
import type { RequestLog } from "../exchange/request-log.ts";
import { Pace } from "../multipart/timeouts.ts";
import { limits, MiB } from "../../limits.ts";

/** What a response needs of its request's lease. */
export type ResponseLease = Pick<
  Lease,
  "check" | "expire" | "explain" | "finishWork" | "mayHold" | "onLost" | "release" | "sent" | "waitForReader"
>;

interface Delivery {
  readonly log: RequestLog;
  readonly payment: Pick<Payment, "ended" | "giveBack">;
  readonly lease: ResponseLease;
}

/** Bytes that are made between two turns of other requests. */
const TURN_BYTES = MiB;

/**
 * Streams a response that is charged: makes its chunks as fast as memory for them allows, sends them as fast as the client
 * reads, and gives the engines back with the last that is made. Never throws.
 */
export async function deliver(
  chunks: AsyncGenerator<Uint8Array, void>,
  writable: WritableStream<Uint8Array>,
  { log, payment, lease }: Delivery,
): Promise<void> {
  const outbox = new Outbox();
  lease.onLost((reason) => outbox.drop(reason));
  const made = make(chunks, outbox, lease);
  const writer = writable.getWriter();
  try {
    await send(outbox, writer, (bytes) => {
      log.answerBytes += bytes;
      lease.sent(bytes, outbox.bytes);
    });
    lease.release(true);
    log.end(200, "complete");
    await payment.ended(log.answerBytes);
  } catch (error) {
    // Nobody takes what is still made; and what the platform makes of a lost client may never come to an end.
    outbox.drop(error);
    lease.expire();
    const release = made.then(() => lease.release(true));
    const failure = error instanceof Broken ? error.failure : undefined;
    if (failure !== undefined) log.failed(failure);
    // Whoever sees the break and asks again has the credits back by then, and the Idempotency-Key is free.
    if (failure !== undefined && failure.status >= 500) await payment.giveBack(failure);
    // Not waited for: a reader that takes nothing would hold it up.
    // And not with the error itself: the runtime logs what breaks a response.
    writer.abort(new Error("the response broke off")).catch(() => {});
    log.end(200, "aborted");
    if (failure === undefined || failure.status < 500) await payment.ended(log.answerBytes, failure);
    await release;
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

/** Makes chunks until memory runs out, and goes on as they are taken out. Never throws: what goes wrong is in the outbox. */
async function make(chunks: AsyncGenerator<Uint8Array, void>, outbox: Outbox, lease: ResponseLease): Promise<void> {
  let clean = true;
  try {
    let sinceTurn = 0;
    for await (const chunk of chunks) {
      lease.check();
      outbox.push(chunk);
      sinceTurn += chunk.byteLength;
      while (!lease.mayHold(outbox.bytes)) {
        lease.waitForReader();
        await outbox.drained();
      }
      if (outbox.isDropped) break;
      if (sinceTurn < TURN_BYTES) continue;
      sinceTurn = 0;
      await scheduler.wait(0);
    }
    outbox.complete();
  } catch (error) {
    const failure = asApiError(lease.explain(error));
    clean = failure.status < 500;
    outbox.fail(failure instanceof ClientGone ? failure : new Broken(failure));
  }
  lease.finishWork(clean, outbox.bytes);
}

const tooSlow = (): Error => new Error("the reader is too slow");

/** Sends what comes out of the outbox. Throws what making it threw, or `tooSlow`, or that the client is gone. */
async function send(
  outbox: Outbox,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  sent: (bytes: number) => void,
): Promise<void> {
  const pace = new Pace(limits.answer.slackMilliseconds, limits.slowestBytesPerSecond);
  for (let chunk = await outbox.next(); chunk !== undefined; chunk = await outbox.next()) {
    const { byteLength } = chunk;
    await pace.wait(writer.write(chunk), tooSlow);
    pace.passed(byteLength);
    sent(byteLength);
  }
  await writer.close();
}
