/**
 * Puts a fuel gauge into a WebAssembly binary (WebAssembly Core Specification 2.0, chapter 5, with the legacy exception handling instructions), so
 * that the work done inside it can be counted and stopped.
 *
 * Each iteration of a loop costs fuel. Loops that call, contain other loops, or copy or fill memory count `OUTER` in a mutable i32 global, `fuel`,
 * and check it. Innermost loops count one in a local, which stays in a register. They add it to `fuel` after `BURST` iterations, at the next outer
 * loop, or at the function's end. Once `fuel` is 0 or below, the last entry of table 0, which is added here, is called: a function of type () -> ()
 * that refills `fuel`, or throws. Global and table are exported as `$fuel` and `$table`, and the binary's first global, which is the stack pointer of
 * what Emscripten makes, as `$stack`. Nothing is imported, so no index of the binary shifts.
 */
import { codeSection, type CodePatch } from "./wasm-code.ts";
import { BinaryReader, concatenated, leb, name, section, SECTION, signedLeb } from "./wasm-binary.ts";

/** Fuel of an iteration of a loop that calls or holds others. */
export const OUTER = 4;

/** Iterations of an innermost loop after which it looks at the fuel itself. */
const BURST = 1 << 16;

/** Instructions of a loop's body for which an iteration costs one unit of fuel. */
const STEP = 24;

/** A larger body, in instructions, is that of an interpreter: an iteration runs one branch of it, which costs `BRANCH`. */
const LARGEST = 1_000;
const BRANCH = 16;

/**
 * `memory.copy` and `memory.fill` cost a unit for each 2 ** BULK bytes: keeping a dictionary sorted moves all entries behind the new one, which no loop
 * counts.
 */
export const BULK = 6;

/** Fuel of an iteration of a loop. */
const fuelOf = (size: number): number => (size > LARGEST ? BRANCH : Math.max(1, Math.round(size / STEP)));

export interface Gauged {
  readonly bytes: Uint8Array;
  /** Loops that count in the global, and innermost ones, which count in a local. */
  readonly loops: { readonly outer: number; readonly inner: number };
  readonly functions: number;
}

/** @throws Error where the binary has an instruction or a shape that is not known here. */
export function withFuel(binary: Uint8Array): Gauged {
  const reader = new BinaryReader(binary);
  reader.header();
  const sections: { id: number; start: number; content: Uint8Array }[] = [];
  while (!reader.done) sections.push(reader.section());
  const of = (id: number): Uint8Array => {
    const found = sections.find((candidate) => candidate.id === id);
    if (!found) throw new Error(`wasm/fuel.ts: the binary has no section ${id}`);
    return found.content;
  };
  const types = new BinaryReader(of(SECTION.type)).functionTypes();
  const tick = types.findIndex(({ params, results }) => params === 0 && results.length === 0);
  if (tick < 0) throw new Error("wasm/fuel.ts: the binary has no type () -> ()");
  const imports = sections.some(({ id }) => id === SECTION.import)
    ? new BinaryReader(of(SECTION.import)).imports()
    : { functions: 0, globals: 0, tables: 0 };
  if (imports.tables > 0) throw new Error("wasm/fuel.ts: the binary imports its table");
  const functionTypes = new BinaryReader(of(SECTION.function)).indices();
  const globals = new BinaryReader(of(SECTION.global)).appended([0x7f, 0x01, 0x41, 0x00, 0x0b]);
  const fuel = imports.globals + globals.count - 1;
  const table = new BinaryReader(of(SECTION.table)).largerTable();
  const exports = new BinaryReader(of(SECTION.export)).appended(
    [...name("$fuel"), 0x03, ...leb(fuel)],
    [...name("$table"), 0x01, ...leb(0)],
    [...name("$stack"), 0x03, ...leb(imports.globals)],
  );
  const patch = patchFor(fuel, tick, table.last);
  const code = codeSection(of(SECTION.code), functionTypes, types, patch);
  const replaced: Record<number, Uint8Array> = {
    [SECTION.global]: globals.content,
    [SECTION.table]: table.content,
    [SECTION.export]: exports.content,
    [SECTION.code]: code.content,
  };
  const parts = [binary.subarray(0, 8), ...sections.map(({ id, content }) => section(id, replaced[id] ?? content))];
  return { bytes: concatenated(parts), loops: code.loops, functions: functionTypes.length };
}

/** The instructions that are put in. `counter` is the local of the function that innermost loops count in. */
function patchFor(fuel: number, tick: number, entry: number): CodePatch {
  const get = [0x23, ...leb(fuel)];
  const set = [0x24, ...leb(fuel)];
  const look = [...get, 0x41, 0x01, 0x48, 0x04, 0x40, 0x41, ...signedLeb(entry), 0x11, ...leb(tick), 0x00, 0x0b];
  const handOver = (counter: readonly number[], more: number): number[] => [
    ...get,
    0x20,
    ...counter,
    0x6b,
    ...(more === 0 ? [] : [0x41, ...signedLeb(more), 0x6b]),
    ...set,
  ];
  const clear = (counter: readonly number[]): number[] => [0x41, 0x00, 0x21, ...counter];
  return {
    // fuel = fuel - counter - OUTER; counter = 0; if (fuel < 1) tick()
    outer: (size, local) => {
      const fuel = Math.max(OUTER, fuelOf(size));
      if (local === undefined) return [...get, 0x41, ...signedLeb(fuel), 0x6b, ...set, ...look];
      return [...handOver(leb(local), fuel), ...clear(leb(local)), ...look];
    },
    // if ((counter += fuel) >= BURST) { fuel = fuel - counter; counter = 0; if (fuel < 1) tick() }
    inner: (size, local) => {
      const counter = leb(local);
      const count = [
        0x20,
        ...counter,
        0x41,
        ...signedLeb(fuelOf(size)),
        0x6a,
        0x22,
        ...counter,
        0x41,
        ...signedLeb(BURST),
        0x4f,
      ];
      return [...count, 0x04, 0x40, ...handOver(counter, 0), ...clear(counter), ...look, 0x0b];
    },
    exit: (local) => handOver(leb(local), 0),
    // length = pop(); fuel = fuel - (length >>> BULK); push(length)
    bulk: (local) => {
      const length = leb(local);
      return [0x21, ...length, ...get, 0x20, ...length, 0x41, ...signedLeb(BULK), 0x76, 0x6b, ...set, 0x20, ...length];
    },
  };
}
