import type { ApiError } from "../errors/api-error.ts";
import { faultOf } from "../../faults.ts";

/** How a request ended: `aborted` if the client disconnected or the response could not be sent completely. */
export type Outcome = "complete" | "aborted";

/**
 * Everything logged about a request, written as exactly one line of JSON at its end. It never contains what a document or
 * client supplied: no content, file name, password, query string or key; the route's pattern replaces the path, and an error is
 * reduced to the facts listed in `faults.ts`.
 */
export class RequestLog {
  readonly requestId: string;
  readonly start = Date.now();
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
  /** Fuel spent by the engines and our loops (src/engines/work.ts). */
  work: { readonly spent: number; readonly share: number } | undefined;
  /** Whether the end of the response stream writes the line instead of the handler. */
  streaming = false;

  constructor(requestId: string, method: string) {
    this.requestId = requestId;
    this.#method = method;
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
    const line = {
      level: fault ? "error" : "info",
      message: "request",
      requestId: this.requestId,
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
      work: this.work?.spent,
      workShare: this.work && Number(this.work.share.toFixed(3)),
      cause: fault && error.cause !== undefined ? faultOf(error.cause) : undefined,
    };
    console.log(JSON.stringify(line));
  }
}
