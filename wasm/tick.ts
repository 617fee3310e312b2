import { concatenated, leb, name, section, SECTION } from "./wasm-binary.ts";

/**
 * A module with one function, `tick`, for the tables of engines with a fuel gauge (fuel.ts). It calls one of two imports: `plain`, or,
 * while its exported global `async` is not 0, `suspending`, which may be a `WebAssembly.Suspending`. One of those throws where it
 * is called outside of `WebAssembly.promising`, so it must not be reached from plain calls; and only a function of a module
 * can stand in a table.
 */
export function tickModule(): Uint8Array {
  const [plain, suspending, tick] = [0, 1, 2];
  const imported = (field: string): number[] => [...name("tick"), ...name(field), 0x00, ...leb(0)];
  const body = [0x00, 0x23, 0x00, 0x04, 0x40, 0x10, suspending, 0x05, 0x10, plain, 0x0b, 0x0b];
  return concatenated([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(SECTION.type, Uint8Array.from([1, 0x60, 0, 0])),
    section(SECTION.import, Uint8Array.from([2, ...imported("plain"), ...imported("suspending")])),
    section(SECTION.function, Uint8Array.from([1, 0])),
    section(SECTION.global, Uint8Array.from([1, 0x7f, 0x01, 0x41, 0x00, 0x0b])),
    section(SECTION.export, Uint8Array.from([2, ...name("tick"), 0x00, tick, ...name("async"), 0x03, 0])),
    section(SECTION.code, Uint8Array.from([1, ...leb(body.length), ...body])),
  ]);
}
