import type { PDFObject } from "mupdf";
import { MAX_DEPTH, objectNumber } from "../objects/objects.ts";
import { fields } from "./fields.ts";
import type { TreeSource } from "./tree.ts";

/**
 * Gives fields whose ancestors form a cycle the parent that has them as a kid (ISO 32000-2, 12.7.4.1). MuPDF refuses to look for what such a field
 * inherits. Returns whether there were any.
 */
export async function repairFieldParents(open: TreeSource): Promise<boolean> {
  let isRepaired = false;
  await open.engine.scope(async () => {
    for await (const { object, parent } of fields(open)) {
      if (!isCyclic(object)) continue;
      isRepaired = true;
      if (parent) object.put("Parent", parent.object);
      else object.delete("Parent");
    }
  });
  return isRepaired;
}

/** Whether a field is among its own ancestors. Their own cycles are theirs. */
function isCyclic(field: PDFObject): boolean {
  const number = objectNumber(field);
  let ancestor = field.get("Parent");
  for (let depth = 0; depth < MAX_DEPTH && ancestor.isDictionary(); depth++) {
    if (number > 0 && objectNumber(ancestor) === number) return true;
    ancestor = ancestor.get("Parent");
  }
  return false;
}
