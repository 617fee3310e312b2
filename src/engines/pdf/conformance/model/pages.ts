/** The page tree, and what a page has besides its content (ISO 32000-2, 7.7.3). */
import type { PlainDictionary } from "../../objects/plain-values.ts";
import { type ModelDocument, DEEPEST_NODE } from "./document.ts";
import { ResourceScope } from "./resources.ts";

/** Fuel per state of an appearance. */
const STATE_WORK = 20;
const BOXES = ["MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"];

export interface ModelPage {
  readonly page: PlainDictionary;
  readonly inherited: ResourceScope | undefined;
}

/** The pages in order, each with the resources that it inherits. */
export function* pagesOf(document: ModelDocument): Generator<ModelPage> {
  const seen = new Set<PlainDictionary>();
  function* below(
    node: PlainDictionary | undefined,
    outer: ResourceScope | undefined,
    level: number,
  ): Generator<ModelPage> {
    if (!node || level > DEEPEST_NODE || seen.has(node)) return;
    seen.add(node);
    if (!node.entries.has("Kids")) {
      yield { page: node, inherited: outer };
      return;
    }
    const own = document.dictionary(node, "Resources");
    const resources = own ? new ResourceScope(document, own, outer) : outer;
    const kids = document.items(node, "Kids");
    document.open.engine.work.spend(kids.length);
    for (const kid of kids) yield* below(document.dictionary(kid), resources, level + 1);
  }
  yield* below(document.dictionary(document.root, "Pages"), undefined, 0);
}

/** Sides of the boxes of a page, in units of the page. */
export function sidesOf(document: ModelDocument, page: PlainDictionary): readonly number[] {
  return BOXES.flatMap((key) => {
    const box = document.numbers(document.inherited(page, key));
    if (box.length !== 4) return [];
    const [a = 0, b = 0, c = 0, d = 0] = box;
    return [Math.abs(c - a), Math.abs(d - b)];
  });
}

/** The appearance streams of an annotation. */
export function appearanceStreams(document: ModelDocument, annotation: PlainDictionary): readonly PlainDictionary[] {
  const found: PlainDictionary[] = [];
  const { work } = document.open.engine;
  for (const value of document.dictionary(annotation, "AP")?.entries.values() ?? []) {
    const one = document.dictionary(value);
    // Annotations may share their states: each pays for all.
    work.spend(STATE_WORK * (1 + (one?.entries.size ?? 0)));
    if (one?.isStream === true) found.push(one);
    else
      for (const state of one?.entries.values() ?? []) found.push(...[document.stream(state)].filter((form) => !!form));
  }
  return found;
}
