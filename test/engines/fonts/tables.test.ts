import { expect, test } from "vitest";
import { readTables, writeTables } from "../../../src/engines/pdf/typesetting/truetype.ts";

const file = writeTables([
  ["cvt ", new DataView(Uint8Array.of(1, 2, 3, 4).buffer)],
  ["head", new DataView(new ArrayBuffer(12))],
]);

/** The file in a buffer that holds other bytes before and after it, with another length of its first table. */
function inHeap(length: number): Uint8Array {
  const heap = new Uint8Array(file.length + 2_000).fill(0xee);
  heap.set(file, 1_000);
  new DataView(heap.buffer, 1_000).setUint32(12 + 12, length);
  return heap.subarray(1_000, 1_000 + file.length);
}

test("tables are read where the file begins in its buffer", () => {
  const table = readTables(inHeap(4)).get("cvt ");
  expect([table?.byteLength, table?.getUint32(0)]).toEqual([4, 0x01020304]);
});

test("a table that exceeds the file is refused, though the buffer has more bytes", () => {
  expect(() => readTables(inHeap(1_500))).toThrow(RangeError);
});
