/** The fields of a form, and the widgets below them (ISO 32000-2, 12.7.4). */
import type { PDFObject } from "mupdf";
import { loadOf } from "../objects/load.ts";
import { isNamed, MAX_DEPTH } from "../objects/objects.ts";
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
