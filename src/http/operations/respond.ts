import { begin, chunksOf } from "./chunks.ts";
import type { Payment } from "./payment.ts";
import { deliver, type ResponseLease } from "./stream-response.ts";
import { attachment } from "../exchange/headers.ts";
import type { RequestLog } from "../exchange/request-log.ts";
import { zipOf } from "./zip.ts";
import { limits } from "../../limits.ts";
import { imageExtensions, type Output } from "../../operations/define.ts";

export interface Answering {
  /** What the file is called, without its extension. */
  readonly name: string;
  readonly log: RequestLog;
  readonly payment: Pick<Payment, "settle" | "ended" | "giveBack">;
  /** Passes to the response where `answer` returns one. */
  readonly lease: ResponseLease;
  /** Keeps the request alive until its stream has ended, even when the caller is gone. */
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Makes the answer of an output and charges the call before its first byte. Whatever is not whole within the first MiB is
 * streamed while it is made. Throws, with nothing released, what goes wrong before
 * the first byte is sent; when it goes wrong later the stream breaks off, so that no part of a ZIP or of an image looks like
 * a whole one. Where that is our fault the call is refunded; where it is the document's, what was delivered is paid for.
 */
export async function answer(output: Output, answering: Answering): Promise<Response> {
  const { log, lease, payment } = answering;
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const [name, value] of Object.entries(output.headers)) headers.set(name, value);
  const pages = output.headers["X-Page-Count"];
  if (pages !== undefined) log.pageCount = Number(pages);

  const { type, extension, length, chunks } = contentOf(output);
  headers.set("Content-Type", type);
  if (extension !== undefined) headers.set("Content-Disposition", attachment(`${answering.name}.${extension}`));
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
  log.streaming = true;
  answering.waitUntil(deliver(resumed(taken, chunks), writable, answering));
  return new Response(readable, { headers });
}

/** Charges the call, now that there is an answer and before its first byte. `bytes`: null where it is streamed. */
async function charge(headers: Headers, payment: Answering["payment"], bytes: number | null): Promise<void> {
  for (const [name, value] of Object.entries(await payment.settle(bytes))) headers.set(name, value);
}

interface Content {
  readonly type: string;
  /** Of the file, where the response is one. */
  readonly extension?: string;
  /** Bytes, where they are known. */
  readonly length?: number;
  readonly chunks: AsyncGenerator<Uint8Array, void>;
}

function contentOf(output: Output): Content {
  const { kind } = output;
  if (kind === "json") {
    const json = new TextEncoder().encode(JSON.stringify(output.value));
    const bytes = { length: json.length, view: (start: number, end: number) => json.subarray(start, end), free() {} };
    return { type: "application/json", length: json.length, chunks: chunksOf(bytes) };
  }
  if (kind === "zip") return { type: "application/zip", extension: kind, chunks: zipOf(output.entries) };
  const chunks = chunksOf(output.bytes);
  if (kind === "pdf") return { type: "application/pdf", extension: kind, length: output.bytes.length, chunks };
  return { type: `image/${output.format}`, extension: imageExtensions[output.format], chunks };
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
