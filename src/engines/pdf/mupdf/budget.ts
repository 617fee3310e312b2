import { limits } from "../../../limits.ts";
import { type Denied, meaningOf, MuPDFFailure } from "./failures.ts";
import type { AllowHeap } from "../../bytes/heap.ts";

/** How much memory a request may have: its engine's heap, and the JavaScript values that it makes. */
export class Budget {
  readonly #allow: AllowHeap;
  /** Whether an earlier request made the heap large. */
  readonly #inherited: boolean;
  #claimed = 0;
  /** What was answered last. */
  denied: Denied = false;
  /** Why something was left out of the work, where it was. */
  #starved: Denied = false;

  constructor(allow: AllowHeap, heapBytes: number) {
    this.#allow = allow;
    this.#inherited = heapBytes > limits.admission.engineBytes;
  }

  /** Whether the heap may have so many bytes. */
  allows(heapBytes: number): boolean {
    const allowed = this.#allow(heapBytes + this.#claimed);
    this.denied = allowed === true ? false : allowed === "busy" ? "busy" : "limit";
    return allowed === true;
  }

  /** Something was given up: for want of memory, where that was denied last. */
  starve(): void {
    this.#starved ||= this.denied;
  }

  /** Throws the `Refusal` due where something was left out for want of memory. */
  refuseStarved(): void {
    if (this.#starved !== false) throw meaningOf(new MuPDFFailure("out of memory"), this.#starved);
  }

  /** Does `work`, and tells as an error of MuPDF where something was left out of it for want of memory. */
  whole<T>(work: () => T): T {
    const before = this.#starved;
    this.#starved = false;
    try {
      const result = work();
      if (this.#starved === false) return result;
      this.denied = this.#starved;
      throw new MuPDFFailure("out of memory");
    } finally {
      this.#starved = before;
    }
  }

  /**
   * Counts bytes of JavaScript values that are about to be made.
   * @throws Refusal `limit_exceeded`; `overloaded` where others hold the memory, or where the heap has it that an earlier
   *   request made large: the next request gets another one
   */
  claim(bytes: number, heapBytes: number): void {
    this.#claimed += bytes;
    if (this.allows(heapBytes)) return;
    if (this.#inherited) this.denied = "busy";
    throw meaningOf(new MuPDFFailure("no memory for the answer"), this.denied);
  }
}
