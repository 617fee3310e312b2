/** What the accounts' own verbs can refuse: a closed list, each code one row of the table in `src/http/errors/error-table.ts`. */
export type AccountRefusalCode =
  | "not_found"
  | "forbidden"
  | "limit_reached"
  | "invalid_parameters"
  | "webhook_inactive"
  | "rate_limit_exceeded";

/** A problem that the caller can mend, told in a message that is safe to send. */
export class AccountRefusal extends Error {
  override readonly name = "AccountRefusal";

  readonly code: AccountRefusalCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** When it may be tried again, where that is known. */
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
