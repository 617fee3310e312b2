/** The fields of a form, and the widgets below them (ISO 32000-2, 12.7.4). */
import type { PDFObject } from "mupdf";
import { loadOf } from "../objects/load.ts";
import { isNamed, MAX_DEPTH, objectNumber } from "../objects/objects.ts";
import {
  type Branch,
  branchOf,
  branchOfList,
  dictionariesIn,
  type TreeNode,
  type TreeSource,
  walkTree,
} from "./tree.ts";

export interface FieldNode extends TreeNode<FieldNode> {
  /** Whether it is a field, which may be its own widget, and not only a widget of its parent. */
  readonly isField: boolean;
  /** Whether fields are below it. */
  readonly hasFields: boolean;
  /** The dictionaries among its `Kids` that are only widgets, also those that another field has too. */
  readonly widgets: readonly PDFObject[];
}

/**
 * Visits the fields of a document and their widgets, in order, each object once. Kids that are no dictionaries are ignored.
 * @param top an array of fields to begin with: those of the form, unless given
 * @throws Refusal `limit_exceeded`
 */
export async function* fields(
  { engine, document }: TreeSource,
  top?: Branch<FieldNode>,
): AsyncGenerator<FieldNode, void> {
  const load = loadOf(engine);
  const form = await load(document.getTrailer().get("Root").get("AcroForm"));
  top ??= branchOf(await load(form.get("Fields")));
  yield* walkTree(engine, { tree: "form", deepest: MAX_DEPTH }, top, async (place) => {
    const kids = await dictionariesIn(engine, place.object.get("Kids"));
    const widgets = kids.filter((kid) => !isField(kid));
    const node = {
      ...place,
      isField: place.parent === undefined || isField(place.object),
      hasFields: widgets.length < kids.length,
      widgets,
    };
    return { node, branches: [branchOfList(kids, node)] };
  });
}

const isField = (kid: PDFObject): boolean => kid.get("T").isString() || (kid.get("Kids").isArray() && !isWidget(kid));

export const isWidget = (object: PDFObject): boolean => isNamed(object.get("Subtype"), "Widget");

/** An entry of a field, or else that of the nearest field above that has one (12.7.4.1). Null if none has. */
export function inheritedFrom(field: FieldNode, key: string): PDFObject {
  let node = field;
  while (node.parent && node.object.get(key).isNull()) node = node.parent;
  return node.object.get(key);
}

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
