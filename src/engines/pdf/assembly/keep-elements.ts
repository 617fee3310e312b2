import type { PDFObject } from "mupdf";
import { objectNumber } from "../objects/objects.ts";
import type { Graft } from "./graft.ts";
import type { StructureElement } from "./read-elements.ts";

/**
 * Copies the elements that have content on the kept pages, and their ancestors. `numbers`: their object numbers in the source.
 */
export async function keepElements(
  graft: Graft,
  elements: readonly StructureElement[],
): Promise<{ roots: PDFObject[]; numbers: Set<number> }> {
  const { document } = graft.source.open;
  const numbers = new Set<number>();
  const referring: { copy: PDFObject; references: readonly number[] }[] = [];
  const firstKept = Math.min(...graft.pages.keys());
  const lastKept = Math.max(...graft.pages.keys());
  const annotations = await graft.annotations();
  const isGone = (annotation: number): boolean =>
    graft.source.annotationNumbers.has(annotation) && !annotations.has(annotation);
  const isKept = (page: number | undefined): boolean => page === undefined || graft.pages.has(page);

  const copy = async (element: StructureElement): Promise<PDFObject | undefined> => {
    await graft.engine.work.pause();
    const hasContent = element.last >= 0;
    if (hasContent ? element.first > lastKept || element.last < firstKept : !graft.keepsAllPages) return undefined;
    const list: (number | PDFObject)[] = [];
    for (const kid of element.kids) {
      await graft.engine.work.pause();
      if (typeof kid === "number") {
        if (isKept(element.page)) list.push(kid);
      } else if ("object" in kid) {
        if (isKept(kid.page) && !isGone(objectNumber(kid.object.get("Obj")))) list.push(await graft.copy(kid.object));
      } else {
        const below = await copy(kid);
        if (below) list.push(below);
      }
    }
    if (hasContent && list.length === 0) return undefined;
    numbers.add(element.number);
    const object = await graft.copy(document.newIndirect(element.number));
    if (element.references) referring.push({ copy: object, references: element.references });
    if (element.page !== undefined && !graft.pages.has(element.page)) object.delete("Pg");
    if (list.length > 0) {
      const kids = object.put("K", graft.target.newArray()) as PDFObject;
      for (const kid of list) kids.push(kid);
    }
    return object;
  };
  const roots: PDFObject[] = [];
  for (const element of elements) {
    const root = await copy(element);
    if (root) roots.push(root);
  }
  for (const { copy: object, references } of referring) {
    const kept = references.filter((number) => numbers.has(number));
    if (kept.length === 0) continue;
    const list = object.put("Ref", graft.target.newArray()) as PDFObject;
    for (const number of kept) list.push(await graft.copy(document.newIndirect(number)));
  }
  return { roots, numbers };
}
