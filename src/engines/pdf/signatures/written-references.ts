/**
 * References in the bytes of a revision that MuPDF does not read: in the first of two entries with the same key, or in malformed objects. Another
 * reader may follow them. If an update defined an object at such a reference, only some readers would show it.
 */
import { find } from "../../../bytes/find.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { OpenPdf } from "../document/document.ts";
import type { FileEntry } from "../mupdf/file-entries.ts";
import { isDigit } from "../syntax/characters.ts";
import { tokens } from "../syntax/tokens.ts";
import { startXrefAt } from "./end-marker.ts";
import { possibleReferences, type WrittenValue } from "./possible-references.ts";
import { ANY, type References, TRAILER, TRAILER_REST } from "./references.ts";

/**
 * The objects of a revision in the order of where they are. The bytes are valid until the engine is called.
 * @param isWanted by their numbers, and by the key of their bytes
 */
export async function* writtenIn(
  open: OpenPdf,
  isWanted: (number: number, key: string) => boolean,
): AsyncGenerator<WrittenValue, void> {
  const { engine, document, input } = open;
  const header = engine.headerOf(document);
  const known = engine.fileEntriesOf(document);
  const packed = new Map<number, Map<number, number>>();
  for (const [number, { container, offset }] of known) {
    await engine.work.pause();
    if (container === undefined) {
      const [start, key] = [offset + header, `${offset}`];
      const { length } = input.bytes;
      if (isWanted(number, key))
        yield { number, key, bytes: input.bytes.view(0, length), start, end: length, isPacked: false };
    } else packed.set(container, (packed.get(container) ?? new Map<number, number>()).set(offset, number));
  }
  for (const [container, held] of packed) {
    const place = known.get(container)?.offset ?? 0;
    const keyOf = (index: number): string => `${place} ${index}`;
    if (![...held].some(([index, number]) => isWanted(number, keyOf(index)))) continue;
    const { bytes, starts, isSound } = membersOf(open, container, held, known);
    for (const [index, number] of held) {
      if (!isWanted(number, keyOf(index))) continue;
      const start = starts[index] ?? bytes.length;
      const end = isSound ? (starts[index + 1] ?? bytes.length) : start;
      yield { number, key: keyOf(index), bytes, start, end, isPacked: true };
    }
  }
}

/** The data of an object stream, and where its objects begin in them. */
interface Members {
  readonly bytes: Uint8Array;
  readonly starts: readonly number[];
  /** Whether each reader finds the same objects: its heading names each object once, in the order of their places (ISO 32000-2, 7.5.7). */
  readonly isSound: boolean;
}

/** @param held the numbers of its objects, by their index */
function membersOf(
  { engine, document }: OpenPdf,
  container: number,
  held: ReadonlyMap<number, number>,
  known: ReadonlyMap<number, FileEntry>,
): Members {
  const none = { bytes: new Uint8Array(), starts: [], isSound: false };
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
      engine.work.spend(2 * Math.min(bytes.length, Math.max(0, first.asNumber())));
      return { bytes, ...startsIn(bytes, first.asNumber(), count.asNumber(), held) };
    });
  } catch (error) {
    if (!engine.isFailure(error)) throw error;
    return none;
  }
}

function startsIn(
  bytes: Uint8Array,
  first: number,
  count: number,
  held: ReadonlyMap<number, number>,
): Omit<Members, "bytes"> {
  const heading = tokens(bytes.subarray(0, Math.max(0, first)), 0);
  const starts: number[] = [];
  const numbers = new Set<number>();
  let isSound = first >= 0 && first <= bytes.length;
  const isInteger = (): boolean =>
    heading.next() === "integer" && isDigit(bytes[heading.start]) && !heading.followsComment && !heading.followsNull;
  for (let index = 0; isSound && index < count; index++) {
    isSound = isInteger();
    const number = Number(heading.text());
    isSound &&= isInteger() && !numbers.has(number) && number === (held.get(index) ?? number);
    const start = first + Number(heading.text());
    isSound &&= start < bytes.length && start > (starts.at(-1) ?? -1);
    numbers.add(number);
    starts.push(start);
  }
  return { starts, isSound: isSound && heading.next() === undefined && !heading.followsComment };
}

/** The references that only the bytes have. One object remembers those of all revisions of a file. */
export class HiddenReferences {
  /** By the key of their container. */
  readonly #known = new Map<string, readonly number[]>();

  /** Adds them to the references that MuPDF found in a revision. */
  async addTo(references: References, open: OpenPdf, changed: ReadonlySet<number>): Promise<void> {
    const meter = new ParseMeter(open.engine.work, "syntax");
    const isNew = (number: number, key: string): boolean => {
      const known = this.#known.get(key);
      if (known) references.hide(number, known);
      return known === undefined;
    };
    const add = async (written: WrittenValue): Promise<void> => {
      const counts = new Map(await possibleReferences(written, meter));
      const holders = written.number === TRAILER ? [TRAILER, TRAILER_REST] : [written.number];
      for (const holder of holders)
        for (const target of references.targetsOf(holder)) counts.set(target, (counts.get(target) ?? 0) - 1);
      const hidden = Array.from(counts, ([target, count]) => (count > 0 ? target : 0)).filter((target) => target !== 0);
      this.#known.set(written.key, hidden);
      references.hide(written.number, hidden);
    };
    for await (const written of writtenIn(open, isNew)) await add(written);
    const trailer = trailerOf(open);
    if (trailer && isNew(TRAILER, trailer.key)) await add(trailer);
    if (references.hidesAny)
      references.hide(ANY, [...new Set([...open.engine.fileEntriesOf(open.document).keys(), ...changed])]);
  }
}

/** The newest trailer, or the cross-reference stream that it is in. The bytes are valid until the engine is called. */
function trailerOf({ engine, document, input }: OpenPdf): WrittenValue | undefined {
  const { length } = input.bytes;
  const offset = startXrefAt(input.bytes, length);
  if (offset === undefined) return undefined;
  const at = offset + engine.headerOf(document);
  const bytes = input.bytes.view(0, length);
  const first = tokens(bytes, at);
  first.next();
  const shared = { number: TRAILER, key: `trailer ${at}`, bytes };
  if (!first.isKeyword("xref")) return { ...shared, start: at, end: length, isPacked: false };
  const start = find(bytes, "trailer", at) + "trailer".length;
  const end = find(bytes, "startxref", start);
  return start > at && end > 0 ? { ...shared, start, end, isPacked: true } : undefined;
}
