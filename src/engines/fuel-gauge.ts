import { SLICE, unlimitedWork, type Work } from "./work.ts";

/** The additions to `WebAssembly` by JavaScript Promise Integration. */
interface PromiseIntegration {
  readonly Suspending?: new <A extends readonly unknown[], R>(
    callback: (...args: A) => Promise<R>,
  ) => (...args: A) => R;
  readonly promising?: <A extends readonly unknown[], R>(call: (...args: A) => R) => (...args: A) => Promise<R>;
}

const wasm = WebAssembly as PromiseIntegration;

/** `WebAssembly.Global` of type i32. */
interface Global {
  value: number;
}

/** The exports that wasm/fuel.ts adds to a binary. */
interface GaugedExports {
  readonly $fuel: Global;
  readonly $table: { readonly length: number; set(index: number, entry: unknown): void };
}

/**
 * Whether calls into the engines can be suspended, so that other requests get their turn meanwhile. Without it everything else
 * still works, including work budgets.
 */
export const suspends = wasm.Suspending !== undefined && wasm.promising !== undefined;

/** An import that suspends the engine until its promise is resolved. Undefined where that is not supported. */
export function suspending<A extends readonly unknown[], R>(
  callback: (...args: A) => Promise<R>,
): ((...args: A) => R) | undefined {
  return wasm.Suspending && new wasm.Suspending(callback);
}

/** Fuel for creating and dropping a handle: 0.5 to 1.5 microseconds. */
const HANDLE = 100;
/** Fuel for handles that is counted at once. */
const HANDLES = 1_000_000;

/**
 * The fuel of one engine instance whose binary has a gauge (wasm/fuel.ts): counts toward the work of the request that holds the
 * engine, and yields to other requests during long calls.
 */
export class FuelGauge {
  /** The work of the request that holds the engine. */
  work: Work;
  readonly #tick: WebAssembly.Module;
  readonly #price: number;
  readonly #slice: number;
  /** The engine's fuel given to it at a time: it asks for more after a slice. */
  readonly #fill: number;
  #fuel: Global | undefined;
  /** Fuel given last. */
  #filled = 0;
  /** Fuel for handles that is not counted yet. */
  #handles = 0;
  #broken = false;
  /** Whether a suspendable call is running. */
  #long = false;
  /** JavaScript frames within that call: it cannot be suspended below them. */
  #frames = 0;
  /** Whether a suspension was due but not possible. */
  #overdue = false;

  /** `tick`: the compiled module of wasm/tick.ts. `price`: work per unit of this engine's fuel. `slice`: the work after which others have their turn. */
  constructor(tick: WebAssembly.Module, work = unlimitedWork(), { price = 1, slice = SLICE } = {}) {
    this.#tick = tick;
    this.work = work;
    this.#price = price;
    this.#slice = slice;
    this.#fill = Math.round(slice / price);
  }

  /** Whether a call was aborted: the instance can no longer be used. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Whether a call that can be suspended has begun and not ended. */
  get running(): boolean {
    return this.#long;
  }

  /** Whether the running call can be suspended now. */
  get suspendable(): boolean {
    return wasm.Suspending !== undefined && this.#long && this.#frames === 0;
  }

  /** Must be called with a new instance before any of its code runs. */
  attach({ exports }: WebAssembly.Instance): void {
    const spend = (): number => this.#spend();
    const pause = suspending(() => this.#pause()) ?? (() => {});
    const tick = new WebAssembly.Instance(this.#tick, { tick: { spend, pause } });
    const { $fuel: fuel, $table: table } = exports as unknown as GaugedExports;
    table.set(table.length - 1, tick.exports["tick"]);
    this.#fuel = fuel;
    fuel.value = this.#filled = this.#fill;
  }

  /**
   * Wraps a function of the instance so that it yields to other requests while it runs: between its loops, but not below
   * callbacks that call into the instance again, which use `enter` and `leave`.
   */
  long<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: A) => Promise<R> {
    if (!wasm.promising) return async (...args) => call(...args);
    const promised = wasm.promising(call);
    return async (...args) => {
      this.#long = true;
      try {
        return await promised(...args);
      } finally {
        this.#long = false;
      }
    };
  }

  /**
   * Counts a handle created on an object of the instance: our loops over a document's objects create one at each step, so none
   * of them can run forever.
   */
  handle(): void {
    this.#handles += HANDLE;
    if (this.#handles < HANDLES) return;
    const fuel = this.#handles;
    this.#handles = 0;
    this.work.spend(fuel);
  }

  /** Call before a callback calls into the instance. */
  enter(): void {
    this.#frames += 1;
  }

  /** Call after that, even if it threw. */
  leave(): void {
    this.#frames -= 1;
    if (this.#frames > 0 || !this.#overdue || !this.#fuel) return;
    this.#overdue = false;
    // Makes the next loop check at once.
    this.work.count(this.#used());
    this.#fuel.value = 0;
    this.#filled = 0;
  }

  /** Counts the fuel used since the last time, for a request that has ended. */
  settle(): void {
    this.work.count(this.#used() + this.#handles);
    this.#handles = 0;
  }

  #used(): number {
    if (!this.#fuel) return 0;
    const used = this.#filled - this.#fuel.value;
    this.#fuel.value = this.#filled = this.#fill;
    return used * this.#price;
  }

  /** Returns whether to suspend the call now. */
  #spend(): 0 | 1 {
    try {
      this.work.spend(this.#used());
    } catch (error) {
      this.#broken = true;
      throw error;
    }
    if (!this.#long) return 0;
    this.#overdue = this.#frames > 0;
    return this.#overdue ? 0 : 1;
  }

  async #pause(): Promise<void> {
    try {
      // A shorter slice than that of the work ends here.
      await (this.#slice < SLICE ? this.work.rest() : this.work.pause());
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }
}
