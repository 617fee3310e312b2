import { type Body, type FieldValue, type FileInput, fileValue, formBody } from "./body.ts";
import { errorOf, PdfServiceError } from "./errors.ts";

export interface ClientOptions {
  /** `sk_live_...` or `sk_test_...`. */
  readonly apiKey: string;
  /** Where the service is, such as `https://pdf.example.com`. */
  readonly baseUrl: string;
  /** How often a call that failed by no fault of its own is sent again; 2 where it is not given. */
  readonly maxRetries?: number;
  /** Milliseconds that one try may take until a file begins to come, or JSON is there; 300,000 where it is not given. */
  readonly timeoutMilliseconds?: number;
  /** In the place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * Your own, for a call that you may have to repeat after this process has ended. Without it each call of an operation gets
   * one that is new, so that a try that is sent again is charged once.
   */
  readonly idempotencyKey?: string;
  readonly maxRetries?: number;
  readonly timeoutMilliseconds?: number;
}

/** A field of a form, as openapi.json describes it. */
export interface FormField {
  /** What the service calls it; `file{N}` for the members of a list, by their index. */
  readonly name: string;
  readonly kind: "file" | "text" | "json";
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Whether sending it twice is as good as once. */
  readonly repeatable: boolean;
  readonly body?: Body;
  readonly options?: CallOptions | undefined;
}

const DEFAULT_TIMEOUT = 300_000;
const DEFAULT_RETRIES = 2;
/** Milliseconds before the first repetition; each further one waits twice as long. */
const FIRST_WAIT = 500;
/** Seconds: a service that asks for more patience than this is not waited for. */
const LONGEST_WAIT = 60;

/** Sends calls, and sends them again where that can help. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, "");
  }

  /** Calls an operation with a form. */
  protected sendForm(
    path: string,
    fields: Readonly<Record<string, FormField>>,
    input: object,
    options?: CallOptions,
  ): Promise<Response> {
    const body = formBody(formFields(fields, input));
    // With an Idempotency-Key a repetition is done again, but charged once.
    const idempotencyKey = options?.idempotencyKey ?? crypto.randomUUID();
    const request = { method: "POST", path, body, repeatable: body.repeatable };
    return this.send({ ...request, options: { ...options, idempotencyKey } });
  }

  /** Calls one of the other routes, and reads its JSON. */
  protected async sendJson<T>(request: Omit<Request, "body"> & { readonly json?: unknown }): Promise<T> {
    const { json, ...rest } = request;
    const headers = { "Content-Type": "application/json" };
    const body = { repeatable: true, make: () => ({ body: JSON.stringify(json), headers }) };
    const answer = await this.send(json === undefined ? rest : { ...rest, body });
    return (await answer.json()) as T;
  }

  /** @throws PdfServiceError, and the reason of `options.signal` where that was aborted. */
  protected async send(request: Request): Promise<Response> {
    const retries = request.options?.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES;
    for (let attempt = 0; ; attempt++) {
      const result = await this.#try(request);
      if (result instanceof Response) return result;
      const mayRepeat = attempt < retries && canRepeat(result, request.repeatable);
      const wait = result.retryAfter ?? (FIRST_WAIT * 2 ** attempt * (0.5 + Math.random())) / 1_000;
      if (!mayRepeat || wait > LONGEST_WAIT) throw result;
      await pause(wait * 1_000, request.options?.signal);
    }
  }

  async #try({ method, path, query, body, options }: Request): Promise<Response | PdfServiceError> {
    const { fetch = globalThis.fetch, apiKey } = this.#options;
    const milliseconds = options?.timeoutMilliseconds ?? this.#options.timeoutMilliseconds ?? DEFAULT_TIMEOUT;
    // Until a file begins to come: how long it may take is the reader's affair, who has the signal.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new DOMException("timed out", "TimeoutError")), milliseconds);
    const signals = options?.signal === undefined ? [deadline.signal] : [deadline.signal, options.signal];
    const made = body?.make();
    const init: RequestInit & { duplex?: "half" } = {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...made?.headers,
        ...(options?.idempotencyKey !== undefined && { "Idempotency-Key": options.idempotencyKey }),
      },
      signal: AbortSignal.any(signals),
      ...(made !== undefined && { body: made.body }),
      // Asked for by fetch where the body is a stream.
      ...(made?.body instanceof ReadableStream && { duplex: "half" }),
    };
    try {
      const answer = await fetch(`${this.#baseUrl}${path}${queryOf(query)}`, init);
      if (!answer.ok) return await errorOf(answer);
      // Read here, where it can be asked for again when it does not come whole. A file is its reader's, as a stream.
      return isJson(answer) ? new Response(await answer.text(), answer) : answer;
    } catch (cause) {
      options?.signal?.throwIfAborted();
      const message = deadline.signal.aborted ? `No answer within ${milliseconds} ms.` : "The service was not reached.";
      return new PdfServiceError("connection", message, { status: 0, cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

const isJson = ({ headers }: Response): boolean => headers.get("Content-Type")?.startsWith("application/json") === true;

/** A form's fields in the order of the description, so that all try alike. */
function formFields(fields: Readonly<Record<string, FormField>>, input: object): (readonly [string, FieldValue])[] {
  const given = new Map<string, unknown>(Object.entries(input));
  return Object.entries(fields).flatMap(([property, { name, kind }]) => {
    const value = given.get(property);
    if (value === undefined) return [];
    if (!name.includes("{N}")) return [[name, fieldValue(kind, value, name)] as const];
    return (value as readonly unknown[]).flatMap((one, index) => {
      const numbered = name.replace("{N}", String(index));
      return one === undefined ? [] : [[numbered, fieldValue(kind, one, numbered)] as const];
    });
  });
}

function fieldValue(kind: FormField["kind"], value: unknown, name: string): FieldValue {
  if (kind === "file") return fileValue(value as FileInput, name);
  return kind === "json" ? JSON.stringify(value) : String(value);
}

/**
 * Whether a repetition can help: no answer came, too much was asked for, or the service is at fault. `idempotency_conflict`:
 * an earlier try whose connection was lost is still at work.
 */
function canRepeat({ code, status }: PdfServiceError, repeatable: boolean): boolean {
  // Refused before anything was done.
  if (code === "rate_limit_exceeded" || code === "overloaded") return true;
  return repeatable && (status === 0 || status >= 500 || code === "idempotency_conflict" || code === "request_timeout");
}

function queryOf(query: Readonly<Record<string, unknown>> = {}): string {
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
