import { expect, it } from "vitest";
import { Refusal } from "../../src/engines/errors.ts";
import * as ofEngines from "../../src/engines/limit-errors.ts";
import { limits } from "../../src/limits.ts";
import * as ofOperations from "../../src/operations/definition/limit-errors.ts";

/** Facts of the situations that need more than a count, or a field and a count. */
const FACTS: Readonly<Record<string, readonly unknown[]>> = {
  tooManyElements: ["XML", "tags and attributes", limits.parsers.xml, 7],
  archivedFileTooLarge: ["word/document.xml", 7],
  objectTooLarge: ["tokens", limits.syntax.tokens, 7],
  cmapTooLarge: ["sectionValues", 7],
  xmpHasTooMany: ["attributes", 7],
  imageTooLargeForGray: ["a JPEG 2000", { width: 20_000, height: 20_000 }],
  pageHasTooManyPixels: [3, 600, 7],
  partHasTooMany: ["word/document.xml", "elements", 7],
  htmlHasTooMany: ["tags", 7],
  markdownHasTooMany: ["markdownItems", 7],
  markdownRunHasTooMany: ["markdownMarks", 7],
  revisionsTooLarge: [limits.references.heldBytes, 7],
  tooLargeToRemove: [limits.references.heldBytes, 7],
  printedTooLarge: [7, limits.references.heldBytes],
  recognizesTooManyPages: [limits.ocr.pages, 7],
};

/** The limit of this one is the size that the request announced. */
const { bodyTooLong, ...rest } = ofEngines;

const valuesOf = (of: object): unknown[] =>
  Object.values(of).flatMap((one: unknown) => (one instanceof Object ? valuesOf(one) : [one]));
const known = new Set<unknown>([...valuesOf(limits), "work", "memory"]);

it.each(Object.entries({ ...rest, ...ofOperations }))(
  "%s names a limit of src/limits.ts in a whole sentence",
  (name, make) => {
    const facts = FACTS[name] ?? ["file", 7].slice(2 - make.length);
    const refusal: unknown = Reflect.apply(make, undefined, facts);
    expect(refusal).toBeInstanceOf(Refusal);
    const { code, message, details } = refusal as Refusal;
    expect(code).toBe("limit_exceeded");
    expect(known).toContain(details?.["limit"]);
    expect(message).toMatch(/^[A-Z`].*\.$/);
    expect(message).not.toMatch(/undefined|NaN|\[object|\d{6}/);
  },
);

it("a limit in a sentence has commas, and is the one in the details", () => {
  const { message, details } = ofEngines.tooManyCells(10_001);
  expect(message).toBe("Sheets can have up to 10,000 cells.");
  expect(details).toEqual({ limit: 10_000, actual: 10_001 });
});

it("a body that is longer than announced is refused with both sizes", () => {
  expect(bodyTooLong(10, 11)).toMatchObject({ code: "limit_exceeded", details: { limit: 10, actual: 11 } });
});

it("an image for grayscale that is within the pixels is refused for its memory", () => {
  const refusal = ofEngines.imageTooLargeForGray("one", { width: 10, height: 20 });
  expect(refusal.message).toContain("one of 10 x 20 pixels");
  expect(refusal.details).toEqual({ limit: "memory" });
});
