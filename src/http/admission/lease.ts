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

/**
 * The client disconnected before the response began. No client sees this error; it goes to the log and into `operation.failed`.
 */
export class ClientGone extends ApiError {
  constructor() {
    super("client_closed_request");
  }
}

/** The client was slow, and other requests needed the memory it held. */
class TooSlow extends ApiError {
  constructor() {
    super("request_timeout", "The body arrived too slowly, and other requests were waiting.");
  }
}

export interface LeaseRequest {
  readonly account: string;
  readonly operation: Pick<Operation, "needsHeadroom" | "extraMemoryBytes">;
  /** The Content-Length, if sent. */
  readonly length: number | undefined;
  /** Maximum size of the body. */
  readonly maxBytes: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Passed to the engines. `memoryBytes` covers all requests plus what is kept between them. */
  readonly given: Omit<LeaseOptions, "expected" | "most" | "work"> & { readonly memoryBytes: number };
  /** Keeps work running after the response. */
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * One request's share of the isolate: its engines, and the memory they may fill. It has one owner, which releases it once. If
 * the owner never gets to that because the platform dropped the rest of its work, admission reclaims the memory when another
 * request needs it: the engines are never leased again, and anyone still using them fails at the next slice.
 *
 * A small body is read before the request has an engine; a larger one goes straight into the engine's heap. Either way, `turn`
 * waits for the request's turn.
 */
export class Lease {
  /** Size of the body in bytes, or its maximum if unknown. */
  readonly bodyBytes: number;
  /** Whether to read the body before `turn`. */
  readonly isSmall: boolean;
  readonly #request: LeaseRequest;
  readonly #ticket: Ticket;
  /** The client has disconnected: if the lease is not released soon, it is reclaimed. */
  readonly expire = (): void => this.#ticket.expire();
  #engines: EngineLease | undefined;
  /** The request's work limits, and the work done so far. */
  readonly work: Work;
  /** Bytes of the response that are produced but not sent. */
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

  /**
   * Waits for memory, and for engines if the body is large. Throws `overloaded` if they do not become free in time. The caller
   * releases the lease.
   */
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

  /** Waits for the request's turn once its body has arrived. Throws `overloaded` if it does not come in time. */
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

  /** The small body is now in the engine's heap, so this copy can go. */
  dropBody(): void {
    const heap = this.#engines?.heapBytes() ?? 0;
    if (this.isSmall) this.#ticket.hold(Math.max(this.#ticket.bytes - this.bodyBytes, heap));
  }

  /** Throws if the lease has ended. */
  get engines(): Engines {
    this.check();
    if (this.#engines === undefined) throw new Error("the request has no engines");
    return this.#engines.engines;
  }

  /** Whether work under the lease must stop, and why: the `AbortSignal` or admission. */
  get aborted(): boolean {
    return this.#request.signal.aborted || this.#ticket.lost !== undefined;
  }

  get reason(): ApiError {
    if (this.#request.signal.aborted) return new ClientGone();
    if (this.#ticket.lost === "slow") return new TooSlow();
    return overloaded("The request made no progress for too long. Retry in a few seconds.");
  }

  /** Throws if the client is gone or the lease is lost; otherwise counts as a sign of life. */
  check(): void {
    if (this.aborted) throw this.reason;
    this.#ticket.renew();
  }

  /** `act` is called from another request, when admission reclaims the lease: it may touch plain values only, no I/O. */
  onLost(act: (reason: ApiError) => void): void {
    this.#ticket.onLost(() => {
      this.#engines?.release(false);
      act(this.reason);
    });
  }

  /** Reports that `bytes` of the body have arrived. Throws as `check` does. */
  received(bytes: number): void {
    this.check();
    this.#ticket.moved(bytes);
  }

  /** Whether `bytes` of the response may be buffered for the client, in addition to the engines. */
  mayHold(bytes: number): boolean {
    const { engineBytes, smallBodyBytes } = limits.admission;
    this.#unsentBytes = bytes;
    if (bytes === 0) return true;
    const spare = engineBytes + smallBodyBytes;
    const heap = this.#engines?.heapBytes() ?? 0;
    return bytes <= limits.response.aheadBytes && this.#ticket.grow(heap + bytes, spare) === true;
  }

  /** The engines must wait for the client to read the response: other requests may work meanwhile. */
  waitForReader(): void {
    this.#ticket.wait(true);
  }

  /** Reports that `bytes` of the response were sent and `unsent` produced bytes remain. Throws as `check` does. */
  sent(bytes: number, unsent: number): void {
    this.check();
    this.#unsentBytes = unsent;
    this.#ticket.moved(bytes);
    if (this.#engines === undefined) this.#ticket.hold(unsent);
  }

  /** Translates an error thrown by the engines. */
  explain(error: unknown): unknown {
    return this.aborted ? this.reason : (this.#engines?.explain(error) ?? error);
  }

  /**
   * Returns the engines when only `unsent` bytes of the response remain. `clean: false` if the engines can no longer be
   * trusted.
   */
  finishWork(clean: boolean, unsent: number): void {
    if (this.#engines === undefined) return;
    this.#engines.release(clean);
    this.#engines = undefined;
    this.#ticket.finishWork(unsent);
    this.#request.waitUntil(scheduler.wait(0).then(clearSpares));
  }

  /** Releases engines and memory. */
  release(clean: boolean): void {
    this.#request.signal.removeEventListener("abort", this.expire);
    this.finishWork(clean, 0);
    this.#ticket.release();
  }

  /**
   * Leases engines within the ticket. A kept engine may have grown in a larger request; it is dropped if it does not fit this
   * one.
   */
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

/** Requirements for reading a body into an engine and working on it. */
const intoEngine = ({ operation }: LeaseRequest, bodyBytes: number) =>
  ({ to: "read into an engine", bytes: weightOf(bodyBytes) + (operation.extraMemoryBytes ?? 0) }) as const;

/** Estimated memory of a request, in bytes. If the estimate was too low, the engine asks the ticket for more. */
function weightOf(bodyBytes: number): number {
  const { engineBytes, engineOwnBytes, heapPerBodyByte } = limits.admission;
  return Math.max(engineBytes, engineOwnBytes + bodyBytes * heapPerBodyByte);
}

/** One per isolate, because memory is per isolate. */
let admission: Admission | undefined;

function admissionOf(budgetBytes: number): Admission {
  admission ??= new Admission({ ...limits.admission, budgetBytes, keptBytes, dropKept: dropSpares });
  return admission;
}
