/** The resources of content that is changed: a copy, since other content may share them (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { entries, FreeNames, objectNumber } from "../objects/objects.ts";

export type ResourceCategory = "XObject" | "Properties" | "ExtGState" | "Shading" | "Pattern";

export class OwnResources {
  readonly #open: OpenPdf;
  readonly #shared: PDFObject;
  readonly #names = new FreeNames();
  readonly #added: { readonly category: ResourceCategory; readonly name: string; readonly object: PDFObject }[] = [];
  /** How often each name is used, and how often such a use was removed or replaced. */
  readonly #uses = new Map<string, { used: number; gone: number }>();

  readonly #replaced: Set<number>;

  /** `replaced`: gets the object numbers of resources that are no longer used. */
  constructor(open: OpenPdf, shared: PDFObject, replaced: Set<number>) {
    this.#open = open;
    this.#shared = shared;
    this.#replaced = replaced;
  }

  /** Adds an object and returns its name. */
  add(category: ResourceCategory, object: PDFObject): string {
    const known = this.#added.find((one) => one.category === category && one.object === object);
    if (known) return known.name;
    const present = this.#shared.get(category);
    const name = this.#names.of("Redacted", (used) => {
      const isAdded = this.#added.some((one) => one.category === category && one.name === used);
      return isAdded || !present.get(used).isNull();
    });
    this.#added.push({ category, name, object });
    return name;
  }

  /** Puts an object in the place of one. */
  put(category: ResourceCategory, name: string, object: PDFObject): void {
    this.#forget(this.#shared.get(category, name));
    this.#added.push({ category, name, object });
  }

  /** A graphics state or pattern may be a direct object. */
  #forget(object: PDFObject): void {
    for (const one of [object, object.get("SMask", "G"), object.get("Shading")]) {
      if (objectNumber(one) > 0) this.#replaced.add(objectNumber(one));
    }
  }

  use(category: ResourceCategory, name: string, isGone: boolean): void {
    const key = `${category}/${name}`;
    const uses = this.#uses.get(key) ?? { used: 0, gone: 0 };
    uses.used++;
    if (isGone) uses.gone++;
    this.#uses.set(key, uses);
  }

  /** A copy with the additions, and without the resources that are no longer used. */
  copy(): PDFObject {
    const { document, engine } = this.#open;
    const copy = copyOf(this.#open, this.#shared);
    const own = new Map<string, PDFObject>();
    const category = (name: string): PDFObject => {
      const made = own.get(name) ?? copyOf(this.#open, this.#shared.get(name));
      if (!own.has(name)) copy.put(name, made);
      own.set(name, made);
      return made;
    };
    for (const [key, { used, gone }] of this.#uses) {
      const [name = "", entry = ""] = [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)];
      if (gone < used) continue;
      category(name).delete(entry);
      this.#forget(this.#shared.get(name, entry));
    }
    for (const added of this.#added) category(added.category).put(added.name, added.object);
    engine.work.spend(this.#uses.size);
    return document.addObject(copy);
  }
}

export function copyOf({ document, engine }: OpenPdf, dictionary: PDFObject): PDFObject {
  const copy = document.newDictionary();
  for (const { key, value } of entries(engine, dictionary)) copy.put(key, value);
  return copy;
}
