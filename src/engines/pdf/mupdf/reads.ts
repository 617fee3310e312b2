import { type FuelGauge, suspending } from "../../fuel-gauge.ts";

/** The source that MuPDF reads from: the handle of a `Stream`. */
export interface ReadHandle {
  fileSize(): number;
  /** Copies up to `length` bytes from `position` on to `offset` of the memory; returns how many. */
  read(memory: Uint8Array, offset: number, length: number, position: number): number;
  /** Whether the bytes at `position` have to be fetched first. */
  waits(position: number): boolean;
  fetch(position: number): Promise<void>;
  close(): void;
}

/** MuPDF's callback for all calls of JavaScript: which one, the types of its arguments, and where they are. */
export type Callback = (code: number, types: number, values: number) => number;

/**
 * Lets MuPDF wait for bytes that have to be fetched. In calls that can be suspended (`FuelGauge.long`), the read is a suspending
 * import; in all others it is a plain one, which throws where bytes are missing.
 */
export class Reads {
  /** The number of the callback that reads; set by the glue. */
  code = -1;
  #asks = false;
  #waiting: (() => Promise<void>) | undefined;

  /** The glue's own callback for a read from a handle. */
  read(handle: ReadHandle, memory: Uint8Array, offset: number, length: number, position: number): number {
    if (!this.#asks) return handle.read(memory, offset, length, position);
    if (!handle.waits(position)) return 0;
    this.#waiting = () => handle.fetch(position);
    return 1;
  }

  /** `module`: that of wasm/callback.ts. Returns the replacement of the import `plain`. */
  attach(module: WebAssembly.Module, plain: Callback, gauge: FuelGauge): Callback {
    const waits: Callback = (code, types, values) => {
      if (code !== this.code || !gauge.suspendable) return 0;
      this.#asks = true;
      try {
        return plain(code, types, values);
      } finally {
        this.#asks = false;
      }
    };
    const wait = async (...call: Parameters<Callback>): Promise<number> => {
      await this.#waiting?.();
      return plain(...call);
    };
    const callback = { waits, wait: suspending(wait) ?? plain, plain };
    const { exports } = new WebAssembly.Instance(module, { callback });
    return exports["call"] as Callback;
  }
}
