import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { walkValues } from "../objects/walk-values.ts";

type Pointer = PDFObject["pointer"];

/** Fuel per object that is looked at. */
const OBJECT_WORK = 200;

/**
 * The numbers of the streams that an object uses, itself included. Passes over objects that are marked in `looked` by their numbers, and
 * marks the others.
 */
export async function usedStreams(
  { document, engine }: Pick<OpenPdf, "document" | "engine">,
  object: PDFObject,
  looked: Uint8Array,
): Promise<number[]> {
  const { values, work } = engine;
  const streams: number[] = [];
  const pending: number[] = [];
  const enter = (value: Pointer): void => {
    if (!values.isReference(value)) return;
    const number = values.numberOf(value);
    if (looked[number] !== 0) return;
    looked[number] = 1;
    pending.push(number);
  };
  const look = async (value: Pointer): Promise<void> => {
    const looking = walkValues(engine, value, enter);
    if (looking) await looking;
  };
  if (object.isIndirect()) enter(object.pointer);
  else await look(object.pointer);
  for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
    work.spend(OBJECT_WORK);
    await work.pause();
    const reference = values.reference(document, number);
    try {
      if (values.isStream(reference)) streams.push(number);
      await look(reference);
    } catch (error) {
      // An unreadable object is found when it is copied.
      if (!engine.isFailure(error)) throw error;
    } finally {
      values.drop(reference);
    }
  }
  return streams;
}
