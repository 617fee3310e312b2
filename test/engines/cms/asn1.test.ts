import type { BitString } from "asn1js";
import { describe, expect, test } from "vitest";
import { children, octets, parse, read, readBeginning, Unexpected } from "../../../src/engines/cms/asn1.ts";
import { Unusable } from "../../../src/engines/cms/refusal.ts";
import { PARSERS } from "../../../src/engines/parse-meter.ts";
import { Work } from "../../../src/engines/work.ts";

const work = (): Work => new Work(10e9);

/** A value with a tag. */
function value(tag: number, content: readonly number[]): number[] {
  const { length } = content;
  return [tag, 0x84, length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255, ...content];
}
const times = (count: number, bytes: readonly number[]): number[] => Array.from({ length: count }, () => bytes).flat();
const bytes = (content: readonly number[]): Uint8Array => Uint8Array.from(content);

/** Why bytes are refused; undefined if they are not. */
function problem(content: readonly number[]): string | undefined {
  try {
    read(work(), bytes(content));
    return undefined;
  } catch (error) {
    if (error instanceof Unusable || error instanceof Unexpected) return error.message;
    throw error;
  }
}

test("each value is charged by its bytes, and once more for each two bytes of an object identifier", () => {
  const { byte, element } = PARSERS.asn1;
  const spent = (content: readonly number[]): number => {
    const own = work();
    read(own, bytes(content));
    return own.spent;
  };
  expect(spent([0x30, 4, 5, 0, 5, 0])).toBe(6 * byte + 3 * element);
  expect(spent([6, 3, 0x55, 4, 3])).toBe(5 * byte + 3 * element);
  // The value in a string is read, too.
  expect(spent([4, 2, 5, 0])).toBe(6 * byte + 2 * element);
});

describe("limits of ASN.1", () => {
  test.each<[string, number[], string]>([
    ["values", value(0x30, times(5_000, [5, 0])), "has ASN.1 with more than 5,000 values"],
    ["values in a string", value(4, value(0x30, times(5_000, [5, 0]))), "has ASN.1 with more than 5,000 values"],
    ["values in bits", value(3, [0, ...value(0x30, times(5_000, [5, 0]))]), "has ASN.1 with more than 5,000 values"],
    ["arcs", value(6, times(65, [1])), "has ASN.1 with a value of more than 64 bytes"],
    ["relative arcs", value(13, times(65, [1])), "has ASN.1 with a value of more than 64 bytes"],
    ["digits", value(2, times(4_097, [1])), "has ASN.1 with a value of more than 4,096 bytes"],
    ["a time", value(0x17, times(33, [48])), "has ASN.1 with a value of more than 32 bytes"],
    ["a string", value(0x1e, times(65_538, [65])), "has ASN.1 with a value of more than 65,536 bytes"],
    ["levels", times(52, [0x30, 0x80]), "has ASN.1 with more than 50 levels"],
  ])("a value that would take the library long is refused before it is read: %s", (_, content, message) => {
    expect(problem(content)).toBe(message);
  });

  test("values at these limits are read", () => {
    expect(problem(value(0x30, times(4_999, [5, 0])))).toBeUndefined();
    expect(problem(value(6, times(64, [1])))).toBeUndefined();
    expect(problem(value(2, times(4_096, [1])))).toBeUndefined();
    expect(problem(value(4, times(100_000, [0xff])))).toBeUndefined();
  });
});

/** Bytes that look like chance, from a seed. */
function noise(length: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

describe("strings resembling values", () => {
  test.each<[string, number[]]>([
    ["an object identifier", [6, 0x5a]],
    ["a longer one", [6, 0x81, 0xfd]],
    ["the longest one", [6, 0x82, 0, 0xfc]],
    ["a relative object identifier", [13, 0x5a]],
    ["a time", [0x17, 0x35]],
    ["a generalized time", [0x18, 0x7f]],
    ["an integer", [2, 0x82, 0, 0xfc]],
    ["a list of an object identifier", [0x30, 0x81, 0xfd, 6, 0x5a]],
    ["lists without an end", [0x30, 0x80, 0x31, 0x80, 6, 0x5a]],
    ["a string of an object identifier", [4, 0x81, 0xfd, 6, 0x5a]],
    ["bits of a time", [3, 0x81, 0xfd, 0, 0x17, 0x35]],
  ])("a string that begins like %s is read as a string", (_, beginning) => {
    for (const length of [256, 512])
      for (const fill of [noise(length, 1), times(length, [1]), times(length, [0x81])]) {
        const content = [...beginning, ...fill].slice(0, length);
        const whole = value(0x30, [...value(4, content), ...value(3, [0, ...content])]);
        const [string, bits] = children(read(work(), bytes(whole)));
        expect(octets(string)).toEqual(bytes(content));
        expect(new Uint8Array((bits as BitString).valueBlock.valueHexView)).toEqual(bytes(content));
      }
  });

  test("strings of 16 KiB that hold an integer, a time, text, or an object identifier are read", () => {
    for (const tag of [2, 10, 0x17, 0x18, 0x0c])
      expect(problem(value(4, value(tag, times(16_384, [0x31]))))).toBeUndefined();
    expect(problem(value(4, value(6, times(9_996, [1]))))).toBeUndefined();
  });

  test.each<[string, number[], string]>([
    ["a million arcs", value(4, value(6, times(1_000_000, [1]))), "a value of more than 16,384 bytes"],
    ["a million in bits", value(3, [0, ...value(13, times(1_000_000, [1]))]), "a value of more than 16,384 bytes"],
    ["10,000 arcs", value(4, value(6, times(10_000, [1]))), "more than 5,000 values"],
    ["arcs in many strings", value(0x30, times(80, value(4, value(6, times(128, [1]))))), "more than 5,000 values"],
    ["a time", value(4, value(0x17, times(16_385, [0x31]))), "a value of more than 16,384 bytes"],
    ["lists in a string", value(4, times(51, [0x30, 0x80])), "more than 50 levels"],
  ])("a string that would take the library long is refused: %s", (_, content, message) => {
    expect(problem(content)).toBe(`has ASN.1 with ${message}`);
  });
});

test("a value that is cut off or has no end is not ASN.1", () => {
  for (const content of [
    [],
    [0x30],
    [0x30, 5, 5, 0],
    [0x30, 0x80, 5, 0],
    [4, 0x80, 0, 0],
    [0x1f, 0x81, 0x81, 0x81, 0],
    [5, 0, 5, 0],
  ])
    expect(problem(content), String(content)).toBeDefined();
  expect(problem([0x30, 0x80, 5, 0, 0, 0])).toBeUndefined();
});

test("a value at the beginning may be followed by anything", () => {
  const { end, value: first } = readBeginning(work(), bytes([0x30, 2, 5, 0, 0, 0, 0]));
  expect([end, first.idBlock.tagNumber]).toEqual([4, 16]);
  expect(() => parse(bytes([0x30, 2, 5, 0, 0]))).toThrow(Unexpected);
});

test("the values of a request have a common limit", () => {
  const own = work();
  const many = bytes(value(0x30, times(4_998, [5, 0])));
  const reading = (): void => {
    for (let round = 0; round < 21; round++) read(own, many);
  };
  expect(reading).toThrow(
    expect.objectContaining({ code: "limit_exceeded", details: expect.objectContaining({ limit: 100_000 }) }),
  );
});
