import type { ErrorCode } from "./error-codes.ts";

/** A problem with one field of a request. */
export interface FieldIssue {
  readonly name: string;
  readonly issue: string;
  /** In a pipeline: the number of the step, from 1. */
  readonly step?: number;
}

/** An error code of the service, or `connection`: there was no response, or not one of the service. */
export type FailureCode = ErrorCode | "connection";

/** Thrown by all methods, except when your own signal aborts a request. */
export class PdfServiceError extends Error {
  override readonly name = "PdfServiceError";
  readonly code: FailureCode;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Depends on the code; see the reference. */
  readonly details: Readonly<Record<string, unknown>>;
  /** `X-Request-Id`. Include it when you report a problem. */
  readonly requestId: string | undefined;
  /** `Retry-After`: seconds to wait before a retry. */
  readonly retryAfter: number | undefined;

  constructor(
    code: FailureCode,
    message: string,
    facts: {
      readonly status: number;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly requestId?: string | undefined;
      readonly retryAfter?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.code = code;
    this.status = facts.status;
    this.details = facts.details ?? {};
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }

  /** The fields that the error is about: all that are invalid, the page range, or the file. */
  get fields(): readonly FieldIssue[] {
    const { fields, field, input } = this.details;
    if (Array.isArray(fields)) return fields as FieldIssue[];
    const name = field ?? input;
    return typeof name === "string" ? [{ name, issue: this.message }] : [];
  }
}

/** Reads the error of a response that is not 2xx. */
export async function errorOf(response: Response): Promise<PdfServiceError> {
  const { status, headers } = response;
  const retryAfter = retryAfterOf(headers);
  const facts = { status, requestId: headers.get("X-Request-Id") ?? undefined, retryAfter };
  const text = await response.text().catch(() => "");
  try {
    const { error } = JSON.parse(text) as {
      error: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> };
    };
    return new PdfServiceError(error.code, error.message, { ...facts, details: error.details ?? {} });
  } catch (cause) {
    return new PdfServiceError("connection", `Unexpected response with status ${status}: ${text.slice(0, 200)}`, {
      ...facts,
      cause,
    });
  }
}

function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get("Retry-After");
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
