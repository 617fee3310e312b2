/** The errors `file_too_large` and `limit_exceeded` of requests, one function for each situation. Sizes are in bytes. */
import { count } from "../../engines/errors.ts";
import { limits, MiB } from "../../limits.ts";
import { ApiError } from "./api-error.ts";

/** Formats two numbers of bytes in MiB, or in bytes if they would look the same. */
export function inMiB(limit: number, actual: number): [string, string] {
  const rounded = (bytes: number): string =>
    `${(bytes / MiB).toLocaleString("en-US", { maximumFractionDigits: 1 })} MiB`;
  const inBytes = (bytes: number): string => `${count(bytes)} bytes`;
  const words = rounded(limit) === rounded(actual) ? inBytes : rounded;
  return [words(limit), words(actual)];
}

// file_too_large

const fileTooLarge = (message: string, limit: number, actual: number): ApiError =>
  new ApiError("file_too_large", message, { details: { limit, actual } });

/** How an operator raises a limit that follows from memory. */
const RAISED_BY = "If you run the server, raise `MEMORY_BUDGET_MIB` as far as its memory allows.";

/** How large the body of a request may be, with documents from URLs. */
export interface BodyLimit {
  readonly maxBytes: number;
  /** What sets it. */
  readonly of: "plan" | "memory";
}

/** The body is over the limit. `actual`: its Content-Length or, unless `isWhole`, the number of bytes read so far. */
export function bodyTooLarge({ maxBytes, of }: BodyLimit, actual: number, isWhole = true): ApiError {
  const [most, size] = inMiB(maxBytes, actual);
  const whole = isWhole ? size : "larger";
  const message = {
    plan: `Your plan allows uploads of up to ${most}; this one is ${whole}.`,
    memory: `This server has memory for uploads of up to ${most}; this one is ${whole}. ${RAISED_BY}`,
  }[of];
  return fileTooLarge(message, maxBytes, actual);
}

/** The same, together with documents from URLs. */
export function documentsTooLarge({ maxBytes, of }: BodyLimit, actual: number, isWhole: boolean): ApiError {
  const [most, size] = inMiB(maxBytes, actual);
  const rest = `requests of up to ${most}, documents from URLs included; this one is ${isWhole ? size : "larger"}.`;
  const message = { plan: `Your plan allows ${rest}`, memory: `This server has memory for ${rest} ${RAISED_BY}` }[of];
  return fileTooLarge(message, maxBytes, actual);
}

export const jsonTooLarge = (limit: number, actual: number): ApiError =>
  fileTooLarge(`A JSON body can have up to ${count(limit)} bytes.`, limit, actual);

// limit_exceeded

const exceeded = (message: string, limit: number, actual: number, input?: string): ApiError =>
  new ApiError("limit_exceeded", message, { details: { limit, actual, ...(input !== undefined && { input }) } });

/** `limit`: of the operation. */
export const tooManyFiles = (limit: number, actual: number): ApiError =>
  exceeded(`This operation accepts at most ${limit} ${limit === 1 ? "file" : "files"}.`, limit, actual);

export const jobHasTooManyPages = (actual: number): ApiError =>
  exceeded(
    `A job can have up to ${count(limits.jobs.pages)} pages; this one has ${count(actual)}.`,
    limits.jobs.pages,
    actual,
  );

/** `limit`: what fits into memory. */
export function filesTooLarge(limit: number, actual: number): ApiError {
  const [most, size] = inMiB(limit, actual);
  const message = `The files of a request can have up to ${most} together; these have ${size}. ${RAISED_BY}`;
  return exceeded(message, limit, actual);
}

/** The file would be read in ranges. `operation`: whether it can, for one PDF. `limit`: what fits into memory. */
export function fileNeedsMemory(
  field: string,
  { name: operation, readsRanges }: { readonly name: string; readonly readsRanges: boolean },
  limit: number,
  actual: number,
): ApiError {
  const [most, size] = inMiB(limit, actual);
  const rule = readsRanges
    ? `In \`${operation}\`, only one PDF can have more than ${most}.`
    : `\`${operation}\` takes files of up to ${most}, because it needs all of them in memory.`;
  return exceeded(`\`${field}\` has ${size}. ${rule} ${RAISED_BY}`, limit, actual, field);
}

/** `limit`: what fits into memory. */
export function imageTooLarge(field: string, limit: number, actual: number): ApiError {
  const [most, size] = inMiB(limit, actual);
  return exceeded(`\`${field}\` is an image of ${size}. Images can have up to ${most}.`, limit, actual, field);
}

const FORM = {
  partHeaderBytes: "The headers of a part can have up to # bytes.",
  fields: "A request can have up to # form fields.",
  textBytes: "A text field can have up to # bytes.",
  allTextBytes: "The text fields of a request together can have up to # bytes.",
} as const;

export type FormLimit = keyof typeof FORM;

/** `limit`: of the form, which may be lower than that in src/limits.ts. */
export const formTooLarge = (what: FormLimit, limit: number, actual: number): ApiError =>
  exceeded(FORM[what].replace("#", count(limit)), limit, actual);
