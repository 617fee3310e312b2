import { boundaryOf } from "./part-headers.ts";
import { ApiError } from "../errors/api-error.ts";

/** What a request declares about its form before the body is read. */
export interface DeclaredForm {
  readonly body: ReadableStream<Uint8Array>;
  readonly boundary: string;
  /** The Content-Length, if sent. */
  readonly length: number | undefined;
}

/** Throws `unsupported_format` for another type, what `tooLarge` returns for its Content-Length, and `invalid_parameters`. */
export function declaredForm(
  { body, headers }: Request,
  tooLarge: (length: number) => Error | undefined,
): DeclaredForm {
  const boundary = boundaryOf(headers.get("Content-Type"));
  if (boundary === undefined) throw new ApiError("unsupported_format", "The request body must be multipart/form-data.");
  const given = headers.get("Content-Length");
  const length = given === null ? undefined : Number(given);
  const error = length === undefined ? undefined : tooLarge(length);
  if (error !== undefined) throw error;
  if (boundary === "") throw unreadable("The Content-Type header must have a boundary of 1 to 70 characters.");
  if (body === null || length === 0) throw unreadable("The request has no body.");
  return { body, boundary, length };
}

function unreadable(message: string): ApiError {
  return new ApiError("invalid_parameters", message, { details: { fields: [] } });
}
