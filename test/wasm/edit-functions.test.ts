import { describe, expect, test } from "vitest";
import { editFunctions, type FunctionEdit, functionNames } from "../../wasm/edit-functions.ts";
import { BinaryReader, concatenated, leb, name, section, SECTION } from "../../wasm/wasm-binary.ts";

const I32 = 0x7f;
const HEADER = Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
const body = (...code: readonly number[]): number[] => [...leb(code.length + 1), 0, ...code];
/** (a, b) => difference(b, a), and (a, b) => a - b, which is the function `difference`. */
const CODE = Uint8Array.from([2, ...body(0x20, 1, 0x20, 0, 0x10, 2, 0x0b), ...body(0x20, 0, 0x20, 1, 0x6b, 0x0b)]);
const names = [1, 2, 1, ...name("swapped"), 2, ...name("difference")];

/** A module that imports one function and exports `swapped`. */
const moduleOf = (
  code: Uint8Array,
  custom: readonly number[] = [...name("name"), ...names.toSpliced(1, 0, names.length - 1)],
) =>
  concatenated([
    HEADER,
    section(SECTION.type, Uint8Array.from([1, 0x60, 2, I32, I32, 1, I32])),
    section(SECTION.import, Uint8Array.from([1, ...name("m"), ...name("f"), 0x00, 0])),
    section(SECTION.function, Uint8Array.from([2, 0, 0])),
    section(SECTION.export, Uint8Array.from([1, ...name("swapped"), 0x00, 1])),
    section(SECTION.code, code),
    section(SECTION.custom, Uint8Array.from(custom)),
  ]);

/** What `swapped(5, 3)` is after edits: 3 - 5 without any. */
function result(...edits: readonly FunctionEdit[]): number {
  const known = { names: functionNames(moduleOf(CODE)), imported: 1 };
  const edited = new WebAssembly.Module(moduleOf(editFunctions(CODE, known, edits)) as BufferSource);
  const { exports } = new WebAssembly.Instance(edited, { m: { f: () => 0 } });
  return (exports["swapped"] as (a: number, b: number) => number)(5, 3);
}

test("names of functions are read from the binary", () => {
  expect([...functionNames(moduleOf(CODE))]).toEqual([
    ["swapped", 1],
    ["difference", 2],
  ]);
  expect(() => functionNames(moduleOf(CODE, name("other")))).toThrow("the binary has no names of functions");
});

test("signed integers are read", () => {
  const read = (...bytes: readonly number[]): number => new BinaryReader(Uint8Array.from(bytes)).signed();
  expect([read(0x3f), read(0x40), read(0x7f), read(0xff, 0x00), read(0x80, 0x80, 0x80, 0x80, 0x78)]).toEqual([
    63,
    -64,
    -1,
    127,
    -(2 ** 31),
  ]);
});

describe("editFunctions", () => {
  test("replaces instructions, with the locals that it found", () => {
    expect(result()).toBe(-2);
    expect(
      result({
        in: "difference",
        find: [["local.get", "left"], ["local.get", "right"], ["i32.sub"]],
        replaceBy: [["local.get", "right"], ["local.get", "left"], ["i32.sub"]],
      }),
    ).toBe(2);
  });

  test("inserts instructions before others, such as a call of a named function", () => {
    const doubled = [["i32.const", 2], ["i32.mul"]] as const;
    expect(result({ in: "swapped", find: [["call", "difference"]], putBefore: doubled })).toBe(3 - 2 * 5);
    expect(result({ in: "swapped", find: [["call", "difference"]], putBefore: [["i32.const", -1], ["i32.mul"]] })).toBe(
      8,
    );
  });

  test("takes locals from elsewhere in the function", () => {
    expect(
      result({
        in: "difference",
        given: [["local.get", "right"], ["i32.sub"]],
        find: [
          ["local.get", "left"],
          ["local.get", "right"],
        ],
        replaceBy: [
          ["local.get", "right"],
          ["i32.const", 1],
        ],
      }),
    ).toBe(4);
  });

  test("lists every edit that does not fit", () => {
    const edits: readonly FunctionEdit[] = [
      { in: "elsewhere", find: [["i32.sub"]] },
      { in: "difference", find: [["local.get", "any"]] },
      {
        in: "difference",
        find: [
          ["local.get", "same"],
          ["local.get", "same"],
        ],
      },
      { in: "swapped", find: [["call", "swapped"]] },
    ];
    expect(() => result(...edits)).toThrow(
      [
        "elsewhere: there is no such function",
        "difference: found 2 times, not once: local.get any",
        "difference: found 0 times, not once: local.get same; local.get same",
        "swapped: found 0 times, not once: call swapped",
      ].join("\n"),
    );
  });
});
