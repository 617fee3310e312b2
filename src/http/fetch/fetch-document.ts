import type { ApiError } from "../errors/api-error.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { MinDataRate } from "../multipart/timeouts.ts";
import { limits } from "../../limits.ts";
import { publicUrlIssue, type UrlPolicy } from "../../public-url.ts";
import { version } from "../../version.ts";
import {
  documentIncomplete,
  expandsTooFar,
  hostNotReached,
  hostTooSlow,
  redirectNotAllowed,
  redirectsTooOften,
  wrongStatus,
} from "../errors/request-errors.ts";

const WINDOW_BYTES = 64 * 1024;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

export interface FetchOptions {
  /** The form field or JSON member that contains the URL. It names the URL in errors: the URL itself may contain a token. */
  readonly field: string;
  /** The URLs that are allowed, including those redirected to. */
  readonly policy: UrlPolicy;
  /** Maximum size of the document in bytes; reading stops just past it. */
  readonly maxBytes: number;
  /** The error for a larger document. `actual` is its size or, unless `isWhole`, the number of bytes read so far. */
  tooLarge(actual: number, isWhole: boolean): Error;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Milliseconds that the server may fall behind `limits.slowestBytesPerSecond`. */
  readonly graceMilliseconds?: number;
}

/** A document whose server has responded. It holds a connection until it has been read or canceled. */
export interface FetchedDocument {
  /** Size in bytes, if the server declares it. */
  readonly length: number | undefined;
  /** Its Content-Type. */
  readonly type: string | undefined;
  /** Its URL after redirects. */
  readonly url: string;
  /** The bytes, once. A chunk is only valid until the next one. Leaving the loop early closes the connection. */
  chunks(): AsyncGenerator<Uint8Array, void>;
  /** Closes the connection. */
  cancel(): void;
}

/**
 * Requests the document at a URL and follows redirects, each checked like the URL itself. Sends neither cookies nor credentials,
 * and nothing is cached. Throws `invalid_parameters` if the URL is not allowed, `fetch_failed` if its server does not respond
 * with a complete document, and `tooLarge`.
 */
export async function fetchDocument(url: string, options: FetchOptions): Promise<FetchedDocument> {
  const { field, policy, maxBytes, graceMilliseconds = limits.references.graceMilliseconds } = options;
  const issue = publicUrlIssue(url, policy);
  if (issue !== undefined) throw invalidFields([{ name: field, issue }]);
  const rate = new MinDataRate(graceMilliseconds, limits.slowestBytesPerSecond);
  const connection = new Connection(options, rate);
  try {
    const { response, target } = await follow(url, connection, options);
    const { status, headers } = response;
    if (status !== 200) {
      throw wrongStatus(field, status);
    }
    // The size of a compressed response is not the document's.
    const isCompressed = headers.has("Content-Encoding");
    const declared = isCompressed ? null : headers.get("Content-Length");
    const length = declared === null ? undefined : Number(declared);
    if (length !== undefined && length > maxBytes) throw options.tooLarge(length, true);
    const { decompressedBytes } = limits.references;
    const bounded =
      isCompressed && decompressedBytes < maxBytes
        ? { ...options, maxBytes: decompressedBytes, tooLarge: () => expandsTooFar(field) }
        : options;
    const type = headers.get("Content-Type") ?? undefined;
    return {
      length,
      type,
      url: target,
      chunks: () => read(response, length, connection, bounded),
      cancel: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The requests for one document: at most one is open at a time. Ends when the client disconnects. */
class Connection {
  readonly #field: string;
  readonly #rate: MinDataRate;
  readonly #stop = new AbortController();
  readonly #client: AbortSignal;
  /** Ends the body that is being read: the signal of `fetch` does not necessarily do it. */
  #cancel = (): void => {};
  readonly close = (): void => {
    this.#client.removeEventListener("abort", this.close);
    this.#stop.abort();
    this.#cancel();
  };

  constructor({ field, signal }: FetchOptions, rate: MinDataRate) {
    this.#field = field;
    this.#rate = rate;
    this.#client = signal;
    signal.addEventListener("abort", this.close);
  }

  async send(url: string): Promise<Response> {
    const request = (): Promise<Response> =>
      fetch(url, {
        redirect: "manual",
        // A document that anybody could get from a cache would outlive its request.
        cache: "no-store",
        headers: {
          Accept: "*/*",
          // The size of a compressed response is unknown.
          "Accept-Encoding": "identity",
          "User-Agent": `pdf-service/${version} (files)`,
        },
        signal: this.#stop.signal,
      });
    // A server may close a connection that was kept open while it is used again (RFC 9110, section 9.2.2; RFC 9112, section 9.3.1).
    const again = (error: unknown): Promise<Response> => {
      if (this.#stop.signal.aborted || !isLost(error)) throw error;
      return request();
    };
    const response = await this.#wait(request().catch(again), hostNotReached);
    this.#cancel = () => void response.body?.cancel().catch(() => {});
    return response;
  }

  /** Yields the body in chunks of up to 64 KiB, each valid until the next one. */
  async *read({ body }: Response): AsyncGenerator<Uint8Array, void> {
    const reader = body?.getReader({ mode: "byob" });
    if (reader === undefined) return;
    this.#cancel = () => void reader.cancel().catch(() => {});
    for (let buffer = new ArrayBuffer(WINDOW_BYTES); ;) {
      const { done, value } = await this.#wait(reader.read(new Uint8Array(buffer)), documentIncomplete);
      if (done || value === undefined) return;
      this.#rate.passed(value.byteLength);
      yield value;
      buffer = value.buffer;
    }
  }

  /** Waits for the server. Throws `error` if the connection fails, or if the server is too slow. */
  async #wait<T>(promise: Promise<T>, error: (field: string, cause: unknown) => ApiError): Promise<T> {
    const failing = promise.catch((cause: unknown) => {
      this.#client.throwIfAborted();
      throw error(this.#field, cause);
    });
    const result = await this.#rate.wait(failing, () => hostTooSlow(this.#field));
    this.#client.throwIfAborted();
    return result;
  }
}

/** Whether a connection ended before any of the response arrived. */
const isLost = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("Network connection lost");

async function follow(
  url: string,
  connection: Connection,
  { field, policy }: FetchOptions,
): Promise<{ response: Response; target: string }> {
  let target = url;
  for (let followed = 0; ; followed += 1) {
    const response = await connection.send(target);
    const location = response.headers.get("Location");
    if (!REDIRECTS.includes(response.status) || location === null) return { response, target };
    // Closes the connection; errors do not matter.
    response.body?.cancel().catch(() => {});
    if (followed === limits.references.redirects) {
      throw redirectsTooOften(field);
    }
    const next = URL.parse(location, target);
    // The fragment is for the reader of a document (RFC 9110, section 10.2.2).
    if (next !== null) next.hash = "";
    target = next?.href ?? location;
    const issue = publicUrlIssue(target, policy);
    if (issue !== undefined) throw redirectNotAllowed(field, issue);
  }
}

async function* read(
  response: Response,
  length: number | undefined,
  connection: Connection,
  { field, maxBytes, tooLarge }: FetchOptions,
): AsyncGenerator<Uint8Array, void> {
  let total = 0;
  try {
    for await (const chunk of connection.read(response)) {
      total += chunk.byteLength;
      if (total > maxBytes) throw tooLarge(total, false);
      yield chunk;
    }
    if (length !== undefined && total !== length) throw documentIncomplete(field);
  } finally {
    connection.close();
  }
}

/** The file name in a URL; empty if its path ends with a slash. */
export function fileNameIn(url: string): string {
  const segment = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
