/** The interactive form's field tree (ISO 32000-2, 12.7). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachItem, entryCounter, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

export interface FieldTreeNode {
  readonly object: PDFObject;
  /** Object number. */
  readonly number: number;
  /** Partial name, `T`. */
  readonly name: string | undefined;
  readonly kids: readonly FieldTreeNode[];
  /** The annotations that show the field and are not fields themselves; the field may be its own widget too. */
  readonly widgets: readonly { readonly object: PDFObject; readonly number: number }[];
}

/** Reads the field tree and cuts it: afterwards, no field leads to the fields and widgets below it. */
export async function readFields(engine: PdfEngine, root: PDFObject): Promise<FieldTreeNode[]> {
  const seen = new Set<number>();
  const count = entryCounter("form");
  const read = async (object: PDFObject, depth: number): Promise<FieldTreeNode | undefined> => {
    const number = objectNumber(object);
    if (number === 0 || seen.has(number) || depth > MAX_DEPTH || !object.isDictionary()) return undefined;
    seen.add(number);
    count();
    const kids: FieldTreeNode[] = [];
    const widgets: { object: PDFObject; number: number }[] = [];
    for await (const kid of eachItem(engine, object.get("Kids"))) {
      if (!kid.isDictionary()) continue;
      if (!kid.get("T").isString() && !kid.get("Kids").isArray())
        widgets.push({ object: kid, number: objectNumber(kid) });
      else {
        const field = await read(kid, depth + 1);
        if (field) kids.push(field);
      }
    }
    object.delete("Kids");
    const name = object.get("T");
    return { object, number, name: name.isString() ? name.asString() : undefined, kids, widgets };
  };
  const fields: FieldTreeNode[] = [];
  for await (const object of eachItem(engine, root.get("AcroForm", "Fields"))) {
    const field = await read(object, 0);
    if (field) fields.push(field);
  }
  return fields;
}
