/** The types of structure elements, and what a document's own types stand for (ISO 32000-2, 14.8.4 and 14.7.3). */
import type { PDFObject } from "mupdf";
import type { Load } from "../objects/load.ts";

/** How often a type may stand for another one, and types whose meaning is remembered. */
const [MOST_MAPPINGS, MOST_REMEMBERED] = [10, 1_000];

export class Roles {
  readonly #load: Load;
  readonly #map: PDFObject;
  readonly #known = new Map<string, string>();

  /** `map`: the `RoleMap` of the document. */
  constructor(load: Load, map: PDFObject) {
    this.#load = load;
    this.#map = map;
  }

  /** The standard type of an element, or the last one that its own type stands for. */
  async of(element: PDFObject): Promise<string> {
    const type = await this.#load(element.get("S"));
    if (!type.isName()) return "";
    const own = type.asName();
    const namespace = await this.#load(element.get("NS"));
    if (!namespace.isDictionary()) return this.#mapped(own);
    const mapped = await this.#load((await this.#load(namespace.get("RoleMapNS"))).get(own));
    const role = mapped.isArray() ? mapped.get(0) : mapped;
    return this.#mapped(role.isName() ? role.asName() : own);
  }

  async #mapped(type: string): Promise<string> {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    let role = type;
    for (let count = 0; count < MOST_MAPPINGS; count++) {
      const next = await this.#load(this.#map.get(role));
      if (!next.isName() || next.asName() === role) break;
      role = next.asName();
    }
    if (this.#known.size < MOST_REMEMBERED) this.#known.set(type, role);
    return role;
  }
}
