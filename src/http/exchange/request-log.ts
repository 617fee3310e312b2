import type { ApiError } from "../errors/api-error.ts";
import { type Fault, faultOf } from "../../faults.ts";
import { type Step, traceparentOf } from "../../telemetry/trace-context.ts";

/** How a request ended: `aborted` if the client disconnected or the response could not be sent completely. */
export type Outcome = "complete" | "aborted";

/** The facts of a request on arrival: its place in a trace, and the listeners for its end. */
export interface Observation {
  readonly step: Step | undefined;
  ended(line: RequestLine, start: number): void;
}

const UNOBSERVED: Observation = { step: undefined, ended: () => undefined };

/** The line of a request. */
export interface RequestLine {
  readonly level: "info" | "error";
  readonly message: "request";
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  readonly outcome: Outcome;
  readonly milliseconds: number;
  readonly key: string | undefined;
  readonly account: string | undefined;
  readonly operation: string | undefined;
  readonly bodyBytes: number;
  readonly referencedBytes: number | undefined;
  readonly responseBytes: number;
  readonly pageCount: number | undefined;
  readonly credits: number | undefined;
  readonly work: number | undefined;
  readonly workShare: number | undefined;
  readonly cause: Fault | undefined;
}

/**
 * Everything logged about a request, written as exactly one line of JSON at its end. It never contains what a document or
 * client supplied: no content, file name, password, query string or key; the route's pattern replaces the path, and an error is
 * reduced to the facts listed in `faults.ts`.
 */
export class RequestLog {
  readonly requestId: string;
  readonly start = Date.now();
  readonly #observation: Observation;
  readonly #method: string;
  #written = false;
  #error: ApiError | undefined;

  route: string | undefined;
  operation: string | undefined;
  key: string | undefined;
  account: string | undefined;
  bodyBytes = 0;
  /** Bytes of the files that its fields refer to, by field. */
  referencedBytes = 0;
  responseBytes = 0;
  pageCount: number | undefined;
  /** Credits charged. */
  credits: number | undefined;
  /** Fuel spent by the engines and our loops (src/engines/work.ts). */
  work: { readonly spent: number; readonly share: number } | undefined;
  /** Whether the end of the response stream writes the line instead of the handler. */
  streaming = false;

  constructor(requestId: string, method: string, observation: Observation = UNOBSERVED) {
    this.requestId = requestId;
    this.#method = method;
    this.#observation = observation;
  }

  /** What later steps of its trace continue; undefined if it is in none. */
  get traceparent(): string | undefined {
    const { step } = this.#observation;
    return step && traceparentOf(step);
  }

  /** Records the request's error; the last one counts. */
  failed(error: ApiError): void {
    this.#error = error;
  }

  /** Writes the line; later calls do nothing. */
  end(status: number, outcome: Outcome): void {
    if (this.#written) return;
    this.#written = true;
    const error = this.#error;
    const fault = error !== undefined && error.status >= 500;
    const line: RequestLine = {
      level: fault ? "error" : "info",
      message: "request",
      requestId: this.requestId,
      traceId: this.#observation.step?.traceId,
      method: this.#method,
      route: this.route,
      status,
      code: error?.code,
      outcome,
      milliseconds: Date.now() - this.start,
      key: this.key,
      account: this.account,
      operation: this.operation,
      bodyBytes: this.bodyBytes,
      referencedBytes: this.referencedBytes || undefined,
      responseBytes: this.responseBytes,
      pageCount: this.pageCount,
      credits: this.credits,
      work: this.work?.spent,
      workShare: this.work && Number(this.work.share.toFixed(3)),
      cause: fault && error.cause !== undefined ? faultOf(error.cause) : undefined,
    };
    console.log(JSON.stringify(line));
    this.#observation.ended(line, this.start);
  }
}
