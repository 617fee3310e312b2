/** The structure of a document (ISO 32000-2, 14.7 and 14.8): its elements, and which of them marked content belongs to. */
import type { Plain, PlainDictionary } from "../../objects/plain-values.ts";
import type { Check } from "./check.ts";
import { type ModelDocument, DEEPEST_NODE } from "./document.ts";
import type { StructureTypeFacts } from "./elements.ts";

/** Fuel per element, and per entry of the tree of parents. */
const NODE_WORK = 50;
/** The standard types of ISO 32000-1, 14.8.4. */
const STANDARD = new Set(
  (
    "Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot " +
    "Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form"
  ).split(" "),
);

export class ElementTree {
  readonly #document: ModelDocument;
  readonly #root: PlainDictionary | undefined;
  readonly #replaced = new Map<PlainDictionary, boolean>();
  #parents: ReadonlyMap<number, Plain> | undefined;

  constructor(document: ModelDocument) {
    this.#document = document;
    this.#root = document.dictionary(document.root, "StructTreeRoot");
  }

  /** Checks the type of each element. */
  async check(check: Check): Promise<void> {
    const document = this.#document;
    const { work } = document.open.engine;
    const roles = document.dictionary(this.#root, "RoleMap");
    // Arrays, too: elements may share one, and one may have itself.
    const seen = new Set<Plain>();
    const pending: Plain[] = [this.#root?.entries.get("K") ?? null];
    while (pending.length > 0) {
      const value = document.resolve(pending.pop());
      work.spend(NODE_WORK);
      await work.pause();
      if (seen.has(value)) continue;
      if (Array.isArray(value)) {
        seen.add(value as Plain);
        for (const item of value as readonly Plain[]) pending.push(item);
      }
      const element = document.dictionary(value);
      if (!element) continue;
      seen.add(element);
      const type = document.name(element, "S");
      if (type === undefined) continue;
      const place = { object: element.object, context: type };
      check("structureElement", this.#roleOf(type, roles), place);
      pending.push(element.entries.get("K") ?? null);
    }
  }

  /** Where the role map leads from a type. */
  #roleOf(type: string, roles: PlainDictionary | undefined): StructureTypeFacts {
    const seen = new Set<string>();
    let name: string | undefined = type;
    while (name !== undefined && !STANDARD.has(name) && !seen.has(name)) {
      seen.add(name);
      this.#document.open.engine.work.spend(NODE_WORK);
      name = this.#document.name(roles, name);
    }
    const isKnown = name !== undefined && STANDARD.has(name);
    const other = STANDARD.has(type) ? this.#document.name(roles, type) : undefined;
    return {
      type,
      isKnown,
      isCircular: name !== undefined && !isKnown,
      isRemapped: other !== undefined && !STANDARD.has(other),
    };
  }

  /**
   * Whether an element with `ActualText` has marked content.
   * @param key `StructParents` of the page or form
   * @param id of the marked content
   */
  replaces(key: number, id: number): boolean {
    this.#parents ??= this.#readParents();
    const element = this.#document.dictionary(this.#document.items(this.#parents.get(key))[id]);
    return element !== undefined && this.#isReplaced(element);
  }

  #isReplaced(element: PlainDictionary): boolean {
    const known = this.#replaced.get(element);
    if (known !== undefined) return known;
    const result = this.#document.inherited(element, "ActualText", "P") !== null;
    this.#replaced.set(element, result);
    return result;
  }

  #readParents(): ReadonlyMap<number, Plain> {
    const document = this.#document;
    const found = new Map<number, Plain>();
    const seen = new Set<PlainDictionary>();
    const read = (node: PlainDictionary | undefined, level: number): void => {
      if (!node || level > DEEPEST_NODE || seen.has(node)) return;
      seen.add(node);
      const leaves = document.items(node, "Nums");
      document.open.engine.work.spend((leaves.length + 1) * NODE_WORK);
      for (let at = 0; at + 1 < leaves.length; at += 2) {
        const key = document.number(leaves[at]);
        if (key !== undefined) found.set(key, leaves[at + 1] ?? null);
      }
      for (const kid of document.items(node, "Kids")) read(document.dictionary(kid), level + 1);
    };
    read(document.dictionary(this.#root, "ParentTree"), 0);
    return found;
  }
}
