import { type Issuer, Ticket, type TicketOptions } from "./ticket.ts";
import { overloaded } from "../errors/api-error.ts";

export interface AdmissionOptions extends TicketOptions {
  /** How many requests are at work at once, at most. */
  readonly requests: number;
  /** Bytes that those who wait for their client leave free, so that a small request can be at work. */
  readonly engineBytes: number;
  /** The same for the body of one that is small. */
  readonly smallBodyBytes: number;
  /** How many requests of an account have an engine while they wait for their client, at most. */
  readonly idlePerAccount: number;
  /** Milliseconds that a request waits before it is rejected. */
  readonly waitMilliseconds: number;
  /** Milliseconds after which a request that waits looks again by itself: those before it may have ended without a word. */
  readonly lookMilliseconds: number;
}

export interface Admittance {
  readonly account: string;
  readonly bytes: number;
  /** What it is admitted to: to hold bytes while the body arrives, to hold an engine meanwhile, or to work with one. */
  readonly to: "read" | "read into an engine" | "work";
  /** Milliseconds that it may wait, where not as long as every one. */
  readonly waitMilliseconds?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request that waits. */
interface Waiting extends Admittance {
  /** The ticket that it has already. */
  readonly ticket: Ticket | undefined;
  readonly since: number;
  /** When it is rejected, whether or not it still runs to see that. */
  readonly until: number;
  look(): void;
}

/** What is supposed to see whether a request would fit then. */
interface Supposed {
  readonly without?: readonly Ticket[];
  readonly kept?: number;
}

/**
 * Lets in only as many requests as the isolate's memory takes; the others wait in order of arrival, their bodies unread, and
 * behind those of accounts that hold no engine. workerd ends an isolate that passes its memory with every request in it, so
 * an estimate on the large side is the kinder error.
 *
 * The platform can drop what a request still has to do, its `finally` blocks too, when the client is gone. So nothing here
 * relies on a request to come back: each place in the queue and each ticket has a time of its own, and those who wait look
 * at it.
 */
export class Admission implements Issuer {
  readonly options: AdmissionOptions;
  readonly #queue: Waiting[] = [];
  readonly #tickets = new Set<Ticket>();

  constructor(options: AdmissionOptions) {
    this.options = options;
  }

  /** Bytes held by the requests that are in. */
  get heldBytes(): number {
    return Array.from(this.#tickets).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  holds(ticket: Ticket): boolean {
    return this.#tickets.has(ticket);
  }

  /**
   * Waits for `bytes`, and at most for the whole budget: a request that is estimated larger has it to itself.
   * Throws `overloaded` when the wait is over, and the signal's reason when the client goes away before.
   */
  async admit(asked: Admittance): Promise<Ticket> {
    const ticket = new Ticket(this, asked.account);
    await this.#turn(asked, undefined, () => {
      this.#tickets.add(ticket);
      this.#grant(ticket, asked);
    });
    return ticket;
  }

  /** The same for one that is in already: `bytes` are all that it will hold. */
  async admitTo(ticket: Ticket, asked: Omit<Admittance, "account">): Promise<void> {
    ticket.arrived();
    await this.#turn({ ...asked, account: ticket.account }, ticket, () => {
      if (ticket.lost === undefined) this.#grant(ticket, asked);
    });
  }

  /** Takes a ticket back. */
  end(ticket: Ticket): void {
    if (this.#tickets.delete(ticket)) this.lookAll();
  }

  /** Something became free: those whose turn it is may have it. */
  lookAll(): void {
    for (const toWork of [true, false]) this.#next(toWork)?.look();
  }

  /** Whose turn it is, of those whose body is here or of the others: the two do not keep each other waiting. */
  #next(toWork: boolean): Waiting | undefined {
    const withEngine = Array.from(this.#tickets).filter(({ hasEngine }) => hasEngine);
    const rivals = this.#queue.filter(({ to }) => (to === "work") === toWork);
    const holdsNone = ({ account, ticket }: Waiting): boolean =>
      !withEngine.some((other) => other !== ticket && other.account === account);
    return rivals.find(holdsNone) ?? rivals[0];
  }

  #grant(ticket: Ticket, { bytes, to }: Omit<Admittance, "account">): void {
    ticket.hold(Math.min(bytes, this.options.budgetBytes));
    if (to === "work") ticket.startWork();
    else ticket.wait(to === "read into an engine");
  }

  /** Waits until it is the request's turn, and has it take what it asks for before anybody else looks. */
  async #turn(asked: Admittance, ticket: Ticket | undefined, take: () => void): Promise<void> {
    const { waitMilliseconds, lookMilliseconds, budgetBytes } = this.options;
    const since = Date.now();
    const until = since + (asked.waitMilliseconds ?? waitMilliseconds);
    const bytes = Math.min(asked.bytes, budgetBytes);
    const waiting: Waiting = { ...asked, bytes, ticket, since, until, look: () => {} };
    this.#queue.push(waiting);
    const leave = (): void => {
      this.#leave(waiting);
      waiting.look();
    };
    asked.signal?.addEventListener("abort", leave);
    try {
      // Each takes its turn itself: what is given to a request that runs no more would be nobody's.
      while (!this.#isNext(waiting)) {
        const left = until - Date.now();
        if (left <= 0) throw overloaded("The service is overloaded. Retry in a few seconds.");
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.look = resolve;
        const timer = setTimeout(resolve, Math.min(left, lookMilliseconds));
        await promise;
        clearTimeout(timer);
        asked.signal?.throwIfAborted();
      }
      take();
    } finally {
      asked.signal?.removeEventListener("abort", leave);
      leave();
    }
  }

  #isNext(waiting: Waiting): boolean {
    const now = Date.now();
    const late = this.#queue.filter((other) => other.until < now && other !== waiting);
    for (const other of late) this.#remove(other);
    if (this.#next(waiting.to === "work") !== waiting) return false;
    if (this.#fits(waiting)) return true;
    for (const ticket of this.#others(waiting.ticket)) if (ticket.deadline < now) ticket.lose("silent");
    this.#loseSlow(waiting, now);
    if (this.#fits(waiting)) return true;
    // What is kept stays until the garbage collector comes by, so it is dropped only for one that has waited.
    if (waiting.since === now || !this.#fits(waiting, { kept: 0 })) return false;
    this.options.dropKept();
    return this.#fits(waiting);
  }

  /** Takes back what slow clients hold: the slowest first, only as many as it takes, and none in vain. */
  #loseSlow(waiting: Waiting, now: number): void {
    const slow = this.#others(waiting.ticket).filter(({ fairUntil }) => fairUntil < now);
    slow.sort((a, b) => b.fairUntil - a.fairUntil);
    if (!this.#fits(waiting, { without: slow })) return;
    while (!this.#fits(waiting)) slow.pop()?.lose("slow");
  }

  #others(ticket: Ticket | undefined): Ticket[] {
    return Array.from(this.#tickets).filter((other) => other !== ticket);
  }

  /** Alone a request always fits: what is kept between requests is its own then, or is thrown away. */
  #fits(
    { account, bytes, to, ticket }: Waiting,
    { without = [], kept = this.options.keptBytes() }: Supposed = {},
  ): boolean {
    const { budgetBytes, engineBytes, smallBodyBytes, idlePerAccount, requests } = this.options;
    const others = this.#others(ticket).filter((other) => !without.includes(other));
    if (others.length === 0) return true;
    const room = budgetBytes - others.reduce((sum, other) => sum + other.bytes, 0);
    if (to === "read") return bytes + Math.max(engineBytes, kept) <= room;
    if (to === "work") {
      const hasPlace = others.filter(({ works }) => works).length < requests;
      return hasPlace && (ticket?.hasEngine === true || Math.max(bytes, kept) <= room);
    }
    const idle = others.filter((other) => other.account === account && other.hasEngine && !other.works).length;
    return idle < idlePerAccount && Math.max(bytes + engineBytes + smallBodyBytes, kept) <= room;
  }

  /** One that asked for much may have stood before others that fit. */
  #leave(waiting: Waiting): void {
    if (this.#remove(waiting)) this.lookAll();
  }

  #remove(waiting: Waiting): boolean {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
    return index >= 0;
  }
}
