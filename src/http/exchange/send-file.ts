import type { Context } from "hono";
import { byteRange } from "./byte-range.ts";
import { isKnown } from "./cached-document.ts";
import type { AppEnv } from "./exchange.ts";
import { attachment } from "./headers.ts";
import { asApiError } from "../errors/api-error.ts";
import { MinDataRate } from "../multipart/timeouts.ts";
import type { StoredFile } from "../../files/file.ts";
import type { FileSource } from "../../files/read.ts";
import { limits } from "../../limits.ts";
import { rangeOutside } from "../errors/request-errors.ts";

/**
 * Sends a file or a range of it (RFC 9110, sections 13 and 14). The response begins once its first chunk has been decrypted; if
 * a later one cannot be read, the response breaks off. `described`: the headers that describe the file, other than by its
 * content and name.
 */
export async function sendFile(
  c: Context<AppEnv>,
  { file, source }: { readonly file: StoredFile; readonly source: FileSource },
  described: Readonly<Record<string, string>> = {
    "Content-Type": file.contentType ?? "application/octet-stream",
    "Content-Disposition": attachment(file.name),
  },
): Promise<Response> {
  const etag = `"${file.sha256}"`;
  const validators = { ETag: etag, "Cache-Control": "no-store" };
  const isGet = c.req.method === "GET";
  if (c.req.method !== "POST" && isKnown(c.req.header("If-None-Match"), etag))
    return new Response(null, { status: 304, headers: validators });
  const condition = c.req.header("If-Range");
  const asked = isGet && (condition === undefined || condition === etag) ? c.req.header("Range") : undefined;
  const range = byteRange(asked, source.length);
  if (range === "unsatisfiable") throw rangeOutside(source.length);
  const { start, end } = range ?? { start: 0, end: source.length };
  const headers = {
    ...validators,
    "Accept-Ranges": "bytes",
    ...described,
    "Content-Length": String(end - start),
    ...(range && { "Content-Range": `bytes ${start}-${end - 1}/${source.length}` }),
  };
  const status = range === undefined ? 200 : 206;
  if (c.req.method === "HEAD") return new Response(null, { status, headers });
  // Not admitted by memory: it holds a few chunks, and may take as long as its reader likes.
  const pieces = source.stream(start, end);
  const first = await pieces.next();
  const { readable, writable } = new FixedLengthStream(end - start);
  c.get("log").streaming = true;
  c.executionCtx.waitUntil(send(c, first, pieces, writable, status));
  return new Response(readable, { status, headers });
}

/** Sends the pieces as fast as the client reads. Never throws. */
async function send(
  c: Context<AppEnv>,
  first: IteratorResult<Uint8Array, void>,
  pieces: AsyncGenerator<Uint8Array, void>,
  writable: WritableStream<Uint8Array>,
  status: number,
): Promise<void> {
  const log = c.get("log");
  const writer = writable.getWriter();
  const rate = new MinDataRate(limits.response.graceMilliseconds, limits.slowestBytesPerSecond);
  try {
    for (let next = first; !next.done; next = await readable(pieces)) {
      const { byteLength } = next.value;
      await rate.wait(writer.write(next.value), () => new Error("the reader is too slow"));
      rate.passed(byteLength);
      log.responseBytes += byteLength;
    }
    await writer.close();
    log.end(status, "complete");
  } catch (error) {
    if (error instanceof Unreadable) log.failed(asApiError(error.cause));
    // Not awaited: a client that does not read would block it. Not with the original error: the runtime logs the reason.
    writer.abort(new Error("the response broke off")).catch(() => {});
    await pieces.return();
    log.end(status, "aborted");
  }
}

/** An error from reading the file, as opposed to sending it. */
class Unreadable extends Error {}

async function readable(pieces: AsyncGenerator<Uint8Array, void>): Promise<IteratorResult<Uint8Array, void>> {
  try {
    return await pieces.next();
  } catch (cause) {
    throw new Unreadable("the file cannot be read", { cause });
  }
}
