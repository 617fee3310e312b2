/**
 * References that are in the bytes of a revision, but not in what MuPDF reads: in the first of two entries with the same key, or in what it repairs. Another reader may follow
 * them, so an object that an update puts where such a reference leads would be seen by some.
 */
import { ParseMeter } from "../../parse-meter.ts";
import type { OpenPdf } from "../document/document.ts";
import type { FileEntry } from "../mupdf/file-entries.ts";
import { tokens } from "../syntax/tokens.ts";
import type { References } from "./references.ts";

/** Tokens between two pauses. */
const SLICE = 2_048;

/** An object as it is written, or as it is in its decoded object stream. */
export interface Written {
  readonly number: number;
  /** Identifies the bytes in all revisions of the file. */
  readonly key: string;
  readonly bytes: Uint8Array;
  /** Where its value begins; for an object of its own, its number. */
  readonly start: number;
  /** Where it ends at the latest. */
  readonly end: number;
  readonly isPacked: boolean;
}

/**
 * The objects of a revision in the order of where they are. The bytes are valid until the engine is called.
 * @param isWanted by their numbers, and by the key of their bytes
 */
export async function* writtenIn(
  open: OpenPdf,
  isWanted: (number: number, key: string) => boolean,
): AsyncGenerator<Written, void> {
  const { engine, document, input } = open;
  const header = engine.headerOf(document);
  const known = engine.fileEntriesOf(document);
  const packed = new Map<number, Map<number, number>>();
  for (const [number, { container, offset }] of known) {
    await engine.work.pause();
    if (container === undefined) {
      const [start, key] = [offset + header, `${offset}`];
      const { length } = input.bytes;
      if (start < length && isWanted(number, key))
        yield { number, key, bytes: input.bytes.view(0, length), start, end: length, isPacked: false };
    } else packed.set(container, (packed.get(container) ?? new Map<number, number>()).set(offset, number));
  }
  for (const [container, held] of packed) {
    const place = known.get(container)?.offset ?? 0;
    const keyOf = (index: number): string => `${place} ${index}`;
    if (![...held].some(([index, number]) => isWanted(number, keyOf(index)))) continue;
    const { bytes, starts } = membersOf(open, container, known);
    const ends = starts.toSorted((a, b) => a - b);
    for (const [index, number] of held) {
      const start = starts[index];
      if (start === undefined || !isWanted(number, keyOf(index))) continue;
      const end = ends[ends.findLastIndex((one) => one <= start) + 1] ?? bytes.length;
      yield { number, key: keyOf(index), bytes, start, end, isPacked: true };
    }
  }
}

/** The data of an object stream, and where its objects begin in them (ISO 32000-2, 7.5.7). None, if it cannot be read. */
function membersOf(
  { engine, document }: OpenPdf,
  container: number,
  known: ReadonlyMap<number, FileEntry>,
): { bytes: Uint8Array; starts: number[] } {
  const none = { bytes: new Uint8Array(), starts: [] };
  if (!known.has(container)) return none;
  try {
    return engine.scope(() => {
      const stream = document.newIndirect(container);
      const [count, first] = ["N", "First"].map((key) => stream.get(key));
      if (!stream.isStream() || !count?.isInteger() || !first?.isInteger()) return none;
      const buffer = stream.readStream();
      const bytes = buffer.asUint8Array().slice();
      buffer.destroy();
      engine.countDecoded(bytes.length);
      const from = first.asNumber();
      const heading = tokens(bytes.subarray(0, from), 0);
      const starts: number[] = [];
      for (let index = 0; index < count.asNumber() && heading.next() === "integer"; index++) {
        heading.next();
        starts.push(from + Number(heading.text()));
      }
      return { bytes, starts };
    });
  } catch (error) {
    if (!engine.isFailure(error)) throw error;
    return none;
  }
}

/** The references that only the bytes have. One object remembers those of all revisions of a file. */
export class HiddenReferences {
  /** By the key of what they are in. */
  readonly #known = new Map<string, readonly number[]>();

  /** Adds them to what MuPDF found in a revision. */
  async addTo(references: References, open: OpenPdf): Promise<void> {
    const meter = new ParseMeter(open.engine.work, "syntax");
    const isNew = (number: number, key: string): boolean => {
      const known = this.#known.get(key);
      if (known) references.hide(number, known);
      return known === undefined;
    };
    for await (const written of writtenIn(open, isNew)) {
      const counts = await targetsIn(written, meter);
      for (const target of references.targetsOf(written.number)) counts.set(target, (counts.get(target) ?? 0) - 1);
      const hidden = Array.from(counts, ([target, count]) => (count > 0 ? target : 0)).filter((target) => target > 0);
      this.#known.set(written.key, hidden);
      references.hide(written.number, hidden);
    }
  }
}

/** How often each object is referred to between the beginning of an object and its end, or that of its dictionary. */
async function targetsIn({ bytes, start, end, isPacked }: Written, meter: ParseMeter): Promise<Map<number, number>> {
  const targets = new Map<number, number>();
  const next = tokens(bytes.subarray(0, end), start);
  let [before, last] = [0, 0];
  let charged = start;
  for (let count = 1; next.next() !== "end"; count++) {
    if (next.kind === "keyword") {
      if (next.isKeyword("R") && before > 0) targets.set(before, (targets.get(before) ?? 0) + 1);
      else if (next.isKeyword("endobj") || next.isKeyword("stream")) break;
      // What precedes the first `obj` is its number.
      else if (next.isKeyword("obj") && (isPacked || count > 3)) break;
    }
    [before, last] = next.kind === "integer" ? [last, Number(next.text())] : [0, 0];
    if (count % SLICE !== 0) continue;
    meter.bytes(next.end - charged);
    meter.element(SLICE);
    charged = next.end;
    await meter.pause();
  }
  meter.bytes(next.end - charged);
  return targets;
}
