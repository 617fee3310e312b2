import { overloaded } from "./errors.ts";

export interface AdmissionOptions {
  /** Bytes for all requests together and what is kept between them. */
  readonly budgetBytes: number;
  /** How many requests are in at once, at most. */
  readonly requests: number;
  /** Bytes kept between requests. The next request is given those engines first, so they are not counted beside it. */
  keptBytes(): number;
  /** Throws away what is kept. */
  dropKept(): void;
  /** Milliseconds that a request waits before it is turned away. */
  readonly waitMilliseconds: number;
  /** Milliseconds after which a request that waits looks again by itself: those before it may have ended without a word. */
  readonly lookMilliseconds: number;
  /** Milliseconds without a sign of life after which a ticket goes to one who waits for it. */
  readonly silentMilliseconds: number;
  /** The same where the client is gone. */
  readonly goneMilliseconds: number;
}

/** A request that waits. */
interface Waiting {
  readonly bytes: number;
  /** When it is turned away, whether or not it still runs to see that. */
  readonly until: number;
  look(): void;
}

/** Memory that one request may fill, until `release`, or until it is lost. */
export interface Ticket {
  /** Whether it was taken back because its time was over. Its memory belongs to others: nothing may go on under it. */
  readonly lost: boolean;
  /** Called when the ticket is lost, by the request that needs the room: only plain values may be touched, no I/O. */
  onLost(act: () => void): void;
  /**
   * Asks for more: the engine's heap wants to be `bytes` large. `false`: more than one request may have. `"busy"`: there
   * would be enough, but other requests hold it.
   */
  grow(bytes: number): boolean | "busy";
  /** A sign of life: the ticket's time begins anew. */
  renew(): void;
  /** The client is gone: `goneMilliseconds` are left to give the ticket back, whatever happens. */
  expire(): void;
  /** Gives the memory to those who wait. Calling it again does nothing. */
  release(): void;
}

/** A ticket as admission sees it. */
interface Held {
  readonly deadline: number;
  lose(): void;
}

/**
 * Lets in only as many requests as the isolate's memory takes; the others wait in order of arrival, their bodies unread.
 * workerd ends an isolate that passes its memory with every request in it, so an estimate on the large side is the
 * kinder error.
 *
 * The platform can drop what a request still has to do, its `finally` blocks too, when the client is gone. So nothing here
 * relies on a request to come back: each place in the queue and each ticket has a time of its own, and those who wait look
 * at it.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #queue: Waiting[] = [];
  readonly #tickets = new Set<Held>();
  #held = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Bytes held by the requests that are in. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Waits for `bytes`, and at most for the whole budget: a request that is estimated larger has it to itself.
   * Throws `overloaded` when the wait is over, and the signal's reason when the client goes away before.
   */
  async admit(bytes: number, signal?: AbortSignal): Promise<Ticket> {
    const asked = Math.min(bytes, this.#options.budgetBytes);
    const until = Date.now() + this.#options.waitMilliseconds;
    const waiting = { bytes: asked, until, look: () => {} };
    this.#queue.push(waiting);
    const leave = (): void => {
      this.#leave(waiting);
      waiting.look();
    };
    signal?.addEventListener("abort", leave);
    try {
      // Each takes its ticket itself: one that is given to a request that runs no more would be nobody's.
      while (!this.#isNext(waiting)) {
        const left = until - Date.now();
        if (left <= 0) throw overloaded("The service is overloaded. Retry in a few seconds.");
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.look = resolve;
        const timer = setTimeout(resolve, Math.min(left, this.#options.lookMilliseconds));
        await promise;
        clearTimeout(timer);
        signal?.throwIfAborted();
      }
      return this.#ticket(asked);
    } finally {
      signal?.removeEventListener("abort", leave);
      leave();
    }
  }

  #isNext(waiting: Waiting): boolean {
    const now = Date.now();
    for (const [index, { until }] of Array.from(this.#queue.entries()).reverse()) {
      if (until < now && this.#queue[index] !== waiting) this.#queue.splice(index, 1);
    }
    if (this.#queue[0] !== waiting) return false;
    if (this.#fits(waiting.bytes)) return true;
    for (const ticket of this.#tickets) if (ticket.deadline < now) ticket.lose();
    return this.#fits(waiting.bytes);
  }

  /** Alone a request always fits: what is kept between requests is its own then, or is thrown away. */
  #fits(bytes: number): boolean {
    if (this.#tickets.size === 0) return true;
    const { budgetBytes, keptBytes, requests } = this.#options;
    return this.#tickets.size < requests && this.#held + Math.max(bytes, keptBytes()) <= budgetBytes;
  }

  #ticket(bytes: number): Ticket {
    const { budgetBytes, keptBytes, dropKept, silentMilliseconds, goneMilliseconds } = this.#options;
    let own = bytes;
    let deadline = Date.now() + silentMilliseconds;
    let gone = false;
    let lost = false;
    let whenLost = (): void => {};
    const held: Held = {
      get deadline() {
        return deadline;
      },
      lose: () => {
        lost = true;
        this.#end(held, own);
        whenLost();
      },
    };
    this.#held += own;
    this.#tickets.add(held);
    return {
      get lost() {
        return lost;
      },
      onLost: (act) => void (whenLost = act),
      grow: (wanted) => {
        if (!this.#tickets.has(held)) return false;
        if (wanted <= own) return true;
        if (wanted > budgetBytes) return false;
        const others = this.#held - own;
        if (others + keptBytes() + wanted > budgetBytes) dropKept();
        if (others + keptBytes() + wanted > budgetBytes) return this.#tickets.size > 1 ? "busy" : false;
        this.#held += wanted - own;
        own = wanted;
        return true;
      },
      renew: () => {
        if (!gone) deadline = Date.now() + silentMilliseconds;
      },
      expire: () => {
        gone = true;
        deadline = Math.min(deadline, Date.now() + goneMilliseconds);
      },
      release: () => this.#end(held, own),
    };
  }

  #end(ticket: Held, bytes: number): void {
    if (!this.#tickets.delete(ticket)) return;
    this.#held -= bytes;
    this.#lookAll();
  }

  /** One that asked for much may have stood before others that fit. */
  #leave(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting);
    if (index < 0) return;
    this.#queue.splice(index, 1);
    this.#lookAll();
  }

  #lookAll(): void {
    for (const { look } of this.#queue) look();
  }
}
