/** Merges identical streams in a document, such as the fonts and images of combined files. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { eachObject } from "../objects/each-object.ts";
import { entries, items } from "../objects/objects.ts";

/** Streams with masks are equal only if their masks are: each round resolves one more level. */
const MOST_ROUNDS = 3;

/** Points all references to equal streams to one of them, which leaves the others unused. */
export async function mergeDuplicates(open: OpenPdf): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const twins = await findTwins(open);
    if (twins.size === 0) return;
    await redirect(open, twins);
  }
}

/** Maps the object number of each duplicate stream to the first stream equal to it. */
async function findTwins(open: OpenPdf): Promise<Map<number, number>> {
  const { document, engine } = open;
  const byDictionary = new Map<string, number[]>();
  await eachObject(open, (stream, number) => {
    if (!stream.isStream()) return;
    // Includes the length, so streams of different lengths are not compared further.
    const key = entries(engine, stream)
      .map(({ key, value }) => `${key.toString()} ${value.toString()}`)
      .sort()
      .join("\n");
    const same = byDictionary.get(key);
    if (same) same.push(number);
    else byDictionary.set(key, [number]);
  });
  const twins = new Map<number, number>();
  for (const numbers of byDictionary.values()) {
    if (numbers.length < 2) continue;
    const firsts = new Map<string, number>();
    for (const number of numbers) {
      const data = attempt(() => document.newIndirect(number).readRawStream().asUint8Array().slice());
      if (!data) continue;
      engine.work.spend(data.length);
      await engine.work.pause();
      const hash = String(new Uint32Array(await crypto.subtle.digest("SHA-256", data)));
      const first = firsts.get(hash);
      if (first === undefined) firsts.set(hash, number);
      else twins.set(number, first);
    }
  }
  return twins;

  function attempt<T>(work: () => T): T | undefined {
    try {
      return engine.scope(work);
    } catch (error) {
      if (engine.isFailure(error)) return undefined;
      throw error;
    }
  }
}

async function redirect(open: OpenPdf, twins: ReadonlyMap<number, number>): Promise<void> {
  const { document, engine } = open;
  const redirect = (container: PDFObject, key: PDFObject | number, value: PDFObject): void => {
    if (!value.isIndirect()) look(value);
    else {
      const first = twins.get(value.asIndirect());
      if (first !== undefined) container.put(key, document.newIndirect(first));
    }
  };
  const look = (object: PDFObject): void => {
    if (object.isArray()) items(object).forEach((item, index) => redirect(object, index, item));
    else for (const { key, value } of entries(engine, object)) redirect(object, key, value);
  };
  await eachObject(open, (object, number) => {
    if (!twins.has(number)) look(object);
  });
}
