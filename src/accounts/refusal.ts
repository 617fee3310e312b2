/**
 * Why a request about an account's own objects is rejected. Each code is a row of the table in
 * `src/http/errors/error-table.ts`.
 */
export type AccountRefusalCode =
  | "not_found"
  | "forbidden"
  | "limit_reached"
  | "not_ready"
  | "upload_finished"
  | "expired"
  | "file_too_large"
  | "invalid_file"
  | "invalid_parameters"
  | "webhook_inactive"
  | "rate_limit_exceeded";

/** A problem that the client can fix, with a message that is safe to send. */
export class AccountRefusal extends Error {
  override readonly name = "AccountRefusal";

  readonly code: AccountRefusalCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** Seconds until a retry can succeed, if known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: AccountRefusalCode,
    message: string,
    details?: Readonly<Record<string, unknown>>,
    retryAfterSeconds?: number,
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
