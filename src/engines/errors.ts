/**
 * Everything an engine or an operation can reject, as a closed list. Each code is a row of the table in
 * `src/http/errors/error-table.ts`, which documents when it occurs and its HTTP status.
 */
export type RefusalCode =
  | "invalid_parameters"
  | "invalid_page_range"
  | "invalid_file"
  | "unsupported_format"
  | "password_required"
  | "incorrect_password"
  | "unsupported_encryption"
  | "unsupported_text"
  | "owner_password_required"
  | "limit_exceeded"
  | "unknown_fields"
  | "no_form"
  | "no_tables"
  | "no_invoice"
  | "not_conforming"
  | "unsupported_form"
  | "raster_too_large"
  | "ocr_failed"
  | "redaction_failed"
  | "invalid_certificate"
  | "signature_forbidden"
  | "already_signed"
  | "timestamp_failed"
  | "revocation_unavailable"
  | "overloaded"
  | "browser_failed"
  | "browser_unavailable"
  | "office_failed"
  | "office_unavailable"
  | "encryption_failed"
  | "encryption_unavailable";

/**
 * A problem that the client can fix, or should see under its own code, with a message that is safe to send. Anything else that
 * is thrown is a fault of the service: it is logged, and the response is a 500 without its message.
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

/** The Refusal `invalid_parameters` of one parameter. `issue`: the end of a sentence that begins with its name. */
export function invalidParameter(name: string, issue: string): Refusal {
  return new Refusal("invalid_parameters", `\`${name}\` ${issue}.`, { fields: [{ name, issue }] });
}

/** Problems of one request that are listed in `fields`. */
export const ISSUES_LISTED = 100;

/** What a Refusal `limit_exceeded` names besides its limit. */
interface Exceeded extends ErrorOptions {
  /** The count at which processing stopped. */
  readonly actual?: number;
  /** The field of the file. */
  readonly input?: string;
}

/** The Refusal `limit_exceeded`. `limit`: one of src/limits.ts, or the resource that is used up. */
export function limitExceeded(
  message: string,
  limit: number | "work" | "memory",
  { cause, ...details }: Exceeded = {},
): Refusal {
  return new Refusal("limit_exceeded", message, { limit, ...details }, { cause });
}

/** A number as sentences have it: `10,000`. */
export const count = (number: number): string => number.toLocaleString("en-US");

/**
 * The original error, if releasing resources threw as well: an engine whose work was ended rejects that too. The
 * `SuppressedError` that `using` creates from both has no class of its own on platforms without it.
 */
export function firstThrown(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.name === "SuppressedError" && "suppressed" in thrown
    ? firstThrown(thrown.suppressed)
    : thrown;
}
