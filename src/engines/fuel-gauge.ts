import { unlimitedWork, type Work } from "./work.ts";

/** What V8 adds to `WebAssembly` with JavaScript Promise Integration. */
interface PromiseIntegration {
  readonly Suspending?: new (callback: () => Promise<void>) => () => void;
  readonly promising?: <A extends readonly unknown[], R>(call: (...args: A) => R) => (...args: A) => Promise<R>;
}

const { Suspending, promising } = WebAssembly as PromiseIntegration;

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
export const suspends = Suspending !== undefined && promising !== undefined;

/** Fuel that an engine is given at a time: it is asked for more after 5 to 15 ms. */
const FILL = 1_000_000;

/**
 * The fuel of one engine instance whose binary has a gauge (wasm/fuel.ts): counts into the work of the request that has the
 * engine, and lets others through during its long calls.
 */
export class FuelGauge {
  /** Of the request that has the engine. */
  work: Work;
  readonly #tick: WebAssembly.Module;
  #fuel: Global | undefined;
  #async: Global | undefined;
  #broken = false;

  /** `tick`: the compiled module of wasm/tick.ts. */
  constructor(tick: WebAssembly.Module, work = unlimitedWork()) {
    this.#tick = tick;
    this.work = work;
  }

  /** Whether a call was ended in its middle: the instance cannot be used any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** To be called with an instance before anything of it runs. */
  attach({ exports }: WebAssembly.Instance): void {
    const plain = (): void => this.#refill();
    const suspending = Suspending ? new Suspending(() => this.#refillInTurn()) : plain;
    const tick = new WebAssembly.Instance(this.#tick, { tick: { plain, suspending } });
    const { $fuel: fuel, $table: table } = exports as unknown as GaugedExports;
    table.set(table.length - 1, tick.exports["tick"]);
    this.#fuel = fuel;
    this.#async = tick.exports["async"] as unknown as Global;
    fuel.value = FILL;
  }

  /**
   * A function of the instance as one that gives others their turn while it runs. Between it and the loops that count there
   * may be no frames of JavaScript: callbacks that call into the instance again do so within `plainly`.
   */
  long<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: A) => Promise<R> {
    if (!promising) return async (...args) => call(...args);
    const promised = promising(call);
    return async (...args) => {
      this.#suspend(1);
      try {
        return await promised(...args);
      } finally {
        this.#suspend(0);
      }
    };
  }

  /** Runs a callback of the instance, which may call into it again. */
  plainly<T>(callback: () => T): T {
    const before = this.#async?.value ?? 0;
    this.#suspend(0);
    try {
      return callback();
    } finally {
      this.#suspend(before);
    }
  }

  /** Counts what was used since the last time, for a request that has ended. */
  settle(): void {
    this.work.count(this.#used());
  }

  #used(): number {
    if (!this.#fuel) return 0;
    const used = FILL - this.#fuel.value;
    this.#fuel.value = FILL;
    return used;
  }

  #suspend(value: number): void {
    if (this.#async) this.#async.value = value;
  }

  #refill(): void {
    try {
      this.work.spend(this.#used());
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }

  async #refillInTurn(): Promise<void> {
    try {
      this.work.spend(this.#used());
      await this.work.pause();
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }
}
