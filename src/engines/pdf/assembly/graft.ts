/** The copy of one source's pages in one target. */
import type { PDFDocument, PDFGraftMap, PDFObject } from "mupdf";
import { destinationIn, eachDestination } from "./destinations.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { byteString, objectNumber } from "../objects/objects.ts";
import type { Source } from "./source.ts";
import { fetchResources } from "../document/fetch-pages.ts";
import { usedResources } from "./used-resources.ts";
import { dataInFile } from "../document/stream-data.ts";
import { usedStreams } from "./used-streams.ts";

/**
 * Copies some pages of a source. It uses one graft map throughout, so it copies an object of two pages once. Every reference
 * to a page leads to the same object in the target, before and after that page is written.
 */
export class Graft {
  readonly source: Source;
  readonly target: PDFDocument;
  readonly engine: PdfEngine;
  /** The page objects of the target by 0-based page of the source: the kept pages. */
  readonly pages = new Map<number, PDFObject>();
  /** Whether every page of the source is kept. */
  readonly keepsAllPages: boolean;
  /** The target's names for the source's named destinations, for those whose page is kept. */
  readonly destinationNames = new Map<string, string>();
  readonly #map: PDFGraftMap;
  readonly #remapped = new Set<number>();
  /** Whether copies share the data of the source: most of it is copied, and would be twice in memory. */
  readonly #shares: boolean;
  /** Object numbers of the kept pages in the target. */
  readonly #kept: ReadonlySet<number>;
  #annotations: ReadonlySet<number> | undefined;

  constructor(source: Source, target: PDFDocument, kept: ReadonlySet<number>) {
    this.source = source;
    this.target = target;
    this.engine = source.open.engine;
    this.#map = target.newGraftMap();
    this.keepsAllPages = kept.size === source.pages.length;
    this.#shares = this.engine.hasLargeFiles && !source.open.encrypted && kept.size * 2 > source.pages.length;
    for (const index of kept) {
      const leaf = source.pages[index]?.reference;
      this.pages.set(
        index,
        leaf && source.pageOf.get(objectNumber(leaf)) === index ? this.#map.graftObject(leaf) : target.createObject(),
      );
    }
    this.#kept = new Set([...this.pages.values()].map(objectNumber));
  }

  /**
   * Object numbers of the kept annotations: those of the kept pages, except links to other pages. Found when they are first asked for: only
   * forms and tags need them.
   */
  async annotations(): Promise<ReadonlySet<number>> {
    if (this.#annotations) return this.#annotations;
    const lists = new Set([...this.pages.keys()].map((index) => this.source.pages[index]?.annotations ?? []));
    const numbers = new Set<number>();
    for (const list of lists) {
      for (const annotation of list) {
        await this.engine.work.pause();
        if (this.keeps(annotation)) numbers.add(objectNumber(annotation));
      }
    }
    return (this.#annotations = numbers);
  }

  /** Whether an annotation of a kept page stays: links to pages that are gone do not. */
  keeps(annotation: PDFObject): boolean {
    const subtype = annotation.get("Subtype");
    if (!subtype.isName() || subtype.asName() !== "Link") return true;
    const destination = destinationIn(annotation);
    return destination === undefined || !this.leadsAway(destination);
  }

  /** Copies what a page (0-based) uses ahead of `copy`, which then finds it: waits for the parts of a file that is read in ranges. */
  async fetch(index: number): Promise<void> {
    const { long, ranges } = this.engine;
    const page = this.source.pages[index];
    if (!ranges || !page) return;
    const kept = page.annotations.filter((annotation) => this.keeps(annotation));
    for (const object of [page.attributes, ...kept]) await long.graft(this.#map, object);
    await fetchResources(this.engine, page.resources);
    await long.graft(this.#map, this.keepsAllPages ? page.resources : await usedResources(this.source, page));
  }

  /** Copies an object of the source with everything it uses; an object copied before yields the same copy. */
  async copy(object: PDFObject): Promise<PDFObject> {
    await this.#shareStreams(object);
    return this.engine.long.graft(this.#map, object);
  }

  /** Lets the copies of the streams that an object uses share their data with the file of the source, where it is in memory as it will be written. */
  async #shareStreams(object: PDFObject): Promise<void> {
    const { open } = this.source;
    if (!this.#shares) return;
    const streams = await usedStreams(open, object, this.source.done.shared);
    if (streams.length > 0) this.engine.shareData(open.document, open.input.bytes, await dataInFile(open, streams));
  }

  /** Copies objects one after the other. Lets other requests run meanwhile. */
  async copyEach(objects: Iterable<PDFObject> | AsyncIterable<PDFObject>): Promise<PDFObject[]> {
    const copies: PDFObject[] = [];
    for await (const object of objects) {
      await this.engine.work.pause();
      copies.push(await this.copy(object));
    }
    return copies;
  }

  /** Whether a destination leads to a page that the target does not have. */
  leadsAway(destination: PDFObject): boolean {
    const page = this.source.destinations.pageOf(destination);
    return page !== undefined && !this.pages.has(page);
  }

  /**
   * Adapts the destinations below a copied page, annotation, outline item or field to the target: names get their new spelling,
   * pages become references, and destinations whose pages are gone are removed.
   */
  async remapDestinations(copy: PDFObject): Promise<void> {
    await eachDestination(this.engine, copy, (holder, key, destination) => {
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
      if (!this.keepsAllPages && !this.#kept.has(first.asIndirect())) holder.delete(key);
      return;
    }
    const page = first.isNumber() ? this.pages.get(first.asNumber()) : undefined;
    if (page) array.put(0, page);
  }
}
