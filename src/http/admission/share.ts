import { Admission, type Admittance } from "./admission.ts";
import type { Ticket } from "./ticket.ts";
import { ApiError, overloaded } from "../errors/api-error.ts";
import { dropSpares, keptBytes } from "../../engines/lease/pool.ts";
import { dropModels } from "../../engines/ocr/models.ts";
import { limits } from "../../limits.ts";

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
    super("request_timeout", "The files arrived too slowly, and other requests were waiting for the memory.");
  }
}

/** Waits for memory. Throws `overloaded` if it does not become free in time, `ClientGone`. */
export async function admit(
  memoryBytes: number,
  asked: Admittance & { readonly signal: AbortSignal },
): Promise<Ticket> {
  return admissionOf(memoryBytes)
    .admit(asked)
    .catch((error: unknown) => {
      throw asked.signal.aborted ? new ClientGone() : error;
    });
}

/**
 * One request's share of the isolate's memory. It has one owner, which releases it once. If the owner never gets to that because
 * the platform dropped the rest of its work, admission reclaims the memory when another request needs it.
 */
export class Share {
  protected readonly ticket: Ticket;
  readonly #signal: AbortSignal;
  /** The client has disconnected: if the share is not released soon, it is reclaimed. */
  readonly expire = (): void => this.ticket.expire();

  constructor(ticket: Ticket, signal: AbortSignal) {
    this.ticket = ticket;
    this.#signal = signal;
    if (signal.aborted) ticket.expire();
    signal.addEventListener("abort", this.expire);
  }

  /** Whether work under the share must stop, and why: the `AbortSignal` or admission. */
  get aborted(): boolean {
    return this.#signal.aborted || this.ticket.lost !== undefined;
  }

  get reason(): ApiError {
    if (this.#signal.aborted) return new ClientGone();
    if (this.ticket.lost === "slow") return new TooSlow();
    return overloaded("The request made no progress for too long. Retry in a few seconds.");
  }

  /** Throws if the client is gone or the share is lost; otherwise counts as a sign of life. */
  check(): void {
    if (this.aborted) throw this.reason;
    this.ticket.renew();
  }

  /** Reports that `bytes` of the body have arrived. Throws as `check` does. */
  received(bytes: number): void {
    this.check();
    this.ticket.moved(bytes);
  }

  /** Releases the memory. */
  release(): void {
    this.#signal.removeEventListener("abort", this.expire);
    this.ticket.release();
  }
}

/** One per isolate, because memory is per isolate. */
let admission: Admission | undefined;

export function admissionOf(budgetBytes: number): Admission {
  admission ??= new Admission({ ...limits.admission, budgetBytes, keptBytes, dropModels, dropKept: dropSpares });
  return admission;
}
