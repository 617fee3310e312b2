/** The items of an outline, "bookmarks" (ISO 32000-2, 12.3.3). */
import { loadOf } from "../objects/load.ts";
import { MAX_DEPTH } from "../objects/objects.ts";
import { branchOfList, type TreeNode, type TreeSource, walkTree } from "./tree.ts";

export interface OutlineNode extends TreeNode<OutlineNode> {
  /** Whether the items below it are shown. */
  readonly isOpen: boolean;
}

/**
 * Visits the items of an outline in order, each before those below it. An item that is no object of its own, or was visited before, ends its level.
 * @throws Refusal `limit_exceeded`
 */
export async function* outline({ engine, document }: TreeSource): AsyncGenerator<OutlineNode, void> {
  const top = await loadOf(engine)(document.getTrailer().get("Root").get("Outlines"));
  const first = branchOfList<OutlineNode>(top.isDictionary() ? [top.get("First")] : []);
  const items = walkTree(engine, { tree: "outline", deepest: MAX_DEPTH }, first, async (place) => {
    const { object, number, parent } = place;
    const count = object.get("Count");
    const node = { ...place, isOpen: count.isNumber() && count.asNumber() > 0 };
    if (number === 0) return { node, branches: [] };
    const branches = [branchOfList([object.get("Next")], parent), branchOfList([object.get("First")], node)];
    return { node, branches };
  });
  for await (const item of items) if (item.number > 0) yield item;
}
