/**
 * Builds a new document from pages of one or more documents: shared by merge, split and extract-pages. What belongs to a page
 * comes along; what belongs to the whole document is joined, or kept as far as the pages need it.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { NamesJoin, writeCatalogEntries, writeLayers } from "./catalog.ts";
import { FormJoin } from "./join-fields.ts";
import { keptOutline, type NewItem, writeOutline } from "./join-outline.ts";
import { languageOf, readStructureElements, shiftStructureKeys, StructureJoin } from "./join-structure.ts";
import { eachEntry, eachItem, entries, objectNumber } from "../objects/objects.ts";
import { plainLabel, writePageLabels } from "./page-labels.ts";
import { Graft } from "./graft.ts";
import { countElements } from "./read-elements.ts";
import { usedResources } from "./used-resources.ts";
import type { Source, SourcePage } from "./source.ts";
import { nextStructureKey } from "./read-structure.ts";

/** A page of the new document: its origin (0-based). */
export interface PageSelection {
  readonly source: Source;
  readonly page: number;
}

export interface AssembleOptions {
  /** Whether document-level attachments come along. */
  readonly attachments: boolean;
  /** The outline, built from what each graft keeps of its own. Default: one after the other. */
  readonly outline?: (grafts: readonly Graft[]) => NewItem[];
}

/** Fills `target`, a document without pages, with the selected pages in order. */
export async function assemble(
  target: PDFDocument,
  selections: readonly PageSelection[],
  options: AssembleOptions,
): Promise<void> {
  await reserve(target, selections);
  const grafts = makeGrafts(target, selections);
  const graftOf = new Map(grafts.map((graft) => [graft.source, graft]));
  const names = new NamesJoin();
  for (const graft of grafts) names.nameDestinations(graft);
  const offsets = await structureOffsets(grafts);

  const form = new FormJoin();
  const structure = new StructureJoin(grafts[0] && languageOf(grafts[0].source));
  for (const graft of grafts) {
    await form.add(graft);
    const tree = graft.source.structure;
    if (tree) await structure.add(graft, tree, offsets.get(graft) ?? 0);
  }

  const catalog = target.getTrailer().get("Root");
  const pages = new Pages(target, catalog.get("Pages"), form, structure);
  for (const { source, page } of selections) {
    const graft = graftOf.get(source);
    await graft?.fetch(page);
    if (graft) await pages.add(graft, page);
    await source.open.engine.work.pause();
  }
  pages.write();

  for (const graft of grafts) await names.add(graft, options);
  const first = grafts[0];
  if (first) await names.write(first, catalog);
  await writeCatalogEntries(grafts, catalog);
  await writeLayers(grafts, catalog);
  put(catalog, "AcroForm", form.write(target));
  put(catalog, "StructTreeRoot", first && (await structure.write(first)));
  put(
    catalog,
    "Outlines",
    await writeOutline(target, options.outline?.(grafts) ?? grafts.flatMap((graft) => keptOutline(graft))),
  );
  if (grafts.some(({ source }) => source.labels)) {
    const labels = selections.flatMap(({ source, page }) => {
      const graft = graftOf.get(source);
      const label = source.labels?.[page] ?? plainLabel(page);
      return graft ? [{ label, copy: (object: PDFObject) => graft.copy(object) }] : [];
    });
    if (first) catalog.put("PageLabels", await writePageLabels(first.engine, target, labels));
  }
  const info = first?.source.open.document.getTrailer().get("Info");
  if (first && info?.isDictionary()) target.getTrailer().put("Info", await first.copy(info));
}

/** The number of document-level attachments in a source: named ones, and those only associated with it. */
export async function countAttachments({ names, open, root }: Source): Promise<number> {
  const named = [...(names.get("EmbeddedFiles")?.values() ?? [])];
  const numbers = new Set(named.map(objectNumber));
  let count = named.length;
  for await (const file of eachItem(open.engine, root.get("AF"))) if (!numbers.has(objectNumber(file))) count++;
  return count;
}

function put(catalog: PDFObject, key: string, value: PDFObject | undefined): void {
  if (value) catalog.put(key, value);
}

/**
 * Makes room for the objects that will be copied: from each source, the structure elements of the kept pages, and of the other objects, the share
 * of its pages.
 */
async function reserve(target: PDFDocument, selections: readonly PageSelection[]): Promise<void> {
  let count = 0;
  for (const [source, kept] of Map.groupBy(selections, ({ source }) => source)) {
    const pages = new Set(kept.map(({ page }) => page));
    const share = pages.size / source.pages.length;
    if (share < 1) await readStructureElements(source);
    const elements = source.structure?.elements ?? [];
    const others = source.open.document.countObjects() - elements.reduce((sum, { size }) => sum + size, 0);
    count += countElements(elements, Math.min(...pages), Math.max(...pages)) + Math.ceil(Math.max(0, others) * share);
  }
  selections[0]?.source.open.engine.reserveObjects(target, count);
}

function makeGrafts(target: PDFDocument, selections: readonly PageSelection[]): Graft[] {
  const kept = new Map<Source, Set<number>>();
  for (const { source, page } of selections) {
    const pages = kept.get(source);
    if (pages) pages.add(page);
    else kept.set(source, new Set([page]));
  }
  return [...kept].map(([source, pages]) => new Graft(source, target, pages));
}

/** Makes the parent tree keys of several tagged documents distinct. */
async function structureOffsets(grafts: readonly Graft[]): Promise<Map<Graft, number>> {
  const offsets = new Map<Graft, number>();
  let next = 0;
  for (const graft of grafts) {
    const tree = graft.source.structure;
    if (!tree) continue;
    if (next > 0) await shiftStructureKeys(graft.source, next);
    offsets.set(graft, next);
    next += nextStructureKey(tree);
  }
  return offsets;
}

/** Writes the pages and the single node that contains them. */
class Pages {
  readonly #target: PDFDocument;
  readonly #root: PDFObject;
  readonly #form: FormJoin;
  readonly #structure: StructureJoin;
  readonly #kids: PDFObject;
  readonly #written = new Set<number>();
  /** Copies of the annotations shared by pages. */
  readonly #annotations = new Map<readonly PDFObject[], PDFObject>();

  constructor(target: PDFDocument, root: PDFObject, form: FormJoin, structure: StructureJoin) {
    this.#target = target;
    this.#root = root;
    this.#form = form;
    this.#structure = structure;
    this.#kids = target.newArray();
  }

  /** Appends a page. A page that is already there is appended again, as a separate page. */
  async add(graft: Graft, index: number): Promise<void> {
    const reference = graft.pages.get(index);
    const page = graft.source.pages[index];
    if (!reference || !page) return;
    const number = reference.asIndirect();
    if (this.#written.has(number)) {
      this.#kids.push(await this.#repeat(graft, reference));
      return;
    }
    this.#written.add(number);
    reference.writeObject(await this.#page(graft, page));
    this.#kids.push(reference);
  }

  write(): void {
    this.#root.put("Kids", this.#kids);
    this.#root.put("Count", this.#kids.length);
  }

  async #page(graft: Graft, page: SourcePage): Promise<PDFObject> {
    const copy = this.#target.newDictionary();
    copy.put("Type", this.#target.newName("Page"));
    copy.put("Parent", this.#root);
    for await (const { key, value } of eachEntry(graft.engine, page.attributes)) {
      // Keys into nothing would be mistaken for keys into another source's structure tree.
      if (key.asName() === "StructParents" && !this.#structure.has(graft, value)) continue;
      copy.put(key, await graft.copy(value));
    }
    await graft.remapDestinations(copy);
    const resources = graft.keepsAllPages ? page.resources : await usedResources(graft.source, page);
    copy.put("Resources", resources.isDictionary() ? await graft.copy(resources) : this.#target.newDictionary());
    const annotations = await this.#annotationsOf(graft, page);
    if (annotations.length > 0) copy.put("Annots", annotations);
    return copy;
  }

  /** The copies of a page's annotations; pages that share an array share its copy. */
  async #annotationsOf(graft: Graft, { annotations }: SourcePage): Promise<PDFObject> {
    const known = this.#annotations.get(annotations);
    if (known) return known;
    const list = this.#target.newArray();
    for (const annotation of annotations) {
      await graft.engine.work.pause();
      if (!graft.keeps(annotation)) continue;
      const own = await graft.copy(annotation);
      await graft.remapDestinations(own);
      if (!this.#structure.has(graft, own.get("StructParent"))) own.delete("StructParent");
      list.push(own);
    }
    const isShared = graft.source.sharedAnnotations.has(annotations);
    const copy = isShared && list.length > 0 ? this.#target.addObject(list) : list;
    if (isShared) this.#annotations.set(annotations, copy);
    return copy;
  }

  /**
   * A repeat of the same page. Contents and resources are shared. It gets its own annotations, as viewers expect, and its
   * content is not tagged a second time, because an element has only one place.
   */
  async #repeat(graft: Graft, first: PDFObject): Promise<PDFObject> {
    const reference = this.#target.createObject();
    const copy = this.#copyOf(graft, first, new Set(["StructParents", "Annots"]));
    const originals = first.get("Annots");
    const clones = new Map<number, PDFObject>();
    if (originals.isArray() && originals.length > 0) {
      const annotations = copy.put("Annots", this.#target.newArray()) as PDFObject;
      for await (const original of eachItem(graft.engine, originals)) {
        const clone = this.#target.addObject(this.#copyOf(graft, original, new Set(["StructParent"])));
        if (original.isIndirect()) clones.set(original.asIndirect(), clone);
        clone.put("P", reference);
        annotations.push(clone);
        const subtype = clone.get("Subtype");
        if (subtype.isName() && subtype.asName() === "Widget") this.#form.addRepeated(graft, clone, clone);
      }
      for (const clone of clones.values()) {
        for (const key of ["Popup", "Parent", "IRT"]) {
          const other = clones.get(objectNumber(clone.get(key)));
          if (other) clone.put(key, other);
        }
      }
    }
    reference.writeObject(copy);
    return reference;
  }

  #copyOf(graft: Graft, dictionary: PDFObject, without: ReadonlySet<string>): PDFObject {
    const copy = this.#target.newDictionary();
    for (const { key, value } of entries(graft.engine, dictionary))
      if (!without.has(key.asName())) copy.put(key, value);
    return copy;
  }
}
