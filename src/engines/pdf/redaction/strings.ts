/** Redacts strings and names of a document: everywhere, since nothing else is known about where text may stand. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { eachObject } from "../objects/each-object.ts";
import { entries, isNamed, nameTree, objectNumber, writeNameTree } from "../objects/objects.ts";
import { decodeName, decodeText, textString } from "../objects/text-string.ts";
import { ByteSearch } from "./byte-search.ts";
import type { Matcher } from "./matcher.ts";

/** Stands for what was redacted, unless it would be found itself. */
const FILLERS = ["***", "\u2588\u2588\u2588", ""];
const NAME_FILLERS = ["_", "-", "x"];

/** MuPDF has the names that the standard defines in a table, and their places in it for handles. */
const STANDARD_NAMES = 1024;

/** Entries that are code or an address: a part of it would be neither. */
const AS_A_WHOLE = new Set(["JS", "URI"]);

/** Values of these are read as bytes, not as text. */
const IDENTIFIERS = new Set(["CheckSum", "Registry", "Ordering"]);

/** Fuel per value. */
const VALUE_WORK = 20;

/** Longest string in bytes that is read as text. */
const MOST_TEXT = 4 * 1024 * 1024;

export const isStandardName = (name: PDFObject): boolean => (name.pointer as unknown as number) < STANDARD_NAMES;

/** Whether the name of a font is needed to find it: it is not embedded (9.6.2.2). */
export function isFontByName(dictionary: PDFObject): boolean {
  const descriptor = isNamed(dictionary.get("Type"), "FontDescriptor") ? dictionary : descriptorOf(dictionary);
  return !["FontFile", "FontFile2", "FontFile3"].some((key) => descriptor.get(key).isStream());
}

const descriptorOf = (font: PDFObject): PDFObject =>
  (isNamed(font.get("Subtype"), "Type0") ? font.get("DescendantFonts", 0) : font).get("FontDescriptor");

/** The names of a font: the entries that may stay if it is found by them. */
export const FONT_NAMES = new Set(["BaseFont", "FontName", "FontFamily"]);

export class StringRedactor {
  readonly #open: OpenPdf;
  readonly #matcher: Matcher;
  /** What strings and names became, so that those which refer to each other still do, and different ones stay different. */
  readonly #became = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** Strings, names, and streams that were changed. */
  count = 0;

  constructor(open: OpenPdf, matcher: Matcher) {
    this.#open = open;
    this.#matcher = matcher;
  }

  /** Redacts all strings and names of the document. `dropped`: objects that are no longer part of it. */
  async redactAll(dropped: ReadonlySet<number> = new Set()): Promise<void> {
    const { document, engine } = this.#open;
    const encryption = objectNumber(document.getTrailer().get("Encrypt"));
    const before = this.count;
    await eachObject(this.#open, (object, number) => {
      if (number !== encryption) this.#container(object, dropped, 0);
    });
    engine.scope(() => this.#container(document.getTrailer(), dropped, 0));
    if (this.count > before) engine.scope(() => this.#sortNames());
  }

  /** The text without what is redacted; undefined if there is nothing in it. */
  clean(text: string): string | undefined {
    return this.#replaced("text", text, FILLERS);
  }

  /** The same for a name. */
  cleanName(name: string): string | undefined {
    return this.#replaced("name", name, NAME_FILLERS);
  }

  #replaced(kind: "text" | "name", text: string, fillers: readonly string[]): string | undefined {
    const key = `${kind}/${text}`;
    const known = this.#became.get(key);
    if (known !== undefined) return known;
    const ranges = this.#matcher.inString(text);
    if (ranges.length === 0) return undefined;
    const kept = fillers
      .map((filler) => {
        let result = "";
        let from = 0;
        for (const { start, end } of ranges) {
          result += text.slice(from, start) + filler;
          from = end;
        }
        return result + text.slice(from);
      })
      .find((candidate) => !this.#matcher.isIn(candidate));
    let result = kept ?? "";
    for (let number = 2; this.#taken.has(`${kind}/${result}`) && number < 100_000; number++) {
      const other = `${kept ?? ""}${kind === "name" ? "_" : " "}${number}`;
      if (this.#matcher.isIn(other)) break;
      result = other;
    }
    this.#taken.add(`${kind}/${result}`);
    this.#became.set(key, result);
    return result;
  }

  #container(object: PDFObject, dropped: ReadonlySet<number>, depth: number): void {
    const { engine, document } = this.#open;
    engine.work.spend(VALUE_WORK);
    if (depth > 500) return;
    if (object.isArray()) {
      const isPalette = isNamed(object.get(0), "Indexed") || isNamed(object.get(0), "I");
      for (let index = 0; index < object.length; index++) {
        const value = object.get(index);
        if (dropped.has(objectNumber(value))) object.delete(index--);
        else if (!isPalette || index === 1)
          this.#value(value, "", object, depth, dropped, (made) => object.put(index, made));
      }
      return;
    }
    if (!object.isDictionary()) return;
    const isSignature = !object.get("ByteRange").isNull();
    const mayName = isFont(object) && isFontByName(object);
    for (const { key, value } of entries(engine, object)) {
      const name = key.asName();
      if ((mayName && FONT_NAMES.has(name)) || IDENTIFIERS.has(name)) continue;
      // The identifier of the file (14.4).
      if (name === "ID" && value.isArray()) continue;
      if (dropped.has(objectNumber(value))) {
        object.delete(key);
        continue;
      }
      if (isSignature && name === "Contents") {
        this.#signature(object, value);
        continue;
      }
      const renamed = isStandardName(key) ? undefined : this.cleanName(decodeName(engine, key));
      if (renamed !== undefined) {
        object.delete(key);
        object.put(document.newName(renamed), value);
        this.count++;
      }
      const at = renamed ?? key;
      this.#value(value, name, object, depth, dropped, (made) => object.put(at, made));
    }
  }

  #value(
    value: PDFObject,
    key: string,
    owner: PDFObject,
    depth: number,
    dropped: ReadonlySet<number>,
    put: (made: PDFObject) => void,
  ): void {
    const { engine, document } = this.#open;
    engine.work.spend(VALUE_WORK);
    if (value.isString()) {
      const made = this.#string(value, key, owner);
      if (made) {
        put(made);
        this.count++;
      }
    } else if (value.isName()) {
      const name = value.resolve();
      const renamed = isStandardName(name) ? undefined : this.cleanName(decodeName(engine, name));
      if (renamed === undefined) return;
      put(document.newName(renamed));
      this.count++;
    } else if (!value.isIndirect()) this.#container(value, dropped, depth + 1);
  }

  #string(value: PDFObject, key: string, owner: PDFObject): PDFObject | undefined {
    const bytes = value.asByteString();
    if (bytes.length > MOST_TEXT) return textString(owner, "");
    const text = decodeText(bytes);
    const cleaned = this.clean(text) ?? this.#cleanUtf8(bytes);
    if (cleaned === undefined) return undefined;
    return textString(owner, AS_A_WHOLE.has(key) ? "" : cleaned);
  }

  /** Some writers put UTF-8 without its mark into strings. */
  #cleanUtf8(bytes: Uint8Array): string | undefined {
    if (bytes.every((byte) => byte < 0x80)) return undefined;
    const text = new TextDecoder().decode(bytes);
    return text.includes("\ufffd") ? undefined : this.clean(text);
  }

  /** A signature has certificates with names; it is no longer valid in any case. */
  #signature(owner: PDFObject, value: PDFObject): void {
    if (!value.isString() || !this.#matcher.isIn(latin1(value.asByteString()))) return;
    owner.put("Contents", owner._doc.newByteString(new Uint8Array(2)));
    this.count++;
  }

  /** The keys of name trees are in order (7.9.6), and may not be any more. */
  #sortNames(): void {
    const { document, engine } = this.#open;
    const names = document.getTrailer().get("Root", "Names");
    for (const { key, value } of entries(engine, names)) {
      if (value.isDictionary()) names.put(key, writeNameTree(document, nameTree(engine, value)));
    }
  }
}

const isFont = (object: PDFObject): boolean =>
  ["Font", "FontDescriptor"].some((type) => isNamed(object.get("Type"), type));

/** Finds everything that was found so far, in bytes. */
export const searchFor = (open: OpenPdf, matcher: Matcher): ByteSearch => new ByteSearch(matcher, open.engine.work);
