/** The dictionaries and arrays of a document, as values and in the engine. */
import type { PDFObject } from "mupdf";
import { isArray } from "../conformance/model/document.ts";
import { type Plain, PlainDictionary } from "../objects/plain-values.ts";
import type { SurveyedTarget } from "./target.ts";

/** Fuel per value that is looked at. */
const VALUE_WORK = 20;
/** Levels of direct values within each other. */
const MOST_LEVELS = 64;

/** A dictionary of the document, and the same in the engine. */
export interface PlainPlace {
  readonly plain: PlainDictionary;
  /** Is valid until the visit ends. */
  readonly handle: () => PDFObject;
}

/** Visits all dictionaries, and all arrays if wanted, also those within others. */
export async function eachContainer(
  { open, model }: SurveyedTarget,
  visit: (place: PlainPlace) => void,
  visitArray?: (array: readonly Plain[], handle: () => PDFObject) => void,
): Promise<void> {
  const { engine, document } = open;
  for (const [number, object] of model.objects) {
    const pending: { value: Plain; path: readonly (string | number)[] }[] = [{ value: object, path: [] }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      engine.work.spend(VALUE_WORK);
      await engine.work.pause();
      const { value, path } = next;
      if (path.length > MOST_LEVELS) continue;
      const handle = (): PDFObject =>
        path.length === 0 ? document.newIndirect(number) : document.newIndirect(number).get(...path);
      if (isArray(value)) {
        if (visitArray) engine.scope(() => visitArray(value, handle));
        for (const [index, item] of value.entries()) {
          if (isArray(item) || item instanceof PlainDictionary) pending.push({ value: item, path: [...path, index] });
        }
      }
      if (!(value instanceof PlainDictionary)) continue;
      engine.scope(() => visit({ plain: value, handle }));
      for (const [key, item] of value.entries) {
        if (isArray(item) || item instanceof PlainDictionary) pending.push({ value: item, path: [...path, key] });
      }
    }
  }
}
