import { describe, expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { ContentState } from "../../../src/engines/pdf/content/state.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

/** What is open after streams. */
async function open(...streams: readonly string[]): Promise<ContentState> {
  const state = new ContentState();
  for (const stream of streams) await state.read(bytesOf(stream), unlimitedWork());
  return state;
}

test.each<[string, readonly string[], string]>([
  ["nothing", ["q BT /A BMC EMC ET Q"], "\n"],
  ["a graphics state", ["q q Q"], "\nQ "],
  ["text, marked content, and a graphics state", ["q /A BMC /B <</C 1>> BDC BT"], "\nET EMC EMC Q "],
  ["what one stream opens and another does not close", ["q BT", "ET q"], "\nQ Q "],
  ["no more than was opened", ["EMC ET q EMC Q"], "\n"],
  ["nothing in strings, comments, and images", ["(q) % q\n<71> BI /W 1 ID q q \nEI"], "\n"],
])("%s is closed at the end", async (_, streams, closing) => {
  const state = await open(...streams);
  expect(state.closing).toBe(closing);
  expect(state.isDoubtful).toBe(false);
});

test("a Q that restores nothing is blanked, in its stream", async () => {
  const state = await open("q Q Q", " Q q", "Q");
  expect(state.blanked).toEqual([[[4, 5]], [[1, 2]], []]);
  expect(state.closing).toBe("\n");
});

test("an inline image that never ends is blanked to the end", async () => {
  const state = await open("q BI /W 1 ID abc", "def");
  expect(state.blanked).toEqual([[[2, Infinity]], [[0, Infinity]]]);
  expect(state.isDoubtful).toBe(true);
  const ended = await open("BI /W 1 ID abc", " EI q");
  expect([ended.blanked, ended.closing, ended.isDoubtful]).toEqual([[[], []], "\nQ ", false]);
});

describe("doubtful content", () => {
  test.each([
    ["a word that is no operator", "xy"],
    ["a long word that is no operator", "garbage"],
    ["an operator without its operands", "1 0 0 rg 1 0 rg"],
    ["an operator in an array", "[ 1 q ]"],
    ["an array that does not end", "[ 1"],
    ["brackets that do not match", "[ 1 >> w"],
    ["a key that is no name", "/A << 1 2 >> BDC"],
    ["a key without a value", "/A << /B >> BDC"],
    ["a closing parenthesis", "1 ) w"],
    ["a string that does not end", "(abc"],
  ])("content that readers interpret differently is doubtful: %s", async (_, content) =>
    expect((await open(content)).isDoubtful).toBe(true),
  );

  test.each([
    ["a comment at the end", "q % comment"],
    ["values", "/A << /B true /C null /D [1 (x)] >> BDC"],
  ])("content with %s is not doubtful", async (_, content) => expect((await open(content)).isDoubtful).toBe(false));
});
