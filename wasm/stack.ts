import { BinaryReader, concatenated, section, SECTION, signedLeb } from "./wasm-binary.ts";

/**
 * MuPDF's binary with so many bytes more for its stack. emscripten puts 64 KiB between the static data and the heap. A larger stack overwrites the
 * data below, without an error. Laying out HTML takes about 1.5 KiB of it for each element that is inside another.
 *
 * The stack begins where the heap does, and goes down: both are moved up. The stack's start is the initial value of the only global; the heap's is
 * the static variable from which `sbrk` takes memory.
 * @param bytes a multiple of 16
 * @throws Error if the binary does not read as expected
 */
export function withLargerStack(binary: Uint8Array, bytes: number): Uint8Array {
  const reader = new BinaryReader(binary);
  reader.header();
  const sections: { id: number; content: Uint8Array }[] = [];
  while (!reader.done) sections.push(reader.section());
  const globals = sections.find(({ id }) => id === SECTION.global)?.content ?? new Uint8Array();
  const top = stackTop(globals);
  const replaced: Record<number, (content: Uint8Array) => Uint8Array> = {
    [SECTION.global]: () => globalSection(top + bytes),
    [SECTION.data]: (content) => withHeapAt(content, top, top + bytes),
  };
  const parts = sections.map(({ id, content }) => section(id, replaced[id]?.(content) ?? content));
  return concatenated([binary.subarray(0, 8), ...parts]);
}

/** One mutable global of type i32, whose initial value is a constant. */
const globalSection = (value: number): Uint8Array =>
  Uint8Array.from([0x01, 0x7f, 0x01, 0x41, ...signedLeb(value), 0x0b]);

function stackTop(content: Uint8Array): number {
  const reader = new BinaryReader(content);
  reader.skip(4);
  const value = reader.u32();
  if (Buffer.compare(globalSection(value), content) === 0) return value;
  throw new Error("wasm/stack.ts: the binary has other globals than a stack pointer");
}

/** The data section, which ends with the heap's start: the last static variable, without its highest byte, which is 0. */
function withHeapAt(content: Uint8Array, from: number, to: number): Uint8Array {
  const lowBytes = (value: number): number[] => [value & 0xff, (value >> 8) & 0xff, value >> 16];
  if (to >= 2 ** 24 || lowBytes(from).some((byte, at) => byte !== content.at(at - 3)))
    throw new Error("wasm/stack.ts: the data does not end with the heap's start");
  return concatenated([content.subarray(0, -3), Uint8Array.from(lowBytes(to))]);
}
