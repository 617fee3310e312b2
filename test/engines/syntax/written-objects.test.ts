import { describe, expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { writtenObjects } from "../../../src/engines/pdf/objects/written-objects.ts";

const FILE = `%PDF-1.7
%\xb5\xb6

1 0 obj
<</Type/Catalog/S/Type/XRef[(a\\)) <4142>]/N/>>
endobj
2 3 obj
<</Length 4/Subtype/Length/Type/ObjStm>>
stream
endo
endstream
endobj
3 0 obj
<</Type/XRef/Root 1 0 R/Length 1/ID[<00><01>]>>
stream
x
endstream
endobj
startxref`;

test("objects of a file are read with their numbers, types, strings, and streams", () => {
  const bytes = bytesOf(FILE);
  const text = ({ start, end }: { start: number; end: number }): string => latin1(bytes.subarray(start, end));
  const objects = [...writtenObjects(bytes, 0)];
  expect(objects.map(({ number, generation, type, isXref }) => [number, generation, type, isXref])).toEqual([
    [1, 0, "Catalog", false],
    [2, 3, "ObjStm", false],
    [3, 0, "XRef", true],
  ]);
  expect(objects.map(({ head }) => text(head))).toEqual([
    "\n<</Type/Catalog/S/Type/XRef[(a\\)) <4142>]/N/>>\n",
    "\n<</Length 4/Subtype/Length/Type/ObjStm>>\nstream\n",
    "\n<</Type/XRef/Root 1 0 R/Length 1/ID[<00><01>]>>\nstream\n",
  ]);
  expect(objects.map(({ stream }) => stream && text(stream))).toEqual([undefined, "endo", "x"]);
  expect(objects[0]?.strings.map((string) => [text(string), latin1(string.valueIn(bytes))])).toEqual([
    ["(a\\))", "a)"],
    ["<4142>", "AB"],
  ]);
});

test("a cross-reference table ends the objects", () => {
  const objects = [...writtenObjects(bytesOf("%PDF-1.7\n1 0 obj\n5\nendobj\nxref\n0 2\n"), 0)];
  expect(objects.map(({ number }) => number)).toEqual([1]);
});

describe("unexpected output", () => {
  test.each([
    ["1 0 obj 5", "no end"],
    ["1 0 5", "no keyword"],
    ["-1 0 obj 5 endobj xref", "a negative number"],
    ["1 0 obj (a endobj xref", "a string without an end"],
    ["1 0 obj <<)>> endobj xref", "a stray delimiter"],
    ["1 0 obj <<>>\nstream\nx\nendstream endobj xref", "a stream without a length"],
    ["1 0 obj <</Length 2>>\nstream\nx\nendstream endobj xref", "another length"],
    ["1 0 obj <</Length 1>>stream x\nendstream endobj xref", "no line end"],
    ["1 0 obj <</Type/XRef>> endobj xref", "cross-references that are no stream"],
  ])("output unlike MuPDF's is an error: %j: %s", (text) => {
    expect(() => [...writtenObjects(bytesOf(text), 0)]).toThrow("not as expected");
  });
});
