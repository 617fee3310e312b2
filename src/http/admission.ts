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
}

interface Waiting {
  readonly bytes: number;
  admit(ticket: Ticket): void;
}

/** Memory that one request may fill, until `release`. */
export interface Ticket {
  /**
   * Asks for more: the engine's heap wants to be `bytes` large. `false`: more than one request may have. `"busy"`: there
   * would be enough, but other requests hold it.
   */
  grow(bytes: number): boolean | "busy";
  /** Gives the memory to those who wait. Calling it again does nothing. */
  release(): void;
}

/**
 * Lets in only as many requests as the isolate's memory takes; the others wait in order of arrival, their bodies unread.
 * workerd ends an isolate that passes its memory with every request in it, so an estimate on the large side is the
 * kinder error.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #queue: Waiting[] = [];
  #held = 0;
  #holders = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Bytes held by the requests that are in. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Waits for `bytes`, and at most for the whole budget: a request that is estimated larger has it to itself.
   * Throws `overloaded` when the wait is over.
   */
  async admit(bytes: number): Promise<Ticket> {
    const asked = Math.min(bytes, this.#options.budgetBytes);
    if (this.#queue.length === 0 && this.#fits(asked)) return this.#ticket(asked);
    const { promise, resolve } = Promise.withResolvers<Ticket | undefined>();
    const waiting: Waiting = { bytes: asked, admit: resolve };
    this.#queue.push(waiting);
    const timer = setTimeout(() => {
      this.#leave(waiting);
      resolve(undefined);
    }, this.#options.waitMilliseconds);
    // The timer belongs to this request: it must not be cleared by the one whose release ends the wait.
    const ticket = await promise;
    clearTimeout(timer);
    if (ticket === undefined) throw overloaded("There was no memory for the request in time. Try again shortly.");
    return ticket;
  }

  /** Alone a request always fits: what is kept between requests is its own then, or is thrown away. */
  #fits(bytes: number): boolean {
    if (this.#holders === 0) return true;
    const { budgetBytes, keptBytes, requests } = this.#options;
    return this.#holders < requests && this.#held + Math.max(bytes, keptBytes()) <= budgetBytes;
  }

  #ticket(bytes: number): Ticket {
    let own = bytes;
    let released = false;
    this.#held += own;
    this.#holders += 1;
    return {
      grow: (wanted) => {
        if (wanted <= own) return true;
        const { budgetBytes, keptBytes, dropKept } = this.#options;
        if (wanted > budgetBytes) return false;
        const others = this.#held - own;
        if (others + keptBytes() + wanted > budgetBytes) dropKept();
        if (others + keptBytes() + wanted > budgetBytes) return this.#holders > 1 ? "busy" : false;
        this.#held += wanted - own;
        own = wanted;
        return true;
      },
      release: () => {
        if (released) return;
        released = true;
        this.#held -= own;
        this.#holders -= 1;
        this.#admitWaiting();
      },
    };
  }

  #leave(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
    // One that asked for much may have stood before others that fit.
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#fits(next.bytes); next = this.#queue[0]) {
      this.#queue.shift();
      next.admit(this.#ticket(next.bytes));
    }
  }
}
