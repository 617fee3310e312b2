import { concatenated, leb, name, section, SECTION } from "./wasm-binary.ts";

/**
 * A module with one function, `call`, between MuPDF and its JavaScript callbacks: (i32, i32, i32) -> i32. It calls its import `waits` with the same
 * arguments. If that returns 0, it passes them on to `plain`, otherwise to `wait`, which may be a `WebAssembly.Suspending`. A function of JavaScript
 * in between could not be suspended (see tick.ts).
 */
export function callbackModule(): Uint8Array {
  const [waits, wait, plain, call] = [0, 1, 2, 3];
  const imported = (field: string): number[] => [...name("callback"), ...name(field), 0x00, 0];
  const pass = [0x20, 0, 0x20, 1, 0x20, 2];
  const body = [0x00, ...pass, 0x10, waits, 0x04, 0x7f, ...pass, 0x10, wait, 0x05, ...pass, 0x10, plain, 0x0b, 0x0b];
  return concatenated([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(SECTION.type, Uint8Array.from([1, 0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7f])),
    section(SECTION.import, Uint8Array.from([3, ...imported("waits"), ...imported("wait"), ...imported("plain")])),
    section(SECTION.function, Uint8Array.from([1, 0])),
    section(SECTION.export, Uint8Array.from([1, ...name("call"), 0x00, call])),
    section(SECTION.code, Uint8Array.from([1, ...leb(body.length), ...body])),
  ]);
}
