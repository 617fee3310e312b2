import { describe, expect, it } from "vitest";
import { invalidParameter } from "../../../src/engines/errors.ts";
import { tooManyPages, tooMuchMemory, tooMuchWork } from "../../../src/engines/limit-errors.ts";
import { ofStep, withAdvice } from "../../../src/operations/definition/errors.ts";

describe("advice", () => {
  it.each([tooMuchMemory(undefined), tooMuchWork()])("advice to lower the resolution is added once: %s", (refusal) => {
    const advised = withAdvice(refusal, ["pages", "dpi"]);
    expect(advised.message).toBe(`${refusal.message} A lower \`dpi\` also helps.`);
    expect([advised.code, advised.details]).toEqual([refusal.code, refusal.details]);
    expect(withAdvice(advised, ["pages", "dpi"])).toBe(advised);
  });

  it("advice is not added if no parameter changes the resolution", () => {
    const refusal = tooMuchWork();
    expect(withAdvice(refusal, ["pages"])).toBe(refusal);
  });

  it("advice is not added to a refusal with a limit other than memory or work", () => {
    const refusal = tooManyPages("file", 5_001);
    expect(withAdvice(refusal, ["dpi"])).toBe(refusal);
  });
});

describe("a step of a pipeline", () => {
  it("a step is named once, with its number in each problem of a parameter", () => {
    const named = ofStep(invalidParameter("angle", "must be 90"), 2, "rotate");
    expect(named.message).toBe("Step 2 (`rotate`): `angle` must be 90.");
    expect(named.details).toEqual({ fields: [{ name: "angle", issue: "must be 90", step: 2 }], step: 2 });
    expect(ofStep(named, 1, "pipeline")).toBe(named);
  });
});
