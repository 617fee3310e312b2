/** Numbers, dates, and times as a number format shows them (ECMA-376, part 1, 18.8.30 and 18.8.31). */
import { format, getFormatFromId, isDateFormat } from "numfmt";
import type { Work } from "../../work.ts";

/** The highest number of a format that every workbook has (18.8.30). */
const LAST_BUILT_IN = 81;
/** Days between the calendars that begin in 1900 and 1904. */
const TO_1904 = 1_462;
/** Fuel for a value, for each character of its code, and for each character of a code that is read for the first time. */
const [VALUE_WORK, CHARACTER_WORK, READ_WORK] = [600, 8, 400];
/** numfmt keeps up to 1,000 codes for all workbooks of an isolate, with 115 bytes or less for each character. Shorter ones push them out after so many. */
const [KEPT_CODES, KEPT_CHARACTERS] = [1_000, 30_000];
let keptCharacters = 0;

const OPTIONS = { dateSpanLarge: false };
/** A string, an escaped character, or a currency with its locale: only dates follow the locale of a code, numbers that of the program. */
const LOCALE = /"[^"]*"|\\.|\[\$([^\]-]*)(-[^\]]*)?\]/gsu;

const withoutLocales = (code: string): string =>
  code.replace(LOCALE, (whole, currency?: string) => currency?.replace(/./gsu, "\\$&") ?? whole);

interface Code {
  readonly text: string;
  readonly isDate: boolean;
}

export class NumberFormats {
  readonly #work: Work;
  readonly #own: ReadonlyMap<number, string>;
  readonly #from1904: boolean;
  readonly #notConverted: Set<string>;
  readonly #codes = new Map<number, Code>();

  /** `notConverted` gets `number-formats` if a code is none: its values are shown without a format. */
  constructor(work: Work, own: ReadonlyMap<number, string>, from1904: boolean, notConverted: Set<string>) {
    this.#work = work;
    this.#own = own;
    this.#from1904 = from1904;
    this.#notConverted = notConverted;
  }

  text(value: string, id: number): string {
    return this.#shown(value, this.#codeOf(id));
  }

  number(value: number, id: number): string {
    const code = this.#codeOf(id);
    // Text formats do not change how a number is written.
    return this.#shown(code.isDate && this.#from1904 ? value + TO_1904 : value, code).trim();
  }

  #shown(value: string | number, { text }: Code): string {
    this.#work.spend(VALUE_WORK + text.length * CHARACTER_WORK);
    return format(text, value, OPTIONS);
  }

  #codeOf(id: number): Code {
    const known = this.#codes.get(id);
    if (known !== undefined) return known;
    const isBuiltIn = Number.isInteger(id) && id >= 0 && id <= LAST_BUILT_IN;
    const written = this.#own.get(id) ?? (isBuiltIn ? getFormatFromId(id) : "General");
    this.#work.spend(written.length * READ_WORK);
    const code = readCode(written);
    if (code === undefined) this.#notConverted.add("number-formats");
    const found = code ?? { text: "General", isDate: false };
    this.#codes.set(id, found);
    return found;
  }
}

/** Undefined if it is not valid. */
function readCode(written: string): Code | undefined {
  keptCharacters += 2 * written.length;
  if (keptCharacters > KEPT_CHARACTERS) {
    for (let index = 0; index < KEPT_CODES; index++) format(`"${index}"`, 0);
    keptCharacters = 0;
  }
  try {
    const isDate = isDateFormat(written);
    const text = isDate ? written : withoutLocales(written);
    format(text, 1, OPTIONS);
    return { text, isDate };
  } catch {
    return undefined;
  }
}
