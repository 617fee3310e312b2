/** Logical structure, "tags": elements, and the content that belongs to them (ISO 32000-2, 14.7). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { loadOf } from "../objects/load.ts";
import { objectNumber } from "../objects/objects.ts";
import { type Branch, branchOf, branchOfList, type TreeNode, type TreeSource, walkTree } from "./tree.ts";

/** Levels of elements. Converters of web pages nest them deeply. */
export const MOST_LEVELS = 200;

/**
 * What a kid of an element is (14.7.2, table 355): an element, the identifier of marked content, a reference to marked content or to an object.
 * Types of references are required, that of elements is not.
 */
export type StructureKind = "element" | "identifier" | "MCR" | "OBJR";

export interface StructureNode extends TreeNode<StructureNode> {
  readonly kind: StructureKind;
  /** The object number of its page: its own `Pg`, or for content that of its element. 0 if it has none. */
  readonly page: number;
}

/** The kind of a kid; undefined for anything else. */
export function kindOf(kid: PDFObject): StructureKind | undefined {
  if (kid.isNumber()) return "identifier";
  if (!kid.isDictionary()) return undefined;
  const type = kid.get("Type");
  const name = type.isName() ? type.asName() : "";
  return name === "MCR" || name === "OBJR" ? name : "element";
}

/** The kids of an element, or of the root of the tree. */
export async function kidsOf<Node = undefined>(
  engine: PdfEngine,
  element: PDFObject,
  parent?: Node,
): Promise<Branch<Node>> {
  const kids = element.get("K");
  const list = await loadOf(engine)(kids);
  return list.isArray() ? branchOf(list, parent) : branchOfList(list.isNull() ? [] : [kids], parent);
}

/**
 * Visits the elements of a structure tree and their content in order, each element once, before its kids.
 * @param top the kids of the root, unless given
 * @throws Refusal `limit_exceeded` for too many elements
 */
export async function* structure(
  { engine, document }: TreeSource,
  top?: Branch<StructureNode>,
): AsyncGenerator<StructureNode, void> {
  const load = loadOf(engine);
  top ??= await kidsOf(engine, await load(document.getTrailer().get("Root").get("StructTreeRoot")));
  const isContent = (object: PDFObject): boolean => (kindOf(object) ?? "element") !== "element";
  yield* walkTree<StructureNode>(
    engine,
    { tree: "structure tree", deepest: MOST_LEVELS, isContent },
    top,
    async (place) => {
      const { object, parent } = place;
      const kind = kindOf(object) ?? "element";
      const own = kind === "identifier" ? 0 : objectNumber(object.get("Pg"));
      const page = own > 0 || kind === "element" ? own : (parent?.page ?? 0);
      const node = { ...place, kind, page };
      return { node, branches: kind === "element" ? [await kidsOf(engine, object, node)] : [] };
    },
  );
}

/** Puts content in the place of other content. */
export function replaceKid({ parent, index }: StructureNode, content: unknown): void {
  const kids = parent?.object.get("K");
  if (kids?.isArray()) kids.put(index, content);
  else parent?.object.put("K", content);
}
