/*
 * What the log says of an error. An error's own words may hold anything: drizzle's name every parameter of a query, a library's the URL
 * or the text that it stumbled over, and a stack begins with the message. So only fields from closed lists are logged.
 */

/** A fault of the service's own configuration. Its message is ours, names no value, and is logged. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** What is logged of an error. */
export interface Fault {
  /** One of `names`, or `other`. */
  readonly name: string;
  /** What a binding reports, as far as it is one of `reasons`. */
  readonly reason?: string;
  /** Of a `ConfigurationError` alone. */
  readonly message?: string;
  /** Where it was thrown: function, module, line and column of this program. */
  readonly frames?: readonly string[];
  readonly cause?: Fault;
}

const names: ReadonlySet<string> = new Set([
  "Error",
  "TypeError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "AbortError",
  "TimeoutError",
  "DataError",
  "OperationError",
  "CompileError",
  "LinkError",
  "RuntimeError",
  "ApiError",
  "Refusal",
  "MuPDFFailure",
  "RecognitionFailure",
  "ConfigurationError",
]);

/** What Cloudflare's bindings report (developers.cloudflare.com/d1/observability/debug-d1), by a part of their messages. */
const reasons = [
  "Network connection lost",
  "Cannot resolve D1 due to transient issue on remote node",
  "D1 DB storage operation exceeded timeout",
  "D1 DB is overloaded",
  "D1 DB reset because its code was updated",
  "Memory limit would be exceeded",
  "Exceeded maximum DB size",
  "SQLITE_BUSY",
  "SQLITE_CONSTRAINT",
  "SQLITE_FULL",
  "SQLITE_NOMEM",
  "no such table",
  "no such column",
  "Too Many Requests",
  "Payload Too Large",
  "internal error",
] as const;

const DEPTH = 3;
const FRAMES = 12;
/** `at name (module:line:column)`; what V8 writes of this program. */
const FRAME = /^ {4}at (?:async )?(?:([\w$.<>#]{1,80}) )?\(?((?:[\w.:-]*\/)*[\w.-]{1,80}:\d{1,9}:\d{1,9})\)?$/;

/** What of a thrown value is logged. */
export function faultOf(thrown: unknown, depth = 0): Fault {
  if (!(thrown instanceof Error)) return { name: "other" };
  const reason = reasons.find((one) => thrown.message.includes(one));
  const frames = framesOf(thrown);
  return {
    name: names.has(thrown.name) ? thrown.name : "other",
    ...(reason !== undefined && { reason }),
    ...(thrown instanceof ConfigurationError && { message: thrown.message }),
    ...(frames.length > 0 && { frames }),
    ...(thrown.cause !== undefined && depth < DEPTH && { cause: faultOf(thrown.cause, depth + 1) }),
  };
}

/** The frames behind the message, which could hold lines that look like some. None where it is not known where it ends. */
function framesOf({ name, message, stack = "" }: Error): string[] {
  const heads = [`${name}: ${message}\n`, `Error: ${message}\n`, `${message}\n`];
  const head = heads.find((one) => stack.startsWith(one));
  if (head === undefined) return [];
  return stack
    .slice(head.length)
    .split("\n")
    .slice(0, FRAMES)
    .flatMap((line) => {
      const [, place = "", module] = FRAME.exec(line) ?? [];
      return module === undefined ? [] : [`${place} ${module}`.trim()];
    });
}

/** Writes one line for a fault behind which there is no request's own line. `ids`: what it is about. */
export function logFault(message: string, ids: Readonly<Record<string, string | number>>, thrown: unknown): void {
  console.log(JSON.stringify({ level: "error", message, ...ids, cause: faultOf(thrown) }));
}

/** Seconds until a message that met a fault is tried again, doubled each time, and at most. */
const FAULT_SECONDS = 5;
export const LONGEST_FAULT_SECONDS = 3_600;

/** Seconds until the next try of a message that met a fault, after so many. */
export const secondsAfterFault = (attempts: number): number =>
  Math.min(FAULT_SECONDS * 2 ** attempts, LONGEST_FAULT_SECONDS);
