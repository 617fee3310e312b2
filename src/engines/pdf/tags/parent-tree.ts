/** What the content of a page belongs to (ISO 32000-2, 14.7.5.4). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { loadOf } from "../objects/load.ts";
import { MAX_DEPTH } from "../objects/objects.ts";

/** Fuel per node and key of a number tree that is looked at. */
const NODE_WORK = 500;

/** The value of a key in a number tree, found without reading the rest of the tree (7.9.7). */
export async function lookUpNumber(engine: PdfEngine, tree: PDFObject, key: number): Promise<PDFObject | undefined> {
  const load = loadOf(engine);
  let node = await load(tree);
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const numbers = await load(node.get("Nums"));
    const pairs = numbers.isArray() ? numbers.length >> 1 : 0;
    const pair = await firstNot(engine, pairs, async (at) => (await load(numbers.get(2 * at))).asNumber() < key);
    if (pair < pairs && numbers.get(2 * pair).asNumber() === key) return load(numbers.get(2 * pair + 1));
    const kids = await load(node.get("Kids"));
    const count = kids.isArray() ? kids.length : 0;
    const next = await firstNot(engine, count, async (at) => {
      const limits = await load((await load(kids.get(at))).get("Limits"));
      return limits.get(1).asNumber() < key;
    });
    if (next >= count) break;
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
    work.spend(NODE_WORK);
    const middle = (low + high) >> 1;
    if (await isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
