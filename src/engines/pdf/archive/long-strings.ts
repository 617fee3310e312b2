/** Strings of objects that are longer than PDF/A allows (ISO 19005-2, 6.1.13). Those of contents are divided (content.ts). */
import type { PDFObject } from "mupdf";
import { isArray } from "../conformance/model/document.ts";
import { MOST_STRING } from "../conformance/rules/file-structure.ts";
import { INFO_KEYS } from "../metadata/info.ts";
import { type Plain, PlainDictionary, PlainReference, PlainString } from "../objects/plain-values.ts";
import { decodeText, textString } from "../objects/text-string.ts";
import { eachContainer } from "./containers.ts";
import type { SurveyedTarget } from "./target.ts";
import type { Work } from "../../work.ts";

export const LONG_STRINGS = "6.1.13-3";

/** Entries that may have a stream instead (ISO 32000-2, 7.9.3): values of fields, and rich text. */
const TEXT_STREAMS = new Set(["V", "DV", "RV", "RC"]);
/** Keys of private data (annex E): a prefix of four characters, or `XX`. */
const PRIVATE = /^(?:XX|\w{4}[_:])/;
/** Characters of a title of the outline that is shortened: in UTF-16, they have twice as many bytes. */
const MOST_CHARACTERS = 16_000;
/** Fuel per value of private data. */
const VALUE_WORK = 20;

/** Strings that can neither move nor be shortened stay, and validation names their objects. */
export async function archiveLongStrings(target: SurveyedTarget): Promise<void> {
  const { open, model, survey, changes } = target;
  if (!survey.has(LONG_STRINGS)) return;
  const { document } = open;
  const info = model.dictionary(model.trailer, "Info");
  const longStrings = await LongStrings.in(target);
  await eachContainer(target, ({ plain, handle }) => {
    for (const name of longStrings.privateData(model.dictionary(plain, "PieceInfo"))) {
      handle().get("PieceInfo").delete(name);
      changes.add("private_data_removed");
    }
    for (const [key, value] of plain.entries) {
      if (!isLong(value)) continue;
      if (TEXT_STREAMS.has(key)) {
        handle().put(key, document.addStream(value.bytes, {}));
        changes.add("strings_moved_to_streams");
      } else if (key === "Title" && plain !== info && plain.entries.has("Parent")) {
        const item: PDFObject = handle();
        item.put(key, textString(item, decodeText(value.bytes).slice(0, MOST_CHARACTERS)));
        changes.add("titles_shortened");
      } else if (PRIVATE.test(key) || (plain === info && !INFO_KEYS.has(key))) {
        handle().delete(key);
        changes.add("private_data_removed");
      }
    }
  });
}

/** Whether a value is a string that is too long. */
const isLong = (value: Plain | undefined): value is PlainString =>
  value instanceof PlainString && value.mostBytes > MOST_STRING && value.bytes.length > MOST_STRING;

/**
 * Where strings that are too long can be reached. The data of applications in `PieceInfo` (ISO 32000-2, 14.5) can share objects, so that these are looked at
 * once for all of them. A dictionary with `PieceInfo` is left out: a page is no part of the data that refer to it.
 */
class LongStrings {
  readonly #work: Work;
  readonly #reaching: ReadonlySet<number>;
  /** Pages can share one. */
  readonly #seen = new Set<PlainDictionary>();

  private constructor(work: Work, reaching: ReadonlySet<number>) {
    this.#work = work;
    this.#reaching = reaching;
  }

  static async in({ open, model }: SurveyedTarget): Promise<LongStrings> {
    const { work } = open.engine;
    const holders = new Map<number, number[]>();
    const reaching = new Set<number>();
    const pending: number[] = [];
    for (const [number, object] of model.objects) {
      const { hasLong, references, values } = contentsOf(object);
      work.spend(values * VALUE_WORK);
      await work.pause();
      if (hasLong) pending.push(number);
      for (const reference of references) {
        const known = holders.get(reference);
        if (known) known.push(number);
        else holders.set(reference, [number]);
      }
    }
    for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
      if (reaching.has(number)) continue;
      reaching.add(number);
      for (const holder of holders.get(number) ?? []) pending.push(holder);
      await work.pause();
    }
    return new LongStrings(work, reaching);
  }

  /** The names of the applications whose data have a string that is too long; of each `PieceInfo` once. */
  privateData(pieceInfo: PlainDictionary | undefined): string[] {
    if (!pieceInfo || this.#seen.has(pieceInfo)) return [];
    this.#seen.add(pieceInfo);
    return [...pieceInfo.entries].flatMap(([name, data]) => (this.#isIn(data) ? name : []));
  }

  #isIn(data: Plain): boolean {
    const { hasLong, references, values } = contentsOf(data);
    this.#work.spend(values * VALUE_WORK);
    return hasLong || references.some((reference) => this.#reaching.has(reference));
  }
}

/** Whether direct values have a string that is too long, the objects that they refer to, and how many values they are. */
function contentsOf(value: Plain): { hasLong: boolean; references: readonly number[]; values: number } {
  const references: number[] = [];
  let [hasLong, values] = [false, 0];
  const pending: Plain[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    values++;
    if (next instanceof PlainReference) references.push(next.number);
    else if (isArray(next)) for (const item of next) pending.push(item);
    else if (next instanceof PlainDictionary && !next.entries.has("PieceInfo"))
      for (const item of next.entries.values()) pending.push(item);
    else hasLong ||= isLong(next);
  }
  return { hasLong, references, values };
}
