import { expect, test } from "vitest";
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../../../src/engines/pdf/document/document.ts";
import {
  lookUpNumber,
  mapOf,
  names,
  numberEntries,
  writeNames,
  writeNumbers,
} from "../../../src/engines/pdf/document/names.ts";
import { lookAt } from "./open-document.ts";

const textOf = (value: PDFObject): string => value.toString(true, true);

/** The entries of the tree in object 4. */
const entriesOf = (kind: typeof names | typeof numberEntries, ...objects: readonly string[]): Promise<string[]> =>
  lookAt("", objects, async (open) => {
    const lines: string[] = [];
    for await (const [key, value] of kind(open, open.document.newIndirect(4))) lines.push(`${key} ${textOf(value)}`);
    return lines;
  });

test("the entries of a name tree come in the order of its leaves, by the bytes of their names", async () => {
  const leaves = ["<< /Names [(a) 1 <e9> [2]] >>", "<< /Names [/b#ff 3 (c)] /Kids [7 0 R] >>", "<< /Names [(d) 4] >>"];
  expect(await entriesOf(names, "<< /Kids [5 0 R 6 0 R] >>", ...leaves)).toEqual(["a 1", "é [2]", "bÿ 3", "d 4"]);
});

test("the first of several entries with a name counts; null, keys of another type, and cycles are ignored", async () => {
  const [top, leaf] = [
    "<< /Kids [5 0 R 4 0 R 5 0 R 9 (text)] >>",
    "<< /Names [(a) null (a) 1 7 2 (a) 3] /Kids [4 0 R] >>",
  ];
  expect(await entriesOf(names, top, leaf)).toEqual(["a 1"]);
  expect(await entriesOf(numberEntries, "<< /Nums [3 (x) (3) (y) 3 (z) 1 << >>] >>")).toEqual(["3 (x)", "1 <<>>"]);
  expect(await entriesOf(names, "[(a) 1]")).toEqual([]);
});

test("leaves below 65 levels are ignored", async () => {
  const chain = Array.from({ length: 80 }, (_, at) => `<< /Nums [${at} 0] /Kids [${at + 5} 0 R] >>`);
  expect(await entriesOf(numberEntries, ...chain)).toHaveLength(65);
});

test("a tree of more than 200,000 entries is refused", async () => {
  await expect(entriesOf(numberEntries, `<< /Nums [${"1 2 ".repeat(200_001)}] >>`)).rejects.toMatchObject({
    code: "limit_exceeded",
    details: { limit: 200_000, actual: 200_001 },
  });
});

/** 150 keys: 0, 7, 14, ... */
const KEYS = Array.from({ length: 150 }, (_, at) => at * 7);
const written = (open: OpenPdf): Promise<PDFObject> =>
  writeNumbers(open, new Map(KEYS.toReversed().map((key) => [key, open.document.newInteger(key + 1)])));

test("a written number tree has leaves of 64 entries in order, with their limits, and reads back", async () => {
  await lookAt("", [], async (open) => {
    const tree = await written(open);
    const kids = [0, 1, 2].map((at) => tree.get("Kids", at));
    expect(kids.map((kid) => textOf(kid.get("Limits")))).toEqual(["[0 441]", "[448 889]", "[896 1043]"]);
    expect(kids.map((kid) => kid.get("Nums").length)).toEqual([128, 128, 44]);
    expect([...(await mapOf(numberEntries(open, tree)))].map(([key, value]) => [key, value.asNumber()])).toEqual(
      KEYS.map((key) => [key, key + 1]),
    );
  });
});

test("a search finds each key of a number tree, and no other, with little of the tree", async () => {
  await lookAt("", [], async (open) => {
    const tree = await written(open);
    for (const key of KEYS) {
      expect((await lookUpNumber(open, tree, key))?.asNumber()).toBe(key + 1);
      expect(await lookUpNumber(open, tree, key + 1)).toBeUndefined();
    }
    const before = open.engine.work.spent;
    await lookUpNumber(open, tree, 707);
    expect((open.engine.work.spent - before) / 500).toBeLessThan(10);
  });
});

test("a written name tree is in the order of bytes, in its root if it is small", async () => {
  await lookAt("", [], async (open) => {
    const value = open.document.newNull();
    const tree = await writeNames(
      open,
      new Map([
        ["é", value],
        ["b", value],
        ["B", value],
      ]),
    );
    expect(textOf(tree.resolve())).toBe("<</Names[(B)null(b)null<E9>null]>>");
    expect(textOf((await writeNames(open, new Map())).resolve())).toBe("<</Names[]>>");
  });
});
