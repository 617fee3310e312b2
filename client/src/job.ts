import type { Job } from "./generated-job.ts";
import type { ApiRequest, CallOptions } from "./transport.ts";

/** Options of an operation or pipeline that runs as a job. */
export interface JobOptions extends CallOptions {
  /** How many seconds the result is kept once the job has ended. Default: 86,400. */
  readonly expiresIn?: number;
  /** An HTTPS URL to which the service sends the result with PUT, such as a presigned URL of a bucket. */
  readonly deliverTo?: string;
}

/** Options of a job that works page by page. */
export interface PageJobOptions extends JobOptions {
  /**
   * `fail`: the job fails with the first page that fails. `continue`: the result is made without the pages that fail, and the job is
   * `partial`. Default: `fail`.
   */
  readonly onPageError?: "fail" | "continue";
}

/** Seconds that the service may hold back a response for the end of the job: its maximum. */
const LONGEST_WAIT = 30;
/** The same for progress, as few requests as the smallest plan allows: 1 at first, then twice as long each time. */
const LONGEST_WAIT_FOR_PROGRESS = 10;

type Send = (request: ApiRequest) => Promise<Response>;

/** A job on the service. `T` is the result of its operation in an ordinary request. */
export class JobHandle<T> implements AsyncIterable<Job> {
  readonly id: string;
  readonly #send: Send;
  readonly #make: (response: Response) => T | Promise<T>;
  #state: Job;

  constructor(send: Send, state: Job, make: (response: Response) => T | Promise<T>) {
    this.id = state.id;
    this.#send = send;
    this.#state = state;
    this.#make = make;
  }

  /** The job as it was in the last response. */
  get state(): Job {
    return this.#state;
  }

  /**
   * Waits for the end of the job, and gets its result. `signal` ends the waiting, not the job.
   *
   * @throws PdfServiceError: the error of a job that failed, `not_ready` if it was canceled, `expired` if its result has been deleted.
   */
  async result(options?: CallOptions): Promise<T> {
    while (isLive(this.#state)) await this.#look(LONGEST_WAIT, options);
    // The error of a job stays the same.
    const tries = this.#state.status === "failed" ? { ...options, maxRetries: 0 } : options;
    const response = await this.#request("GET", "/result", tries);
    const headers = new Headers(response.headers);
    headers.set("X-Credits-Charged", String(this.#state.credits.charged));
    return this.#make(new Response(response.body, { status: response.status, headers }));
  }

  /** The state now and after each change, until the job has ended. */
  [Symbol.asyncIterator](): AsyncGenerator<Job, void> {
    return this.states();
  }

  /** The same. `signal` ends the waiting, not the job. */
  async *states(options?: CallOptions): AsyncGenerator<Job, void> {
    yield this.#state;
    for (let wait = 1; isLive(this.#state); wait = Math.min(2 * wait, LONGEST_WAIT_FOR_PROGRESS)) {
      const before = this.#state;
      const now = await this.#look(wait, options);
      if (now.status !== before.status || pagesOf(now) !== pagesOf(before)) yield now;
    }
  }

  /** Cancels the job, which is charged for finished pages. A job that has ended does not change. */
  cancel(options?: CallOptions): Promise<Job> {
    return this.#update("POST", "/cancel", options);
  }

  /** Deletes the job, its files, and its result. One that has not ended is canceled first. */
  delete(options?: CallOptions): Promise<Job> {
    return this.#update("DELETE", "", options);
  }

  #look(waitSeconds: number, options?: CallOptions): Promise<Job> {
    return this.#update("GET", "", options, waitSeconds);
  }

  async #update(method: string, path: string, options?: CallOptions, waitSeconds?: number): Promise<Job> {
    const response = await this.#request(method, path, options, waitSeconds);
    this.#state = (await response.json()) as Job;
    return this.#state;
  }

  #request(method: string, path: string, options?: CallOptions, waitSeconds?: number): Promise<Response> {
    const own = `/api/v1/jobs/${encodeURIComponent(this.id)}${path}`;
    return this.#send({ method, path: own, repeatable: true, waitSeconds, options });
  }
}

const isLive = ({ status }: Job): boolean => status === "queued" || status === "running";

const pagesOf = ({ progress }: Job): number => progress.done + progress.failed;
