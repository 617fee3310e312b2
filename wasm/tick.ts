import { concatenated, leb, name, section, SECTION } from "./wasm-binary.ts";

/**
 * A module with one function, `tick`, for the tables of engines with a fuel gauge (fuel.ts). It calls its import `spend`. If that does not return 0,
 * it calls its import `pause`, which may be a `WebAssembly.Suspending`. These throw outside of `WebAssembly.promising`, or with frames of JavaScript
 * in between, so `pause` must not be reached then. And only a function of a module can be in a table.
 */
export function tickModule(): Uint8Array {
  const [spend, pause, tick] = [0, 1, 2];
  const imported = (field: string, type: number): number[] => [...name("tick"), ...name(field), 0x00, ...leb(type)];
  const body = [0x00, 0x10, spend, 0x04, 0x40, 0x10, pause, 0x0b, 0x0b];
  return concatenated([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(SECTION.type, Uint8Array.from([2, 0x60, 0, 1, 0x7f, 0x60, 0, 0])),
    section(SECTION.import, Uint8Array.from([2, ...imported("spend", 0), ...imported("pause", 1)])),
    section(SECTION.function, Uint8Array.from([1, 1])),
    section(SECTION.export, Uint8Array.from([1, ...name("tick"), 0x00, tick])),
    section(SECTION.code, Uint8Array.from([1, ...leb(body.length), ...body])),
  ]);
}
