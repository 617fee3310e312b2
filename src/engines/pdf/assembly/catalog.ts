/** Joins the catalogs of several documents into one (ISO 32000-2, 7.7.2). */
import type { PDFObject } from "mupdf";
import { writeFileTree } from "../document/attachments.ts";
import { writeNames } from "../document/names.ts";
import { destinationOfAction } from "./destinations.ts";
import { eachEntry, eachItem, FreeNames } from "../objects/objects.ts";
import type { Graft } from "./graft.ts";

/**
 * Entries copied from the first catalog that has them. `Lang` comes only from the first document, because it applies to the
 * first document's pages too. The others have their own modules or concern only a complete file.
 */
const COPIED = [
  "MarkInfo",
  "Metadata",
  "OutputIntents",
  "PageLayout",
  "PageMode",
  "ViewerPreferences",
  "URI",
  "Extensions",
  "Version",
];

/** Copies the catalog's plain entries and the open action. */
export async function writeCatalogEntries(grafts: readonly Graft[], catalog: PDFObject): Promise<void> {
  for (const key of COPIED) {
    const graft = grafts.find(({ source }) => !source.root.get(key).isNull());
    if (graft) catalog.put(key, await graft.copy(graft.source.root.get(key)));
  }
  const first = grafts[0];
  const language = first?.source.root.get("Lang");
  if (first && language?.isString()) catalog.put("Lang", await first.copy(language));
  const opening = first?.source.root.get("OpenAction");
  if (!first || !opening) return;
  const destination = opening.isArray() ? opening : destinationOfAction(opening);
  if ((opening.isArray() || opening.isDictionary()) && !(destination && first.leadsAway(destination))) {
    const copy = await first.copy(opening);
    catalog.put("OpenAction", copy);
    if (copy.isDictionary()) {
      const holder = first.target.newDictionary();
      holder.put("A", copy);
      await first.remapDestinations(holder);
    }
  }
}

/** Joins the catalogs' name trees, including destinations; an entry whose name is in use is renamed. */
export class NamesJoin {
  readonly #trees = new Map<string, Map<string, PDFObject>>();
  readonly #free = new FreeNames();
  readonly #associated: PDFObject[] = [];

  /** Assigns final names to the graft's kept destinations; call before anything that uses them is copied. */
  nameDestinations(graft: Graft): void {
    const names = this.#tree("Dests");
    const { named, namesOf } = graft.source.destinations;
    for (const name of [...graft.pages.keys()].flatMap((page) => namesOf.get(page) ?? [])) {
      const destination = named.get(name);
      if (!destination) continue;
      const free = this.#free.of(name, (other) => names.has(other));
      graft.destinationNames.set(name, free);
      names.set(free, destination);
    }
  }

  /** Copies the values of the names. */
  async add(graft: Graft, options: { attachments: boolean }): Promise<void> {
    const destinations = this.#tree("Dests");
    for (const name of graft.destinationNames.values()) {
      await graft.engine.work.pause();
      const destination = destinations.get(name);
      if (!destination) continue;
      const copy = await graft.copy(destination);
      const array = copy.isDictionary() ? copy.get("D") : copy;
      const page = array.isArray() && array.get(0).isNumber() ? graft.pages.get(array.get(0).asNumber()) : undefined;
      if (page) array.put(0, page);
      destinations.set(name, copy);
    }
    if (options.attachments) {
      for await (const file of eachItem(graft.engine, graft.source.root.get("AF")))
        this.#associated.push(await graft.copy(file));
    }
    for (const [kind, tree] of graft.source.names) {
      if (kind === "EmbeddedFiles" && !options.attachments) continue;
      const names = this.#tree(kind);
      for (const [name, value] of tree) {
        await graft.engine.work.pause();
        const free = this.#free.of(name, (other) => names.has(other));
        names.set(free, await graft.copy(value));
      }
    }
  }

  /** Writes the trees, and the files associated with the documents by their catalogs (14.13). */
  async write({ engine, target }: Graft, catalog: PDFObject): Promise<void> {
    const names = target.newDictionary();
    for (const [kind, tree] of this.#trees) {
      if (tree.size > 0 && kind !== "EmbeddedFiles")
        names.put(kind, await writeNames({ engine, document: target }, tree));
    }
    if ([...this.#trees.values()].some((tree) => tree.size > 0)) catalog.put("Names", names);
    const attached = this.#trees.get("EmbeddedFiles");
    if (attached) await writeFileTree({ engine, document: target }, catalog, attached);
    if (this.#associated.length === 0) return;
    const files = catalog.put("AF", target.newArray()) as PDFObject;
    for (const file of this.#associated) files.push(file);
  }

  #tree(kind: string): Map<string, PDFObject> {
    let tree = this.#trees.get(kind);
    if (!tree) this.#trees.set(kind, (tree = new Map<string, PDFObject>()));
    return tree;
  }
}

/** Arrays of a layer configuration that are concatenated when documents are joined (table 99). */
const LAYER_LISTS = ["ON", "OFF", "Order", "Locked", "RBGroups", "AS"];

/** Joins the layers, "optional content" (8.11): every group keeps its initial visibility. */
export async function writeLayers(grafts: readonly Graft[], catalog: PDFObject): Promise<void> {
  const layered = grafts.filter(({ source }) => source.root.get("OCProperties").isDictionary());
  const first = layered[0];
  if (!first) return;
  if (layered.length === 1) {
    catalog.put("OCProperties", await first.copy(first.source.root.get("OCProperties")));
    return;
  }
  const { target } = first;
  const groups = target.newArray();
  const lists = new Map(LAYER_LISTS.map((key) => [key, target.newArray()]));
  for (const graft of layered) {
    const properties = graft.source.root.get("OCProperties");
    const own = await graft.copyEach(eachItem(graft.engine, properties.get("OCGs")));
    for (const group of own) groups.push(group);
    const configuration = properties.get("D");
    if (!configuration.isDictionary()) continue;
    for (const [key, list] of lists)
      for await (const item of eachItem(graft.engine, configuration.get(key))) list.push(await graft.copy(item));
    const base = configuration.get("BaseState");
    if (!base.isName() || base.asName() !== "OFF") continue;
    // The joined configuration starts with all groups on, so those that were off by default are listed.
    const listed = await graft.copyEach(eachItem(graft.engine, configuration.get("ON")));
    const on = new Set(listed.map((group) => group.asIndirect()));
    for (const group of own) if (!on.has(group.asIndirect())) lists.get("OFF")?.push(group);
  }
  const configuration = target.newDictionary();
  for (const [key, list] of lists) if (list.length > 0) configuration.put(key, list);
  for await (const { key, value } of eachEntry(first.engine, first.source.root.get("OCProperties", "D"))) {
    if (["Name", "Creator", "ListMode", "Intent"].includes(key.asName()))
      configuration.put(key, await first.copy(value));
  }
  const properties = catalog.put("OCProperties", target.newDictionary()) as PDFObject;
  properties.put("OCGs", groups);
  properties.put("D", configuration);
}
