import { describe, expect, test } from "vitest";
import { besidePage, type Construct, constructs, packedBesidePage } from "../harness/bombs/construct-bombs.ts";
import { LONGEST_STRETCH, watchStretches } from "../harness/work/longest-stretch.ts";
import { errorOf } from "../http/echo-service.ts";
import { operationService } from "./operation-service.ts";
import { limits } from "../../src/limits.ts";

const { syntax } = limits;

describe("objects beyond the limits", () => {
  test.each<[Construct, number, number, string]>([
    ["keys in descending order", 190_000, syntax.dictionaryEntries, "dictionary with too many entries"],
    ["numbers", 1_500_000, syntax.arrayItems, "array with too many items"],
    ["small dictionaries", 1_000_000, syntax.tokens, "object that is too large"],
    ["one string", 17_000_000, syntax.stringBytes, "string that is too long"],
    ["one hexadecimal string", 17_000_000, syntax.stringBytes, "string that is too long"],
    ["one comment", 100_000, syntax.commentBytes, "comment that is too long"],
    ["nested arrays", 10_000, syntax.nesting, "nested too deeply"],
    ["nested dictionaries", 10_000, syntax.nesting, "nested too deeply"],
  ])(
    "an object larger than any real one is refused before it is parsed: %s: %i",
    async (name, count, limit, problem) => {
      const post = await operationService("rotate");
      const object = constructs[name](count);
      // What deflates well, for a test that is soon done.
      for (const file of object.length > 4_000_000
        ? [packedBesidePage(object)]
        : [besidePage(object), packedBesidePage(object)]) {
        using stretches = watchStretches();
        const response = await post(file, { angle: "90" });
        const { message } = ((await response.clone().json()) as { error: { message: string } }).error;
        expect(await errorOf(response)).toEqual([
          413,
          "limit_exceeded",
          { limit, actual: expect.any(Number) as number },
        ]);
        expect(message).toContain(problem);
        expect(stretches.longest).toBeLessThan(LONGEST_STRETCH);
      }
    },
  );
});

describe("objects below the limits", () => {
  test.each<[Construct, number]>([
    ["keys in descending order", 40_000],
    ["numbers", 300_000],
    ["small dictionaries", 60_000],
    ["comments", 3_000_000],
  ])("parsing an object yields to other requests: %s: %i", async (name, count) => {
    const rotate = await operationService("rotate");
    const read = await operationService("extract-text");
    const file = packedBesidePage(constructs[name](count));
    for (const post of [rotate, read]) {
      using stretches = watchStretches();
      expect((await post(file, post === rotate ? { angle: "90" } : {})).status).toBe(200);
      expect(stretches.longest).toBeLessThan(LONGEST_STRETCH);
    }
  });
});

test("objects are measured wherever a cross-reference leads to them", async () => {
  const post = await operationService("rotate");
  const hidden = `4 0 obj ${constructs["keys in descending order"](60_000)} endobj`;
  const places = [`(${hidden})`, { entries: "", data: new TextEncoder().encode(hidden) }];
  for (const place of places) {
    const response = await post(besidePage(place), { angle: "90" });
    expect((await errorOf(response)).slice(0, 2)).toEqual([413, "limit_exceeded"]);
  }
});
