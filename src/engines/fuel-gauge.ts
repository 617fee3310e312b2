import { unlimitedWork, type Work } from "./work.ts";

/** What V8 adds to `WebAssembly` with JavaScript Promise Integration. */
interface PromiseIntegration {
  readonly Suspending?: new (callback: () => Promise<void>) => () => void;
  readonly promising?: <A extends readonly unknown[], R>(call: (...args: A) => R) => (...args: A) => Promise<R>;
}

const wasm = WebAssembly as PromiseIntegration;

/** `WebAssembly.Global` of type i32. */
interface Global {
  value: number;
}

/** What wasm/fuel.ts adds to the exports of a binary. */
interface GaugedExports {
  readonly $fuel: Global;
  readonly $table: { readonly length: number; set(index: number, entry: unknown): void };
}

/**
 * Whether calls into the engines can be suspended, so that other requests have their turn meanwhile. Without it everything works
 * but for that; budgets of work hold all the same.
 */
export const suspends = wasm.Suspending !== undefined && wasm.promising !== undefined;

/** Fuel that an engine is given at a time: it is asked for more after 5 to 15 ms. */
const FILL = 1_000_000;

/** Fuel for a handle that is made and dropped: half a microsecond to one and a half. */
const HANDLE = 100;

/**
 * The fuel of one engine instance whose binary has a gauge (wasm/fuel.ts): counts into the work of the request that has the
 * engine, and lets others through during its long calls.
 */
export class FuelGauge {
  /** Of the request that has the engine. */
  work: Work;
  readonly #tick: WebAssembly.Module;
  readonly #price: number;
  #fuel: Global | undefined;
  /** What it was given last. */
  #filled = 0;
  /** Fuel for handles that has not been counted yet. */
  #handles = 0;
  #broken = false;
  /** Whether a call is under way that can be suspended. */
  #long = false;
  /** Frames of JavaScript within that call: below them it cannot be. */
  #frames = 0;
  /** Whether it could not be when it should have been. */
  #overdue = false;

  /** `tick`: the compiled module of wasm/tick.ts. `price`: work for a unit of this engine's fuel. */
  constructor(tick: WebAssembly.Module, work = unlimitedWork(), price = 1) {
    this.#tick = tick;
    this.work = work;
    this.#price = price;
  }

  /** Whether a call was ended in its middle: the instance cannot be used any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** To be called with an instance before anything of it runs. */
  attach({ exports }: WebAssembly.Instance): void {
    const spend = (): number => this.#spend();
    const pause = wasm.Suspending ? new wasm.Suspending(() => this.#pause()) : () => {};
    const tick = new WebAssembly.Instance(this.#tick, { tick: { spend, pause } });
    const { $fuel: fuel, $table: table } = exports as unknown as GaugedExports;
    table.set(table.length - 1, tick.exports["tick"]);
    this.#fuel = fuel;
    fuel.value = this.#filled = FILL;
  }

  /**
   * A function of the instance as one that gives others their turn while it runs: between its loops, but not below callbacks
   * that call into the instance again, which do so between `enter` and `leave`.
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
   * Counts a handle that was made on something of the instance: loops of ours over the objects of a document make one at each
   * step, so that none of them goes on forever.
   */
  handle(): void {
    this.#handles += HANDLE;
    if (this.#handles < FILL) return;
    const fuel = this.#handles;
    this.#handles = 0;
    this.work.spend(fuel);
  }

  /** Before a callback calls into the instance. */
  enter(): void {
    this.#frames += 1;
  }

  /** After that, however it ended. */
  leave(): void {
    this.#frames -= 1;
    if (this.#frames > 0 || !this.#overdue || !this.#fuel) return;
    this.#overdue = false;
    // The next loop asks at once.
    this.work.count(this.#used());
    this.#fuel.value = 0;
    this.#filled = 0;
  }

  /** Counts what was used since the last time, for a request that has ended. */
  settle(): void {
    this.work.count(this.#used() + this.#handles);
    this.#handles = 0;
  }

  #used(): number {
    if (!this.#fuel) return 0;
    const used = this.#filled - this.#fuel.value;
    this.#fuel.value = this.#filled = FILL;
    return used * this.#price;
  }

  /** Says whether the call is to be suspended now. */
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
      await this.work.pause();
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }
}
