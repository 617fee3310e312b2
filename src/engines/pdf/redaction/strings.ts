/** Redacts strings and names everywhere in a document, since text may be in any of them. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { newIdentifier } from "../document/identifier.ts";
import { mapOf, names, writeNames } from "../document/names.ts";
import { latin1 } from "../../../bytes/latin1.ts";
import { isConstant, NONE, type Pointer } from "../mupdf/values.ts";
import { eachPointer } from "../objects/each-object.ts";
import { counted, entries, isNamed, items, objectNumber } from "../objects/objects.ts";
import { decodeText, encodeText, nameAsText } from "../objects/text-string.ts";
import { firstItem, type WalkedContainer, walkValues } from "../objects/walk-values.ts";
import { ByteSearch } from "./byte-search.ts";
import type { Matcher } from "./matcher.ts";
import { atOnceWithin, inTurns, type Steps } from "../../steps.ts";
import { otherReadings } from "./searchable.ts";

/** Replaces redacted text, unless it would be found itself. */
const FILLERS = ["***", "\u2588\u2588\u2588", ""];
const NAME_FILLERS = ["_", "-", "x"];

/** Entries that are code or an address: a part of it would be neither. */
const AS_A_WHOLE = new Set(["JS", "URI"]);

/** Character collections, without whose names the codes of a font cannot be read (9.7.3). */
const COLLECTIONS = new Set(["Adobe", "CNS1", "GB1", "Identity", "Japan1", "Japan2", "Korea1", "KR", "Manga1", "UCS"]);

const FONT_TYPES = ["Font", "FontDescriptor"];
const PALETTES = ["Indexed", "I"];

/** Fuel per value, in addition to that for the search in it: MuPDF returns its kind, and a name is read byte by byte. */
const VALUE_WORK = 150;

/** How many names without a match are remembered, and how long these are. */
const [MOST_KNOWN, LONGEST_KNOWN] = [10_000, 64];

/** Longest string in bytes that is searched at once. */
const LONG = 4096;

/** Longest string in bytes that is read as text. */
const MOST_TEXT = 4 * 1024 * 1024;

/** The file's identifier, and the standard names in this instance. */
interface Keys {
  readonly identifier: Pointer;
  readonly type: Pointer;
  readonly range: Pointer;
  readonly fonts: readonly Pointer[];
  readonly palettes: readonly Pointer[];
}

/** A change of the keys of a dictionary. */
interface Change {
  readonly dictionary: Pointer;
  readonly change: (dictionary: PDFObject) => void;
}

// oxlint-disable-next-line no-control-regex -- it looks for these characters
const isBinary = (text: string): boolean => /[\0-\x08\x0e-\x1f\ufffd]/.test(text);

export const isStandardName = (name: PDFObject): boolean => isConstant(name.pointer);

/** Whether the name of a font is needed to find it: it is not embedded (9.6.2.2). */
function isFontByName(dictionary: PDFObject): boolean {
  const descriptor = isNamed(dictionary.get("Type"), "FontDescriptor") ? dictionary : descriptorOf(dictionary);
  return !["FontFile", "FontFile2", "FontFile3"].some((key) => descriptor.get(key).isStream());
}

const descriptorOf = (font: PDFObject): PDFObject =>
  (isNamed(font.get("Subtype"), "Type0") ? font.get("DescendantFonts", 0) : font).get("FontDescriptor");

/** The names of a font: the entries that may stay if it is found by them. */
const FONT_NAMES = new Set(["BaseFont", "FontName", "FontFamily"]);

export class StringRedactor {
  readonly #open: OpenPdf;
  readonly #matcher: Matcher;
  /** Replacements of strings and names: equal ones still refer to each other, and different ones stay different. */
  readonly #became = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();
  /** Names without a match: a document has most of its names many times. */
  readonly #harmless = new Set<string>();
  /** Long strings of the current object, with their replacements once they were searched. */
  readonly #long = new Map<string, { value: Uint8Array; key: string; cleaned?: { bytes: Uint8Array | undefined } }>();
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
    const trailer = document.getTrailer();
    const keys: Keys = engine.scope(() => {
      const pointerOf = (name: string): Pointer => document.newName(name).pointer;
      return {
        identifier: trailer.get("ID").pointer,
        type: pointerOf("Type"),
        range: pointerOf("ByteRange"),
        fonts: FONT_TYPES.map(pointerOf),
        palettes: PALETTES.map(pointerOf),
      };
    });
    await eachPointer(this.#open, (reference, number) =>
      number === encryption ? undefined : this.#object(reference, keys, dropped),
    );
    await this.#object(trailer.pointer, keys, dropped);
    engine.scope(() => this.#identifier());
    if (this.count > before) await engine.scope(() => this.#sortNames());
  }

  /** The text without its matches. Undefined if it has none. */
  clean(text: string): string | undefined {
    return atOnceWithin(this.#open.engine.work, this.#replaced("text", text, FILLERS));
  }

  /** The same for a text that may be long, yielding to other requests. */
  cleanLong(text: string): Promise<string | undefined> {
    return inTurns(this.#open.engine.work, this.#replaced("text", text, FILLERS));
  }

  /** The same for a name. */
  cleanName(name: string): string | undefined {
    if (this.#harmless.has(name)) return undefined;
    const replaced = atOnceWithin(this.#open.engine.work, this.#replaced("name", name, NAME_FILLERS));
    if (replaced === undefined && name.length <= LONGEST_KNOWN && this.#harmless.size < MOST_KNOWN) {
      this.#harmless.add(name);
    }
    return replaced;
  }

  *#replaced(kind: "text" | "name", text: string, fillers: readonly string[]): Steps<string | undefined> {
    const matcher = this.#matcher;
    const key = `${kind}/${text}`;
    const known = this.#became.get(key);
    if (known !== undefined) return known;
    const ranges = yield* matcher.stepsIn(text);
    if (ranges.length === 0) return undefined;
    let kept: string | undefined;
    for (const filler of fillers) {
      let candidate = "";
      let from = 0;
      for (const { start, end } of ranges) {
        candidate += text.slice(from, start) + filler;
        from = end;
      }
      candidate += text.slice(from);
      if ((yield* matcher.stepsIn(candidate)).length > 0) continue;
      kept = candidate;
      break;
    }
    let result = kept ?? "";
    // Continues where it stopped: thousands of texts may become the same.
    let number = this.#next.get(`${kind}/${result}`) ?? 2;
    for (; this.#taken.has(`${kind}/${result}`); number++) {
      const other = `${kept ?? ""}${kind === "name" ? "_" : " "}${number}`;
      if ((yield* matcher.stepsIn(other)).length > 0) break;
      result = other;
    }
    this.#next.set(`${kind}/${kept ?? ""}`, number);
    this.#taken.add(`${kind}/${result}`);
    this.#became.set(key, result);
    return result;
  }

  /**
   * Redacts an object with the containers in it that are no objects of their own. It looks at them without handles: real files have hundreds
   * of thousands of values, of which few match, and a handle takes longer than all else here.
   */
  async #object(object: Pointer, keys: Keys, dropped: ReadonlySet<number>): Promise<void> {
    const { document, engine } = this.#open;
    /** Made in the end: a new entry changes the places of the others. */
    const changes: Change[] = [];
    const walked = walkValues(engine, object, (value, place) => {
      engine.work.spend(VALUE_WORK);
      counted(place.length);
      if (place.isArray) this.#item(value, place, keys, dropped);
      else this.#entry(value, place, keys, dropped, changes);
    });
    if (walked) await walked;
    for (const { dictionary, change } of changes) {
      await engine.work.pause();
      engine.scope(() => change(document._fromPDFObjectKeep(dictionary)));
    }
    const waiting = [...this.#long.values()].filter(({ cleaned }) => cleaned === undefined);
    for (const long of waiting)
      long.cleaned = { bytes: await inTurns(engine.work, this.#string(long.value, long.key)) };
    if (waiting.length > 0) await this.#object(object, keys, dropped);
    this.#long.clear();
  }

  #item(value: Pointer, { holder, index, length }: WalkedContainer, keys: Keys, dropped: ReadonlySet<number>): void {
    const { document, engine } = this.#open;
    const { values } = engine;
    // The identifier of the file (14.4) is renewed as a whole.
    if (holder === keys.identifier) return;
    if (dropped.size > 0 && this.#isDropped(value, dropped)) {
      // Moves those after it.
      engine.work.spend(length);
      engine.scope(() => document._fromPDFObjectKeep(holder).delete(index));
      return;
    }
    // The colors of a palette (8.6.6.3) are no text.
    const first = values.resolved(firstItem(engine, holder));
    if (index !== 1 && keys.palettes.includes(first)) return;
    this.#value(value, "", (made) => values.putItem(holder, index, made.pointer));
  }

  #entry(
    value: Pointer,
    { holder, index, length }: WalkedContainer,
    keys: Keys,
    dropped: ReadonlySet<number>,
    changes: Change[],
  ): void {
    const { document, engine } = this.#open;
    const { values } = engine;
    const later = (change: Change["change"]): void => {
      // Each may move all entries after it.
      engine.work.spend(length);
      changes.push({ dictionary: holder, change });
    };
    const key = values.keyAt(holder, index);
    const name = this.#nameAt(key);
    if (FONT_NAMES.has(name) && keys.fonts.includes(values.get(holder, keys.type))) {
      if (engine.scope(() => isFontByName(document._fromPDFObjectKeep(holder)))) return;
    }
    if (dropped.size > 0 && this.#isDropped(value, dropped)) {
      const own = document._fromPDFObjectKeep(key);
      later((object) => object.delete(own));
      return;
    }
    if (name === "Contents" && values.get(holder, keys.range) !== NONE) {
      later((object) => this.#signature(object, object.get("Contents")));
      return;
    }
    const renamed = isConstant(key) ? undefined : this.cleanName(name);
    const own = (): PDFObject => (renamed === undefined ? document._fromPDFObjectKeep(key) : document.newName(renamed));
    if (renamed !== undefined) {
      this.count++;
      const [before, after, kept] = [document._fromPDFObjectKeep(key), own(), document._fromPDFObjectKeep(value)];
      later((object) => {
        object.delete(before);
        object.put(after, kept);
      });
    }
    this.#value(value, name, (made) => {
      const at = own();
      later((object) => object.put(at, made));
    });
  }

  #isDropped(value: Pointer, dropped: ReadonlySet<number>): boolean {
    const { values } = this.#open.engine;
    return values.isReference(value) && dropped.has(values.numberOf(value));
  }

  #value(value: Pointer, key: string, put: (made: PDFObject) => void): void {
    const { engine, document } = this.#open;
    const { values } = engine;
    // Standard names, and the constants.
    if (isConstant(value)) return;
    // These look at the target of a reference: a string or name may be an indirect object.
    if (values.isName(value)) {
      const isStandard = isConstant(values.resolved(value));
      const renamed = isStandard ? undefined : this.cleanName(this.#nameAt(value));
      if (renamed === undefined) return;
      put(document.newName(renamed));
      this.count++;
    } else if (values.isString(value)) {
      const bytes = engine.scope(() => document._fromPDFObjectKeep(value).asByteString());
      const cleaned = this.#cleaned(bytes, key);
      if (cleaned === undefined) return;
      put(document.newByteString(cleaned));
      this.count++;
    }
  }

  /** A name as text. */
  #nameAt(name: Pointer): string {
    return nameAsText(this.#open.engine.values.nameOf(name));
  }

  /** A long string stays until it was searched, with pauses for other requests. Then its object is walked again. */
  #cleaned(bytes: Uint8Array, key: string): Uint8Array | undefined {
    if (bytes.length <= LONG) return atOnceWithin(this.#open.engine.work, this.#string(bytes, key));
    const id = `${key}/${latin1(bytes)}`;
    const known = this.#long.get(id);
    if (known === undefined) this.#long.set(id, { value: bytes, key });
    return known?.cleaned?.bytes;
  }

  *#string(bytes: Uint8Array, key: string): Steps<Uint8Array | undefined> {
    if (bytes.length > MOST_TEXT) return new Uint8Array();
    const text = decodeText(bytes);
    if (COLLECTIONS.has(text) && (key === "Registry" || key === "Ordering")) return undefined;
    // A checksum is no text, though any of its bytes may look like some (7.11.4.1).
    if (key === "CheckSum" && bytes.some((byte) => byte < 0x20 || byte > 0x7e)) return undefined;
    const cleaned = (yield* this.#replaced("text", text, FILLERS)) ?? (yield* this.#cleanUtf8(bytes));
    // Text in markup or escapes cannot be replaced by itself.
    for (const reading of otherReadings(cleaned ?? text)) {
      if ((yield* this.#matcher.stepsIn(reading)).length > 0) return new Uint8Array();
    }
    return cleaned === undefined ? undefined : encodeText(AS_A_WHOLE.has(key) ? "" : cleaned);
  }

  /**
   * Renews the identifier of the file if it has a match. Encryption before revision 5 derives its key from it (7.6.4.3), so there it stays:
   * it is no text.
   */
  #identifier(): void {
    const { document } = this.#open;
    const trailer = document.getTrailer();
    const isKey = trailer.get("Encrypt").isDictionary() && trailer.get("Encrypt", "R").asNumber() < 5;
    const texts = items(trailer.get("ID")).map((id) => (id.isString() ? decodeText(id.asByteString()) : ""));
    if (isKey || !texts.some((text) => !isBinary(text) && this.#matcher.isIn(text))) return;
    newIdentifier(document);
    this.count++;
  }

  /** Some writers put UTF-8 without its mark into strings. */
  *#cleanUtf8(bytes: Uint8Array): Steps<string | undefined> {
    if (bytes.every((byte) => byte < 0x80)) return undefined;
    const text = new TextDecoder().decode(bytes);
    return text.includes("\ufffd") ? undefined : yield* this.#replaced("text", text, FILLERS);
  }

  /** A signature has certificates with names; it is no longer valid in any case. */
  #signature(owner: PDFObject, value: PDFObject): void {
    if (!value.isString() || !this.#matcher.isIn(latin1(value.asByteString()))) return;
    owner.put("Contents", owner._doc.newByteString(new Uint8Array(2)));
    this.count++;
  }

  /** The keys of name trees are in order (7.9.6), and may not be any more. */
  async #sortNames(): Promise<void> {
    const { document, engine } = this.#open;
    const trees = document.getTrailer().get("Root", "Names");
    for (const { key, value } of entries(engine, trees)) {
      if (value.isDictionary()) trees.put(key, await writeNames(this.#open, await mapOf(names(this.#open, value))));
    }
  }
}

/** Finds everything that was found so far, in bytes. */
export const searchFor = (open: OpenPdf, matcher: Matcher): ByteSearch => new ByteSearch(matcher, open.engine.work);
