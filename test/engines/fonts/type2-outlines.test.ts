import { expect, test } from "vitest";
import type { Step } from "../../../src/engines/pdf/fonts/type1-outlines.ts";
import { writeCharstring } from "../../../src/engines/pdf/fonts/type2-outlines.ts";

const NAMES: Readonly<Record<number, string>> = {
  1: "hstem",
  3: "vstem",
  4: "vmoveto",
  5: "rlineto",
  6: "hlineto",
  7: "vlineto",
  8: "rrcurveto",
  14: "endchar",
  18: "hstemhm",
  19: "hintmask",
  21: "rmoveto",
  22: "hmoveto",
  26: "vvcurveto",
  27: "hhcurveto",
  30: "vhcurveto",
  31: "hvcurveto",
};

/** Operands and operators of an outline (Adobe Technical Note 5177), whose masks have one byte. */
function words(outline: Uint8Array): string {
  const view = new DataView(outline.buffer, outline.byteOffset, outline.length);
  const list: (string | number)[] = [];
  for (let at = 0; at < outline.length;) {
    const byte = view.getUint8(at++);
    if (byte === 28) list.push(view.getInt16(at));
    else if (byte === 255) list.push(view.getInt32(at) / 65_536);
    else if (byte >= 247) {
      const low = view.getUint8(at) + 108;
      list.push(byte >= 251 ? -(byte - 251) * 256 - low : (byte - 247) * 256 + low);
    } else list.push(byte >= 32 ? byte - 139 : (NAMES[byte] ?? `operator ${byte}`));
    if (byte === 19) list.push(view.getUint8(at).toString(2).padStart(8, "0"));
    at += byte === 28 ? 2 : byte === 255 ? 4 : byte === 19 || byte >= 247 ? 1 : 0;
  }
  return list.join(" ");
}

const move = (...points: readonly number[]): Step => ({ kind: "move", points });
const line = (...points: readonly number[]): Step => ({ kind: "line", points });
const curve = (...points: readonly number[]): Step => ({ kind: "curve", points });
const stems = (
  horizontal: readonly (readonly [number, number])[],
  vertical: readonly (readonly [number, number])[],
): Step => ({
  kind: "stems",
  stems: { horizontal: [...horizontal], vertical: [...vertical] },
});
const write = (...steps: readonly Step[]): string =>
  words(writeCharstring({ width: 500, steps }, { usual: 500, nominal: 600 }));

test.each<[string, readonly Step[], string]>([
  ["moves in each direction", [move(10, 0), move(10, 20), move(5, 30)], "10 hmoveto 20 vmoveto -5 10 rmoveto endchar"],
  [
    "lines that alternate between the axes, as one operator",
    [move(0, 10), line(50, 10), line(50, 40), line(20, 40), line(20, 30)],
    "10 vmoveto 50 30 -30 -10 hlineto endchar",
  ],
  [
    "lines along the same axis, as one operator each",
    [move(0, 10), line(0, 20), line(0, 40)],
    "10 vmoveto 10 vlineto 20 vlineto endchar",
  ],
  ["other lines", [move(0, 10), line(1, 11), line(3, 14), line(3, 20)], "10 vmoveto 1 1 2 3 rlineto 6 vlineto endchar"],
  [
    "curves that begin and end along the axes in turn",
    [move(0, 1), curve(10, 1, 20, 5, 20, 15), curve(20, 25, 15, 30, 5, 30)],
    "1 vmoveto 10 10 4 10 10 -5 5 -10 hvcurveto endchar",
  ],
  [
    "curves that begin and end along the same axis",
    [move(0, 1), curve(10, 1, 20, 5, 30, 5), curve(30, 6, 35, 10, 35, 20)],
    "1 vmoveto 10 10 4 10 hhcurveto 1 5 4 10 vvcurveto endchar",
  ],
  ["other curves", [move(0, 1), curve(1, 2, 3, 4, 5, 6)], "1 vmoveto 1 1 2 2 2 2 rrcurveto endchar"],
  [
    "numbers of each size, and fractions",
    [move(108, 1131), line(-1023, 0), line(-1023, 2000), line(-1022.5, 2000)],
    "108 1131 rmoveto -1131 -1131 rlineto 2000 0.5 vlineto endchar",
  ],
])("an outline has %s", (_, steps, expected) => {
  expect(write(...steps)).toBe(expected);
});

test("an outline begins with its width unless that is the default width", () => {
  const steps = [move(10, 0)];
  expect(words(writeCharstring({ width: 700, steps }, { usual: 500, nominal: 600 }))).toBe("100 10 hmoveto endchar");
  expect(words(writeCharstring({ width: 250, steps: [] }, { usual: 500, nominal: 600 }))).toBe("-350 endchar");
});

test("an operator has up to 48 operands", () => {
  const lines = Array.from({ length: 25 }, (_, at) => line(at + 1, 2 * at + 2));
  expect(
    write(move(0, 0), ...lines)
      .split(" ")
      .filter((word) => word === "rlineto"),
  ).toHaveLength(2);
});

test("stems are relative to the one before, from the lowest", () => {
  const all = stems(
    [
      [300, 50],
      [0, 40],
    ],
    [[100, 20]],
  );
  expect(write(all, move(10, 0))).toBe("0 40 260 50 hstem 100 20 vstem 10 hmoveto endchar");
});

test("stems that apply to parts of an outline are chosen by masks", () => {
  const [one, two] = [stems([[0, 40]], [[100, 20]]), stems([[300, 50]], [])];
  expect(write(one, move(10, 0), line(20, 0), two, move(30, 0))).toBe(
    "0 40 260 50 hstemhm 100 20 hintmask 10100000 10 hmoveto 10 hlineto hintmask 01000000 10 hmoveto endchar",
  );
});

test("more stems than 22 in a direction are left out", () => {
  const many = Array.from({ length: 23 }, (_, at) => [at * 30, 10] as const);
  expect(write(stems(many, []), move(10, 0))).toBe("10 hmoveto endchar");
  expect(write(stems(many.slice(1), []), move(10, 0))).toContain("hstem");
});
