/** Strings of objects that are longer than PDF/A allows (ISO 19005-2, 6.1.13). Those of contents are divided (content.ts). */
import type { PDFObject } from "mupdf";
import { isArray } from "../conformance/model/document.ts";
import { MOST_STRING } from "../conformance/rules/file-structure.ts";
import { INFO_KEYS } from "../metadata/info.ts";
import { type Plain, PlainDictionary, PlainReference, PlainString } from "../objects/plain-values.ts";
import { decodeText, textString } from "../objects/text-string.ts";
import { eachContainer } from "./containers.ts";
import type { SurveyedTarget } from "./target.ts";

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
  const privateData = new PrivateData(target);
  await eachContainer(target, ({ plain, handle }) => {
    for (const name of privateData.long(plain)) {
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

/** The data of applications in `PieceInfo` (ISO 32000-2, 14.5). */
class PrivateData {
  readonly #target: SurveyedTarget;

  constructor(target: SurveyedTarget) {
    this.#target = target;
  }

  /** The names of the applications whose data have a string that is too long. */
  long(holder: PlainDictionary): string[] {
    const { model } = this.#target;
    const all = model.dictionary(holder, "PieceInfo")?.entries ?? new Map<string, Plain>();
    return [...all].flatMap(([name, data]) => (this.#hasLong(data) ? name : []));
  }

  #hasLong(data: Plain): boolean {
    const { model, open } = this.#target;
    const seen = new Set<number>();
    const pending: Plain[] = [data];
    for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
      open.engine.work.spend(VALUE_WORK);
      if (value instanceof PlainReference) {
        if (seen.has(value.number)) continue;
        seen.add(value.number);
      }
      const found = model.resolve(value);
      if (isLong(found)) return true;
      // A page is no part of the data that refer to it.
      if (found instanceof PlainDictionary && !found.entries.has("PieceInfo")) pending.push(...found.entries.values());
      else if (isArray(found)) pending.push(...found);
    }
    return false;
  }
}
