/** Redacts strings and names of a document: everywhere, since nothing else is known about where text may stand. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { newIdentifier } from "../document/identifier.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { eachPointer, FIRST_POINTER } from "../objects/each-object.ts";
import { counted, entries, isNamed, items, nameTree, objectNumber, writeNameTree } from "../objects/objects.ts";
import { decodeText, encodeText, nameAsText } from "../objects/text-string.ts";
import { ByteSearch } from "./byte-search.ts";
import type { Matcher } from "./matcher.ts";
import { otherReadings } from "./searchable.ts";

/** Stands for what was redacted, unless it would be found itself. */
const FILLERS = ["***", "\u2588\u2588\u2588", ""];
const NAME_FILLERS = ["_", "-", "x"];

/** MuPDF has the names that the standard defines in a table, and their places in it for handles. */
const STANDARD_NAMES = 1024;

/** Entries that are code or an address: a part of it would be neither. */
const AS_A_WHOLE = new Set(["JS", "URI"]);

/** Character collections, without whose names the codes of a font cannot be read (9.7.3). */
const COLLECTIONS = new Set(["Adobe", "CNS1", "GB1", "Identity", "Japan1", "Japan2", "Korea1", "KR", "Manga1", "UCS"]);

const FONT_TYPES = ["Font", "FontDescriptor"];

/** Fuel per value, in addition to that for the search in it: MuPDF is asked for its kind, and a name is read byte by byte. */
const VALUE_WORK = 150;

/** Values of one container after which the walk yields to other requests. */
const STRETCH = 2_000;

/** How many names without a match are remembered, and how long these are. */
const [MOST_KNOWN, LONGEST_KNOWN] = [10_000, 64];

/** Longest string in bytes that is read as text. */
const MOST_TEXT = 4 * 1024 * 1024;

type Pointer = PDFObject["pointer"];

/** The trailer, and standard names as they are in this instance. */
interface Keys {
  readonly trailer: Pointer;
  readonly type: Pointer;
  readonly range: Pointer;
  readonly fonts: readonly Pointer[];
}

// oxlint-disable-next-line no-control-regex -- that is what it looks for
const isBinary = (text: string): boolean => /[\0-\x08\x0e-\x1f\ufffd]/.test(text);

export const isStandardName = (name: PDFObject): boolean => (name.pointer as unknown as number) < STANDARD_NAMES;

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
  /** What strings and names became, so that those which refer to each other still do, and different ones stay different. */
  readonly #became = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();
  /** Names without a match: a document has most of its names many times. */
  readonly #harmless = new Set<string>();
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
    const trailer = document.getTrailer().pointer;
    const keys: Keys = engine.scope(() => {
      const pointerOf = (name: string): Pointer => document.newName(name).pointer;
      return { trailer, type: pointerOf("Type"), range: pointerOf("ByteRange"), fonts: FONT_TYPES.map(pointerOf) };
    });
    await eachPointer(this.#open, async (reference, number) => {
      if (number !== encryption) await this.#containers(reference, keys, dropped);
    });
    await this.#containers(trailer, keys, dropped);
    engine.scope(() => this.#identifier());
    if (this.count > before) engine.scope(() => this.#sortNames());
  }

  /** The text without what is redacted; undefined if there is nothing in it. */
  clean(text: string): string | undefined {
    return this.#replaced("text", text, FILLERS);
  }

  /** The same for a name. */
  cleanName(name: string): string | undefined {
    if (this.#harmless.has(name)) return undefined;
    const replaced = this.#replaced("name", name, NAME_FILLERS);
    if (replaced === undefined && name.length <= LONGEST_KNOWN && this.#harmless.size < MOST_KNOWN) {
      this.#harmless.add(name);
    }
    return replaced;
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
    // Goes on where it stopped: thousands of texts may become the same.
    let number = this.#next.get(`${kind}/${result}`) ?? 2;
    for (; this.#taken.has(`${kind}/${result}`); number++) {
      const other = `${kept ?? ""}${kind === "name" ? "_" : " "}${number}`;
      if (this.#matcher.isIn(other)) break;
      result = other;
    }
    this.#next.set(`${kind}/${kept ?? ""}`, number);
    this.#taken.add(`${kind}/${result}`);
    this.#became.set(key, result);
    return result;
  }

  /**
   * Redacts a container with those in it that are no objects of their own. It looks at them without handles: real files have hundreds of
   * thousands of values, of which few match, and a handle takes longer than all else here.
   */
  async #containers(reference: Pointer, keys: Keys, dropped: ReadonlySet<number>): Promise<void> {
    const { lib, work } = this.#open.engine;
    const pending = [lib._wasm_pdf_resolve_indirect(reference)];
    for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
      if (lib._wasm_pdf_is_array(container) !== 0) await this.#array(container, dropped, pending);
      else if (lib._wasm_pdf_is_dict(container) !== 0) await this.#dictionary(container, keys, dropped, pending);
      await work.pause();
    }
  }

  async #array(array: Pointer, dropped: ReadonlySet<number>, pending: Pointer[]): Promise<void> {
    const { document, engine } = this.#open;
    const { lib } = engine;
    const length = counted(lib._wasm_pdf_array_len(array));
    const isPalette = engine.scope(() => {
      const family = document._fromPDFObjectKeep(lib._wasm_pdf_array_get(array, 0));
      return isNamed(family, "Indexed") || isNamed(family, "I");
    });
    /** Places of references to what is gone. */
    const gone: number[] = [];
    for (let index = 0; index < length; index++) {
      if (index % STRETCH === 0) await this.#begin(length - index);
      const value = lib._wasm_pdf_array_get(array, index);
      if (dropped.size > 0 && this.#isDropped(value, dropped)) gone.push(index);
      else if (!isPalette || index === 1) {
        this.#value(value, "", pending, (made) => lib._wasm_pdf_array_put(array, index, made.pointer));
      }
    }
    // From the end, so that the others keep their places.
    for (const index of gone.toReversed()) {
      engine.work.spend(length);
      await engine.work.pause();
      engine.scope(() => document._fromPDFObjectKeep(array).delete(index));
    }
  }

  async #dictionary(dictionary: Pointer, keys: Keys, dropped: ReadonlySet<number>, pending: Pointer[]): Promise<void> {
    const { document, engine } = this.#open;
    const { lib } = engine;
    const length = counted(lib._wasm_pdf_dict_len(dictionary));
    let isSignature = false;
    let isFont = false;
    for (let index = 0; index < length; index++) {
      if (index % STRETCH === 0) await this.#begin(length - index);
      const key = lib._wasm_pdf_dict_get_key(dictionary, index);
      if (key === keys.range) isSignature = true;
      if (key === keys.type && keys.fonts.includes(lib._wasm_pdf_dict_get_val(dictionary, index))) isFont = true;
    }
    const mayName = isFont && engine.scope(() => isFontByName(document._fromPDFObjectKeep(dictionary)));
    /** Made in the end: a new entry changes the places of the others. */
    const changes: ((object: PDFObject) => void)[] = [];
    const later = (change: (object: PDFObject) => void): void => {
      // Each may move all entries after it.
      engine.work.spend(length);
      changes.push(change);
    };
    for (let index = 0; index < length; index++) {
      if (index % STRETCH === 0) await this.#begin(length - index);
      const key = lib._wasm_pdf_dict_get_key(dictionary, index);
      const value = lib._wasm_pdf_dict_get_val(dictionary, index);
      const name = this.#nameAt(key);
      if (mayName && FONT_NAMES.has(name)) continue;
      if (dropped.size > 0 && this.#isDropped(value, dropped)) {
        const own = document._fromPDFObjectKeep(key);
        later((object) => object.delete(own));
        continue;
      }
      // The identifier of the file (14.4) is renewed as a whole.
      if (dictionary === keys.trailer && name === "ID") continue;
      if (isSignature && name === "Contents") {
        later((object) => this.#signature(object, object.get("Contents")));
        continue;
      }
      const renamed = key < STANDARD_NAMES ? undefined : this.cleanName(name);
      const own = (): PDFObject =>
        renamed === undefined ? document._fromPDFObjectKeep(key) : document.newName(renamed);
      if (renamed !== undefined) {
        this.count++;
        const [before, after, kept] = [document._fromPDFObjectKeep(key), own(), document._fromPDFObjectKeep(value)];
        later((object) => {
          object.delete(before);
          object.put(after, kept);
        });
      }
      this.#value(value, name, pending, (made) => {
        const at = own();
        later((object) => object.put(at, made));
      });
    }
    for (const change of changes) {
      await engine.work.pause();
      engine.scope(() => change(document._fromPDFObjectKeep(dictionary)));
    }
  }

  /** Spends fuel for the next values, and yields to other requests. */
  async #begin(left: number): Promise<void> {
    const { work } = this.#open.engine;
    work.spend(Math.min(STRETCH, left) * VALUE_WORK);
    await work.pause();
  }

  #isDropped(value: Pointer, dropped: ReadonlySet<number>): boolean {
    const { lib } = this.#open.engine;
    return lib._wasm_pdf_is_indirect(value) !== 0 && dropped.has(lib._wasm_pdf_to_num(value));
  }

  #value(value: Pointer, key: string, pending: Pointer[], put: (made: PDFObject) => void): void {
    const { engine, document } = this.#open;
    const { lib } = engine;
    // Standard names, and the constants.
    if (value < FIRST_POINTER) return;
    // These look at what a reference leads to: a string or name may be an object of its own.
    if (lib._wasm_pdf_is_name(value) !== 0) {
      const isStandard = lib._wasm_pdf_resolve_indirect(value) < FIRST_POINTER;
      const renamed = isStandard ? undefined : this.cleanName(this.#nameAt(value));
      if (renamed === undefined) return;
      put(document.newName(renamed));
      this.count++;
    } else if (lib._wasm_pdf_is_string(value) !== 0) {
      const bytes = engine.scope(() => document._fromPDFObjectKeep(value).asByteString());
      const cleaned = this.#string(bytes, key);
      if (cleaned === undefined) return;
      put(document.newByteString(cleaned));
      this.count++;
    } else if (lib._wasm_pdf_is_indirect(value) !== 0) return;
    else if (lib._wasm_pdf_is_array(value) !== 0 || lib._wasm_pdf_is_dict(value) !== 0) pending.push(value);
  }

  /** A name as text. */
  #nameAt(name: Pointer): string {
    const { lib } = this.#open.engine;
    const heap = lib.HEAPU8;
    let text = "";
    for (let at = lib._wasm_pdf_to_name(name); heap[at] !== 0; at++) text += String.fromCharCode(heap[at] ?? 0);
    return nameAsText(text);
  }

  #string(bytes: Uint8Array, key: string): Uint8Array | undefined {
    if (bytes.length > MOST_TEXT) return new Uint8Array();
    const text = decodeText(bytes);
    if (COLLECTIONS.has(text) && (key === "Registry" || key === "Ordering")) return undefined;
    // A checksum is no text, though any of its bytes may look like some (7.11.4.1).
    if (key === "CheckSum" && bytes.some((byte) => byte < 0x20 || byte > 0x7e)) return undefined;
    const cleaned = this.clean(text) ?? this.#cleanUtf8(bytes);
    // What markup or escapes say cannot be replaced by itself.
    if (otherReadings(cleaned ?? text).some((reading) => this.#matcher.isIn(reading))) return new Uint8Array();
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

/** Finds everything that was found so far, in bytes. */
export const searchFor = (open: OpenPdf, matcher: Matcher): ByteSearch => new ByteSearch(matcher, open.engine.work);
