import { describe, expect, test } from "vitest";
import { rootNames } from "../../src/engines/convert/compound-file.ts";
import type { InputBytes } from "../../src/engines/memory/heap.ts";
import { unlimitedWork, Work } from "../../src/engines/work.ts";
import { limits } from "../../src/limits.ts";
import { compoundFile } from "../harness/office/compound-file.ts";

const input = (bytes: Uint8Array): InputBytes => ({
  pointer: 0,
  length: bytes.length,
  view: (start, end) => bytes.subarray(start, end),
  free() {},
});
const namesOf = async (bytes: Uint8Array, work = unlimitedWork()): Promise<string[]> =>
  [...(await rootNames(work, input(bytes)))].sort();

describe("rootNames", () => {
  test("lists the streams at the root, also of a directory of several sectors", async () => {
    expect(await namesOf(compoundFile(["WordDocument", "1Table", "\u0001CompObj"]))).toEqual([
      "\u0001CompObj",
      "1Table",
      "WordDocument",
    ]);
    const many = Array.from({ length: 1_000 }, (_, index) => `stream ${index}`);
    expect(await namesOf(compoundFile(many))).toEqual([...many].sort());
  });

  test("a storage's own streams are not those of the root", async () => {
    const file = compoundFile(["Embedded", "WordDocument"], {
      change(view) {
        const entry = (id: number): number => 512 + id * 128;
        // The first is a storage, with the second in it.
        view.setUint8(entry(1) + 66, 1);
        view.setUint32(entry(1) + 72, 0xffffffff, true);
        view.setUint32(entry(1) + 76, 2, true);
      },
    });
    expect(await namesOf(file)).toEqual(["Embedded"]);
  });

  test("the directory is found where the header does not have all of the allocation table", async () => {
    const before = 110 * 128;
    expect(await namesOf(compoundFile(["Workbook", "a", "b", "c", "d"], { before }))).toEqual([
      "Workbook",
      "a",
      "b",
      "c",
      "d",
    ]);
  });

  test.each<[string, (view: DataView) => void]>([
    ["a tree with a cycle", (view) => view.setUint32(512 + 128 + 72, 1, true)],
    ["a chain with a cycle", (view) => view.setUint32(1_024, 0, true)],
    ["an entry that is not there", (view) => view.setUint32(512 + 128 + 72, 77, true)],
    ["a name that is too long", (view) => view.setUint16(512 + 3 * 128 + 64, 65_535, true)],
  ])("reading %s ends with the names that are there", async (_, change) => {
    expect(await namesOf(compoundFile(["Book"], { change }))).toEqual(["Book"]);
  });

  test.each<[string, Uint8Array]>([
    ["nothing", new Uint8Array()],
    ["a header alone", compoundFile(["Book"]).slice(0, 512)],
    ["a directory behind the end", compoundFile(["Book"], { change: (view) => view.setUint32(48, 1e9, true) })],
  ])("%s has no names", async (_, bytes) => {
    expect(await namesOf(bytes)).toEqual([]);
  });

  test("the fuel grows with the entries, and too many are refused", async () => {
    const spent = async (count: number): Promise<number> => {
      const work = unlimitedWork();
      await namesOf(compoundFile(Array.from({ length: count }, () => "x")), work);
      return work.spent;
    };
    const [small, large] = [await spent(1_000), await spent(4_000)];
    expect(large / small).toBeLessThan(4.2);
    await expect(spent(limits.parsers.compound + 1)).rejects.toMatchObject({ code: "limit_exceeded" });
    const little = new Work(10_000);
    await expect(namesOf(compoundFile(Array.from({ length: 1_000 }, () => "x")), little)).rejects.toMatchObject({
      details: { limit: "work" },
    });
  });
});
