import { imageNeedsTooMuchMemory } from "../limit-errors.ts";
import type { FuelGauge } from "../fuel-gauge.ts";
import { type AllowHeap, WASM_PAGE } from "../memory/heap.ts";
import { outOfMemory } from "../result-errors.ts";

export interface CodecOptions {
  /** Called with the number of bytes by which the memory needs to grow. */
  readonly allowGrowth: AllowHeap;
  /** Its own gauge: each instance has one. */
  readonly gauge: FuelGauge;
  readonly globals?: Readonly<Record<string, unknown>>;
}

/**
 * One jSquash codec, instantiated on first use and dropped with its request: an instance takes about 1 ms to create, its memory
 * never shrinks, and it would retain a client's pixels.
 */
export class CodecInstance<Codec> {
  readonly #factory: CodecFactory<Codec>;
  readonly #module: WebAssembly.Module;
  readonly #allowGrowth: AllowHeap;
  readonly #gauge: FuelGauge;
  readonly #globals: Readonly<Record<string, unknown>>;
  #codec: Codec | undefined;
  #memory: WebAssembly.Memory | undefined;
  #denied: false | "limit" | "busy" = false;

  constructor(factory: CodecFactory<Codec>, module: WebAssembly.Module, options: CodecOptions) {
    this.#factory = factory;
    this.#module = module;
    this.#allowGrowth = options.allowGrowth;
    this.#gauge = options.gauge;
    this.#globals = options.globals ?? { Uint8Array };
  }

  /** Bytes of wasm memory held. */
  get heapBytes(): number {
    return this.#memory?.buffer.byteLength ?? 0;
  }

  /**
   * Runs calls into the codec. `bytes`: the expected size of its memory; if it may not grow to that, the call is rejected at
   * once.
   * @throws Refusal `limit_exceeded` or `overloaded` if its memory may not grow
   */
  async use<T>(work: (codec: Codec) => T | Promise<T>, bytes = 0): Promise<T> {
    try {
      this.#codec ??= await this.#create();
      if (bytes > this.heapBytes) this.#ask(bytes - this.heapBytes);
      return await work(this.#codec);
    } catch (error) {
      const denied = this.#denied;
      // An aborted call leaves its state and stack frames in the instance.
      this.drop();
      if (denied === false) throw error;
      throw denied === "busy" ? outOfMemory(error) : imageNeedsTooMuchMemory(error);
    }
  }

  /** Drops the instance; the next use creates another. */
  drop(): void {
    this.#gauge.settle();
    this.#codec = undefined;
    this.#memory = undefined;
    this.#denied = false;
  }

  #create(): Promise<Codec> {
    return this.#factory({
      noInitialRun: true,
      globals: this.#globals,
      gauge: this.#gauge,
      instantiateWasm: (imports, done) => {
        const instance = new WebAssembly.Instance(this.#module, imports);
        const memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
        if (!memory) throw new Error("the codec exports no memory");
        // Its initial memory is not counted yet.
        this.#ask(memory.buffer.byteLength);
        const grow = memory.grow.bind(memory);
        memory.grow = (pages) => {
          this.#ask(Math.trunc(pages) * WASM_PAGE);
          return grow(pages);
        };
        this.#memory = memory;
        this.#gauge.attach(instance);
        done(instance);
        return instance.exports;
      },
      print: () => {},
      printErr: () => {},
    });
  }

  #ask(bytes: number): void {
    const allowed = this.#allowGrowth(bytes);
    this.#denied = allowed === true ? false : allowed === "busy" ? "busy" : "limit";
    if (this.#denied !== false) throw new RangeError("heap limit");
  }
}
