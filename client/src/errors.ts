import type { ErrorCode } from "./generated.ts";

/** What one field of a request is refused for. */
export interface FieldIssue {
  readonly name: string;
  readonly issue: string;
}

/** A code of the service, or `connection`: no answer came, or one that is not the service's. */
export type FailureCode = ErrorCode | "connection";

/** Everything that a call can fail with but an abort by the caller's own signal. */
export class PdfServiceError extends Error {
  override readonly name = "PdfServiceError";
  readonly code: FailureCode;
  /** HTTP's; 0 where no answer came. */
  readonly status: number;
  /** Members depend on the code; the reference names them. */
  readonly details: Readonly<Record<string, unknown>>;
  /** `X-Request-Id`: name it when something is wrong with the service. */
  readonly requestId: string | undefined;
  /** Seconds after which to try again, where the service says so. */
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

  /** The fields that are wrong, where the request's parameters are. */
  get fields(): readonly FieldIssue[] {
    return Array.isArray(this.details["fields"]) ? (this.details["fields"] as FieldIssue[]) : [];
  }
}

/** Reads the error of an answer that is none of 2xx. */
export async function errorOf(answer: Response): Promise<PdfServiceError> {
  const { status, headers } = answer;
  const retryAfter = retryAfterOf(headers);
  const facts = { status, requestId: headers.get("X-Request-Id") ?? undefined, retryAfter };
  const text = await answer.text().catch(() => "");
  try {
    const { error } = JSON.parse(text) as {
      error: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> };
    };
    return new PdfServiceError(error.code, error.message, { ...facts, details: error.details ?? {} });
  } catch (cause) {
    return new PdfServiceError("connection", `${status} without the service's JSON: ${text.slice(0, 200)}`, {
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
