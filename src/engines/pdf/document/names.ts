/** Name trees and number trees (ISO 32000-2, 7.9.6 and 7.9.7). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { loadOf } from "../objects/load.ts";
import { byteString, bytesOfString, entryCounter, MAX_DEPTH } from "../objects/objects.ts";
import { branchOf, branchOfList, type TreeNode, type TreeSource, walkTree } from "./tree.ts";

/** Fuel per entry that is read, and per one that a search looks at. */
const [ENTRY_WORK, SEARCH_WORK] = [200, 500];

/** Most entries of a leaf that is written. */
const LEAF = 64;

type Opened = Pick<TreeSource, "engine">;
interface Node extends TreeNode<Node> {}

/**
 * The entries of a name tree, by the bytes of their names (one character each), in the order of the leaves. Of entries with the same name, the first;
 * none that are null.
 * @throws Refusal `limit_exceeded` beyond `limits.treeEntries`
 */
export const names = ({ engine }: Opened, tree: PDFObject): AsyncGenerator<readonly [string, PDFObject], void> =>
  entriesOf(engine, tree, "Names", (name) => bytesOfString(engine, name));

/** The entries of a number tree, likewise. */
export const numberEntries = (
  { engine }: Opened,
  tree: PDFObject,
): AsyncGenerator<readonly [number, PDFObject], void> =>
  entriesOf(engine, tree, "Nums", (key) => (key.isNumber() ? key.asNumber() : undefined));

async function* entriesOf<Key>(
  engine: PdfEngine,
  root: PDFObject,
  leaf: "Names" | "Nums",
  keyOf: (object: PDFObject) => Key | undefined,
): AsyncGenerator<readonly [Key, PDFObject], void> {
  const load = loadOf(engine);
  const tree = leaf === "Names" ? "name tree" : "number tree";
  const count = entryCounter(tree);
  const seen = new Set<Key>();
  const nodes = walkTree<Node>(engine, { tree, deepest: MAX_DEPTH }, branchOfList([root]), async (node) => ({
    node,
    branches: [branchOf(await load(node.object.get("Kids")), node)],
  }));
  for await (const { object } of nodes) {
    const pairs = await load(object.get(leaf));
    for (let index = 0, length = pairs.isArray() ? pairs.length : 0; index + 1 < length; index += 2) {
      engine.work.spend(ENTRY_WORK);
      await engine.work.pause();
      count();
      const key = keyOf(await load(pairs.get(index)));
      const value = await load(pairs.get(index + 1));
      if (key === undefined || value.isNull() || seen.has(key)) continue;
      seen.add(key);
      yield [key, value];
    }
  }
}

/** The entries of a tree as a map. */
export async function mapOf<Key>(entries: AsyncIterable<readonly [Key, PDFObject]>): Promise<Map<Key, PDFObject>> {
  const map = new Map<Key, PDFObject>();
  for await (const [key, value] of entries) map.set(key, value);
  return map;
}

/** The value of a key in a number tree, found without reading the rest of the tree. */
export async function lookUpNumber({ engine }: Opened, tree: PDFObject, key: number): Promise<PDFObject | undefined> {
  const load = loadOf(engine);
  let node = await load(tree);
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const pairs = await load(node.get("Nums"));
    const count = pairs.isArray() ? pairs.length >> 1 : 0;
    const pair = await firstNot(engine, count, async (at) => (await load(pairs.get(2 * at))).asNumber() < key);
    if (pair < count && pairs.get(2 * pair).asNumber() === key) return load(pairs.get(2 * pair + 1));
    const kids = await load(node.get("Kids"));
    const kidCount = kids.isArray() ? kids.length : 0;
    const next = await firstNot(engine, kidCount, async (at) => {
      const limits = await load((await load(kids.get(at))).get("Limits"));
      return limits.get(1).asNumber() < key;
    });
    if (next >= kidCount) break;
    node = kids.get(next);
  }
  return undefined;
}

/** The first of `count` places for which `isBefore` does not hold; it holds for those before it. */
async function firstNot(
  { work }: PdfEngine,
  count: number,
  isBefore: (place: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [0, count];
  while (low < high) {
    work.spend(SEARCH_WORK);
    const middle = (low + high) >> 1;
    if (await isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Writes a name tree with its keys in byte order, as 7.9.6 requires. Values must belong to `document`. */
export const writeNames = (open: TreeSource, tree: ReadonlyMap<string, PDFObject>): Promise<PDFObject> =>
  writeTree(
    open,
    "Names",
    [...tree].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
    (name) => byteString(open.document, name),
  );

/** Writes a number tree. Values must belong to `document`. */
export const writeNumbers = (open: TreeSource, tree: ReadonlyMap<number, PDFObject>): Promise<PDFObject> =>
  writeTree(
    open,
    "Nums",
    [...tree].sort(([a], [b]) => a - b),
    (number) => open.document.newInteger(number),
  );

async function writeTree<Key>(
  { engine, document }: TreeSource,
  leaf: "Names" | "Nums",
  sorted: readonly (readonly [Key, PDFObject])[],
  write: (key: Key) => PDFObject,
): Promise<PDFObject> {
  const leaves: { keys: PDFObject[]; pairs: PDFObject[] }[] = [];
  for (let at = 0; at === 0 || at < sorted.length; at += LEAF) {
    await engine.work.pause();
    const part = sorted.slice(at, at + LEAF).map(([key, value]) => [write(key), value] as const);
    leaves.push({ keys: part.map(([key]) => key), pairs: part.flat() });
  }
  const [only] = leaves;
  if (leaves.length === 1 && only) return document.addObject({ [leaf]: only.pairs });
  const kids = leaves.map(({ keys, pairs }) => document.addObject({ Limits: [keys[0], keys.at(-1)], [leaf]: pairs }));
  return document.addObject({ Kids: kids });
}
