/** The interactive form's field tree (ISO 32000-2, 12.7). */
import type { PDFObject } from "mupdf";
import { type FieldNode, fields } from "../document/fields.ts";
import type { TreeSource } from "../document/tree.ts";
import { objectNumber } from "../objects/objects.ts";

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

/** Reads the field tree and cuts it: afterwards, no field leads to the fields and widgets below it. Fields that are no objects of their own are dropped. */
export async function readFields(open: TreeSource): Promise<FieldTreeNode[]> {
  const top: FieldTreeNode[] = [];
  const kidsOf = new Map<FieldNode | undefined, FieldTreeNode[]>([[undefined, top]]);
  for await (const node of fields(open)) {
    const { object, number, parent, isField } = node;
    object.delete("Kids");
    const siblings = kidsOf.get(parent);
    if (!isField || number === 0 || siblings === undefined) continue;
    const name = object.get("T");
    const kids: FieldTreeNode[] = [];
    kidsOf.set(node, kids);
    const widgets = node.widgets.map((widget) => ({ object: widget, number: objectNumber(widget) }));
    siblings.push({ object, number, name: name.isString() ? name.asString() : undefined, kids, widgets });
  }
  return top;
}
