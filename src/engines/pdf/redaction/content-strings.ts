/** Text in content besides what it shows: strings of marked content, comments, and names (ISO 32000-2, 14.6, 7.8.2). */
import type { Work } from "../../work.ts";
import { concat } from "../../bytes/concat.ts";
import { bytesOf, latin1 } from "../../bytes/latin1.ts";
import { ContentLexer } from "../content/lexer.ts";
import { unescapeName } from "../objects/names.ts";
import { readHexadecimal, readLiteral } from "../objects/string-syntax.ts";
import { decodeText } from "../objects/text-string.ts";

/** Begins or marks marked content, with its properties. */
const MARKS = new Set(["BDC", "DP"]);

const stringAt = (bytes: Uint8Array, token: "literal" | "hex"): Uint8Array =>
  (token === "literal" ? readLiteral : readHexadecimal)(bytes, 0).value;

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
  /** Where strings stand since the last operator, and the name before each. */
  let pending: { start: number; end: number; value: Uint8Array; after: string }[] = [];
  let [copied, end, name] = [0, 0, ""];
  const put = (start: number, to: number, text: string): void => {
    parts.push(content.subarray(copied, start), bytesOf(text));
    copied = to;
  };
  for (let token = lexer.next(); ; token = lexer.next()) {
    if (lexer.isDue) await work.rest();
    const start = token ? lexer.start : content.length;
    const between = content.subarray(end, start);
    const isComment = between.includes(0x25) && clean.text(decodeText(between)) !== undefined;
    if (!token) {
      if (isComment) put(end, start, "\n");
      break;
    }
    if (token === "word") {
      const word = lexer.text(start, Math.min(lexer.end, start + 16));
      if (MARKS.has(word) || clean.inAllStrings === true) {
        for (const { start: from, end: to, value, after } of pending) {
          const isDropped = clean.dropsReplacements && REPLACEMENTS.has(after);
          if (isDropped || clean.text(decodeText(value)) !== undefined) put(from, to, "<>");
        }
      }
      if (isComment) put(end, start, "\n");
      pending = [];
      if (word === "ID") lexer.image();
    } else {
      if (isComment && pending.length === 0) put(end, start, "\n");
      if (token === "literal" || token === "hex") {
        const value = stringAt(content.subarray(start, lexer.end), token);
        pending.push({ start, end: lexer.end, value, after: name });
      } else if (token === "name") {
        name = nameIn(lexer.text(start + 1, lexer.end));
        const cleaned = clean.name(name);
        if (cleaned !== undefined && pending.length === 0) put(start, lexer.end, `/${escaped(cleaned)}`);
      }
    }
    end = lexer.end;
  }
  if (copied === 0) return undefined;
  parts.push(content.subarray(copied));
  return concat(parts);
}

/** A name in the syntax of content (7.3.5). */
function escaped(name: string): string {
  return latin1(new TextEncoder().encode(name)).replaceAll(
    /[^!"$&'*+,.0-;=?-Z\\^-z|~-]/g,
    (character) => `#${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
