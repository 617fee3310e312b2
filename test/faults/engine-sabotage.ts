import { vi } from "vitest";
import { resetIsolate } from "../../src/isolate.ts";

/** What an engine does from its n-th call on: traps once, is given no memory any more, or once gives back any number. */
export type Fault = "trap" | "no memory" | "garbage";

interface Plan {
  readonly fault: Fault;
  /** The number of the call to the engine that fails; 0 is the first. */
  readonly call: number;
}

/** The calls made to one engine, and what is to happen to one of them. */
export interface Sabotage {
  /** Counts from 0 again, and lets this happen to the engine; nothing where no plan is given. */
  begin(plan?: Plan): void;
  /** Calls to the engine's exported functions since `begin`. */
  calls(): number;
  /** Stands aside again. */
  end(): void;
}

type Call = (...values: unknown[]) => unknown;

/** Wasm knows no pointer as high as this; and as a count or a number of pages it is wrong as well. */
const GARBAGE = 0x7fff_fff0;

/**
 * Puts itself between the service and each engine that it instantiates from now on: `module` says which is meant. What is
 * called, and with what effect on the rest of the heap, is what a broken binary would do; no code of the service is replaced.
 */
export function sabotage(module: WebAssembly.Module): Sabotage {
  let plan: Plan | undefined;
  let count = 0;
  const Real = WebAssembly.Instance;
  const platform = WebAssembly as { promising?: (call: unknown) => Call };
  const { promising } = platform;
  /** The functions of the binary that can be suspended, by what stands before them. */
  const suspendable = new WeakMap<Call, Call>();

  /** The same calls, of which `call` makes the real one. */
  function wrapped(name: string, call: Call, memory: WebAssembly.Memory | undefined): Call {
    return (...values) => {
      const isMeant = count++ === plan?.call;
      const starved = plan?.fault === "no memory" && count > plan.call;
      if (starved && memory !== undefined) {
        memory.grow = () => {
          throw new RangeError("no memory");
        };
        if (/malloc/.test(name)) return 0;
      }
      if (isMeant && plan?.fault === "trap") throw new WebAssembly.RuntimeError("unreachable");
      const result = call(...values);
      if (!isMeant || plan?.fault !== "garbage") return result;
      if (result instanceof Promise) return result.then((value) => (typeof value === "number" ? GARBAGE : value));
      return typeof result === "number" ? GARBAGE : result;
    };
  }

  vi.spyOn(WebAssembly, "Instance").mockImplementation(function instantiate(of, imports) {
    const instance = new Real(of, imports);
    if (of !== module) return instance;
    const memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
    const exports = Object.entries(instance.exports).map(([name, value]) => {
      if (typeof value !== "function") return [name, value];
      const own = wrapped(name, value as Call, memory);
      if (promising) suspendable.set(own, wrapped(name, promising(value), memory));
      return [name, own];
    });
    return { exports: Object.fromEntries(exports) } as WebAssembly.Instance;
  });
  // Only a function of a binary can be suspended.
  if (promising)
    vi.spyOn(platform, "promising").mockImplementation((call) => suspendable.get(call as Call) ?? promising(call));

  return {
    begin(next) {
      // Those that wait were made before, or have been through a fault.
      resetIsolate();
      plan = next;
      count = 0;
    },
    calls: () => count,
    end() {
      vi.mocked(WebAssembly.Instance).mockRestore();
      if (platform.promising) vi.mocked(platform.promising).mockRestore();
      resetIsolate();
    },
  };
}
