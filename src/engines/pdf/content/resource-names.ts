/** Names for new resources of pages (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { objectNumber } from "../objects/objects.ts";
import type { NameResource } from "./operands.ts";

export class ResourceNames {
  readonly #open: OpenPdf;
  readonly #start: string;
  /** An object number, because a handle may be destroyed before the document is. */
  #emptyResources = 0;

  /** `start`: prefix of the names, followed by a number. */
  constructor(open: OpenPdf, start: string) {
    this.#open = open;
    this.#start = start;
  }

  /** Adds resources to those of the page, which other pages may share; existing names keep their meaning. */
  in(page: PDFObject): NameResource {
    const { document } = this.#open;
    return (category, object) => {
      let resources = page.getInheritable("Resources");
      if (!resources.isDictionary()) {
        if (this.#emptyResources === 0) {
          this.#emptyResources = document.addObject(document.newDictionary()).asIndirect();
        }
        resources = document.newIndirect(this.#emptyResources);
        page.put("Resources", resources);
      }
      let named = resources.get(category);
      if (!named.isDictionary()) named = resources.put(category, document.newDictionary()) as PDFObject;
      for (let number = 1; ; number++) {
        const name = `${this.#start}${number}`;
        const known = named.get(name);
        if (known.isNull()) named.put(name, object);
        else if (objectNumber(known) !== objectNumber(object)) continue;
        return name;
      }
    };
  }
}
