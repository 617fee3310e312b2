import { type ErrorCode, type ErrorRow, errorTable } from "./error-table.ts";
import { AccountRefusal } from "../../accounts/refusal.ts";
import { Refusal } from "../../engines/errors.ts";
import { limits } from "../../limits.ts";

interface ApiErrorOptions extends ErrorOptions {
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error from the table. Its message is sent to the client unchanged; its `cause` only goes to the log. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message = `${errorTable[code].title}.`, options: ApiErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): ErrorRow["status"] {
    return errorTable[this.code].status;
  }

  /** The response body. `X-Request-Id` is added to every response by the outer middleware. */
  toResponse(): Response {
    const { code, message, details } = this;
    return Response.json(
      { error: { code, message, ...(details && { details }) } },
      { status: this.status, headers: { "Cache-Control": "no-store", ...this.headers } },
    );
  }
}

/** An error that was stored with a job. */
export function storedError({
  code,
  message,
  details,
}: {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}): ApiError {
  const known: ErrorCode = Object.hasOwn(errorTable, code) ? (code as ErrorCode) : "internal_error";
  return new ApiError(known, message, { details });
}

/** Refusals of services outside, which may work again soon. */
const RETRIED: ReadonlySet<string> = new Set(["browser_failed", "office_failed"]);
const RETRY_SOON = { "Retry-After": String(limits.admission.retryAfterSeconds) };

/** The 503 sent at capacity. */
export function overloaded(message: string, options: ErrorOptions = {}): ApiError {
  return new ApiError("overloaded", message, { ...options, headers: RETRY_SOON });
}

/**
 * Converts anything thrown to an error from the table: refusals keep their code; anything unexpected becomes a 500 that does not reveal its cause.
 */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof Refusal) {
    const { code, message, details, cause } = thrown;
    if (code === "overloaded") return overloaded(message, { cause });
    return new ApiError(code, message, { details, cause, ...(RETRIED.has(code) && { headers: RETRY_SOON }) });
  }
  if (thrown instanceof AccountRefusal) {
    const { code, message, details, retryAfterSeconds: seconds } = thrown;
    const headers = seconds === undefined ? {} : { "Retry-After": String(seconds) };
    return new ApiError(code, message, { details, headers });
  }
  return new ApiError("internal_error", "Internal error. Include the request ID when you report it.", {
    cause: thrown,
  });
}
