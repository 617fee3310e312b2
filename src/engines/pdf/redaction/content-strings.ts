/** Text in content: shown text, strings of marked content, comments, names, and unknown words (ISO 32000-2, 14.6, 7.8.2). */
import type { Work } from "../../work.ts";
import { concat } from "../../../bytes/concat.ts";
import { hex } from "../../../bytes/hex.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import { ContentWriter } from "../content/content-writer.ts";
import { ContentLexer } from "../content/lexer.ts";
import { LONGEST_OPERATOR } from "../content/operator-table.ts";
import { process, type Visitor } from "../content/processor.ts";
import { CMAP_WORD, codesPerEntry } from "../fonts/cmap.ts";
import { readShown } from "../erasure/show-text.ts";
import { decodeText, encodeText } from "../objects/text-string.ts";
import { hasDelimiter, PERCENT } from "../syntax/characters.ts";
import { escapeName, unescapeName } from "../syntax/names.ts";
import { readString } from "../syntax/strings.ts";
import type { TokenKind } from "../syntax/tokens.ts";

/** An adjustment in an array of shown strings that is as wide as a space, in thousandths of the font size (9.4.3). */
const SPACE = -180;

const SPACE_BYTES = Uint8Array.of(0x20);

/** The text of each operator, encoded as in its font. */
export async function shownStrings(content: Uint8Array, work: Work): Promise<readonly Uint8Array[]> {
  const shown: Uint8Array[] = [];
  const visitor: Visitor = {
    keeps: [],
    show: ({ operators: { start, end } }) => {
      const parts = readShown(content.subarray(start, end)).flatMap((part) => {
        if (part.kind === "string") return [part.value];
        return part.value < SPACE ? [SPACE_BYTES] : [];
      });
      shown.push(concat(parts));
    },
  };
  await process(content, visitor, work);
  return shown;
}

/** A name as text: in UTF-8, as 7.3.5 requires, or byte by byte. */
function nameIn(written: string): string {
  const bytes = unescapeName(written);
  if (/^[\x20-\x7e]*$/.test(bytes)) return bytes;
  const text = new TextDecoder().decode(bytesOf(bytes));
  return text.includes("\ufffd") ? bytes : text;
}

interface Cleaning {
  /** A text or name without its matches. Undefined if it has none. */
  readonly text: (text: string) => string | undefined;
  readonly name: (name: string) => string | undefined;
  /** Whether all replacement texts of marked content go. */
  readonly dropsReplacements: boolean;
  /** Whether all strings are text, as in a CMap, and not only those of marked content. */
  readonly inAllStrings?: boolean;
}

/** Longer words than operators of content: constants, and operators of functions (7.10.5). */
const KNOWN_WORD =
  /^(?:true|false|null|atan|bitshift|ceiling|copy|exch|floor|idiv|ifelse|index|roll|round|sqrt|truncate)$/;

/** Replaces an unknown word: readers ignore it likewise. */
const UNKNOWN_WORD = "_";

/** Longest code of a CMap, in bytes, that may look like a short text. */
const LONGEST_CODE = 2;

/** The place in a section of a CMap, whose codes are numbers, and whose other strings are text (9.7.5.4, 9.10.3). */
class CMapSection {
  /** How many codes an entry begins with. */
  #codes = 0;
  #at = 0;
  #isInArray = false;

  /** Whether a string at this place is a code. */
  get isCode(): boolean {
    return this.#at < this.#codes && !this.#isInArray;
  }

  word(word: string): void {
    this.#at = 0;
    this.#isInArray = false;
    this.#codes = codesPerEntry(word);
  }

  /** Moves on behind a token that is no word. */
  value(token: TokenKind): void {
    if (token === "[" || token === "]") this.#isInArray = token === "[";
    if (!this.#isInArray) this.#at = this.#at < this.#codes ? this.#at + 1 : 0;
  }
}

/** Replacement texts of marked content (14.9.3 to 14.9.5). */
const REPLACEMENTS = new Set(["ActualText", "Alt", "E"]);

/** The content, or another program in this syntax, without the matches in marked content, comments, and names. Undefined if nothing changes. */
export async function cleanContent(content: Uint8Array, work: Work, clean: Cleaning): Promise<Uint8Array | undefined> {
  const writer = new ContentWriter(content);
  /** How far it is cleaned, and the name before that. */
  let [cleaned, name] = [0, ""];
  const section = new CMapSection();
  const cleanTo = (to: number, isShown: boolean, isUnknown = false): Promise<void> | undefined => {
    const from = cleaned;
    cleaned = to;
    // Most operators have only numbers.
    return isUnknown || hasDelimiter(content, from, to) ? cleanRange(from, to, isShown) : undefined;
  };
  const cleanRange = async (from: number, to: number, isShown: boolean): Promise<void> => {
    const lexer = new ContentLexer(content.subarray(from, to));
    let end = from;
    for (let token = lexer.next(); ; token = lexer.next()) {
      if (lexer.isDue) await work.rest();
      const start = token ? from + lexer.start : to;
      const between = content.subarray(end, start);
      if (between.includes(PERCENT) && clean.text(decodeText(between)) !== undefined) writer.replace(end, start, "\n");
      if (!token) return;
      end = from + lexer.end;
      if (token === "name") {
        name = nameIn(lexer.text(lexer.start + 1, lexer.end));
        const text = clean.name(name);
        if (text !== undefined) writer.replace(start, end, `/${escapeName(latin1(new TextEncoder().encode(text)))}`);
      } else if ((token === "literal" || token === "hex") && !isShown) {
        const { value } = readString(content.subarray(start, end), 0);
        const isCode = token === "hex" && section.isCode && value.length <= LONGEST_CODE;
        const text = isCode ? undefined : withoutRedacted(value, name, clean);
        if (text !== undefined) writer.replace(start, end, text);
      } else if (token === "word" && end - start > LONGEST_OPERATOR) {
        const word = lexer.text(lexer.start, lexer.end);
        if (!KNOWN_WORD.test(word) && !CMAP_WORD.test(word) && clean.text(word) !== undefined)
          writer.replace(start, end, UNKNOWN_WORD);
      }
      if (clean.inAllStrings !== true) continue;
      if (token === "word") section.word(lexer.text(lexer.start, lexer.end));
      else section.value(token);
    }
  };
  const visitor: Visitor = {
    keeps: [],
    each: ({ operators }) => {
      const { data, end, entry } = operators;
      if (entry.family !== "image") return cleanTo(end, entry.family === "show", entry.name === "");
      const cleaning = cleanTo(data.start, false);
      cleaned = end;
      return cleaning;
    },
  };
  if (clean.inAllStrings !== true) await process(content, visitor, work);
  await cleanTo(content.length, false);
  return writer.result();
}

/** The replacement of a string that no operator shows: a string of marked content, or of an operator unknown to readers. Undefined if it stays. */
function withoutRedacted(value: Uint8Array, after: string, clean: Cleaning): string | undefined {
  const isReplacement = REPLACEMENTS.has(after);
  if (isReplacement && clean.dropsReplacements) return "<>";
  const text = clean.text(decodeText(value));
  if (text === undefined) return undefined;
  return isReplacement ? `<${hex(encodeText(text))}>` : "<>";
}
