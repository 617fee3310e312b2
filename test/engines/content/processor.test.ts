import { describe, expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { ContentWriter } from "../../../src/engines/pdf/content/content-writer.ts";
import { FAMILIES, type Family, OPERATORS } from "../../../src/engines/pdf/content/operator-table.ts";
import { process, type Run, type Visitor } from "../../../src/engines/pdf/content/processor.ts";
import { unlimitedWork, Work } from "../../../src/engines/work.ts";

/** The operators for which a visitor with methods for some families is called. */
async function visited(content: string, families: readonly Family[]): Promise<string[]> {
  const seen: string[] = [];
  const visit = (run: Run): void => void seen.push(run.operators.operator);
  const methods = Object.fromEntries(families.map((family) => [family, visit]));
  await process(bytesOf(content), { keeps: [], ...methods }, unlimitedWork());
  return seen;
}

test("annex A has 73 operators, each of one family", () => {
  expect(OPERATORS.size).toBe(73);
  expect([...OPERATORS.values()].every(({ family, place }) => FAMILIES[place] === family)).toBe(true);
  expect(OPERATORS.get('"')).toMatchObject({ family: "show", operands: 3 });
  expect(OPERATORS.get("f*")).toMatchObject({ family: "paint", operands: 0 });
});

describe("visitors", () => {
  test.each<[string, readonly Family[], readonly string[]]>([
    ["(a) Tj [(b)] TJ (c) ' 1 2 (d) \" f", ["show"], ["Tj", "TJ", "'", '"']],
    ["1 2 m 3 4 l W n B* sh /A Do", ["path", "paint", "endPath"], ["m", "l", "n", "B*"]],
    ["BI /W 1 ID f S EI f", ["image", "paint"], ["BI", "f"]],
    ["(f) % f\nf xyz", ["paint", "unknown"], ["f", "xyz"]],
    ["[(a) Tj (b) Tj", ["show"], ["Tj", "Tj"]],
    ["[(a) 5 Tw (b)] TJ f", ["show", "textState"], ["TJ"]],
    ["/A << /B (a) BDC f", ["mark", "paint"], ["BDC", "f"]],
    ["BI /W 1 /H 1 f BI /D [1 0 ID f EI f", ["paint", "image"], ["f", "BI", "f"]],
    ["q Q Q q", ["save", "restore"], ["q", "Q", "q"]],
    ["/A BMC EMC EMC", ["mark", "endMark"], ["BMC"]],
  ])("content %s calls a visitor with methods for %s with %s", async (content, families, expected) => {
    const without = families.filter((family) => family !== "endMark");
    expect(await visited(content, without)).toEqual(expected);
  });

  test("a visitor knows the saved states and marks, and operators that nothing precedes", async () => {
    const events: string[] = [];
    const note =
      (event: string) =>
      ({ graphics, marks }: Run<never, string>) =>
        void events.push(`${event} ${graphics.depth} [${marks.join(" ")}]`);
    const visitor: Visitor<never, string> = {
      keeps: [],
      save: note("q"),
      restore: note("Q"),
      unmatched: () => void events.push("unmatched"),
      mark: ({ operators }) => operators.name(0) ?? "",
      endMark: (mark) => void events.push(`end ${mark}`),
      paint: note("paint"),
    };
    await process(bytesOf("Q EMC q /A BMC f /B <<>> BDC f EMC f Q EMC EMC f"), visitor, unlimitedWork());
    expect(events).toEqual([
      "unmatched",
      "q 1 []",
      "paint 1 [A]",
      "paint 1 [A B]",
      "end B",
      "paint 1 [A]",
      "Q 0 [A]",
      "end A",
      "paint 0 []",
    ]);
  });

  test("a visitor is called after its operator has set the state, and awaited", async () => {
    const events: unknown[] = [];
    const visitor: Visitor<string, number> = {
      keeps: ["matrix", "font"],
      fontNamed: (name) => name,
      transform: ({ state }) => void events.push(state.matrix[4]),
      font: ({ state }) => void events.push(state.font),
      mark: async ({ marks }) => {
        await Promise.resolve();
        return marks.length;
      },
      paint: async ({ marks }) => {
        await Promise.resolve();
        events.push([...marks]);
      },
      show: ({ state }) => void events.push(`${state.font} ${state.matrix[4]}`),
    };
    const content = "1 0 0 1 5 0 cm /F 1 Tf /A BMC /B BMC f (a) Tj";
    await process(bytesOf(content), visitor, unlimitedWork());
    expect(events).toEqual([5, "F", [0, 1], "F 5"]);
  });

  test("a visitor may stop, and charges for operators if it requests that", async () => {
    const seen: string[] = [];
    const visitor: Visitor = {
      keeps: [],
      operatorWork: 3,
      paint: (run) => {
        seen.push(run.operators.operator);
        if (seen.length === 2) run.stop();
      },
    };
    const work = new Work(100);
    await process(bytesOf("f w S B"), visitor, work);
    expect([seen, work.spent]).toEqual([["f", "S"], 9]);
  });
});

describe("written content", () => {
  const write = (content: string, ...edits: readonly [number, number, string][]): string | undefined => {
    const writer = new ContentWriter(bytesOf(content));
    for (const edit of edits) writer.replace(...edit);
    const result = writer.result();
    return result && latin1(result);
  };

  test("written content has the replacements of operators, and all other bytes unchanged", () => {
    expect(write("a\x00b  c\xff", [0, 1, "xyz"], [3, 3, "+"], [5, 6, ""])).toBe("xyz\x00b+  \xff");
  });

  test("content without replacements is not written", () => {
    expect(write("abc")).toBeUndefined();
    expect(write("abc", [1, 1, ""])).toBe("abc");
  });

  test("written content is complete after thousands of changes", () => {
    const edits = Array.from({ length: 5000 }, (_, at): [number, number, string] => [at * 2, at * 2 + 1, "xx"]);
    expect(write("a ".repeat(5000), ...edits)).toBe("xx ".repeat(5000));
  });
});
