import { limits } from "../../../limits.ts";
import { type Denied, meaningOf, MuPDFFailure } from "./failures.ts";
import type { AllowHeap } from "../../memory/heap.ts";

/** The memory that a request may use: its engine's heap, and the JavaScript values it creates. */
export class Budget {
  readonly #allow: AllowHeap;
  /** The size of the heap that an earlier request made large, or 0. */
  readonly #inherited: number;
  #claimed = 0;
  /** The latest denial, if any. */
  denied: Denied = false;
  /** Why something was left out of the work, if it was. */
  #starved: Denied = false;

  constructor(allow: AllowHeap, heapBytes: number) {
    this.#allow = allow;
    this.#inherited = heapBytes > limits.admission.engineBytes ? heapBytes : 0;
  }

  get claimed(): number {
    return this.#claimed;
  }

  /** The work starts again: none of its earlier results exist any longer. */
  restart(): void {
    this.#claimed = 0;
    this.denied = false;
    this.#starved = false;
  }

  /** Whether the heap may have this many bytes. */
  allows(heapBytes: number): boolean {
    const allowed = this.#allow(heapBytes + this.#claimed);
    this.denied = allowed === true ? false : allowed === "busy" ? "busy" : "limit";
    return allowed === true;
  }

  /** Part of the work was skipped: for lack of memory, if that was denied last. */
  recordSkipped(): void {
    this.#starved ||= this.denied;
  }

  /** Throws the `Refusal` due if something was skipped for lack of memory. */
  refuseSkipped(): void {
    if (this.#starved !== false) throw meaningOf(new MuPDFFailure("out of memory"), this.#starved);
  }

  /** Runs `work`, and throws a MuPDF error if part of it was skipped for lack of memory. */
  async complete<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#starved;
    this.#starved = false;
    try {
      const result = await work();
      if (this.#starved === false) return result;
      this.denied = this.#starved;
      throw new MuPDFFailure("out of memory");
    } finally {
      this.#starved = before;
    }
  }

  /**
   * Counts bytes of JavaScript values that are about to be created.
   * @throws Refusal `limit_exceeded`; `overloaded` if other requests hold the memory, or if the heap, made large by an earlier
   * request, does: the next request then gets another one
   */
  claim(bytes: number, heapBytes: number): void {
    this.#claimed += bytes;
    if (this.allows(heapBytes)) return;
    // A heap that has grown since was not too large.
    if (heapBytes === this.#inherited) this.denied = "busy";
    throw meaningOf(new MuPDFFailure("no memory for the response"), this.denied);
  }
}
