import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { FileParts } from "../../../src/engines/memory/joined-bytes.ts";
import {
  type CrossReferenceRow,
  writeSection,
  type WrittenSection,
} from "../../../src/engines/pdf/write/cross-references.ts";

async function written(
  rows: readonly CrossReferenceRow[],
  section: Partial<WrittenSection> & Pick<WrittenSection, "size" | "asStream">,
): Promise<string> {
  const parts = new FileParts();
  await writeSection(parts, rows, { start: 0, trailer: "/Root 1 0 R", ...section });
  const file = parts.joined();
  return latin1(file.view(0, file.length));
}

const used = (number: number, offset: number): CrossReferenceRow => ({ number, generation: 0, deleted: false, offset });

test("a table has a subsection for each run of numbers, in their order", async () => {
  const rows = [used(7, 300), used(2, 200), used(1, 100)];
  expect(await written(rows, { size: 8, asStream: false })).toBe(
    "xref\n0 3\n0000000000 65535 f \n0000000100 00000 n \n0000000200 00000 n \n7 1\n0000000300 00000 n \n" +
      "trailer\n<</Size 8/Root 1 0 R>>\nstartxref\n0\n%%EOF\n",
  );
});

test("a stream has fields as wide as they have to be, and a row for itself", async () => {
  const rows = [used(1, 255), { ...used(2, 3), container: 1 }, { number: 3, generation: 4, deleted: true, offset: 0 }];
  expect(await written(rows, { size: 4, asStream: true })).toBe(
    "4 0 obj\n<</Type/XRef/Size 5/W[1 1 1]/Length 15/Root 1 0 R>>stream\n" +
      "\0\0\xff\x01\xff\0\x02\x01\x03\0\0\x04\x01\0\0\nendstream\nendobj\nstartxref\n0\n%%EOF\n",
  );
});

test("offsets beyond two bytes, indexes beyond one, and runs of an update", async () => {
  const rows = [used(5, 70_000), { ...used(9, 256), container: 5 }];
  const text = await written(rows, { size: 10, start: 80_000, previous: 50, asStream: true });
  expect(text).toContain("<</Type/XRef/Size 11/Prev 50/W[1 3 2]/Index[0 1 5 1 9 2]/Length 24/Root 1 0 R>>stream\n");
  expect(text).toContain("\0\0\0\0\xff\xff\x01\x01\x11\x70\0\0\x02\0\0\x05\x01\0\x01\x01\x38\x80\0\0\nendstream");
  expect(text.endsWith("startxref\n80000\n%%EOF\n")).toBe(true);
});

test("a stream is deflated where that makes it shorter", async () => {
  const rows = Array.from({ length: 200 }, (_, index) => used(index + 1, index * 10));
  const text = await written(rows, { size: 201, asStream: true });
  const start = text.indexOf("stream\n") + "stream\n".length;
  const table = inflateSync(bytesOf(text.slice(start, text.indexOf("\nendstream"))));
  expect(text).toContain("/W[1 2 1]/Filter/FlateDecode/Length ");
  expect(table.length).toBe(202 * 4);
  expect(Array.from(table.subarray(4 * 200, 4 * 201))).toEqual([1, 1990 >> 8, 1990 & 255, 0]);
});
