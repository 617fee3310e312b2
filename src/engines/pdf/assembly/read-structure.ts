/** Logical structure, "tags" (ISO 32000-2, 14.7). */
import type { PDFObject } from "mupdf";
import { mapOf, numberEntries } from "../document/names.ts";
import { kidsOf, type StructureNode } from "../document/structure.ts";
import type { Branch, TreeSource } from "../document/tree.ts";
import type { StructureElement } from "./read-elements.ts";

/** The structure tree's root, detached. The root itself is now a leaf, as the pages are. */
export interface Structure {
  readonly root: PDFObject;
  readonly attributes: PDFObject;
  readonly kids: Branch<StructureNode>;
  /** Key (`StructParents`, `StructParent`) to the element, or array of elements, that the content belongs to. */
  readonly parents: ReadonlyMap<number, PDFObject>;
  /** The elements as a model, read if only some pages are kept: reading cuts the tree. */
  elements: readonly StructureElement[] | undefined;
}

export async function readStructure(open: TreeSource): Promise<Structure | undefined> {
  const { engine, document } = open;
  const tree = document.getTrailer().get("Root", "StructTreeRoot");
  if (!tree.isIndirect() || !tree.isDictionary()) return undefined;
  const attributes = document.newDictionary();
  for (const key of ["RoleMap", "ClassMap", "IDTree", "Namespaces", "PronunciationLexicon"]) {
    const value = tree.get(key);
    if (!value.isNull()) attributes.put(key, value);
  }
  const structure: Structure = {
    root: tree,
    attributes,
    kids: await kidsOf<StructureNode>(engine, tree),
    parents: await mapOf(numberEntries(open, tree.get("ParentTree"))),
    elements: undefined,
  };
  tree.writeObject(document.newDictionary());
  return structure;
}

/** One more than the highest key in the parent tree. */
export function nextStructureKey({ parents }: Structure): number {
  return parents.keys().reduce((next, key) => Math.max(next, key + 1), 0);
}
