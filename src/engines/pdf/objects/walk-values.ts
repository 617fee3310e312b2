import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { Pointer } from "../mupdf/values.ts";

/** Fuel per value, in addition to what the visitor spends: up to 50 ns. */
const VALUE_WORK = 20;
/** Values between two pauses, and fuel that the visitor spends. */
const [SLICE, STRETCH] = [10_000, 1_000_000];

/** A container that is being walked, and the place in it. */
export interface WalkedContainer {
  readonly holder: Pointer;
  readonly isArray: boolean;
  /** The number of its values when the walk came to it. */
  readonly length: number;
  index: number;
}

/** The first item of an array, unresolved. */
export const firstItem = ({ values }: PdfEngine, array: Pointer): Pointer => values.item(array, 0);

/**
 * Visits the values within an object, in depth and from last to first, without handles and without following references. Counts them, and lets other
 * requests run meanwhile: undefined if that was not necessary. Nothing else may be read until it is done, for it could move the values.
 * @param visit may remove or replace the value
 */
export function walkValues(
  { values, work }: PdfEngine,
  object: Pointer,
  visit: (value: Pointer, place: Readonly<WalkedContainer>) => void,
): Promise<void> | undefined {
  const places: WalkedContainer[] = [];
  const enter = (holder: Pointer): void => {
    const isArray = values.isArray(holder);
    if (!isArray && !values.isDictionary(holder)) return;
    const length = isArray ? values.arrayLength(holder) : values.entryCount(holder);
    if (length > 0) places.push({ holder, isArray, length, index: length });
  };
  /** Returns whether that was all. */
  const walk = (): boolean => {
    let count = 0;
    const end = work.spent + STRETCH;
    for (let place = places.at(-1); place && count < SLICE && work.spent < end; place = places.at(-1)) {
      if (place.index === 0) {
        places.pop();
        continue;
      }
      count += 1;
      place.index -= 1;
      const { holder, isArray, index } = place;
      const value = isArray ? values.item(holder, index) : values.valueAt(holder, index);
      const isReference = values.isReference(value);
      if (!isReference) enter(value);
      visit(value, place);
    }
    work.spend(count * VALUE_WORK);
    return places.length === 0;
  };
  const rest = async (): Promise<void> => {
    do await work.pause();
    while (!walk());
  };
  enter(object);
  return walk() ? undefined : rest();
}
