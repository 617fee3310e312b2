/** Reads what the codes of a font mean (ISO 32000-2, 9.10.3). */
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { ContentLexer } from "../content/lexer.ts";
import { MOST_VALUES, tooMany } from "../erasure/cmap.ts";
import { readHexadecimal } from "../syntax/strings.ts";

/** Most codes that are read: all that two bytes can be. */
const MOST_CODES = 65_536;

/** Bytes of the text of a code (Adobe Technical Note 5411, 1.4.1). */
const MOST_TEXT = 512;

/**
 * The UTF-16BE of each code of a ToUnicode CMap; undefined if it refers to another one. Codes above two bytes are left out.
 */
export async function readToUnicode(cmap: Uint8Array, work: Work): Promise<Map<number, Uint8Array> | undefined> {
  const meanings = new Map<number, Uint8Array>();
  const lexer = new ContentLexer(cmap);
  const meter = new ParseMeter(work, "cmap");
  let read = 0;
  /** Strings since the last word, and where arrays among them begin and end. */
  let values: (Uint8Array | "[" | "]")[] = [];
  for (let token = lexer.next(); token; token = lexer.next()) {
    meter.bytes(lexer.end - read);
    read = lexer.end;
    meter.element();
    await meter.pause();
    if (values.length > MOST_VALUES) throw tooMany("values in a section", MOST_VALUES, values.length);
    if (token === "hex") values.push(readHexadecimal(cmap.subarray(lexer.start, lexer.end), 0).value);
    else if (token === "[" || token === "]") values.push(token);
    else if (token === "word") {
      const word = lexer.text(lexer.start, Math.min(lexer.end, lexer.start + 20));
      if (word === "usecmap") return undefined;
      if (word === "endbfchar") characters(values);
      if (word === "endbfrange") await ranges(values);
      values = [];
    }
  }
  return meanings;

  function add(code: number, text: Uint8Array): void {
    meter.element();
    if (code < MOST_CODES && text.length <= MOST_TEXT) meanings.set(code, text);
  }

  function characters(items: typeof values): void {
    for (let at = 0; at + 1 < items.length; at += 2) {
      const [code, text] = [items[at], items[at + 1]];
      if (code instanceof Uint8Array && text instanceof Uint8Array) add(numberOf(code), text);
    }
  }

  async function ranges(items: typeof values): Promise<void> {
    for (let at = 0; at + 2 < items.length; at += 3) {
      await meter.pause();
      const [first, last, text] = [items[at], items[at + 1], items[at + 2]];
      if (!(first instanceof Uint8Array) || !(last instanceof Uint8Array)) return;
      let code = numberOf(first);
      const end = Math.min(numberOf(last), MOST_CODES - 1);
      if (text instanceof Uint8Array) {
        if (text.length > MOST_TEXT) continue;
        for (let step = 0; code <= end; step++) add(code++, increased(text, step));
      } else {
        for (at++; at + 2 < items.length && items[at + 2] !== "]"; at++) {
          const own = items[at + 2];
          if (own instanceof Uint8Array && code <= end) add(code++, own);
        }
      }
    }
  }
}

const numberOf = (code: Uint8Array): number => code.reduce((number, byte) => number * 256 + byte, 0);

/** Text whose last UTF-16 unit is increased. */
function increased(text: Uint8Array, by: number): Uint8Array {
  const result = text.slice();
  const [high, low] = [text.length - 2, text.length - 1];
  const unit = ((text[high] ?? 0) << 8) + (text[low] ?? 0) + by;
  if (low >= 0) result[low] = unit & 0xff;
  if (high >= 0) result[high] = unit >> 8;
  return result;
}
