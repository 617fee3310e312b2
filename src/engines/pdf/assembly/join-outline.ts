import type { PDFDocument, PDFObject } from "mupdf";
import { eachEntry } from "../objects/objects.ts";
import type { Graft } from "./graft.ts";
import type { OutlineItem } from "./read-outline.ts";

/** An item of the new outline: copied from a source, or created. */
export interface NewItem {
  /** Writes title, style and destination; the links to other items are added later. */
  readonly write: () => Promise<PDFObject>;
  readonly open: boolean;
  readonly kids: readonly NewItem[];
}

/** Entries of an item that are rewritten rather than copied: its position, and the structure element it may name. */
const NOT_COPIED = new Set(["Parent", "Prev", "Next", "First", "Last", "Count", "SE"]);

/**
 * The items of a graft that stay: those that lead to a kept page, their ancestors, and those that never led to a page. An item
 * whose page is gone but which has kept descendants loses its destination.
 */
export function keptOutline(graft: Graft, list: readonly OutlineItem[] = graft.source.outline): NewItem[] {
  return list.flatMap((item) => {
    const kids = keptOutline(graft, item.kids);
    const gone = item.page !== undefined && !graft.pages.has(item.page);
    if (kids.length === 0 && (gone || (item.kids.length > 0 && item.page === undefined))) return [];
    const write = async (): Promise<PDFObject> => {
      const copy = graft.target.newDictionary();
      for await (const { key, value } of eachEntry(graft.engine, item.object)) {
        const name = key.asName();
        if (NOT_COPIED.has(name) || (gone && (name === "Dest" || name === "A"))) continue;
        copy.put(key, await graft.copy(value));
      }
      await graft.remapDestinations(copy);
      return copy;
    };
    return [{ write, open: item.open, kids }];
  });
}

/** Writes the outline; returns its root for the catalog, or undefined if there are no items. */
export async function writeOutline(target: PDFDocument, list: readonly NewItem[]): Promise<PDFObject | undefined> {
  if (list.length === 0) return undefined;
  const root = target.createObject();
  const dictionary = target.newDictionary();
  dictionary.put("Type", target.newName("Outlines"));
  const visible = await writeLevel(target, root, dictionary, list);
  dictionary.put("Count", visible);
  root.writeObject(dictionary);
  return root;
}

/** Links the items of one level below their parent; returns how many are visible when the parent is open. */
async function writeLevel(
  target: PDFDocument,
  parent: PDFObject,
  holder: PDFObject,
  list: readonly NewItem[],
): Promise<number> {
  const references = list.map(() => target.createObject());
  let visible = list.length;
  for (const [index, item] of list.entries()) {
    const reference = references[index];
    if (!reference) continue;
    const dictionary = await item.write();
    dictionary.put("Parent", parent);
    const [previous, next] = [references[index - 1], references[index + 1]];
    if (previous) dictionary.put("Prev", previous);
    if (next) dictionary.put("Next", next);
    if (item.kids.length > 0) {
      const below = await writeLevel(target, reference, dictionary, item.kids);
      dictionary.put("Count", item.open ? below : -below);
      if (item.open) visible += below;
    }
    reference.writeObject(dictionary);
  }
  const [first, last] = [references[0], references.at(-1)];
  if (first && last) {
    holder.put("First", first);
    holder.put("Last", last);
  }
  return visible;
}
