import { begin, chunksOf, pump } from "./chunks.ts";
import { type ApiError, asApiError } from "./errors.ts";
import type { Payment } from "./credits.ts";
import { attachment } from "./headers.ts";
import { ClientGone, type Lease } from "./lease.ts";
import type { RequestLog } from "./request-log.ts";
import { zipOf } from "./zip.ts";
import { limits } from "../limits.ts";
import { imageExtensions, type Output } from "../operations/define.ts";

export interface Answering {
  /** What the file is called, without its extension. */
  readonly name: string;
  readonly log: RequestLog;
  readonly payment: Pick<Payment, "settle" | "ended" | "giveBack">;
  /** Passes to the response where `answer` returns one. */
  readonly lease: Pick<Lease, "check" | "explain" | "release">;
  /** Keeps the request alive until its stream has ended, even when the caller is gone. */
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Makes the answer of an output and charges the call before its first byte. Whatever is not whole within the first MiB is
 * streamed while it is made, and holds the engine until the last byte. Throws, with nothing released, what goes wrong before
 * the first byte is sent; when it goes wrong later the stream breaks off, so that no part of a ZIP or of an image looks like
 * a whole one. Where that is our fault the call is refunded; where it is the document's, what was delivered is paid for.
 */
export async function answer(output: Output, answering: Answering): Promise<Response> {
  const { log, lease, payment } = answering;
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const [name, value] of Object.entries(output.headers)) headers.set(name, value);
  const pages = output.headers["X-Page-Count"];
  if (pages !== undefined) log.pageCount = Number(pages);

  if (output.kind === "json") {
    const body = new TextEncoder().encode(JSON.stringify(output.value));
    lease.check();
    lease.release(true);
    headers.set("Content-Type", "application/json");
    return whole([body], headers, answering);
  }
  const { type, extension, length } = kindOf(output);
  headers.set("Content-Type", type);
  headers.set("Content-Disposition", attachment(`${answering.name}.${extension}`));
  const chunks = output.kind === "zip" ? zipOf(output.entries) : chunksOf(output.bytes);
  const { copiedBytes } = limits.answer;
  // Of a ZIP only the first chunk: its reader need not wait for more than one entry.
  const streamed = output.kind === "zip" || (length !== undefined && length > copiedBytes);
  const { taken, all } = await begin(chunks, streamed ? 1 : copiedBytes + 1);
  // Whom there is nothing to send to is not charged.
  lease.check();
  if (all) {
    lease.release(true);
    return whole(taken, headers, answering);
  }
  if (length !== undefined) headers.set("Content-Length", String(length));
  const { readable, writable } = length === undefined ? new IdentityTransformStream() : new FixedLengthStream(length);
  await charge(headers, payment, null);
  return stream(resumed(taken, chunks), readable, writable, headers, answering);
}

/** Charges the call, now that there is an answer and before its first byte. `bytes`: null where it is streamed. */
async function charge(headers: Headers, payment: Answering["payment"], bytes: number | null): Promise<void> {
  for (const [name, value] of Object.entries(await payment.settle(bytes))) headers.set(name, value);
}

/** `length`: bytes, where they are known. */
function kindOf(output: Exclude<Output, { kind: "json" }>): { type: string; extension: string; length?: number } {
  if (output.kind === "image") {
    return { type: `image/${output.format}`, extension: imageExtensions[output.format] };
  }
  const { kind } = output;
  return { type: `application/${kind}`, extension: kind, ...(kind === "pdf" && { length: output.bytes.length }) };
}

async function whole(
  chunks: readonly Uint8Array[],
  headers: Headers,
  { log, payment }: Pick<Answering, "log" | "payment">,
): Promise<Response> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  await charge(headers, payment, length);
  log.answerBytes = length;
  headers.set("Content-Length", String(length));
  return new Response(body, { headers });
}

function stream(
  chunks: AsyncGenerator<Uint8Array, void>,
  readable: ReadableStream,
  writable: WritableStream<Uint8Array>,
  headers: Headers,
  { log, lease, waitUntil, payment }: Answering,
): Response {
  log.streaming = true;
  /** What went wrong in making the next chunk. Without it a stream that breaks off was left by its client. */
  let failure: ApiError | undefined;
  const guarded = guard(chunks, (error) => {
    const explained = asApiError(lease.explain(error));
    if (!(explained instanceof ClientGone)) failure = explained;
  });
  const count = (bytes: number): void => {
    log.answerBytes += bytes;
    lease.check();
  };
  // Whoever sees the break and asks again has the credits back by then, and the Idempotency-Key is free.
  const breaking = async (): Promise<void> => {
    if (failure === undefined) return;
    log.failed(failure);
    lease.release(failure.status < 500);
    if (failure.status >= 500) await payment.giveBack(failure);
  };
  const pumped = pump(guarded, writable, count, limits.answer.stallMilliseconds, breaking).then(
    async () => {
      lease.release(true);
      log.end(200, "complete");
      await payment.ended(log.answerBytes);
    },
    async () => {
      if (failure === undefined) lease.release(true);
      log.end(200, "aborted");
      if (failure === undefined || failure.status < 500) await payment.ended(log.answerBytes, failure);
    },
  );
  waitUntil(pumped);
  return new Response(readable, { headers });
}

/** Tells when it is the making of a chunk that throws. */
async function* guard(
  chunks: AsyncGenerator<Uint8Array, void>,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (;;) {
      let next: IteratorResult<Uint8Array, void>;
      try {
        next = await chunks.next();
      } catch (error) {
        failed(error);
        throw error;
      }
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await chunks.return();
  }
}

/** A generator of which the first chunks were already taken. */
async function* resumed(
  taken: readonly Uint8Array[],
  chunks: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* taken;
    yield* chunks;
  } finally {
    await chunks.return();
  }
}
