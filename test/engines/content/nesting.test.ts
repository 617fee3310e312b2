import { limits } from "../../../src/limits.ts";
import type { PDFObject } from "mupdf";
import { expect, test } from "vitest";
import { Nesting } from "../../../src/engines/pdf/content/nesting.ts";

/** A form, of which only its number matters. */
const form = (number: number): PDFObject =>
  ({ isIndirect: () => true, asIndirect: () => number }) as unknown as PDFObject;

test("a form draws itself only while it is being drawn", async () => {
  const nesting = new Nesting();
  const inside = await nesting.within(form(1), () =>
    nesting.within(form(2), async () => [1, 2, 3].map((number) => nesting.isCyclic(form(number)))),
  );
  expect(inside).toEqual([true, true, false]);
  expect(nesting.isCyclic(form(1))).toBe(false);
  await expect(nesting.within(form(1), () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(nesting.isCyclic(form(1))).toBe(false);
});

test("nesting has a limit, and some forms need more levels", async () => {
  const nesting = new Nesting();
  const depths: boolean[] = [];
  const draw = async (number: number): Promise<void> => {
    if (nesting.isTooDeep()) return;
    depths.push(nesting.isTooDeep(4));
    await nesting.within(form(number), () => draw(number + 1));
  };
  await draw(1);
  expect(depths).toHaveLength(limits.contents.nesting);
  expect(depths.indexOf(true)).toBe(limits.contents.nesting - 3);
  const heavy = await nesting.within(form(1), async () => nesting.isTooDeep(97), 4);
  expect([heavy, nesting.isTooDeep(100)]).toEqual([true, false]);
});
