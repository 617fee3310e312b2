export interface TicketOptions {
  /** Bytes for all requests plus what is kept between them. */
  readonly budgetBytes: number;
  /** Bytes kept between requests. The next request gets those engines first, so they are not counted on top of it. */
  keptBytes(): number;
  /** Drops what is kept besides engines. */
  dropModels(): void;
  /** Drops what is kept. */
  dropKept(): void;
  /** Milliseconds without a sign of life after which a waiting request may take over the ticket's memory. */
  readonly silentMilliseconds: number;
  /** The same after the client has disconnected. */
  readonly goneMilliseconds: number;
  /** Milliseconds a slow client is granted, plus more for each byte, before a waiting request may take over its memory. */
  readonly fairMilliseconds: number;
  readonly fairBytesPerSecond: number;
}

/** Issues tickets. */
export interface Issuer {
  readonly options: TicketOptions;
  /** Bytes of all open tickets. */
  readonly heldBytes: number;
  /** Whether a ticket is open. */
  holds(ticket: Ticket): boolean;
  /** Ends a ticket. */
  end(ticket: Ticket): void;
  /** Something became free: lets the waiting requests check. */
  lookAll(): void;
}

/** Memory that one request may fill until `release`, or until the ticket is lost. */
export class Ticket {
  readonly account: string;
  readonly #issuer: Issuer;
  #bytes = 0;
  #works = false;
  #hasEngine = false;
  #deadline: number;
  #gone = false;
  #lost: "silent" | "slow" | undefined;
  #whenLost = (): void => {};
  /** When the client began to hold up the work, and the bytes it has sent or read since. */
  #idle: { readonly since: number; moved: number } | undefined;

  constructor(issuer: Issuer, account: string) {
    this.#issuer = issuer;
    this.account = account;
    this.#deadline = Date.now() + issuer.options.silentMilliseconds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the request is working, rather than waiting for its client. */
  get works(): boolean {
    return this.#works;
  }

  get hasEngine(): boolean {
    return this.#hasEngine;
  }

  /** When the ticket can be reclaimed because its request may have ended without notice. */
  get deadline(): number {
    return this.#deadline;
  }

  /** When the ticket can be reclaimed because its client is slow and other requests need the memory. */
  get fairUntil(): number {
    if (this.#idle === undefined) return Infinity;
    const { fairMilliseconds, fairBytesPerSecond } = this.#issuer.options;
    return this.#idle.since + fairMilliseconds + (this.#idle.moved / fairBytesPerSecond) * 1_000;
  }

  /** Why the ticket was reclaimed, if it was. Its memory then belongs to other requests: stop all work under it. */
  get lost(): "silent" | "slow" | undefined {
    return this.#lost;
  }

  /** `act` is called from the request that needs the room, when this ticket is lost: it may touch plain values only, no I/O. */
  onLost(act: () => void): void {
    this.#whenLost = act;
  }

  lose(why: "silent" | "slow"): void {
    this.#lost = why;
    this.#issuer.end(this);
    this.#whenLost();
  }

  /** The body has arrived: the request no longer waits for its client. */
  arrived(): void {
    this.#idle = undefined;
  }

  startWork(): void {
    this.#works = true;
    this.#hasEngine = true;
  }

  /** From now on the client sets the pace: other requests may work meanwhile. */
  wait(hasEngine: boolean): void {
    this.#works = false;
    this.#hasEngine = hasEngine;
    this.#idle ??= { since: Date.now(), moved: 0 };
    this.#issuer.lookAll();
  }

  /** The work is done and only `bytes` of the response remain, which the client may read slowly. */
  finishWork(bytes: number): void {
    this.#works = false;
    this.#hasEngine = false;
    this.#idle = undefined;
    this.hold(bytes);
    this.#issuer.lookAll();
  }

  /** Sets the number of bytes held. */
  hold(bytes: number): void {
    const less = bytes < this.#bytes;
    this.#bytes = bytes;
    if (less) this.#issuer.lookAll();
  }

  /**
   * Asks to hold `wanted` bytes and leave `spare` bytes free for others. `false`: more than one request may have. `"busy"`:
   * other requests hold the memory.
   */
  grow(wanted: number, spare = 0): boolean | "busy" {
    if (!this.#issuer.holds(this)) return false;
    if (wanted <= this.#bytes) return true;
    const { budgetBytes, keptBytes, dropKept } = this.#issuer.options;
    if (wanted > budgetBytes) return false;
    const others = this.#issuer.heldBytes - this.#bytes;
    const fits = (): boolean => others + wanted + Math.max(keptBytes(), spare) <= budgetBytes;
    if (!fits() && spare === 0) dropKept();
    if (!fits()) return others > 0 ? "busy" : false;
    this.#bytes = wanted;
    return true;
  }

  /** Reports that the client has sent or read `bytes` more. */
  moved(bytes: number): void {
    if (this.#idle !== undefined) this.#idle.moved += bytes;
  }

  /** A sign of life: restarts the ticket's deadline. */
  renew(): void {
    if (!this.#gone) this.#deadline = Date.now() + this.#issuer.options.silentMilliseconds;
  }

  /** The client has disconnected: the ticket ends after at most `goneMilliseconds`. */
  expire(): void {
    this.#gone = true;
    this.#deadline = Math.min(this.#deadline, Date.now() + this.#issuer.options.goneMilliseconds);
  }

  /** Releases the memory to the waiting requests. Calling it again does nothing. */
  release(): void {
    this.#issuer.end(this);
  }
}
