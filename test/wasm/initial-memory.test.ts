import { expect, it } from "vitest";
import { withInitialMemory } from "../../wasm/initial-memory.ts";
import { concatenated, leb, name, section, SECTION } from "../../wasm/wasm-binary.ts";

const PAGE = 65_536;

/** A module that exports its memory. */
const moduleWith = (...limits: readonly number[]): Uint8Array =>
  concatenated([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(SECTION.memory, Uint8Array.from([1, ...limits])),
    section(SECTION.export, Uint8Array.from([1, ...name("memory"), 0x02, 0])),
  ]);

function memoryOf(binary: Uint8Array): WebAssembly.Memory {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary as BufferSource));
  return exports["memory"] as WebAssembly.Memory;
}

it("the initial memory is smaller, and grows as far as before", () => {
  const memory = memoryOf(withInitialMemory(moduleWith(0x01, ...leb(300), ...leb(400)), 16));
  expect(memory.buffer.byteLength).toBe(16 * PAGE);
  memory.grow(384);
  expect(memory.buffer.byteLength).toBe(400 * PAGE);
  expect(() => memory.grow(1)).toThrow(RangeError);
});

it("a memory without a maximum keeps growing without one", () => {
  const memory = memoryOf(withInitialMemory(moduleWith(0x00, ...leb(300)), 16));
  memory.grow(400);
  expect(memory.buffer.byteLength).toBe(416 * PAGE);
});

it("an initial memory larger than the binary's is refused", () => {
  expect(() => withInitialMemory(moduleWith(0x00, 8), 16)).toThrow("8 pages, fewer than 16");
});
