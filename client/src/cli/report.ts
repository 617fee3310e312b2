/** Errors, in the words of the command line. */
import { PdfServiceError } from "../errors.ts";
import { exitCodeOf, exitCodes, type ExitCode, Failure, rootCause, wordsOf } from "./failure.ts";
import { kebab, withoutMarksOfValues } from "./options.ts";
import type { TypedStep } from "./operation.ts";

export interface Report {
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];
  /** The same for programs. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** The typed arguments, and the service that they were for. */
export interface Typed {
  readonly steps: readonly TypedStep[];
  readonly files: ReadonlyMap<string, string>;
  readonly url: string;
}

export function reportOf(error: unknown, typed: Typed): Report {
  if (error instanceof PdfServiceError) return serviceReport(error, typed);
  const exitCode = error instanceof Failure ? error.exitCode : exitCodes.failure;
  const message = error instanceof Failure ? error.message : `Unexpected error: ${wordsOf(error)}`;
  const code = Object.entries(exitCodes).find(([, value]) => value === exitCode)?.[0];
  return { exitCode, lines: [message], json: { code, message } };
}

function serviceReport(error: PdfServiceError, typed: Typed): Report {
  const { code, status, details, requestId, retryAfter, fields } = error;
  const message = code === "connection" && status === 0 ? unreachable(error, typed.url) : error.message;
  const json = { code, message, status, details, ...(requestId !== undefined && { requestId }) };
  const lines = fields.map(({ name, issue, step }) => {
    const word = wordFor(name, typed, step);
    const text = withTypedWords(issue, typed, step);
    if (text.includes(word)) return text;
    return issue === error.message ? `${word}: ${text}` : `${word} ${text}${/[.!?]$/.test(text) ? "" : "."}`;
  });
  if (lines.length === 0) lines.push(withTypedWords(message, typed));
  if (code === "unauthenticated") lines.push("Set PDF_SERVICE_KEY, or run: pdf-service login");
  if (code === "password_required")
    lines.push("Give the password with --password; --password @FILE reads it from a file.");
  if (retryAfter !== undefined) lines.push(`Try again in ${Math.ceil(retryAfter)} seconds.`);
  if (status >= 500 && requestId !== undefined) lines.push(`Request ID: ${requestId}`);
  return { exitCode: exitCodeOf(error), lines, json };
}

function unreachable(error: PdfServiceError, url: string): string {
  const cause = rootCause(error);
  const why = cause === error ? "" : `: ${wordsOf(cause)}`;
  return `${error.message.replace(/\.$/, "")} at ${url}${why}.`;
}

/** Fields that are options of all operations. */
const JOB_FIELDS = new Set(["expiresIn", "deliverTo", "onPageError"]);

/** The option for a field as typed, or as it could be; its name, if that is unknown. */
function wordFor(name: string, { steps, files }: Typed, step?: number): string {
  const file = (step === undefined ? undefined : files.get(`step${step}-${name}`)) ?? files.get(name);
  if (file !== undefined) return file;
  const own = step === undefined ? steps : steps.slice(step - 1, step);
  const typed = own.find((one) => one.typed.has(name))?.typed.get(name);
  if (typed !== undefined) return typed;
  const isOption = own.some(({ command }) => command.parameters.some(({ field }) => field === name));
  return isOption || JOB_FIELDS.has(name) ? `--${kebab(name)}` : name;
}

/** Names of fields become the options typed for them, and other code loses its backquotes. */
const withTypedWords = (text: string, typed: Typed, step?: number): string =>
  withoutMarksOfValues(
    text,
    typed.steps.flatMap(({ command }) => command.parameters),
  ).replaceAll(/`([^`]*)`/g, (_, name: string) => wordFor(name, typed, step));
