/** What is copied from one source into one target. */
import type { PDFDocument, PDFGraftMap, PDFObject } from "mupdf";
import { destinationIn, eachDestination } from "./destinations.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { byteString, objectNumber } from "../objects/objects.ts";
import type { Source } from "./source.ts";

/**
 * The copy of some pages of a source. One graft map for all of it: an object that two pages use is copied once, and every
 * reference to a page leads to the same place in the target, before that page is written and after.
 */
export class Graft {
  readonly source: Source;
  readonly target: PDFDocument;
  readonly engine: PdfEngine;
  /** The page objects of the target by 0-based page of the source: the pages that are kept. */
  readonly pages = new Map<number, PDFObject>();
  /** Whether every page of the source is kept. */
  readonly whole: boolean;
  /** The names that the source's named destinations have in the target, of those whose page is kept. */
  readonly destinationNames = new Map<string, string>();
  /** Object numbers of the annotations that are kept: those of the kept pages but for links that lead away. */
  readonly annotations: ReadonlySet<number>;
  readonly #map: PDFGraftMap;
  readonly #remapped = new Set<number>();
  /** Object numbers of the kept pages in the target. */
  readonly #kept: ReadonlySet<number>;

  constructor(source: Source, target: PDFDocument, kept: ReadonlySet<number>) {
    this.source = source;
    this.target = target;
    this.engine = source.open.engine;
    this.#map = target.newGraftMap();
    this.whole = kept.size === source.pages.length;
    for (const index of kept) {
      const leaf = source.pages[index]?.reference;
      this.pages.set(
        index,
        leaf && source.pageOf.get(objectNumber(leaf)) === index ? this.copy(leaf) : target.createObject(),
      );
    }
    this.#kept = new Set([...this.pages.values()].map(objectNumber));
    this.annotations = new Set(
      [...new Set([...kept].map((index) => source.pages[index]?.annotations ?? []))]
        .flat()
        .filter((annotation) => this.keeps(annotation))
        .map(objectNumber),
    );
  }

  /** Whether an annotation of a kept page stays: a link to a page that is gone does not. */
  keeps(annotation: PDFObject): boolean {
    const subtype = annotation.get("Subtype");
    if (!subtype.isName() || subtype.asName() !== "Link") return true;
    const destination = destinationIn(annotation);
    return destination === undefined || !this.leadsAway(destination);
  }

  /** The copy of an object of the source, with all that it uses; of one that was copied before, the same copy. */
  copy(object: PDFObject): PDFObject {
    return this.#map.graftObject(object);
  }

  /** Whether a destination leads to a page that the target does not have. */
  leadsAway(destination: PDFObject): boolean {
    const page = this.source.destinations.pageOf(destination);
    return page !== undefined && !this.pages.has(page);
  }

  /**
   * Makes the destinations below a copied page, annotation, outline item or field fit the target: names as they are now called,
   * pages by reference; those that lead to pages which are gone are taken out.
   */
  remapDestinations(copy: PDFObject): void {
    eachDestination(this.engine, copy, (holder, key, destination) => {
      const number = objectNumber(holder);
      if (number > 0 && this.#remapped.has(number)) return;
      if (number > 0) this.#remapped.add(number);
      this.#remap(holder, key, destination);
    });
  }

  #remap(holder: PDFObject, key: "Dest" | "D", destination: PDFObject): void {
    const { destinations } = this.source;
    const name = destinations.nameOf(destination);
    if (name !== undefined) {
      const renamed = this.destinationNames.get(name);
      if (renamed !== undefined) holder.put(key, byteString(this.target, renamed));
      else if (destinations.named.has(name) && destinations.pageOf(destination) !== undefined) holder.delete(key);
      return;
    }
    const array = destination.isDictionary() ? destination.get("D") : destination;
    if (!array.isArray() || array.length === 0) return;
    const first = array.get(0);
    if (first.isIndirect()) {
      if (!this.whole && !this.#kept.has(first.asIndirect())) holder.delete(key);
      return;
    }
    const page = first.isNumber() ? this.pages.get(first.asNumber()) : undefined;
    if (page) array.put(0, page);
  }
}
