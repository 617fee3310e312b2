import type { Payment, Settlement } from "./payment.ts";
import { type ResponseLease, sendWhole, streamResponse } from "./stream-response.ts";
import { zipOf } from "./zip.ts";
import { attachment } from "../exchange/headers.ts";
import type { RequestLog } from "../exchange/request-log.ts";
import { chunksOf } from "../../engines/memory/chunks.ts";
import { MiB } from "../../limits.ts";
import { XLSX } from "../../operations/definition/modes.ts";
import { imageExtensions, type Output, textExtensions } from "../../operations/definition/define.ts";

/** Responses up to this size are copied at once, so that their engine is free for the next request. */
const COPIED_BYTES = 1 * MiB;

export interface ResponseContext {
  /** The file name without its extension. */
  readonly name: string;
  readonly log: RequestLog;
  readonly payment: Pick<Payment, "settle" | "ended" | "reverse">;
  readonly lease: ResponseLease;
}

export interface StartedResponse {
  readonly response: Response;
  /**
   * Resolves when the charge is confirmed or reversed and, for a streamed response, it is sent or aborted: no more work runs under the lease.
   */
  readonly sent?: Promise<void>;
}

/**
 * Builds the response for an output and charges the request while the response begins. The end of the response is held back until the charge is
 * confirmed, so that nobody gets a complete response that is not paid for. A response that is not complete within the first MiB is streamed while it is
 * produced. Throws errors from before the first byte. Later errors abort the stream, so that no partial ZIP or image looks complete: a fault of the
 * service refunds the charge, a fault of the document does not.
 */
export async function respond(output: Output, context: ResponseContext): Promise<StartedResponse> {
  const { log, lease, payment } = context;
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const [name, value] of Object.entries(output.headers)) headers.set(name, value);
  const pages = output.headers["X-Page-Count"];
  if (pages !== undefined) log.pageCount = Number(pages);

  const { type, fileName, length, chunks } = contentOf(output, context.name);
  headers.set("Content-Type", type);
  if (fileName !== undefined) headers.set("Content-Disposition", attachment(fileName));
  // Only the first chunk of a ZIP: its reader should not wait for more than one entry.
  const streamed = output.kind === "zip" || (length !== undefined && length > COPIED_BYTES);
  const { buffered, all } = await begin(chunks, streamed ? 1 : COPIED_BYTES + 1);
  // Do not charge a client that is gone.
  lease.check();
  if (all) {
    const bytes = buffered.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    lease.finishWork(true, bytes);
    return whole(buffered, bytes, headers, context);
  }
  if (length !== undefined) headers.set("Content-Length", String(length));
  const { readable, writable } = length === undefined ? new IdentityTransformStream() : new FixedLengthStream(length);
  const { settled } = await charge(headers, payment, null);
  // The rest comes from the storage.
  if (output.kind === "pdf" && output.bytes.stored) lease.finishWork(true, 0);
  log.streaming = true;
  const sent = streamResponse(resumed(buffered, chunks), writable, settled, context);
  return { response: new Response(readable, { headers }), sent };
}

/** Begins to charge the request. `bytes`: of the response; null if it is streamed. */
async function charge(
  headers: Headers,
  payment: ResponseContext["payment"],
  bytes: number | null,
): Promise<{ readonly settled: Settlement["settled"] }> {
  const { headers: paid, settled } = await payment.settle(bytes);
  for (const [name, value] of Object.entries(paid)) headers.set(name, value);
  // In an object: as a promise it would be awaited.
  return { settled };
}

export interface Content {
  readonly type: string;
  /** If the response is a file. */
  readonly fileName?: string;
  /** In bytes, if known. */
  readonly length?: number;
  readonly chunks: AsyncGenerator<Uint8Array, void>;
}

/** `stem`: the name of a file without its extension, unless it has a name of its own. */
export function contentOf(output: Output, stem: string): Content {
  const { kind } = output;
  if (kind === "json") {
    const json = new TextEncoder().encode(JSON.stringify(output.value));
    const bytes = { length: json.length, view: (start: number, end: number) => json.subarray(start, end), free() {} };
    return { type: "application/json", length: json.length, chunks: chunksOf(bytes) };
  }
  if (kind === "long json") return { type: "application/json", chunks: chunksOf(output.bytes) };
  if (kind === "text") {
    const fileName = `${stem}.${textExtensions[output.format]}`;
    return { type: `text/${output.format}; charset=utf-8`, fileName, chunks: chunksOf(output.bytes) };
  }
  if (kind === "zip") {
    const { format = "zip" } = output;
    return {
      type: format === "xlsx" ? XLSX : "application/zip",
      fileName: `${stem}.${format}`,
      chunks: zipOf(output.entries),
    };
  }
  const chunks = chunksOf(output.bytes);
  if (kind === "pdf") return { type: "application/pdf", fileName: `${stem}.pdf`, length: output.bytes.length, chunks };
  if (kind === "file") {
    // Never the type that a document names: browsers would run content declared as HTML.
    return { type: "application/octet-stream", fileName: output.name, length: output.bytes.length, chunks };
  }
  return { type: `image/${output.format}`, fileName: `${stem}.${imageExtensions[output.format]}`, chunks };
}

/** Reads the first `enough` bytes, or all there are. Throws what producing them threw. */
async function begin(
  chunks: AsyncGenerator<Uint8Array, void>,
  enough: number,
): Promise<{ buffered: Uint8Array[]; all: boolean }> {
  const buffered: Uint8Array[] = [];
  for (let bytes = 0; bytes < enough;) {
    const next = await chunks.next();
    if (next.done) return { buffered, all: true };
    buffered.push(next.value);
    bytes += next.value.byteLength;
  }
  return { buffered, all: false };
}

async function whole(
  chunks: readonly Uint8Array[],
  length: number,
  headers: Headers,
  context: ResponseContext,
): Promise<StartedResponse> {
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  const { log, payment } = context;
  headers.set("Content-Length", String(length));
  const { settled } = await charge(headers, payment, length);
  if (length === 0) {
    // It has no end that could be held back.
    await settled;
    return { response: new Response(body, { headers }) };
  }
  const { readable, writable } = new FixedLengthStream(length);
  log.streaming = true;
  return { response: new Response(readable, { headers }), sent: sendWhole(body, writable, settled, context) };
}

/** Resumes a generator whose first chunks were already read. */
async function* resumed(
  buffered: readonly Uint8Array[],
  chunks: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* buffered;
    yield* chunks;
  } finally {
    await chunks.return();
  }
}
