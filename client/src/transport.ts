import type { Body } from "./body.ts";
import { errorOf, PdfServiceError } from "./errors.ts";
import { isJson } from "./result.ts";

export interface ClientOptions {
  /** `sk_live_...` or `sk_test_...`. Default: the environment variable `PDF_SERVICE_KEY`, where there is one. */
  readonly apiKey?: string | undefined;
  /** The URL of the service, such as `https://pdf.example.com`. */
  readonly baseUrl: string;
  /** How often to retry a request that failed through no fault of its own. Default: 2. */
  readonly maxRetries?: number;
  /** Time limit of an attempt: until the first byte of a file, or the last of a JSON response. Default: 300,000. */
  readonly timeoutMilliseconds?: number;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * A key of your own, for requests that you may have to retry after this process has ended. By default, each request to an operation gets a
   * new one, so that retries are charged once.
   */
  readonly idempotencyKey?: string;
  readonly maxRetries?: number;
  readonly timeoutMilliseconds?: number;
}

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Whether it is safe to send twice. */
  readonly repeatable: boolean;
  readonly body?: Body;
  /** The value of `Prefer` (RFC 7240). */
  readonly prefer?: string | undefined;
  /** How long the service may hold back the response, which is not counted as its delay. */
  readonly waitSeconds?: number | undefined;
  readonly options?: CallOptions | undefined;
}

const DEFAULT_TIMEOUT = 300_000;
const DEFAULT_RETRIES = 2;
/** Milliseconds before the first retry; each further one waits twice as long. */
const FIRST_WAIT = 500;
/** Seconds. A longer `Retry-After` is not waited for: the error is thrown. */
const LONGEST_WAIT = 60;

/** Sends requests, and retries them where that can help. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #apiKey: string;
  readonly #baseUrl: string;

  /** @throws TypeError if there is no key. */
  constructor(options: ClientOptions) {
    this.#options = options;
    const apiKey = options.apiKey ?? keyOfEnvironment();
    if (!apiKey) throw new TypeError("There is no API key: pass `apiKey`, or set PDF_SERVICE_KEY.");
    this.#apiKey = apiKey;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, "");
  }

  /** Sends JSON or bytes to one of the other routes, and reads its JSON. */
  protected async sendJson<T>(
    request: Omit<ApiRequest, "body"> & { readonly json?: unknown; readonly bytes?: Blob | Uint8Array },
  ): Promise<T> {
    const { json, bytes, ...rest } = request;
    const headers = { "Content-Type": "application/json" };
    const make = () => (bytes === undefined ? { body: JSON.stringify(json), headers } : { body: bytes, headers: {} });
    const body = { repeatable: true, make };
    const response = await this.send(json === undefined && bytes === undefined ? rest : { ...rest, body });
    return (await response.json()) as T;
  }

  /** @throws PdfServiceError, or the reason of `options.signal` if it was aborted. */
  protected async send(request: ApiRequest): Promise<Response> {
    const retries = request.options?.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES;
    for (let attempt = 0; ; attempt++) {
      const result = await this.#try(request);
      if (result instanceof Response) return result;
      const mayRetry = attempt < retries && canRetry(result, request.repeatable);
      const wait = result.retryAfter ?? (FIRST_WAIT * 2 ** attempt * (0.5 + Math.random())) / 1_000;
      if (!mayRetry || wait > LONGEST_WAIT) throw result;
      await pause(wait * 1_000, request.options?.signal);
    }
  }

  async #try(request: ApiRequest): Promise<Response | PdfServiceError> {
    const { method, path, body, prefer, waitSeconds, options } = request;
    const { fetch = globalThis.fetch } = this.#options;
    const limit = options?.timeoutMilliseconds ?? this.#options.timeoutMilliseconds ?? DEFAULT_TIMEOUT;
    const milliseconds = limit + (waitSeconds ?? 0) * 1_000;
    // Only until a file starts: after that, the reader decides with the signal.
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new DOMException("The request timed out.", "TimeoutError")),
      milliseconds,
    );
    const signals = options?.signal === undefined ? [deadline.signal] : [deadline.signal, options.signal];
    const made = body?.make();
    const init: RequestInit & { duplex?: "half" } = {
      method,
      headers: {
        Authorization: `Bearer ${this.#apiKey}`,
        ...made?.headers,
        ...(options?.idempotencyKey !== undefined && { "Idempotency-Key": options.idempotencyKey }),
        ...(prefer !== undefined && { Prefer: prefer }),
      },
      signal: AbortSignal.any(signals),
      // The type allows bytes in shared memory, which `fetch` does not accept.
      ...(made !== undefined && { body: made.body as Exclude<typeof made.body, Uint8Array> }),
      // fetch requires it if the body is a stream.
      ...(made?.body instanceof ReadableStream && { duplex: "half" }),
    };
    try {
      const response = await fetch(`${this.#baseUrl}${path}${queryOf({ ...request.query, wait: waitSeconds })}`, init);
      if (!response.ok) return await errorOf(response);
      // JSON is read here, where an incomplete response can be retried. A file is left to its reader, as a stream.
      return isJson(response) ? new Response(await response.text(), response) : response;
    } catch (cause) {
      options?.signal?.throwIfAborted();
      const message = deadline.signal.aborted
        ? `No response within ${milliseconds} ms.`
        : "The service cannot be reached.";
      return new PdfServiceError("connection", message, { status: 0, cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Browsers and Workers have no environment. */
function keyOfEnvironment(): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  return process?.env?.["PDF_SERVICE_KEY"];
}

/**
 * Whether a retry can help: there was no response, too many requests, or the service failed. `idempotency_conflict`: an earlier attempt whose
 * connection was lost is still in progress.
 */
function canRetry({ code, status }: PdfServiceError, repeatable: boolean): boolean {
  // Rejected before anything was done.
  if (code === "rate_limit_exceeded" || code === "overloaded") return true;
  return repeatable && (status === 0 || status >= 500 || code === "idempotency_conflict" || code === "request_timeout");
}

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? "" : `?${given.toString()}`;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const end = (): void => {
      clearTimeout(timer);
      fail(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      done();
    }, milliseconds);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
