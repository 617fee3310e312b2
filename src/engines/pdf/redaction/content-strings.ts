/** Text in content besides what it shows: strings of marked content, comments, and names (ISO 32000-2, 14.6, 7.8.2). */
import type { Work } from "../../work.ts";
import { concat } from "../../../bytes/concat.ts";
import { hex } from "../../../bytes/hex.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import { ContentLexer } from "../content/lexer.ts";
import { PERCENT } from "../syntax/characters.ts";
import { escapeName, unescapeName } from "../syntax/names.ts";
import { readString } from "../syntax/strings.ts";
import { decodeText, encodeText } from "../objects/text-string.ts";

/** Shows text. */
const SHOWS = new Set(["Tj", "TJ", "'", '"']);

/** An adjustment in an array of shown strings that is as wide as a space, in thousandths of the font size (9.4.3). */
const SPACE = -180;

/** What content, or another program in this syntax, has besides operators and numbers. */
export interface ContentStrings {
  /** What each operator shows, as it is encoded in its font. */
  readonly shown: readonly Uint8Array[];
  /** All other strings. */
  readonly strings: readonly Uint8Array[];
  readonly names: readonly string[];
  readonly comments: readonly Uint8Array[];
}

const SPACE_BYTES = Uint8Array.of(0x20);

/** Reads content as it is written, without fonts. */
export async function readContentStrings(content: Uint8Array, work: Work): Promise<ContentStrings> {
  const lexer = new ContentLexer(content);
  const [shown, strings, comments]: [Uint8Array[], Uint8Array[], Uint8Array[]] = [[], [], []];
  const names = new Set<string>();
  let pending: Uint8Array[] = [];
  let end = 0;
  for (let token = lexer.next(); ; token = lexer.next()) {
    if (lexer.isDue) await work.rest();
    const start = token ? lexer.start : content.length;
    const between = content.subarray(end, start);
    if (between.includes(PERCENT)) comments.push(between);
    if (!token) break;
    if (token === "literal" || token === "hex") pending.push(readString(content.subarray(start, lexer.end), 0).value);
    else if (token === "name") names.add(nameIn(lexer.text(start + 1, lexer.end)));
    else if (token === "number" && Number.parseFloat(lexer.text(start, lexer.end)) < SPACE) pending.push(SPACE_BYTES);
    else if (token === "word") {
      const word = lexer.text(start, Math.min(lexer.end, start + 16));
      if (SHOWS.has(word)) shown.push(concat(pending));
      else strings.push(...pending);
      pending = [];
      if (word === "ID") lexer.image();
    }
    end = lexer.end;
  }
  return { shown, strings: [...strings, ...pending], names: [...names], comments };
}

/** A name as text: in UTF-8, as 7.3.5 requires, or byte by byte. */
function nameIn(written: string): string {
  const bytes = unescapeName(written);
  if (/^[\x20-\x7e]*$/.test(bytes)) return bytes;
  const text = new TextDecoder().decode(bytesOf(bytes));
  return text.includes("\ufffd") ? bytes : text;
}

interface Cleaning {
  /** A text or name without what is redacted; undefined if there is nothing in it. */
  readonly text: (text: string) => string | undefined;
  readonly name: (name: string) => string | undefined;
  /** Whether all replacement texts of marked content go. */
  readonly dropsReplacements: boolean;
  /** Whether all strings are text, as in a CMap, and not only those of marked content. */
  readonly inAllStrings?: boolean;
}

/** Replacement texts of marked content (14.9.3 to 14.9.5). */
const REPLACEMENTS = new Set(["ActualText", "Alt", "E"]);

/** The content without what is redacted in marked content, comments, and names. Undefined if nothing changes. */
export async function cleanContent(content: Uint8Array, work: Work, clean: Cleaning): Promise<Uint8Array | undefined> {
  const lexer = new ContentLexer(content);
  const parts: Uint8Array[] = [];
  /** Where strings stand since the last operator, and the name before each; and names and comments among them, with what they become. */
  type Pending = { start: number; end: number } & ({ value: Uint8Array; after: string } | { becomes: string });
  let pending: Pending[] = [];
  let [copied, end, name] = [0, 0, ""];
  const put = (start: number, to: number, text: string): void => {
    parts.push(content.subarray(copied, start), bytesOf(text));
    copied = to;
  };
  /** Strings that no operator shows are of marked content, or of nothing that readers know. */
  const cleanPending = (areShown: boolean): void => {
    for (const one of pending) {
      const { start, end: to } = one;
      if ("becomes" in one) {
        put(start, to, one.becomes);
        continue;
      }
      if (areShown) continue;
      const { value, after } = one;
      const isDropped = clean.dropsReplacements && REPLACEMENTS.has(after);
      const cleaned = clean.text(decodeText(value));
      if (!isDropped && cleaned === undefined) continue;
      const isText = !isDropped && REPLACEMENTS.has(after) && cleaned !== undefined;
      put(start, to, isText ? `<${hex(encodeText(cleaned))}>` : "<>");
    }
  };
  for (let token = lexer.next(); ; token = lexer.next()) {
    if (lexer.isDue) await work.rest();
    const start = token ? lexer.start : content.length;
    const between = content.subarray(end, start);
    const isComment = between.includes(PERCENT) && clean.text(decodeText(between)) !== undefined;
    if (!token) {
      cleanPending(false);
      if (isComment) put(end, start, "\n");
      break;
    }
    if (token === "word") {
      const word = lexer.text(start, Math.min(lexer.end, start + 16));
      cleanPending(SHOWS.has(word) && clean.inAllStrings !== true);
      if (isComment) put(end, start, "\n");
      pending = [];
      if (word === "ID") lexer.image();
    } else {
      if (isComment) pending.push({ start: end, end: start, becomes: "\n" });
      if (token === "literal" || token === "hex") {
        const { value } = readString(content.subarray(start, lexer.end), 0);
        pending.push({ start, end: lexer.end, value, after: name });
      } else if (token === "name") {
        name = nameIn(lexer.text(start + 1, lexer.end));
        const cleaned = clean.name(name);
        if (cleaned !== undefined) {
          const becomes = `/${escapeName(latin1(new TextEncoder().encode(cleaned)))}`;
          pending.push({ start, end: lexer.end, becomes });
        }
      }
    }
    end = lexer.end;
  }
  if (copied === 0) return undefined;
  parts.push(content.subarray(copied));
  return concat(parts);
}
