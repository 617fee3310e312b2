/**
 * What an engine or an operation can refuse: a closed list. Each code is one row of the table in `src/http/errors/error-table.ts`,
 * which says when it occurs and with what HTTP status it leaves the service.
 */
export type RefusalCode =
  | "invalid_parameters"
  | "invalid_page_range"
  | "invalid_file"
  | "password_required"
  | "incorrect_password"
  | "unsupported_encryption"
  | "unsupported_text"
  | "owner_password_required"
  | "limit_exceeded"
  | "unknown_fields"
  | "no_form"
  | "unsupported_form"
  | "raster_too_large"
  | "ocr_failed"
  | "overloaded"
  | "encryption_failed"
  | "encryption_unavailable";

/**
 * A problem that the caller can mend, or must know of by its own code, told in a message that is safe to send. Anything else
 * that is thrown is a fault of the service: it is logged, and leaves as 500 without its message.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";

  readonly code: RefusalCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: RefusalCode, message: string, details?: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/**
 * What was thrown first, where letting go of what was in use threw as well: an engine whose work has been ended refuses that, too.
 * The error that `using` makes of both has no class of its own on platforms that do not know it.
 */
export function firstThrown(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.name === "SuppressedError" && "suppressed" in thrown
    ? firstThrown(thrown.suppressed)
    : thrown;
}
