/* What the log contains about an error. An error's message may contain anything: drizzle's list every parameter of a query,
   a library's the URL or the text that it failed on, and a stack begins with the message. So only fields from closed lists
   are logged. */

/** An error in the service's own configuration. Its message is ours, contains no values, and is logged. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** The logged form of an error. */
export interface Fault {
  /** One of `names`, or `other`. */
  readonly name: string;
  /** The reason reported by a binding, if it is one of `reasons`. */
  readonly reason?: string;
  /** Only for a `ConfigurationError`. */
  readonly message?: string;
  /** Where it was thrown: function, module, line and column in this program. */
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
  "DamagedFile",
]);

/**
 * Reasons reported by Cloudflare's bindings (developers.cloudflare.com/d1/observability/debug-d1), matched by a part of their
 * messages.
 */
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
/** `at name (module:line:column)`, as V8 prints frames of this program. */
const FRAME = /^ {4}at (?:async )?(?:([\w$.<>#]{1,80}) )?\(?((?:[\w.:-]*\/)*[\w.-]{1,80}:\d{1,9}:\d{1,9})\)?$/;

/** The loggable form of a thrown value. */
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

/**
 * The frames after the message, which itself could contain lines that look like frames. None if the end of the message is
 * unknown.
 */
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

/** Logs a fault that occurred outside any request. `ids`: the affected objects. */
export function logFault(message: string, ids: Readonly<Record<string, string | number>>, thrown: unknown): void {
  console.log(JSON.stringify({ level: "error", message, ...ids, cause: faultOf(thrown) }));
}

/** Seconds until a message that failed is retried, doubled each time, and the maximum. */
const FAULT_SECONDS = 5;
export const LONGEST_FAULT_SECONDS = 3_600;

/** Seconds until the next retry of a message, after this many attempts. */
export const secondsAfterFault = (attempts: number): number =>
  Math.min(FAULT_SECONDS * 2 ** attempts, LONGEST_FAULT_SECONDS);
