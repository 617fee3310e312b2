/** The errors of requests that cannot be read, and of documents that cannot be fetched, one function or class for each situation. */
import type { OtherImage } from "../../engines/image/kind.ts";
import { limits, MiB } from "../../limits.ts";
import { messageOfStep } from "../../operations/definition/errors.ts";
import { ApiError } from "./api-error.ts";

// not_found, method_not_allowed, range_not_satisfiable

export const noSuchPath = (): ApiError =>
  new ApiError("not_found", "This path does not exist. `GET /api/v1/openapi.json` lists those that do.");

/** `use`: the methods in words. `allow`: as a header. */
export const methodNotAllowed = (method: string, use: string, allow: string): ApiError =>
  new ApiError("method_not_allowed", `${method} is not supported here; use ${use}.`, { headers: { Allow: allow } });

/** `length`: of the file, in bytes. */
export const rangeOutside = (length: number): ApiError =>
  new ApiError("range_not_satisfiable", undefined, {
    headers: { "Content-Range": `bytes */${length}`, "Accept-Ranges": "bytes" },
  });

// unsupported_encoding, unsupported_format

export const bodyCompressed = (): ApiError =>
  new ApiError("unsupported_encoding", "Send the request body uncompressed, without Content-Encoding.");

const wrongType = (type: string): ApiError => new ApiError("unsupported_format", `The request body must be ${type}.`);

export const notForm = (): ApiError => wrongType("multipart/form-data");

export const notJson = (): ApiError => wrongType("application/json");

/** `kinds`: those that the field accepts, in words. `maker`: the operation that makes a PDF of the file, if one does and a PDF is accepted. */
export const wrongKind = (field: string, kinds: string, maker?: string): ApiError => {
  const advice = maker === undefined ? "" : ` Make a PDF of it with \`${maker}\`.`;
  return new ApiError("unsupported_format", `\`${field}\` is not a ${kinds}.${advice}`, { details: { input: field } });
};

/** Advice for images of other formats. */
const INSTEAD: Readonly<Partial<Record<OtherImage, string>>> = {
  SVG: "Send it to `to-pdf`, which prints it with a browser.",
  ICO: "Save it as PNG.",
};

export const imageNotSupported = (field: string, format: OtherImage): ApiError =>
  new ApiError(
    "unsupported_format",
    `\`${field}\` is of the format ${format}, which is not supported. ${INSTEAD[format] ?? "Save it as JPEG or PNG."}`,
    { details: { input: field } },
  );

// invalid_file

export const emptyUpload = (field: string): ApiError =>
  new ApiError("invalid_file", `\`${field}\` is empty.`, { details: { input: field } });

// invalid_parameters, for bodies that cannot be read

const unreadable = (message: string, cause?: unknown): ApiError =>
  new ApiError("invalid_parameters", message, { details: { fields: [] }, cause });

export const noBoundary = (): ApiError =>
  unreadable("The Content-Type header must have a boundary of 1 to 70 characters.");

export const noBody = (): ApiError => unreadable("The request has no body.");

/** `problem`: a clause. */
export const multipartMalformed = (problem: string): ApiError =>
  unreadable(`The multipart body is malformed: ${problem}.`);

export const jsonNotObject = (): ApiError => unreadable("The request body must be a JSON object.");

/** The parser's own message would repeat the client's input. */
export const jsonMalformed = (cause: unknown): ApiError =>
  unreadable("The request body must be valid JSON in UTF-8.", cause);

/** The client disconnected in the middle of the body: usually nobody sees this error. */
export class BrokenBody extends ApiError {
  constructor(cause: unknown) {
    super("invalid_parameters", "The request body ended early.", { details: { fields: [] }, cause });
  }
}

// Steps of a pipeline

/** An error with the number (1-based) and the operation of its step. */
export const errorOfStep = ({ code, message, details }: ApiError, step: number, operation: string): ApiError =>
  new ApiError(code, messageOfStep(step, operation, message), { details: { ...details, step } });

// fetch_failed

/** `problem`: the end of a sentence about the URL, and what to do. */
const fetchFailed = (
  field: string,
  problem: string,
  { status, cause }: ErrorOptions & { readonly status?: number } = {},
): ApiError => {
  const details = { input: field, ...(status !== undefined && { status }) };
  return new ApiError("fetch_failed", `The URL in \`${field}\` ${problem}`, { details, cause });
};

export const hostNotReached = (field: string, cause: unknown): ApiError =>
  fetchFailed(field, "could not be reached. Check its host name, or upload the file.", { cause });

export const wrongStatus = (field: string, status: number): ApiError =>
  fetchFailed(field, `responded with status ${status}. It must respond with 200 to a request without credentials.`, {
    status,
  });

export const documentIncomplete = (field: string, cause?: unknown): ApiError =>
  fetchFailed(field, "broke off before the document was complete. Retry, or upload the file.", { cause });

export const hostTooSlow = (field: string): ApiError =>
  fetchFailed(
    field,
    "was too slow: its server sent nothing, or almost nothing, for too long. Retry later, or upload the file.",
  );

export const expandsTooFar = (field: string): ApiError =>
  fetchFailed(
    field,
    `sent a compressed response of more than ${limits.references.decompressedBytes / MiB} MiB. Serve the document without \`Content-Encoding\`, or upload the file.`,
  );

export const redirectsTooOften = (field: string): ApiError =>
  fetchFailed(field, `redirects more than ${limits.references.redirects} times. Use the URL of the document itself.`);

/** `issue`: the end of a sentence about the target. */
export const redirectNotAllowed = (field: string, issue: string): ApiError =>
  fetchFailed(field, `redirects to a URL that is not allowed: it ${issue}.`);
