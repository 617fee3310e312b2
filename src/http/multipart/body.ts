import { boundaryOf } from "./multipart.ts";
import { withTimeout, MinDataRate } from "./timeouts.ts";
import type { EngineBytes, FileSink } from "../../engines/memory/heap.ts";
import { limits, MiB } from "../../limits.ts";
import { BrokenBody, bodyCompressed, noBody, noBoundary, notForm } from "../errors/request-errors.ts";
import { Stalled } from "../errors/load-errors.ts";

/** How much of a rejected body is still read, and for how long, so that its sender receives the response. */
const [DISCARD_BYTES, DISCARD_MILLISECONDS] = [64 * MiB, 1_000];

const WINDOW_BYTES = 64 * 1024;

/** What a request declares about its form before the body is read. */
export interface DeclaredForm {
  readonly body: ReadableStream<Uint8Array>;
  readonly boundary: string;
  /** The Content-Length, if sent. */
  readonly length: number | undefined;
}

/** The body of a request. Throws `unsupported_encoding` if it is compressed: what a body expands to has no bound. */
export function plainBody({ body, headers }: Request): ReadableStream<Uint8Array> | null {
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return body;
  throw bodyCompressed();
}

/**
 * Throws `unsupported_format` for another type, `unsupported_encoding`, what `tooLarge` returns for its Content-Length, and
 * `invalid_parameters`.
 */
export function declaredForm(request: Request, tooLarge: (length: number) => Error | undefined): DeclaredForm {
  const { headers } = request;
  const boundary = boundaryOf(headers.get("Content-Type"));
  if (boundary === undefined) throw notForm();
  const body = plainBody(request);
  const given = headers.get("Content-Length");
  const length = given === null ? undefined : Number(given);
  const error = length === undefined ? undefined : tooLarge(length);
  if (error !== undefined) throw error;
  if (boundary === "") throw noBoundary();
  if (body === null || length === 0) throw noBody();
  return { body, boundary, length };
}

/** Whether a request declares a form of up to `maxBytes`, so that `declaredForm` finds no fault with it. */
export function declaresForm({ headers, body }: Request, maxBytes: number): boolean {
  const length = Number(headers.get("Content-Length") ?? 0);
  const isPlain = !headers.has("Content-Encoding");
  return (
    Boolean(boundaryOf(headers.get("Content-Type"))) && isPlain && body !== null && length > 0 && length <= maxBytes
  );
}

export interface BodyOptions {
  /** Maximum size of the body in bytes; reading stops just past it. */
  readonly maxBytes: number;
  /** The error for a longer body. */
  readonly tooLarge: (limit: number, actual: number) => Error;
  /** Milliseconds that the client may fall behind `limits.slowestBytesPerSecond`. */
  readonly graceMilliseconds: number;
  /**
   * Reads a window and returns how many of its bytes it consumed; the others begin the next window. Nothing more is read from the
   * client until a promise is resolved.
   */
  read(window: Uint8Array): number | Promise<number>;
  /** Called with the number of bytes received so far. */
  progress(bytes: number): void;
}

/**
 * Reads a body through one 64 KiB buffer that moves back and forth between the stream and `options.read`, so that a body of any
 * size takes no more of the JavaScript heap.
 */
export async function readBody(body: ReadableStream<Uint8Array>, options: BodyOptions): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(WINDOW_BYTES);
  let kept = 0;
  let total = 0;
  const rate = new MinDataRate(options.graceMilliseconds, limits.slowestBytesPerSecond);
  try {
    for (;;) {
      const target = new Uint8Array(buffer, kept, WINDOW_BYTES - kept);
      const { done, value } = await rate.wait(readOrBreak(reader, target), stalled);
      if (done || value === undefined) break;
      buffer = value.buffer;
      total += value.byteLength;
      rate.passed(value.byteLength);
      options.progress(total);
      if (total > options.maxBytes) {
        throw options.tooLarge(options.maxBytes, total);
      }
      const window = new Uint8Array(buffer, 0, kept + value.byteLength);
      const used = await options.read(window);
      window.copyWithin(0, used);
      kept = window.length - used;
    }
  } catch (error) {
    // After any other error `discardRest` reads the rest; a client that is gone or silent sends none.
    if (error instanceof BrokenBody || error instanceof Stalled) reader.cancel(error).catch(() => {});
    else reader.releaseLock();
    throw error;
  }
}

/** Reads a body with a declared `length` in bytes into memory. */
export async function readSmallBody(
  body: ReadableStream<Uint8Array>,
  { length, ...options }: Omit<BodyOptions, "read"> & { readonly length: number },
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let at = 0;
  await readBody(body, {
    ...options,
    read(window) {
      if (at + window.length > length) throw new BrokenBody("the body is longer than its Content-Length");
      bytes.set(window, at);
      at += window.length;
      return window.length;
    },
  });
  return bytes.subarray(0, at);
}

/**
 * Keeps the files of a body within it. They are moved toward its start, over headers that have been read, so that they take no
 * more memory.
 */
export function filesWithin(body: Uint8Array): FileSink<EngineBytes> {
  let used = 0;
  let start = 0;
  return {
    write(chunk) {
      body.set(chunk, used);
      used += chunk.byteLength;
    },
    seal() {
      const file = body.subarray(start, used);
      start = used;
      return { length: file.length, view: (from, to) => file.subarray(from, to), free: () => undefined };
    },
  };
}

/**
 * Reads and discards the rest of a rejected body: most clients read the response only after they have sent everything, and
 * report an earlier close as a broken connection. Limited in time and bytes; past the limit, the response is sent at once.
 */
export async function discardRest({ body, headers }: Request): Promise<void> {
  // Who waits for `100 Continue` sends nothing, and gets it if the body is read.
  if (body === null || body.locked || headers.has("Expect")) return;
  if (Number(headers.get("Content-Length") ?? 0) > DISCARD_BYTES) return;
  const until = Date.now() + DISCARD_MILLISECONDS;
  const reader = body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(WINDOW_BYTES);
  try {
    for (let total = 0; total <= DISCARD_BYTES;) {
      const reading = reader.read(new Uint8Array(buffer));
      const { done, value } = await withTimeout(reading, Math.max(0, until - Date.now()), stalled);
      if (done || value === undefined) return;
      buffer = value.buffer;
      total += value.byteLength;
    }
  } catch {
    // The client is too slow or gone: the response is the same.
  }
  reader.cancel().catch(() => {});
}

const stalled = (): Stalled => new Stalled();

async function readOrBreak(reader: ReadableStreamBYOBReader, target: Uint8Array<ArrayBuffer>) {
  try {
    return await reader.read(target);
  } catch (error) {
    throw new BrokenBody(error);
  }
}
