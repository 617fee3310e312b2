/** The resources of a content: its own, and those that it inherits (ISO 32000-2, 7.8.3). */
import type { Plain, PlainDictionary } from "../../objects/plain-values.ts";
import type { ModelDocument } from "./document.ts";

export class ResourceScope {
  readonly #document: ModelDocument;
  readonly own: PlainDictionary | undefined;
  readonly #outer: ResourceScope | undefined;
  /** Names that were found only in resources that are inherited, or not at all. */
  readonly inherited = new Set<string>();
  readonly missing = new Set<string>();

  constructor(document: ModelDocument, own: PlainDictionary | undefined, outer: ResourceScope | undefined) {
    this.#document = document;
    this.own = own;
    this.#outer = outer;
  }

  /** The value of a name, unresolved. */
  find(category: string, name: string): Plain {
    const own = this.#document.dictionary(this.own, category)?.entries.get(name);
    if (own !== undefined) return own;
    const outer = this.#outer?.find(category, name) ?? null;
    (outer === null ? this.missing : this.inherited).add(name);
    return outer;
  }

  /** The same without taking note of names that are not there. */
  peek(category: string, name: string): Plain {
    return (
      this.#document.dictionary(this.own, category)?.entries.get(name) ?? this.#outer?.peek(category, name) ?? null
    );
  }
}
