/** The errors of the MCP server, one function for each situation. */
import { ApiError } from "../http/errors/api-error.ts";
import { inMiB } from "../http/errors/limit-errors.ts";
import { shownName, unknownIssue } from "../http/errors/invalid-fields.ts";
import { limits } from "../limits.ts";

export const originNotAccepted = (): ApiError =>
  new ApiError("forbidden", "Requests from this origin are not accepted. Use HTTPS.");

export const cannotStoreResult = (operation: string): ApiError =>
  new ApiError(
    "forbidden",
    `The result of \`${operation}\` is stored as a file, and this API key lacks the \`files:write\` scope.`,
    { details: { requiredScope: "files:write" } },
  );

/** `known`: names of tools and groups. */
export function unknownTool(name: string, known: readonly string[]): ApiError {
  const issue = unknownIssue(`has no tool or group \`${shownName(name)}\``, name, known);
  const end = issue.endsWith("?") ? "" : ".";
  const options = known.map((one) => `\`${one}\``).join(", ");
  return new ApiError("invalid_parameters", `\`tools\` ${issue}${end} It takes: ${options}.`, {
    details: { fields: [{ name: "tools", issue }], options: known },
  });
}

/** `actual`: bytes of the decoded file. */
export function base64TooLarge(parameter: string, actual: number): ApiError {
  const limit = limits.mcp.base64Bytes;
  const [most, size] = inMiB(limit, actual);
  const message = `\`${parameter}\` can have up to ${most} in base64; this is ${size}. Use an https:// URL, or upload the file with POST /api/v1/files and use its ID.`;
  return new ApiError("file_too_large", message, { details: { limit, actual, input: parameter } });
}

/** `url`: of its content. `actual`: its size in bytes. */
export function tooLargeToRead(url: string, actual: number): ApiError {
  const limit = limits.mcp.readBytes;
  const [most, size] = inMiB(limit, actual);
  const message = `Files of up to ${most} can be read here; this one has ${size}. Download it from ${url} with the API key, or extract what you need with an operation.`;
  return new ApiError("limit_exceeded", message, { details: { limit, actual } });
}

export function tooManyParameters(): ApiError {
  const limit = limits.form.fields;
  const message = `A call can have up to ${limit.toLocaleString("en-US")} files and other parameters.`;
  return new ApiError("limit_exceeded", message, { details: { limit } });
}

/** The operation has been charged. `retryKey`: its result can be made once more without another charge. */
export function notStored(
  { code, message, details, headers, cause }: ApiError,
  retryKey: string | undefined,
): ApiError {
  const again =
    retryKey === undefined
      ? ""
      : ` Call again with the same parameters and \`"idempotencyKey": "${retryKey}"\`: you are not charged again.`;
  return new ApiError(code, `The result could not be stored as a file: ${message}${again}`, {
    details,
    headers,
    cause,
  });
}

export const resultBrokeOff = (cause: unknown): ApiError =>
  new ApiError("internal_error", "The result broke off while it was stored.", { cause });

/** The error that a response to a request of a tool has. */
export const receivedError = (
  { code, message, details }: Pick<ApiError, "code" | "message" | "details">,
  headers: Readonly<Record<string, string>>,
): ApiError => new ApiError(code, message, { details, headers });
