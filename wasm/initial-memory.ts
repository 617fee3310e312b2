import { BinaryReader, concatenated, leb, section, SECTION } from "./wasm-binary.ts";

/**
 * The binary with a memory of `pages` pages (64 KiB) at first, rather than the 16 MiB and more that emscripten gives each program:
 * all of it counts against the isolate's memory, used or not. What else is needed is asked for.
 * @throws Error if the binary does not define one memory, or starts with less
 */
export function withInitialMemory(binary: Uint8Array, pages: number): Uint8Array {
  const reader = new BinaryReader(binary);
  reader.header();
  const parts = [binary.subarray(0, reader.at)];
  let found = false;
  while (!reader.done) {
    const { id, content } = reader.section();
    found ||= id === SECTION.memory;
    parts.push(section(id, id === SECTION.memory ? memory(content, pages) : content));
  }
  if (!found) throw new Error("wasm/initial-memory.ts: the binary defines no memory");
  return concatenated(parts);
}

function memory(content: Uint8Array, pages: number): Uint8Array {
  const [limits, ...others] = new BinaryReader(content).memories();
  if (limits === undefined || others.length > 0) throw new Error("wasm/initial-memory.ts: there is not one memory");
  const [least, most] = limits;
  if (least < pages) throw new Error(`wasm/initial-memory.ts: the memory has ${least} pages, fewer than ${pages}`);
  return Uint8Array.from(most === undefined ? [1, 0x00, ...leb(pages)] : [1, 0x01, ...leb(pages), ...leb(most)]);
}
