import type { Admission, Admittance, Admitted } from "./admission.ts";
import type { Outside } from "../../engines/lease/engines.ts";
import { ApiError } from "../errors/api-error.ts";
import { ClientGone, TooSlow, noProgress, tooManyOutside } from "../errors/load-errors.ts";

type State = Admitted["state"];

/** What may follow each state. A request that works may ask for memory again, and keeps its place meanwhile. */
const NEXT: Readonly<Record<State, readonly State[]>> = {
  waiting: ["reading", "working", "draining", "ended"],
  reading: ["waiting", "draining", "ended"],
  working: ["reading", "working", "outside", "draining", "ended"],
  outside: ["working", "outside", "draining", "ended"],
  draining: ["draining", "ended"],
  ended: [],
};

/**
 * One request's memory, from its place in the queue to its end. Its owner holds it with `using`, and nothing else ends it but admission: if the
 * platform dropped the rest of the owner's work, another request reclaims the memory when it needs it.
 */
export class RequestMemory implements Admitted, Disposable {
  readonly account: string;
  readonly #admission: Admission;
  readonly #signal: AbortSignal | undefined;
  #state: State = "waiting";
  #bytes = 0;
  #hasEngine = false;
  #parkedFor: Outside | undefined;
  #isPrinting = false;
  #isLight = false;
  #parkedBytes = 0;
  #deadline: number;
  #gone = false;
  #refusal: ApiError | undefined;
  #lost: "silent" | "slow" | undefined;
  #whenLost = (): void => {};
  /** While the client holds up the work: since when, and the bytes it has sent or read since. */
  #idle: { readonly since: number; moved: number } | undefined;
  /** The client has disconnected: the memory is reclaimed if it is not released within `goneMilliseconds`. */
  readonly expire = (): void => {
    this.#gone = true;
    this.#deadline = Math.min(this.#deadline, Date.now() + this.#admission.options.goneMilliseconds);
  };

  /** `signal`: aborted when the client disconnects. */
  constructor(admission: Admission, account: string, signal?: AbortSignal) {
    this.#admission = admission;
    this.account = account;
    this.#signal = signal;
    this.#deadline = Date.now() + admission.options.silentMilliseconds;
    if (signal?.aborted) this.expire();
    signal?.addEventListener("abort", this.expire);
  }

  get state(): State {
    return this.#state;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get hasEngine(): boolean {
    return this.#hasEngine;
  }

  get parkedFor(): Outside | undefined {
    return this.#parkedFor;
  }

  get isPrinting(): boolean {
    return this.#isPrinting;
  }

  get isLight(): boolean {
    return this.#isLight;
  }

  get deadline(): number {
    return this.#deadline;
  }

  get fairUntil(): number {
    if (this.#idle === undefined) return Infinity;
    const { fairMilliseconds, fairBytesPerSecond } = this.#admission.options;
    return this.#idle.since + fairMilliseconds + (this.#idle.moved / fairBytesPerSecond) * 1_000;
  }

  /** Why the memory was reclaimed, if it was. It then belongs to other requests: stop all work in it. */
  get lost(): "silent" | "slow" | undefined {
    return this.#lost;
  }

  /** Whether the work must stop: the client is gone, the memory is lost, or there was none when it should have continued. */
  get aborted(): boolean {
    return this.#signal?.aborted === true || this.#lost !== undefined || this.#refusal !== undefined;
  }

  get reason(): ApiError {
    if (this.#signal?.aborted) return new ClientGone();
    if (this.#refusal) return this.#refusal;
    if (this.#lost === "slow") return new TooSlow();
    return noProgress();
  }

  /** Throws if the work must stop; otherwise counts as a sign of life, which restarts the deadline. */
  check(): void {
    if (this.aborted) throw this.reason;
    if (!this.#gone) this.#deadline = Date.now() + this.#admission.options.silentMilliseconds;
  }

  /** Waits for memory, or for the request's turn. Throws `overloaded` if it takes too long, `ClientGone`, and what `check` throws. */
  async admit(asked: Admittance): Promise<void> {
    this.#idle = undefined;
    if (this.#state === "reading") this.#enter("waiting");
    try {
      await this.#admission.admit(this, { ...asked, signal: this.#signal });
    } catch (error) {
      throw this.#signal?.aborted ? new ClientGone() : error;
    }
    this.check();
  }

  granted({ bytes, to, isLight = false }: Admittance): void {
    if (to === "print") {
      this.#enter("outside");
      this.#isPrinting = true;
      return;
    }
    this.hold(bytes);
    this.#isLight = isLight;
    this.#enter(to === "work" ? "working" : "reading");
    this.#hasEngine = to !== "read" && this.#parkedFor === undefined;
    if (to === "work") return;
    this.#idle = { since: Date.now(), moved: 0 };
    this.#admission.wakeNext();
  }

  /** Reports that `bytes` of what the client sends have arrived. Throws as `check` does. */
  received(bytes: number): void {
    this.check();
    this.moved(bytes);
  }

  /** Reports that the client has sent or read `bytes` more. */
  moved(bytes: number): void {
    if (this.#idle !== undefined) this.#idle.moved += bytes;
  }

  /**
   * Its engines are returned before something outside is waited for, and it holds only `bytes`. It keeps its place until `leave`.
   * @throws `overloaded` if too many requests are parked, and what `check` throws
   */
  park(bytes: number, outside: Outside): void {
    this.check();
    this.#hasEngine = false;
    this.#parkedFor = outside;
    this.#parkedBytes = bytes;
    this.hold(bytes);
    if (!this.#admission.mayPark(this)) throw tooManyOutside(outside);
  }

  /** It waits for something outside, or for its turn after that: its place is free. Throws as `check` does. */
  leave(): void {
    this.check();
    this.#enter("outside");
    this.#admission.wakeNext();
  }

  /** The browser has printed its document, or cannot. */
  printed(): void {
    this.#isPrinting = false;
    this.#admission.wakeNext();
  }

  /** Does what the work cannot continue without: if that fails, it stops, even if it takes the error for that of something else. */
  async orEnd(step: () => void | Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof ApiError) this.#refusal = error;
      throw error;
    }
  }

  /** It has engines again, of `heapBytes`. */
  resume(heapBytes: number): void {
    this.#parkedFor = undefined;
    this.#hasEngine = true;
    this.hold(Math.max(heapBytes, this.#bytes - this.#parkedBytes));
  }

  /** The engines must wait for the client to read the response: other requests may work meanwhile. */
  waitForReader(): void {
    if (this.#lost !== undefined) return;
    this.#enter("draining");
    this.#idle ??= { since: Date.now(), moved: 0 };
    this.#admission.wakeNext();
  }

  /** The work is done, and only `bytes` of the response remain, which the client may read slowly. */
  drain(bytes: number): void {
    if (this.#lost !== undefined) return;
    this.#enter("draining");
    this.#hasEngine = false;
    this.#parkedFor = undefined;
    this.#idle = undefined;
    this.hold(bytes);
    this.#admission.wakeNext();
  }

  /** Sets the number of bytes held. */
  hold(bytes: number): void {
    const less = bytes < this.#bytes;
    this.#bytes = bytes;
    if (less) this.#admission.wakeNext();
  }

  /**
   * Asks to hold `wanted` bytes and leave `spare` bytes free for others. `false`: more than one request may have. `"busy"`:
   * other requests hold the memory.
   */
  grow(wanted: number, spare = 0): boolean | "busy" {
    if (this.#state === "ended") return false;
    if (wanted <= this.#bytes) return true;
    const { budgetBytes, keptBytes, dropKept } = this.#admission.options;
    if (wanted > budgetBytes) return false;
    const others = this.#admission.heldBytes - this.#bytes;
    const fits = (): boolean => others + wanted + Math.max(keptBytes(), spare) <= budgetBytes;
    if (!fits() && spare === 0) dropKept();
    if (!fits()) return others > 0 ? "busy" : false;
    this.#bytes = wanted;
    return true;
  }

  /** `act` is called from the request that needs the room, when the memory is lost: it may touch plain values only, no I/O. */
  whenLost(act: () => void): void {
    this.#whenLost = act;
  }

  lose(why: "silent" | "slow"): void {
    this.#lost = why;
    this.#end();
    this.#whenLost();
  }

  /** The owner's end of the request. */
  [Symbol.dispose](): void {
    this.#signal?.removeEventListener("abort", this.expire);
    if (this.#lost === undefined) this.#end();
  }

  #end(): void {
    this.#enter("ended");
    this.#admission.end(this);
  }

  #enter(state: State): void {
    if (!NEXT[this.#state].includes(state))
      throw new Error(`the memory of a request cannot go from ${this.#state} to ${state}`);
    this.#state = state;
  }
}
