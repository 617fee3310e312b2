import { expect, test } from "vitest";
import { headersOfParts, listOf } from "../../../src/operations/definition/define.ts";

test("the headers of a job's parts are those of the first, with all values of lists once", () => {
  const parts = [
    { "X-Input-Repaired": "true", "X-Pages-Incomplete": "2" },
    { "X-Page-Count": "9" },
    { "X-Input-Repaired": "true", "X-Pages-Incomplete": "2,7", "X-Ignored-Parameters": "quality" },
  ];
  expect(headersOfParts(parts)).toEqual({
    "X-Input-Repaired": "true",
    "X-Pages-Incomplete": "2,7",
    "X-Ignored-Parameters": "quality",
  });
  expect(headersOfParts([])).toEqual({});
});

test("a list in a header ends after its last value that fits into 4,096 bytes", () => {
  const values = Array.from({ length: 2_000 }, (_, index) => String(1_000 + index));
  const list = listOf(values);
  expect(list.length).toBeLessThanOrEqual(4_096);
  expect(list.split(",")).toEqual(values.slice(0, 819));
  expect(listOf(["1", "2"])).toBe("1,2");
});
