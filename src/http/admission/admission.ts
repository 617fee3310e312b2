import { dropSpares, keptBytes } from "../../engines/lease/pool.ts";
import { dropModels } from "../../engines/ocr/models.ts";
import type { Outside } from "../../engines/lease/engines.ts";
import { limits } from "../../limits.ts";
import { ofIsolate } from "../../isolate.ts";
import { browserBusy, serviceBusy } from "../errors/load-errors.ts";

export interface AdmissionOptions {
  /** Bytes for all requests plus memory kept between them. */
  readonly budgetBytes: number;
  /** Bytes kept between requests. The next request gets those engines first, so they are not counted on top of it. */
  keptBytes(): number;
  /** Drops kept memory other than engines. */
  dropModels(): void;
  /** Drops all kept memory. */
  dropKept(): void;
  /** Milliseconds without a sign of life after which a waiting request may take over a request's memory. */
  readonly silentMilliseconds: number;
  /** The same after the client has disconnected. */
  readonly goneMilliseconds: number;
  /** Milliseconds a slow client is granted, plus more for each byte, before a waiting request may take over its memory. */
  readonly fairMilliseconds: number;
  readonly fairBytesPerSecond: number;
  /** Maximum number of requests working at once, apart from a light one beside others that are not. */
  readonly requests: number;
  /** Bytes that requests waiting for their client leave free, so that a small request can still run. */
  readonly engineBytes: number;
  /** The part of those bytes meant for the small request's body. */
  readonly smallBodyBytes: number;
  /** Maximum number of requests per account that hold an engine while they wait for their client. */
  readonly idlePerAccount: number;
  /** Maximum number of requests per account that wait for a service without an engine, or that wait for the browser or the office converter. */
  readonly parkedPerAccount: number;
  readonly printedPerAccount: number;
  /** Maximum number of requests that the browser prints at once. */
  readonly printed: number;
  /** Milliseconds a request waits before it is rejected. */
  readonly waitMilliseconds: number;
  /**
   * Milliseconds after which a waiting request checks again on its own: the requests before it may have ended without notice.
   */
  readonly lookMilliseconds: number;
  /** Fuel of an account's requests that were not charged, per minute, beyond which its requests wait behind all others. */
  readonly unchargedFuel: number;
}

export interface Admittance {
  readonly bytes: number;
  /**
   * What the request is admitted to do: hold bytes while the body arrives, hold an engine while it arrives, work with an
   * engine, or be printed by the browser, for which it is parked.
   */
  readonly to: "read" | "read into an engine" | "work" | "print";
  /** Whether its work is short as a rule, and takes no more memory than an engine. */
  readonly isLight?: boolean | undefined;
  /** Maximum wait in milliseconds, if shorter than the default. */
  readonly waitMilliseconds?: number;
  /** Whether requests that fit go first while this one does not, so that nothing waits behind the part of a job. */
  readonly yieldsToSmaller?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Admission's view of a request's memory (src/http/admission/request-memory.ts). Its states: `waiting` for memory or for its turn; `reading` the
 * body; `working`, in a slot. `outside`: waiting for another service, or for a slot after that. `draining`: only the client's reading is left, or
 * delays the work. `ended`.
 */
export interface Admitted {
  readonly account: string;
  readonly state: "waiting" | "reading" | "working" | "outside" | "draining" | "ended";
  readonly bytes: number;
  readonly hasEngine: boolean;
  /** Why it has no engine: it waits, or has waited, for something outside. Undefined if it is not parked. */
  readonly parkedFor: Outside | undefined;
  /** Whether the browser prints its document. */
  readonly isPrinting: boolean;
  /** Whether it was admitted to light work. */
  readonly isLight: boolean;
  /** When it can be reclaimed because its request may have ended without notice. */
  readonly deadline: number;
  /** When it can be reclaimed because its client is slow and other requests need it. */
  readonly fairUntil: number;
  /** It is the request's turn: takes the memory. */
  granted(asked: Admittance): void;
  /** Ends it, from another request: it may touch plain values only, no I/O. */
  lose(why: "silent" | "slow"): void;
}

/** A waiting request. */
interface Waiting extends Admittance {
  readonly memory: Admitted;
  readonly since: number;
  /** When it is rejected, whether or not it is still running to notice. */
  readonly until: number;
  look(): void;
}

/** Assumptions for a check of whether a request would fit. */
interface Supposed {
  readonly without?: readonly Admitted[];
  readonly kept?: number;
}

const MINUTE = 60_000;
/** Requests whose body has arrived, those of them whose work is light, those to be printed, and those that are still to read a small or a large body. */
const KINDS = ["work", "light", "print", "small", "large"] as const;
type Kind = (typeof KINDS)[number];

/**
 * Admits only as many requests as fit in the isolate's memory. The others wait, with their bodies unread, in order of arrival: first those of
 * accounts that hold no engine, and last those of accounts with much uncharged work. If an isolate exceeds its memory, workerd terminates it
 * with every request in it, so estimates err on the large side.
 *
 * When the client disconnects, the platform can drop the rest of a request's work, including its `finally` blocks. So nothing here relies on a
 * request to clean up: each place in the queue and each admitted request has its own deadline, which the waiting requests check.
 */
export class Admission {
  readonly options: AdmissionOptions;
  readonly #queue: Waiting[] = [];
  readonly #admitted = new Set<Admitted>();
  /** The current minute, and the fuel of requests in it that were not charged, by account. */
  #minute = 0;
  readonly #uncharged = new Map<string, number>();

  constructor(options: AdmissionOptions) {
    this.options = options;
  }

  /** Bytes held by the admitted requests. */
  get heldBytes(): number {
    return Array.from(this.#admitted).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Waits until the request is admitted. `bytes` is the total that it will hold, capped at the whole budget: a request with a larger estimate gets the budget
   * to itself. Throws `overloaded` when the wait times out, and the signal's reason when the client disconnects first.
   */
  async admit(memory: Admitted, asked: Admittance): Promise<void> {
    const bytes = Math.min(asked.bytes, this.options.budgetBytes);
    await this.#turn({ ...asked, bytes }, memory, () => {
      if (memory.state === "ended") return;
      this.#admitted.add(memory);
      memory.granted({ ...asked, bytes });
    });
  }

  /** What a request held is free. */
  end(memory: Admitted): void {
    if (this.#admitted.delete(memory)) this.wakeNext();
  }

  /** Whether a request may keep its memory while it waits without an engine: together, such requests leave room for a small request. */
  mayPark(memory: Admitted): boolean {
    const { budgetBytes, engineBytes, smallBodyBytes, parkedPerAccount, printedPerAccount } = this.options;
    const parked = this.#others(memory).filter(({ parkedFor }) => parkedFor !== undefined);
    const held = parked.reduce((sum, { bytes }) => sum + bytes, memory.bytes);
    const same = parked.filter(
      ({ account, parkedFor }) => account === memory.account && parkedFor === memory.parkedFor,
    );
    const most = memory.parkedFor === "services" ? parkedPerAccount : printedPerAccount;
    return same.length < most && held + engineBytes + smallBodyBytes <= budgetBytes;
  }

  /** Counts the work of a request that is not charged, such as one that was refused for its work. */
  countUncharged(account: string, fuel: number): void {
    const minute = Math.floor(Date.now() / MINUTE);
    if (minute !== this.#minute) this.#uncharged.clear();
    this.#minute = minute;
    this.#uncharged.set(account, (this.#uncharged.get(account) ?? 0) + fuel);
  }

  /** Whether an account has used up its work that is not charged. */
  #isOver({ account }: { readonly account: string }): boolean {
    const isCurrent = Math.floor(Date.now() / MINUTE) === this.#minute;
    return isCurrent && (this.#uncharged.get(account) ?? 0) > this.options.unchargedFuel;
  }

  /** Memory or a slot became free: wakes the next request of each kind. */
  wakeNext(): void {
    for (const kind of KINDS) this.#next(kind)?.look();
  }

  /** Whose turn it is, among requests of a kind: the kinds do not block each other. */
  #next(kind: Kind): Waiting | undefined {
    const holding = Array.from(this.#admitted).filter((one) => (kind === "print" ? one.isPrinting : one.hasEngine));
    const group = this.#queue.filter((waiting) => this.#kindOf(waiting) === kind);
    const ready = group.filter((waiting) => waiting.yieldsToSmaller !== true || this.#fits(waiting));
    const all = ready.length > 0 ? ready : group;
    const paying = all.filter(({ memory }) => !this.#isOver(memory));
    const rivals = paying.length > 0 ? paying : all;
    const holdsNone = ({ memory }: Waiting): boolean =>
      !holding.some((other) => other !== memory && other.account === memory.account);
    return rivals.find(holdsNone) ?? rivals[0];
  }

  #kindOf({ to, bytes, isLight }: Admittance): Kind {
    if (to === "print") return "print";
    if (to === "work") return isLight === true ? "light" : "work";
    return to === "read" && bytes <= this.options.smallBodyBytes ? "small" : "large";
  }

  /** Waits for the request's turn, then takes its memory before any other request checks. */
  async #turn(asked: Admittance, memory: Admitted, take: () => void): Promise<void> {
    const { waitMilliseconds, lookMilliseconds } = this.options;
    const since = Date.now();
    const until = since + (asked.waitMilliseconds ?? waitMilliseconds);
    const waiting: Waiting = { ...asked, memory, since, until, look: () => {} };
    this.#queue.push(waiting);
    const leave = (): void => {
      this.#leave(waiting);
      waiting.look();
    };
    asked.signal?.addEventListener("abort", leave);
    try {
      // Each request takes its turn itself: anything handed to a request that no longer runs would be lost.
      while (!this.#isNext(waiting)) {
        const left = until - Date.now();
        if (left <= 0) throw asked.to === "print" ? browserBusy() : serviceBusy();
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
    if (this.#next(this.#kindOf(waiting)) !== waiting) return false;
    if (this.#fits(waiting)) return true;
    for (const other of this.#others(waiting.memory)) if (other.deadline < now) other.lose("silent");
    this.#loseSlow(waiting, now);
    if (this.#fits(waiting)) return true;
    // Kept engines stay in memory until they are garbage collected, so they are dropped only for a request that has waited.
    if (waiting.since === now || !this.#fits(waiting, { kept: 0 })) return false;
    this.options.dropModels();
    if (this.#fits(waiting)) return true;
    this.options.dropKept();
    return this.#fits(waiting);
  }

  /** Reclaims what slow clients hold: the slowest first, no more than needed, and nothing if it would not help. */
  #loseSlow(waiting: Waiting, now: number): void {
    const slow = this.#others(waiting.memory).filter(({ fairUntil }) => fairUntil < now);
    slow.sort((a, b) => b.fairUntil - a.fairUntil);
    if (!this.#fits(waiting, { without: slow })) return;
    while (!this.#fits(waiting)) slow.pop()?.lose("slow");
  }

  #others(memory: Admitted): Admitted[] {
    return Array.from(this.#admitted).filter((other) => other !== memory);
  }

  /** A request that is alone always fits: it uses the memory kept between requests, or that memory is dropped. */
  #fits(
    { bytes, to, isLight, memory }: Waiting,
    { without = [], kept = this.options.keptBytes() }: Supposed = {},
  ): boolean {
    const { budgetBytes, engineBytes, smallBodyBytes, idlePerAccount, requests, printed } = this.options;
    const others = this.#others(memory).filter((other) => !without.includes(other));
    if (others.length === 0) return true;
    // The other places are for other accounts.
    const mustWait = (rivals: readonly Admitted[]): boolean =>
      this.#isOver(memory) && rivals.some(({ account }) => account === memory.account);
    if (to === "print") {
      const printing = others.filter(({ isPrinting }) => isPrinting);
      return printing.length < printed && !mustWait(printing);
    }
    const room = budgetBytes - others.reduce((sum, other) => sum + other.bytes, 0);
    if (to === "read") return bytes + Math.max(engineBytes, kept) <= room;
    if (to === "work") {
      const working = others.filter(({ state }) => state === "working");
      if (mustWait(working)) return false;
      // Nothing light waits for the end of recognition: it has a place of its own beside that.
      const places = isLight === true && !working.some((other) => other.isLight) ? requests + 1 : requests;
      return working.length < places && (bytes <= memory.bytes || Math.max(bytes, kept) <= room);
    }
    const idle = others.filter(
      (other) => other.account === memory.account && other.hasEngine && other.state !== "working",
    ).length;
    return idle < idlePerAccount && Math.max(bytes + engineBytes + smallBodyBytes, kept) <= room;
  }

  /** A large request may have been blocking others that fit. */
  #leave(waiting: Waiting): void {
    if (this.#remove(waiting)) this.wakeNext();
  }

  #remove(waiting: Waiting): boolean {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
    return index >= 0;
  }
}

/** One per isolate, because memory is per isolate. */
const admission = ofIsolate((): Admission | undefined => undefined);

/** The isolate's admission, for the configured memory. @throws if that has changed */
export function admissionOf(budgetBytes: number): Admission {
  const all = (admission.value ??= new Admission({
    ...limits.admission,
    budgetBytes,
    keptBytes,
    dropModels,
    dropKept: dropSpares,
  }));
  if (all.options.budgetBytes !== budgetBytes) throw new Error("the isolate's memory has changed");
  return all;
}
