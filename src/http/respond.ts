import { inChunks, pump } from "./chunks.ts";
import { asApiError } from "./errors.ts";
import type { Payment } from "./credits.ts";
import { attachment } from "./headers.ts";
import type { RequestLog } from "./request-log.ts";
import { zipOf } from "./zip.ts";
import { limits } from "../limits.ts";
import type { Output } from "../operations/define.ts";

export interface Answering {
  /** What the file is called, without its extension. */
  readonly name: string;
  readonly log: RequestLog;
  readonly payment: Pick<Payment, "settle" | "giveBack">;
  /** Gives engines and memory back; `clean: false` where the engine cannot be trusted any more. */
  release(clean: boolean): void;
  /** What an error that came out of the engine means. */
  explain(error: unknown): unknown;
  /** Keeps the request alive until its stream has ended, even when the caller is gone. */
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Makes the answer of an output and charges the call. Whatever does not fit into a copy at once is streamed out of the engine's heap, which is
 * then held until the last byte. Throws, with nothing released, when the first entry of a ZIP cannot be made; when a
 * later one fails the stream breaks off, so that no part of a ZIP looks like a whole one.
 */
export async function answer(output: Output, answering: Answering): Promise<Response> {
  const { log, release, payment } = answering;
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const [name, value] of Object.entries(output.headers)) headers.set(name, value);
  const pages = output.headers["X-Page-Count"];
  if (pages !== undefined) log.pageCount = Number(pages);

  if (output.kind === "json") {
    const body = new TextEncoder().encode(JSON.stringify(output.value));
    release(true);
    headers.set("Content-Type", "application/json");
    return whole(body, await charged(headers, payment), log);
  }
  headers.set("Content-Type", `application/${output.kind}`);
  headers.set("Content-Disposition", attachment(`${answering.name}.${output.kind}`));
  if (output.kind === "zip") {
    const chunks = zipOf(output.entries);
    const first = chunks.next();
    const { readable, writable } = new IdentityTransformStream();
    return stream(resumed(first, chunks), readable, writable, await charged(headers, payment), answering);
  }
  const { bytes } = output;
  if (bytes.length <= limits.answer.copiedBytes) {
    const body = new Uint8Array(bytes.view(0, bytes.length));
    release(true);
    return whole(body, await charged(headers, payment), log);
  }
  headers.set("Content-Length", String(bytes.length));
  const { readable, writable } = new FixedLengthStream(bytes.length);
  return stream(inChunks(bytes), readable, writable, await charged(headers, payment), answering);
}

/** Charges the call, now that there is an answer and before its first byte. */
async function charged(headers: Headers, payment: Answering["payment"]): Promise<Headers> {
  for (const [name, value] of Object.entries(await payment.settle())) headers.set(name, value);
  return headers;
}

function whole(body: Uint8Array, headers: Headers, log: RequestLog): Response {
  log.answerBytes = body.byteLength;
  headers.set("Content-Length", String(body.byteLength));
  return new Response(body, { headers });
}

function stream(
  chunks: Iterator<Uint8Array, void>,
  readable: ReadableStream,
  writable: WritableStream<Uint8Array>,
  headers: Headers,
  { log, release, explain, waitUntil, payment }: Answering,
): Response {
  log.streaming = true;
  let making = true;
  const guarded = guard(chunks, () => (making = false));
  const count = (bytes: number): void => void (log.answerBytes += bytes);
  // An error of ours breaks the stream off; otherwise the caller went away, which is no fault of the engine. Who sees the
  // break and asks again has the credits back by then, and the Idempotency-Key is free.
  const breaking = async (error: unknown): Promise<void> => {
    if (making) return;
    log.failed(asApiError(explain(error)));
    release(false);
    await payment.giveBack();
  };
  const pumped = pump(guarded, writable, count, limits.answer.stallMilliseconds, breaking).then(
    () => {
      release(true);
      log.end(200, "complete");
    },
    () => {
      if (making) release(true);
      log.end(200, "aborted");
    },
  );
  waitUntil(pumped);
  return new Response(readable, { headers });
}

/** Tells when it is the making of a chunk that throws. */
function* guard(chunks: Iterator<Uint8Array, void>, failed: () => void): Generator<Uint8Array, void> {
  try {
    for (;;) {
      let next: IteratorResult<Uint8Array, void>;
      try {
        next = chunks.next();
      } catch (error) {
        failed();
        throw error;
      }
      if (next.done) return;
      yield next.value;
    }
  } finally {
    chunks.return?.();
  }
}

/** A generator whose first result was already taken. */
function* resumed(
  first: IteratorResult<Uint8Array, void>,
  chunks: Generator<Uint8Array, void>,
): Generator<Uint8Array, void> {
  try {
    if (!first.done) yield first.value;
    yield* chunks;
  } finally {
    chunks.return();
  }
}
