import { Admission } from "./admission.ts";
import type { Ticket } from "./ticket.ts";
import { ApiError, overloaded } from "../errors/api-error.ts";
import type { Engines } from "../../engines/lease/engines.ts";
import {
  clearSpares,
  dropLarger,
  dropSpares,
  type EngineLease,
  keptBytes,
  leaseEngines,
} from "../../engines/lease/pool.ts";
import type { LeaseOptions } from "../../engines/lease/pool.ts";
import { Work } from "../../engines/work.ts";
import { limits } from "../../limits.ts";
import type { Operation } from "../../operations/define.ts";

/** The client left before its response began. Nobody sees this; it goes to the log and into `operation.failed`. */
export class ClientGone extends ApiError {
  constructor() {
    super("client_closed_request");
  }
}

/** The client was slow, and others needed what it held. */
class TooSlow extends ApiError {
  constructor() {
    super("request_timeout", "The body arrived too slowly, and other requests were waiting.");
  }
}

export interface LeaseRequest {
  readonly account: string;
  readonly operation: Pick<Operation, "needsHeadroom" | "extraMemoryBytes">;
  /** The Content-Length, if there is one. */
  readonly length: number | undefined;
  /** The most that it may have. */
  readonly maxBytes: number;
  /** Aborted when the client disconnects. */
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
 *
 * A small body is read before there is an engine; a larger one goes straight into the engine's heap. `turn` waits for the
 * request's turn in both cases.
 */
export class Lease {
  /** Bytes of the body, or the most that it may have. */
  readonly bodyBytes: number;
  /** Whether the body is to be read before `turn`. */
  readonly isSmall: boolean;
  readonly #request: LeaseRequest;
  readonly #ticket: Ticket;
  /** The client has disconnected: what the lease holds is soon taken back if it is not released. */
  readonly expire = (): void => this.#ticket.expire();
  #engines: EngineLease | undefined;
  /** What the request may do, and has done. */
  readonly work: Work;
  /** Bytes of the response that are made and not sent. */
  #unsentBytes = 0;

  private constructor(request: LeaseRequest, ticket: Ticket, sizes: Pick<Lease, "bodyBytes" | "isSmall">) {
    this.#request = request;
    this.#ticket = ticket;
    this.work = new Work({ limit: limits.work.request, most: limits.work.most, alive: () => this.check() });
    this.bodyBytes = sizes.bodyBytes;
    this.isSmall = sizes.isSmall;
    this.onLost(() => {});
    if (request.signal.aborted) ticket.expire();
    request.signal.addEventListener("abort", this.expire);
  }

  /** Waits for memory, and for engines if the body is large. Throws `overloaded` if there are none in time. Whoever takes the lease releases it. */
  static async take(request: LeaseRequest): Promise<Lease> {
    const { account, length, maxBytes, signal, given } = request;
    const bodyBytes = length ?? maxBytes;
    const isSmall = length !== undefined && length <= limits.admission.smallBodyBytes;
    const asked = isSmall ? ({ to: "read", bytes: bodyBytes } as const) : intoEngine(request, bodyBytes);
    const ticket = await admissionOf(given.memoryBytes)
      .admit({ account, signal, ...asked })
      .catch((error: unknown) => {
        throw signal.aborted ? new ClientGone() : error;
      });
    const lease = new Lease(request, ticket, { bodyBytes, isSmall });
    try {
      if (!isSmall) await lease.#leaseWithin(weightOf(bodyBytes));
      return lease;
    } catch (error) {
      lease.release(false);
      throw error;
    }
  }

  /** Waits for the request's turn, when its body is here. Throws `overloaded` if it does not come in time. */
  async turn(): Promise<void> {
    const { signal, given } = this.#request;
    const { bytes } = intoEngine(this.#request, this.bodyBytes);
    await admissionOf(given.memoryBytes).admitTo(this.#ticket, {
      to: "work",
      bytes: this.isSmall ? bytes + this.bodyBytes : this.#ticket.bytes,
      waitMilliseconds: limits.admission.turnMilliseconds,
      signal,
    });
    this.check();
    if (this.isSmall) await this.#leaseWithin(weightOf(this.bodyBytes));
  }

  /** The small body lies in the engine's heap now, and nowhere else. */
  dropBody(): void {
    const heap = this.#engines?.heapBytes() ?? 0;
    if (this.isSmall) this.#ticket.hold(Math.max(this.#ticket.bytes - this.bodyBytes, heap));
  }

  /** Throws where the lease has ended. */
  get engines(): Engines {
    this.check();
    if (this.#engines === undefined) throw new Error("the request has no engines");
    return this.#engines.engines;
  }

  /** Whether what is done under the lease has to stop, and why: what `AbortSignal` says, and what admission says. */
  get aborted(): boolean {
    return this.#request.signal.aborted || this.#ticket.lost !== undefined;
  }

  get reason(): ApiError {
    if (this.#request.signal.aborted) return new ClientGone();
    if (this.#ticket.lost === "slow") return new TooSlow();
    return overloaded("The request made no progress for too long. Retry in a few seconds.");
  }

  /** Throws where nobody waits for the response any more, or the lease is lost; otherwise a sign of life. */
  check(): void {
    if (this.aborted) throw this.reason;
    this.#ticket.renew();
  }

  /** `act` is called when admission takes the lease back, by another request: it may touch plain values only, no I/O. */
  onLost(act: (reason: ApiError) => void): void {
    this.#ticket.onLost(() => {
      this.#engines?.release(false);
      act(this.reason);
    });
  }

  /** So many bytes of the body have arrived. Throws as `check` does. */
  received(bytes: number): void {
    this.check();
    this.#ticket.moved(bytes);
  }

  /** Whether so many bytes of the response may wait for their reader, beside the engines. */
  mayHold(bytes: number): boolean {
    const { engineBytes, smallBodyBytes } = limits.admission;
    this.#unsentBytes = bytes;
    if (bytes === 0) return true;
    const spare = engineBytes + smallBodyBytes;
    const heap = this.#engines?.heapBytes() ?? 0;
    return bytes <= limits.response.aheadBytes && this.#ticket.grow(heap + bytes, spare) === true;
  }

  /** The engines have to wait for the reader of the response: others may work meanwhile. */
  waitForReader(): void {
    this.#ticket.wait(true);
  }

  /** So many bytes of the response were sent, and so many that are made are left. Throws as `check` does. */
  sent(bytes: number, unsent: number): void {
    this.check();
    this.#unsentBytes = unsent;
    this.#ticket.moved(bytes);
    if (this.#engines === undefined) this.#ticket.hold(unsent);
  }

  /** What an error that came out of the engines means. */
  explain(error: unknown): unknown {
    return this.aborted ? this.reason : (this.#engines?.explain(error) ?? error);
  }

  /**
   * Gives the engines back, when so many bytes of the response are all that is left to do. `clean: false` where the engines
   * cannot be trusted any more.
   */
  finishWork(clean: boolean, unsent: number): void {
    if (this.#engines === undefined) return;
    this.#engines.release(clean);
    this.#engines = undefined;
    this.#ticket.finishWork(unsent);
    this.#request.waitUntil(scheduler.wait(0).then(clearSpares));
  }

  /** Gives engines and memory back. */
  release(clean: boolean): void {
    this.#request.signal.removeEventListener("abort", this.expire);
    this.finishWork(clean, 0);
    this.#ticket.release();
  }

  /** Engines within the ticket. A kept one may have grown in a larger request; it is dropped if it does not fit this one. */
  async #leaseWithin(expected: number): Promise<void> {
    const { given, operation } = this.#request;
    const { needsHeadroom = false, extraMemoryBytes = 0 } = operation;
    if (extraMemoryBytes > 0) dropLarger(limits.admission.lentBesideBytes);
    const allowHeap = (bytes: number): boolean | "busy" => this.#ticket.grow(bytes + this.#unsentBytes);
    const most = needsHeadroom ? { most: limits.admission.lentBesideBytes } : {};
    this.#engines = await leaseEngines(allowHeap, { ...given, work: this.work, expected, ...most });
    if (this.#ticket.grow(this.#engines.heapBytes()) === true) return;
    this.#engines.release(false);
    dropSpares();
    this.#engines = await leaseEngines(allowHeap, { ...given, work: this.work });
  }
}

/** What it takes to read a body into an engine, and to work on it. */
const intoEngine = ({ operation }: LeaseRequest, bodyBytes: number) =>
  ({ to: "read into an engine", bytes: weightOf(bodyBytes) + (operation.extraMemoryBytes ?? 0) }) as const;

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
