import { styleText } from "node:util";

/** The members of a log line that are shown; src/http/exchange/request-log.ts and the other writers have more. */
interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly requestId?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly code?: string;
  readonly outcome?: string;
  readonly milliseconds?: number;
  readonly pageCount?: number;
  readonly cause?: unknown;
  readonly [other: string]: unknown;
}

/** What the service logged, if a line of wrangler's output is that; the rest is wrangler's own. */
export function logLineIn(text: string): LogLine | undefined {
  if (!text.startsWith('{"level":')) return undefined;
  return JSON.parse(text) as LogLine;
}

/** The line for people in a terminal; undefined for repetitive lines: files of the pages, and a sweep each minute. */
export function lineForPeople(line: LogLine, time: Date): string | undefined {
  const isFault = line.level === "error";
  if (!isFault && (line.message === "scheduled" || isAsset(line))) return undefined;
  const clock = styleText("dim", time.toTimeString().slice(0, 8));
  const words = line.message === "request" ? requestWords(line) : otherWords(line);
  const cause = isFault && line.cause !== undefined ? [`\n${JSON.stringify(line.cause, null, 2)}`] : [];
  return [clock, ...words, ...cause].join("  ");
}

const isAsset = ({ route, status = 0 }: LogLine): boolean => route?.startsWith("/assets/") === true && status < 400;

function requestWords({ method = "", route, status = 0, code, outcome, ...rest }: LogLine): string[] {
  const color = status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  return [
    styleText(color, String(status)),
    // Paths without a route are not logged, because anything can be in them.
    `${method} ${route ?? "(unknown path)"}`,
    `${rest.milliseconds} ms`,
    ...(rest.pageCount === undefined ? [] : [`${rest.pageCount} ${rest.pageCount === 1 ? "page" : "pages"}`]),
    ...(code === undefined ? [] : [styleText(color, code)]),
    ...(outcome === "aborted" ? ["not sent completely"] : []),
    ...(status >= 500 ? [rest.requestId ?? ""] : []),
  ];
}

/** Whatever is logged besides requests: parts of jobs, and faults. */
function otherWords({ level, message, ...facts }: LogLine): string[] {
  const shown = Object.entries(facts).filter(([, value]) => value !== undefined && typeof value !== "object");
  return [
    level === "error" ? styleText("red", message) : message,
    ...shown.map(([name, value]) => `${name}=${String(value)}`),
  ];
}
