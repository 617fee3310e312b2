import { Admission, type Ticket } from "./admission.ts";
import { ApiError, overloaded } from "./errors.ts";
import type { Engines } from "../engines/engines.ts";
import { clearSpares, dropLarger, dropSpares, type EngineLease, keptBytes, leaseEngines } from "../engines/pool.ts";
import type { LeaseOptions } from "../engines/pool.ts";
import { Work } from "../engines/work.ts";
import { limits } from "../limits.ts";
import type { Operation } from "../operations/define.ts";

/** The client left before its response began. Nobody sees this; it goes to the log and into `operation.failed`. */
export class ClientGone extends ApiError {
  constructor() {
    super("client_closed_request");
  }
}

export interface LeaseRequest {
  readonly operation: Pick<Operation, "memoryBeside" | "besideBytes">;
  /** Bytes of the body, or the most that it may have. */
  readonly bodyBytes: number;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** What the engines are given. `memoryBytes`: for all requests together and what is kept between them. */
  readonly given: Omit<LeaseOptions, "expected" | "most" | "work"> & { readonly memoryBytes: number };
  /** Lets work go on after the response. */
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * What one request has of the isolate: engines, and the memory that they may fill. It has one owner, which releases it once.
 * Where the owner does not come to that, because the platform dropped what it still had to do, admission takes the memory
 * back when another request needs it: the engines are never leased again then, and whoever still works with them fails at the
 * next slice.
 */
export class Lease {
  readonly #request: LeaseRequest;
  readonly #ticket: Ticket;
  readonly #expire = (): void => this.#ticket.expire();
  #engines: EngineLease | undefined;
  /** What the request may do, and has done. */
  readonly work: Work;

  private constructor(request: LeaseRequest, ticket: Ticket) {
    this.#request = request;
    this.#ticket = ticket;
    this.work = new Work({ limit: limits.work.request, most: limits.work.most, alive: () => this.check() });
    ticket.onLost(() => this.#engines?.release(false));
    if (request.signal.aborted) ticket.expire();
    request.signal.addEventListener("abort", this.#expire);
  }

  /** Waits for memory and engines. Throws `overloaded` where there are none in time. */
  static async take(request: LeaseRequest): Promise<Lease> {
    const { bodyBytes, operation, signal, given } = request;
    const weight = weightOf(bodyBytes);
    const admission = admissionOf(given.memoryBytes);
    const ticket = await admission.admit(weight + (operation.besideBytes ?? 0), signal).catch((error: unknown) => {
      throw signal.aborted ? new ClientGone() : error;
    });
    const lease = new Lease(request, ticket);
    try {
      await lease.#leaseWithin(weight);
      return lease;
    } catch (error) {
      lease.release(false);
      throw error;
    }
  }

  /** Throws where the lease has ended. */
  get engines(): Engines {
    this.check();
    if (this.#engines === undefined) throw new Error("the lease was released");
    return this.#engines.engines;
  }

  /** Whether what is done under the lease has to stop, and why: what `AbortSignal` says, and what admission says. */
  get aborted(): boolean {
    return this.#request.signal.aborted || this.#ticket.lost;
  }

  get reason(): ApiError {
    if (this.#request.signal.aborted) return new ClientGone();
    return overloaded("The request made no progress for too long. Retry in a few seconds.");
  }

  /** Throws where nobody waits for the response any more, or the lease is lost; otherwise a sign of life. */
  check(): void {
    if (this.aborted) throw this.reason;
    this.#ticket.renew();
  }

  /** What an error that came out of the engines means. */
  explain(error: unknown): unknown {
    return this.aborted ? this.reason : (this.#engines?.explain(error) ?? error);
  }

  /** Gives engines and memory back. `clean: false` where the engines cannot be trusted any more. */
  release(clean: boolean): void {
    this.#request.signal.removeEventListener("abort", this.#expire);
    this.#engines?.release(clean);
    this.#ticket.release();
    this.#request.waitUntil(scheduler.wait(0).then(clearSpares));
  }

  /** Engines within the ticket. A kept one may have grown in a larger request; it is dropped where it does not fit this one. */
  async #leaseWithin(expected: number): Promise<void> {
    const { given, operation } = this.#request;
    const { memoryBeside = false, besideBytes = 0 } = operation;
    if (besideBytes > 0) dropLarger(limits.admission.lentBesideBytes);
    const allowHeap = (bytes: number): boolean | "busy" => this.#ticket.grow(bytes);
    const most = memoryBeside ? { most: limits.admission.lentBesideBytes } : {};
    this.#engines = await leaseEngines(allowHeap, { ...given, work: this.work, expected, ...most });
    if (this.#ticket.grow(this.#engines.heapBytes()) === true) return;
    this.#engines.release(false);
    dropSpares();
    this.#engines = await leaseEngines(allowHeap, { ...given, work: this.work });
  }
}

/** What a request is expected to hold, in bytes. The engine asks the ticket for more where the guess was too low. */
function weightOf(bodyBytes: number): number {
  const { engineBytes, engineOwnBytes, heapPerBodyByte } = limits.admission;
  return Math.max(engineBytes, engineOwnBytes + bodyBytes * heapPerBodyByte);
}

/** One for the isolate: memory is the isolate's. */
let admission: Admission | undefined;

function admissionOf(budgetBytes: number): Admission {
  admission ??= new Admission({ ...limits.admission, budgetBytes, keptBytes, dropKept: dropSpares });
  return admission;
}
