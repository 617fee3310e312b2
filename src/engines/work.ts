import { limits } from "../limits.ts";
import { tooMuchWork } from "./limit-errors.ts";
import { nextTurn } from "../next-turn.ts";

/** Fuel between two turns of the event loop: 1 to 8 ms of work, the longest that other requests wait for their turn. */
export const SLICE = 1_000_000;

type Budgets = typeof limits.work;

/** The stages in `limits.work` of a kind. */
type StagesOf<L extends string> = {
  [Name in keyof Budgets]: Budgets[Name] extends { readonly kind: L } ? Name : never;
}[keyof Budgets];

/** A stage with a beginning and an end. */
export interface EnclosedStage {
  /** Does it, or a step of it. The rest of the request cannot use the fuel that it leaves. */
  run<T>(step: () => T | Promise<T>): Promise<T>;
}

/** A stage that is done in several steps, such as drawing a page in bands. */
export interface SteppedStage extends EnclosedStage {
  /** Adds fuel that turns out to be needed. */
  add(fuel: number): void;
}

/**
 * The work that one request may do, counted in fuel: one unit is a loop iteration of about 1 to 8 ns, in an engine's wasm or
 * in our own code. Clocks do not advance while a Worker computes, and nothing can interrupt it, so counting is the only way to end
 * a runaway computation. Fuel is deterministic: the same request costs the same everywhere.
 */
export class Work {
  readonly #alive: () => void;
  readonly #most: number;
  #limit: number;
  /** Bytes of the request's files. */
  #bytes = 0;
  /** Fuel spent outside of the request's budget: by stages whose fuel is their own or as needed. */
  #apart = 0;
  /** The stage that lasts until the next: the fuel spent before it, the fuel that it may spend, and how much of that was known in advance. */
  #current = { start: 0, fuel: 0, known: 0 };
  /** The largest share of a budget used so far. */
  #share = 0;
  #spent = 0;
  /** Where the fuel ends that the running stage has of its own. */
  #end: number | undefined;
  #nextPause = SLICE;
  #ended: unknown;

  /**
   * `limit`: the fuel of the request, to which stages and files add; `most`: the total including that. `alive` is called
   * at each pause, and throws if nobody waits for the result anymore.
   */
  constructor(limit: number, most = limit, alive: () => void = () => {}) {
    this.#limit = limit;
    this.#most = most;
    this.#alive = alive;
  }

  /** Fuel spent so far. */
  get spent(): number {
    return this.#spent;
  }

  /**
   * The largest share of a budget that the request, or one of its stages, has used: at 1 the request is rejected. Work whose cost
   * was known in advance counts neither as used nor as part of the budget.
   */
  get share(): number {
    const ofAll = (this.#spent - this.#apart) / (this.#limit - this.#apart);
    const { start, fuel, known } = this.#current;
    const ofStage = Math.max(0, this.#spent - start - known) / fuel;
    return Math.max(this.#share, fuel > 0 ? Math.min(ofAll, ofStage) : ofAll);
  }

  /** Raises the request's budget for bytes of its files. */
  addFiles(bytes: number): void {
    const before = fuelForBytes(this.#bytes);
    this.#bytes += bytes;
    this.#limit += fuelForBytes(this.#bytes) - before;
  }

  /**
   * Begins a stage of the work: `limits.work` has the stages and their budgets.
   * @param needed fuel that the stage is known to need in addition, such as for decoding so many pixels.
   */
  stage(name: StagesOf<"request" | "untilNext">, needed?: number): void;
  stage(name: StagesOf<"asNeeded">, needed: number): EnclosedStage;
  stage(name: StagesOf<"own" | "alone">, needed?: number): SteppedStage;
  stage(name: StagesOf<string>, needed = 0): EnclosedStage | undefined {
    const { fuel, kind } = limits.work[name];
    if (kind === "alone") return this.#withOwn(fuel + needed, 0);
    if (kind === "own") return this.#withOwn(fuel + needed + fuelForBytes(this.#bytes), this.#current.known);
    if (kind === "asNeeded") return this.#withMore(fuel + needed);
    if (kind === "request") this.#limit += fuel + needed;
    else {
      this.#share = this.share;
      this.#current = { start: this.#spent, fuel, known: needed };
    }
    return undefined;
  }

  #withMore(fuel: number): EnclosedStage {
    const run = async <T>(step: () => T | Promise<T>): Promise<T> => {
      const before = this.#spent - this.#apart;
      this.#limit += fuel;
      try {
        return await step();
      } finally {
        const used = Math.min(fuel, this.#spent - this.#apart - before);
        this.#apart += used;
        this.#limit += used - fuel;
      }
    };
    return { run };
  }

  #withOwn(budget: number, known: number): SteppedStage {
    let [fuel, spent] = [budget, 0];
    const run = async <T>(step: () => T | Promise<T>): Promise<T> => {
      const before = this.#spent;
      this.#end = before + fuel + known - spent;
      try {
        return await step();
      } finally {
        const used = this.#spent - before;
        spent += used;
        this.#share = Math.max(this.#share, (spent - known) / fuel);
        this.#end = undefined;
        this.#apart += used;
        this.#limit += used;
        this.#current = { ...this.#current, start: this.#current.start + used };
      }
    };
    return { run, add: (more) => void (fuel += more) };
  }

  /** Counts work done by a request that has ended. */
  count(fuel: number): void {
    this.#spent += fuel;
  }

  /**
   * Counts work that was done or is about to be done.
   * @throws Refusal `limit_exceeded` (`limit: "work"`) if the request's budget is used up
   */
  spend(fuel: number): void {
    this.count(fuel);
    const { start, fuel: ofStage, known } = this.#current;
    const limit = Math.min(this.#most, this.#end ?? Math.max(this.#limit, start + ofStage + known));
    if (this.#ended === undefined && this.#spent <= limit) return;
    this.#ended ??= tooMuchWork();
    throw this.#ended;
  }

  /**
   * Yields to other requests if a slice has been spent since the last time. Await it in every loop that a document can make
   * long.
   * @throws what `alive` throws
   */
  async pause(): Promise<void> {
    if (this.#spent >= this.#nextPause) await this.rest();
  }

  /**
   * Yields to other requests in any case: within long work that was counted as a whole before it began.
   * @throws what `alive` throws
   */
  async rest(): Promise<void> {
    this.#nextPause = this.#spent + SLICE;
    await nextTurn();
    try {
      this.#alive();
    } catch (error) {
      this.#ended ??= error;
      throw error;
    }
  }
}

/** Fuel for a request with so many bytes of files, in addition to what every request has. */
export const fuelForBytes = (bytes: number): number => Math.min(limits.work.mostForFiles, limits.work.bodyByte * bytes);

/** For a request. `alive` is called at each pause, and throws if nobody waits for the result anymore. */
export const workOfRequest = (alive: () => void): Work => new Work(limits.work.request.fuel, limits.work.most, alive);

/** For work outside a request. */
export const unlimitedWork = (): Work => new Work(Infinity);

/** For an engine that no request holds. */
export const noWork = (): Work => new Work(0);
