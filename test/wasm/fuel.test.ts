import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BULK, OUTER, withFuel } from "../../wasm/fuel.ts";
import { concatenated, leb, name, section, SECTION } from "../../wasm/wasm-binary.ts";

const packaged = (path: string): Uint8Array => readFileSync(new URL(`../../node_modules/${path}`, import.meta.url));

describe("fuel of the engines' binaries", () => {
  it.each([
    ["mupdf/dist/mupdf-wasm.wasm", 9_362],
    ["tesseract.js-core/tesseract-core-relaxedsimd-lstm.wasm", 7_710],
    ["@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm", 521],
    ["@jsquash/webp/codec/enc/webp_enc_simd.wasm", 864],
    ["@jsquash/webp/codec/dec/webp_dec.wasm", 357],
  ])("the binary %s is decoded whole, and valid with a gauge in each loop", (path, count) => {
    const { bytes, loops } = withFuel(packaged(path));
    expect(loops.outer + loops.inner).toBe(count);
    expect(WebAssembly.validate(bytes as BufferSource)).toBe(true);
  });
});

const [I32, VOID] = [0x7f, 0x40];
const [BLOCK, LOOP, END, BR, BR_IF, RETURN, CALL] = [0x02, 0x03, 0x0b, 0x0c, 0x0d, 0x0f, 0x10];
/** `--parameter`, and its value on the stack. */
const COUNT_DOWN = [0x20, 0, 0x41, 1, 0x6b, 0x22, 0];
/** `parameter > 0`. */
const MORE = [...COUNT_DOWN, 0x41, 0, 0x4a];

/** A module of functions (i32) -> i32 with one local, exported as `f0`, `f1`, ..., with the table that every engine has. */
function moduleOf(...bodies: readonly (readonly number[])[]): Uint8Array {
  const functions = bodies.map((body) => [1, 1, I32, ...body, END]);
  return concatenated([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(SECTION.type, Uint8Array.from([2, 0x60, 0, 0, 0x60, 1, I32, 1, I32])),
    section(SECTION.function, Uint8Array.from([bodies.length, ...bodies.map(() => 1)])),
    section(SECTION.table, Uint8Array.from([1, 0x70, 0x01, 1, 1])),
    section(SECTION.memory, Uint8Array.from([1, 0x00, 16])),
    section(SECTION.global, Uint8Array.from([1, I32, 0x01, 0x41, 0, END])),
    section(
      SECTION.export,
      Uint8Array.from([bodies.length, ...bodies.flatMap((_, index) => [...name(`f${index}`), 0x00, index])]),
    ),
    section(
      SECTION.code,
      Uint8Array.from([bodies.length, ...functions.flatMap((body) => [...leb(body.length), ...body])]),
    ),
  ]);
}

interface Gauged {
  readonly call: (index: number, argument: number) => number;
  readonly fuel: WebAssembly.Global<"i32">;
  ticks: number;
}

/** The module with a gauge, whose tick gives `fill` more, `most` times. */
function gauged(binary: Uint8Array, { fill = 1000, most = Infinity } = {}): Gauged {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(withFuel(binary).bytes as BufferSource));
  const fuel = exports["$fuel"] as WebAssembly.Global<"i32">;
  const table = exports["$table"] as WebAssembly.Table;
  const state: Gauged = {
    call: (index, argument) => (exports[`f${index}`] as (argument: number) => number)(argument),
    fuel,
    ticks: 0,
  };
  const spend = (): number => {
    if (++state.ticks > most) throw new Error("the fuel is spent");
    fuel.value += fill;
    return 0;
  };
  // Only functions of a module can stand in a table.
  const shim = new WebAssembly.Module(readFileSync(new URL("../../wasm/generated/tick.wasm", import.meta.url)));
  table.set(table.length - 1, new WebAssembly.Instance(shim, { tick: { spend, pause: () => {} } }).exports["tick"]);
  fuel.value = 0;
  return state;
}

describe("fuel of loops", () => {
  const countDown = [LOOP, VOID, ...MORE, BR_IF, 0, END];
  const ways: [string, number[]][] = [
    ["that falls out of its end", [...countDown, 0x20, 0]],
    ["left by a return", [LOOP, VOID, ...MORE, 0x45, 0x04, VOID, 0x20, 0, RETURN, END, BR, 0, END, 0x00]],
    [
      "left by a branch to the function's label",
      [LOOP, VOID, 0x20, 0, ...MORE, 0x45, BR_IF, 1, 0x1a, BR, 0, END, 0x00],
    ],
    [
      "left by a branch to a block around it",
      [BLOCK, VOID, LOOP, VOID, ...MORE, 0x45, BR_IF, 1, BR, 0, END, END, 0x20, 0],
    ],
  ];
  it.each(ways)("an innermost loop %s counts each of its iterations", (_, body) => {
    const { call, fuel } = gauged(moduleOf(body));
    call(0, 100);
    expect(fuel.value).toBe(-100);
  });

  it("a loop with an inner loop counts its own iterations and those of the inner one", () => {
    // Ten rounds of a loop that sets the counter anew and counts 5 down.
    const inner = [0x41, 5, 0x21, 1, LOOP, VOID, 0x20, 1, 0x41, 1, 0x6b, 0x22, 1, 0x41, 0, 0x4a, BR_IF, 0, END];
    const body = [LOOP, VOID, ...inner, ...MORE, BR_IF, 0, END, 0x20, 0];
    const state = gauged(moduleOf(body));
    state.call(0, 10);
    expect(state.ticks * 1000 - state.fuel.value).toBe(10 * OUTER + 50);
  });

  it("a loop with a large body counts more for each iteration", () => {
    const steps = Array.from({ length: 24 }, () => [0x20, 1, 0x41, 1, 0x6a, 0x21, 1]).flat();
    const { call, fuel } = gauged(moduleOf([LOOP, VOID, ...steps, ...MORE, BR_IF, 0, END, 0x20, 0]));
    call(0, 100);
    expect(fuel.value).toBe(-400);
  });

  it("a loop that makes calls requests more as soon as the fuel is spent", () => {
    const calls = [LOOP, VOID, 0x20, 0, CALL, 1, 0x1a, ...MORE, BR_IF, 0, END, 0x20, 0];
    const state = gauged(moduleOf(calls, [0x20, 0]), { fill: 10 });
    state.call(0, 95);
    // The first iteration finds none.
    expect(state.ticks).toBe(1 + (95 * OUTER) / 10);
  });
});

describe("fuel of bulk memory instructions", () => {
  /** From 0, or with 0, as many bytes as the parameter says. */
  const copy = [0x41, 0, 0x41, 0, 0x20, 0, 0xfc, 0x0a, 0x00, 0x00];
  const fill = [0x41, 0, 0x41, 0, 0x20, 0, 0xfc, 0x0b, 0x00];
  it.each<[string, number[]]>([
    ["memory.copy", copy],
    ["memory.fill", fill],
  ])("the fuel of %s grows with its bytes", (_, instruction) => {
    const { call, fuel } = gauged(moduleOf([...instruction, 0x20, 0]));
    expect(call(0, 1_000_000)).toBe(1_000_000);
    expect(fuel.value).toBe(-Math.floor(1_000_000 / 2 ** BULK));
  });

  it("a bulk copy in a loop checks the fuel in each iteration", () => {
    const body = [
      LOOP,
      VOID,
      0x41,
      0,
      0x41,
      0,
      0x41,
      ...leb(64_000),
      0xfc,
      0x0a,
      0x00,
      0x00,
      ...MORE,
      BR_IF,
      0,
      END,
      0x20,
      0,
    ];
    const state = gauged(moduleOf(body), { fill: 1000 });
    state.call(0, 10);
    expect(state.ticks * 1000 - state.fuel.value).toBe(10 * (OUTER + 64_000 / 2 ** BULK));
    expect(state.ticks).toBe(10);
  });
});

describe("endless loops", () => {
  it.each<[string, number[]]>([
    ["without a call in it", [LOOP, VOID, BR, 0, END, 0x00]],
    ["with a call in it", [LOOP, VOID, 0x20, 0, CALL, 1, 0x1a, BR, 0, END, 0x00]],
    ["within another", [LOOP, VOID, LOOP, VOID, BR, 0, END, BR, 0, END, 0x00]],
  ])("an endless loop %s is ended", (_, body) => {
    const state = gauged(moduleOf(body, [0x20, 0]), { fill: 1_000_000, most: 3 });
    expect(() => state.call(0, 1)).toThrow("the fuel is spent");
    expect(state.ticks).toBe(4);
  });
});

it("an unknown instruction stops the install", () => {
  expect(() => withFuel(moduleOf([0x41, 0, 0xfe, 0x00]))).toThrow("unknown instruction 0xfe");
});
