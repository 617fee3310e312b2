import type { PdfServiceError } from "../errors.ts";

/** The exit codes. README.md explains them. */
export const exitCodes = {
  failure: 1,
  usage: 2,
  access: 3,
  document: 4,
  quota: 5,
  unavailable: 6,
  file: 7,
  partial: 8,
  nonconforming: 9,
  interrupted: 130,
  terminated: 143,
  closed: 141,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What ends the program with a message. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const usageFailure = (message: string): Failure => new Failure(exitCodes.usage, message);

/** The exit code for an error of the service. */
export function exitCodeOf({ code, status }: PdfServiceError): ExitCode {
  if (code === "invalid_parameters" || code === "invalid_page_range") return exitCodes.usage;
  if (code === "owner_password_required") return exitCodes.document;
  if (status === 401 || status === 403) return exitCodes.access;
  if (status === 429) return exitCodes.quota;
  if (code === "connection" || status === 503) return exitCodes.unavailable;
  if (status >= 400 && status < 500) return exitCodes.document;
  return exitCodes.failure;
}

/** Words for errors of the file system and of the way to the service. Others keep their own message. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a folder",
  ENOTDIR: "is not a folder",
  ENOSPC: "no space left on device",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EEXIST: "already exists",
  EMFILE: "too many files are open",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved",
  ETIMEDOUT: "the connection timed out",
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** What went wrong, in words. */
export function wordsOf(error: unknown): string {
  const known = SYSTEM_ERRORS[codeOf(error) ?? ""];
  if (known !== undefined) return known;
  return error instanceof Error ? error.message : String(error);
}

/** Runs work on a file, and names it in errors. */
export async function withPath<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new Failure(exitCodes.file, `Cannot ${verb} ${path}: ${wordsOf(error)}.`);
  }
}

/** Why the service could not be reached: the cause that the system names. */
export function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return cause instanceof AggregateError && cause.errors.length > 0 ? rootCause(cause.errors[0]) : cause;
}
