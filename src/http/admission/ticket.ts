export interface TicketOptions {
  /** Bytes for all requests together and what is kept between them. */
  readonly budgetBytes: number;
  /** Bytes kept between requests. The next request is given those engines first, so they are not counted beside it. */
  keptBytes(): number;
  /** Throws away what is kept. */
  dropKept(): void;
  /** Milliseconds without a sign of life after which a ticket goes to one who waits for it. */
  readonly silentMilliseconds: number;
  /** The same after the client has disconnected. */
  readonly goneMilliseconds: number;
  /** A slow client has so many milliseconds, and more for each byte, before one who waits for the room gets what it holds. */
  readonly fairMilliseconds: number;
  readonly fairBytesPerSecond: number;
}

/** Who gives tickets out. */
export interface Issuer {
  readonly options: TicketOptions;
  /** Bytes of all tickets that are out. */
  readonly heldBytes: number;
  /** Whether a ticket is out. */
  holds(ticket: Ticket): boolean;
  /** Takes a ticket back. */
  end(ticket: Ticket): void;
  /** Something became free: those who wait may have it. */
  lookAll(): void;
}

/** Memory that one request may fill, until `release`, or until it is lost. */
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
  /** When the client began to hold up the work, and the bytes that it has sent or read since. */
  #idle: { readonly since: number; moved: number } | undefined;

  constructor(issuer: Issuer, account: string) {
    this.#issuer = issuer;
    this.account = account;
    this.#deadline = Date.now() + issuer.options.silentMilliseconds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it is one of those that are at work, and not one that waits for its client. */
  get works(): boolean {
    return this.#works;
  }

  get hasEngine(): boolean {
    return this.#hasEngine;
  }

  /** When it can be taken back, because its request may have ended without a word. */
  get deadline(): number {
    return this.#deadline;
  }

  /** When it can be taken back, because its client is slow, and others need what it holds. */
  get fairUntil(): number {
    if (this.#idle === undefined) return Infinity;
    const { fairMilliseconds, fairBytesPerSecond } = this.#issuer.options;
    return this.#idle.since + fairMilliseconds + (this.#idle.moved / fairBytesPerSecond) * 1_000;
  }

  /** Why it was taken back, if it was. Its memory then belongs to others: nothing may go on under it. */
  get lost(): "silent" | "slow" | undefined {
    return this.#lost;
  }

  /** `act` is called when the ticket is lost, by the request that needs the room: it may touch plain values only, no I/O. */
  onLost(act: () => void): void {
    this.#whenLost = act;
  }

  lose(why: "silent" | "slow"): void {
    this.#lost = why;
    this.#issuer.end(this);
    this.#whenLost();
  }

  /** The body is here: the client is not what it waits for any more. */
  arrived(): void {
    this.#idle = undefined;
  }

  startWork(): void {
    this.#works = true;
    this.#hasEngine = true;
  }

  /** From now on the client decides how long it takes: others may work meanwhile. */
  wait(hasEngine: boolean): void {
    this.#works = false;
    this.#hasEngine = hasEngine;
    this.#idle ??= { since: Date.now(), moved: 0 };
    this.#issuer.lookAll();
  }

  /** The work is done, and only `bytes` of the response are left, which may be read as slowly as any. */
  finishWork(bytes: number): void {
    this.#works = false;
    this.#hasEngine = false;
    this.#idle = undefined;
    this.hold(bytes);
    this.#issuer.lookAll();
  }

  /** Holds exactly so many bytes from now on. */
  hold(bytes: number): void {
    const less = bytes < this.#bytes;
    this.#bytes = bytes;
    if (less) this.#issuer.lookAll();
  }

  /**
   * Asks for more: to hold `wanted` bytes, and leave `spare` free for others. `false`: more than one request may have.
   * `"busy"`: there would be enough, but other requests hold it.
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

  /** The client has sent, or read, so many bytes more. */
  moved(bytes: number): void {
    if (this.#idle !== undefined) this.#idle.moved += bytes;
  }

  /** A sign of life: the ticket's time begins anew. */
  renew(): void {
    if (!this.#gone) this.#deadline = Date.now() + this.#issuer.options.silentMilliseconds;
  }

  /** The client has disconnected: the ticket ends after `goneMilliseconds` at the latest. */
  expire(): void {
    this.#gone = true;
    this.#deadline = Math.min(this.#deadline, Date.now() + this.#issuer.options.goneMilliseconds);
  }

  /** Gives the memory to those who wait. Calling it again does nothing. */
  release(): void {
    this.#issuer.end(this);
  }
}
