import { describe, expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { ObjectMeter } from "../../../src/engines/pdf/objects/measures.ts";
import { measureObjects } from "../../../src/engines/pdf/objects/raw-objects.ts";
import { RawFile } from "../../../src/engines/pdf/objects/raw-streams.ts";
import { headingBefore } from "../../../src/engines/pdf/syntax/objects.ts";
import { limits } from "../../../src/limits.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

async function streamsIn(text: string) {
  const bytes = bytesOf(text);
  const { streams } = await measureObjects(unlimitedWork(), new RawFile(bytes), new ObjectMeter());
  return streams.map(({ number, start, end, filters, isPlain }) => ({
    number,
    data: latin1(bytes.subarray(start, end)),
    filters,
    isPlain,
  }));
}

describe("object streams", () => {
  test.each<[string, number, string, number, boolean]>([
    ["7 0 obj<</Type/ObjStm/Length 3>>stream\r\nabcendstream", 7, "abc", 0, true],
    ["7 0 obj<</Type/ObjStm>>stream\nabcendstream", 7, "abc", 0, true],
    ["7 0 obj\n<</Type/Obj#53tm/Filter/Flate#44ecode>> stream \rabcendstream", 7, "abc", 1, true],
    ["7 0 obj<</Type/ObjStm/Length 8>>stream\nabendstream", 7, "abendstr", 0, true],
    ["7 0 obj<</Type/ObjStm/Length 9 0 R>>stream\nabcendstream", 7, "abc", 0, true],
    ["7 0 obj<</Type/ObjStm/Length 900>>stream\nabc", 7, "abc", 0, true],
    ["7 0 obj<</Type/ObjStm/Filter[/Fl/FlateDecode]>>stream\nabcendstream", 7, "abc", 2, true],
    ["7 0 obj<</Type/ObjStm/F/LZW>>stream\nabcendstream", 7, "abc", 1, false],
    ["7 0 obj<</Type/ObjStm/Filter/Fl/DecodeParms<</Predictor 12>>>>stream\nabcendstream", 7, "abc", 1, false],
    ["7 0 obj<</Type/ObjStm/Filter 9 0 R>>stream\nabcendstream", 7, "abc", 1, false],
    ["7 0 obj<</A(>>stream endobj)/Type/ObjStm>>%stream\nstream\nabcendstream", 7, "abc", 0, true],
    ["obj<</Type/ObjStm>>stream\nabcendstream", 0, "abc", 0, true],
  ])(
    "an object stream is found with its number, data, and filters: %j",
    async (text, number, data, filters, isPlain) => {
      expect(await streamsIn(text)).toEqual([{ number, data, filters, isPlain }]);
    },
  );

  test("an object stream is found wherever a cross-reference may lead, even in a string", async () => {
    expect(await streamsIn("1 0 obj(2 0 obj<</Type/ObjStm>>stream\nabcendstream)")).toMatchObject([{ number: 2 }]);
  });

  test.each(["7 0 obj<</Type/ObjStm>>endobj", "7 0 obj<</Type/XRef>>stream\nabc", "7 0 obj(/ObjStm)stream\nabc"])(
    "no object stream is found in %j",
    async (text) => expect(await streamsIn(text)).toEqual([]),
  );
});

test("filters of a stream are counted by all their names, and too many are refused", async () => {
  const filters = (count: number, name: string): string =>
    `1 0 obj<</Filter[${`/${name}`.repeat(count)}]>>stream\nabcendstream`;
  for (const name of ["FlateDecode", "Fl", "A85", "AHx", "LZW", "RL", "CCF", "DCT", "Flate#44ecode"]) {
    await expect(streamsIn(filters(100, name))).rejects.toThrow("too many filters");
  }
  expect(await streamsIn(filters(100, "FlateDecoder"))).toEqual([]);
});

test.each(["stream\n", "stream  \r\n", `${" ".repeat(100)}%endobj\nstream\n`])(
  "a calculator function that is too long is refused, even if its data begin after %j",
  async (keyword) => {
    const program = " ".repeat(limits.streams.programBytes);
    const text = (data: string): string => `1 0 obj<</FunctionType 4>>${keyword}${data}endstream`;
    expect(await streamsIn(text(program))).toEqual([]);
    await expect(streamsIn(text(`${program} `))).rejects.toThrow("calculator function that is too long");
  },
);

test.each<[string, number | undefined]>([
  ["5 0 obj", 0],
  ["x 12 \n 0\0obj", 2],
  ["12 0obj", 0],
  ["0 obj", undefined],
  ["5 R obj", undefined],
  ["obj", undefined],
])("the number before %j begins at %s", (text, at) => {
  expect(headingBefore(bytesOf(text), text.length - "obj".length)).toBe(at);
});
