import type { PDFObject } from "mupdf";
import { expect, test, vi } from "vitest";
import { bytesOf, latin1 } from "../../src/bytes/latin1.ts";
import { type SerializedPiece, serialize } from "../../src/engines/pdf/objects/serialize.ts";
import { unlimitedWork } from "../../src/engines/work.ts";
import { createEngine } from "../harness/fixtures/changed-document.ts";

const engine = await createEngine();
engine.begin(() => true, unlimitedWork());
const document = new engine.mupdf.PDFDocument();
const generations = new Map<number, number>();

/** The pieces, with those that are to be encrypted in braces. */
const shown = (pieces: readonly SerializedPiece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : `{${latin1(piece)}}`)).join("");

const text = (value: string): PDFObject => document.newByteString(bytesOf(value));
const name = (value: string): PDFObject => document.newName(value);

function dictionary(entries: Readonly<Record<string, PDFObject | number>>): PDFObject {
  const made = document.newDictionary();
  for (const [key, value] of Object.entries(entries)) made.put(key, value);
  return made;
}

function array(items: readonly (PDFObject | number)[]): PDFObject {
  const made = document.newArray();
  for (const item of items) made.push(item);
  return made;
}

test("containers within containers are written in their order, with spaces only where tokens would join", async () => {
  const object = dictionary({ A: array([1, dictionary({ B: array([]) }), 2.5, name("N"), array([3, 4])]), C: 5 });
  expect(shown(await serialize(engine, object, { generations, secret: false }))).toBe(
    "<</A[1<</B[]>>2.5/N[3 4]]/C 5>>",
  );
});

test("strings are pieces of their own only where they are to be encrypted", async () => {
  const object = array([text("a"), dictionary({ K: text("b") })]);
  expect(shown(await serialize(engine, object, { generations, secret: true }))).toBe("[{a}<</K{b}>>]");
  expect(shown(await serialize(engine, object, { generations, secret: false }))).toBe("[(a)<</K(b)>>]");
});

test("the value of a signature stays, and that of an annotation is encrypted", async () => {
  const signature = { Filter: name("Adobe.PPKLite"), ByteRange: array([0, 1]), Contents: text("s") };
  const object = array([dictionary({ Type: name("Sig"), ...signature }), dictionary({ Contents: text("note") })]);
  const written = shown(await serialize(engine, object, { generations, secret: true }));
  expect(written).toContain("/Contents(s)");
  expect(written).toContain("/Contents{note}");
});

test("entries are replaced, added, or left out in the outermost dictionary alone", async () => {
  const object = dictionary({ A: 1, B: dictionary({ A: 2 }), C: 3 });
  const replaced = new Map([
    ["/A", "9"],
    ["/C", undefined],
  ]);
  expect(shown(await serialize(engine, object, { generations, secret: false, replaced }))).toBe("<</B<</A 2>>/A 9>>");
});

test("references get the numbers of the file, and those that it lacks are null", async () => {
  const object = array([document.newIndirect(4), document.newIndirect(5)]);
  const numberOf = (number: number): number | undefined => (number === 4 ? 7 : undefined);
  const pieces = await serialize(engine, object, { generations: new Map([[4, 2]]), numberOf, secret: false });
  expect(shown(pieces)).toBe("[7 2 R null]");
});

test("an object with many values lets other requests run meanwhile, and one with few does not", async () => {
  const rest = vi.spyOn(engine.work, "rest");
  expect(serialize(engine, array([1, 2]), { generations, secret: false })).toEqual(["[1 2]"]);
  expect(rest).not.toHaveBeenCalled();
  const many = array([array(Array.from({ length: 60_000 }, () => 0)), text("end")]);
  expect(shown(await serialize(engine, many, { generations, secret: true }))).toBe(
    `[[${"0 ".repeat(60_000).trim()}]{end}]`,
  );
  expect(rest.mock.calls.length).toBeGreaterThan(1);
});
