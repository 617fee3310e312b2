/** Logical structure, "tags" (ISO 32000-2, 14.7). */
import type { PDFObject } from "mupdf";
import { eachEntry, eachItem, objectNumber } from "../objects/objects.ts";
import { names, writeNames, writeNumbers } from "../document/names.ts";
import { eachOf } from "../document/tree.ts";
import type { Graft } from "./graft.ts";
import type { Source } from "./source.ts";
import { readElements } from "./read-elements.ts";
import { keepElements } from "./keep-elements.ts";
import type { Structure } from "./read-structure.ts";

/** Reads the elements into a model, once; documents that are kept completely do not need it. */
export async function readStructureElements({ open, structure, pageOf }: Source): Promise<void> {
  if (structure) structure.elements ??= await readElements(open, structure.kids, pageOf);
}

/**
 * Adds `offset` to every parent tree key in the pages, annotations and XObjects of a source, so that the trees of several
 * documents can be joined.
 */
export async function shiftStructureKeys(source: Source, offset: number): Promise<void> {
  const { document, engine } = source.open;
  const shift = (object: PDFObject): void => {
    for (const key of ["StructParents", "StructParent"]) {
      const value = object.get(key);
      if (value.isNumber()) object.put(key, value.asNumber() + offset);
    }
  };
  for (const { attributes } of source.pages) shift(attributes);
  for (let number = 1, count = document.countObjects(); number < count; number++) {
    await engine.work.pause();
    try {
      const object = document.newIndirect(number);
      if (object.isDictionary()) shift(object);
    } catch (error) {
      // An unreadable object is not copied either.
      if (!engine.isFailure(error)) throw error;
    }
  }
}

/** The language of a document, if its catalog names one (14.9.2). */
export function languageOf({ root }: Source): string | undefined {
  const language = root.get("Lang");
  return language.isString() ? language.asString() : undefined;
}

/** Joins the structure trees of the grafts. */
export class StructureJoin {
  #root: PDFObject | undefined;
  #dictionary: PDFObject | undefined;
  #kids: PDFObject | undefined;
  readonly #language: string | undefined;
  readonly #parents = new Map<number, PDFObject>();
  readonly #ids = new Map<string, PDFObject>();

  /** `language`: the `Lang` of the target's catalog. */
  constructor(language: string | undefined) {
    this.#language = language;
  }

  /**
   * Adds the elements that have content on the kept pages; for a whole document, all elements. `offset`: see
   * shiftStructureKeys.
   */
  async add(graft: Graft, structure: Structure, offset: number): Promise<void> {
    const { target, engine, source } = graft;
    if (!graft.keepsAllPages) await readStructureElements(source);
    // Reading them has cut the tree, so it can only be copied through them.
    const kept = structure.elements && (await keepElements(graft, structure.elements));
    const kids = kept ? kept.roots : await graft.copyEach(eachOf(engine, structure.kids));
    if (kids.length === 0) return;
    const leaf = await graft.copy(structure.root);
    const lang = languageOf(source);
    if (!this.#root || !this.#dictionary || !this.#kids) {
      this.#root = leaf;
      this.#dictionary = target.newDictionary();
      this.#dictionary.put("Type", target.newName("StructTreeRoot"));
      this.#kids = this.#dictionary.put("K", target.newArray()) as PDFObject;
    }
    for (const kid of kids) {
      await engine.work.pause();
      this.#kids.push(kid);
      if (!kid.isDictionary()) continue;
      kid.put("P", this.#root);
      // The catalog's language is the first document's.
      if (lang !== undefined && lang !== this.#language && !kid.get("Lang").isString())
        kid.put("Lang", target.newString(lang));
    }
    for (const key of kept ? await keysOf(graft, structure) : structure.parents.keys()) {
      await engine.work.pause();
      const value = structure.parents.get(key);
      const copy = value && (kept ? await copyKept(graft, value, kept.numbers) : await graft.copy(value));
      if (copy) this.#parents.set(key + offset, copy);
    }
    await this.#joinAttributes(graft, structure, kept?.numbers);
    for await (const [id, element] of names(graft, structure.attributes.get("IDTree"))) {
      if (!this.#ids.has(id) && (!kept || kept.numbers.has(objectNumber(element))))
        this.#ids.set(id, await graft.copy(element));
    }
  }

  /** Whether the tree has an entry for a key (`StructParents`, `StructParent`) of a page or annotation of the graft. */
  has({ source }: Graft, key: PDFObject): boolean {
    return source.structure !== undefined && key.isNumber() && this.#parents.has(key.asNumber());
  }

  /** Writes the tree and returns its root; undefined if no graft has tags. */
  async write({ engine, target }: Graft): Promise<PDFObject | undefined> {
    if (!this.#root || !this.#dictionary) return undefined;
    const open = { engine, document: target };
    this.#dictionary.put("ParentTree", await writeNumbers(open, this.#parents));
    this.#dictionary.put(
      "ParentTreeNextKey",
      this.#parents.keys().reduce((next, key) => Math.max(next, key + 1), 0),
    );
    if (this.#ids.size > 0) this.#dictionary.put("IDTree", await writeNames(open, this.#ids));
    this.#root.writeObject(this.#dictionary);
    return this.#root;
  }

  async #joinAttributes(graft: Graft, structure: Structure, kept: ReadonlySet<number> | undefined): Promise<void> {
    const dictionary = this.#dictionary;
    if (!dictionary) return;
    for (const key of ["RoleMap", "ClassMap"]) {
      for await (const entry of eachEntry(graft.engine, structure.attributes.get(key))) {
        if (!dictionary.get(key).isDictionary()) dictionary.put(key, graft.target.newDictionary());
        const map = dictionary.get(key);
        if (map.get(entry.key).isNull()) map.put(entry.key, await graft.copy(entry.value));
      }
    }
    for (const key of ["Namespaces", "PronunciationLexicon"]) {
      if (kept && key === "PronunciationLexicon") continue;
      for await (const item of eachItem(graft.engine, structure.attributes.get(key))) {
        if (!dictionary.get(key).isArray()) dictionary.put(key, graft.target.newArray());
        dictionary.get(key).push(await graft.copy(item));
      }
    }
  }
}

/**
 * The parent tree keys in kept pages and annotations, and those of XObjects. An annotation belongs to a single element: where its key leads to
 * a list, that list is a page's, and the annotation's key is wrong.
 */
async function keysOf(graft: Graft, structure: Structure): Promise<Set<number>> {
  const { ofPages, ofNone } = await keyOwners(graft.source, structure);
  const annotations = await graft.annotations();
  const lists = new Set([...graft.pages.keys()].flatMap((page) => ofPages.get(page) ?? []));
  const own = [...lists]
    .flat()
    .filter(
      ({ key, annotation }) =>
        annotation === undefined || (annotations.has(annotation) && !structure.parents.get(key)?.isArray()),
    )
    .map(({ key }) => key);
  return new Set([...own, ...ofNone]);
}

/**
 * Copies an entry of the parent tree: the element of an object, or the elements of marked content by its number, with null in place of those
 * that are not among `elements` (object numbers). Undefined if none is.
 */
async function copyKept(graft: Graft, value: PDFObject, elements: ReadonlySet<number>): Promise<PDFObject | undefined> {
  const { engine, target } = graft;
  if (!value.isArray()) return elements.has(objectNumber(value)) ? graft.copy(value) : undefined;
  const list = target.newArray();
  let isEmpty = true;
  for await (const element of eachItem(engine, value)) {
    const isKept = elements.has(objectNumber(element));
    list.push(isKept ? await graft.copy(element) : target.newNull());
    isEmpty &&= !isKept;
  }
  if (isEmpty) return undefined;
  return value.isIndirect() ? target.addObject(list) : list;
}

interface Key {
  readonly key: number;
  /** Object number of the annotation that contains it. */
  readonly annotation?: number;
}

interface KeyOwners {
  /** By page: the keys of the page itself and those of its annotations. Pages that share annotations share the list. */
  readonly ofPages: ReadonlyMap<number, readonly (readonly Key[])[]>;
  /** The keys not used by any page or annotation: those of XObjects. */
  readonly ofNone: readonly number[];
}

const owners = new WeakMap<Source, KeyOwners>();

async function keyOwners(source: Source, structure: Structure): Promise<KeyOwners> {
  let found = owners.get(source);
  if (found) return found;
  const ofPages = new Map<number, (readonly Key[])[]>();
  const ofAnnotations = new Map<readonly PDFObject[], readonly Key[]>();
  for (const [page, { attributes, annotations }] of source.pages.entries()) {
    const own = attributes.get("StructParents");
    const below = ofAnnotations.get(annotations) ?? (await keysOfAnnotations(source, annotations));
    ofAnnotations.set(annotations, below);
    ofPages.set(page, [own.isNumber() ? [{ key: own.asNumber() }] : [], below]);
  }
  const owned = new Set([...new Set([...ofPages.values()].flat())].flatMap((keys) => keys.map(({ key }) => key)));
  found = { ofPages, ofNone: [...structure.parents.keys()].filter((key) => !owned.has(key)) };
  owners.set(source, found);
  return found;
}

async function keysOfAnnotations({ open }: Source, annotations: readonly PDFObject[]): Promise<Key[]> {
  const keys: Key[] = [];
  for (const annotation of annotations) {
    await open.engine.work.pause();
    keys.push(...keyOf(annotation));
  }
  return keys;
}

function keyOf(annotation: PDFObject): Key[] {
  const key = annotation.get("StructParent");
  return key.isNumber() ? [{ key: key.asNumber(), annotation: objectNumber(annotation) }] : [];
}
