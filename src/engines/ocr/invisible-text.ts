/** Removes the invisible text of an earlier recognition from pages (ISO 32000-2, 9.3.6). */
import type { PDFObject } from "mupdf";
import { isForm } from "../pdf/content/resources.ts";
import { readStream } from "../pdf/content/streams.ts";
import { collectNames, usesPageResources } from "../pdf/content/names.ts";
import type { OpenPdf } from "../pdf/document/document.ts";
import { entries, items, MAX_DEPTH, nameOf, objectNumber, isNamed } from "../pdf/objects/objects.ts";
import { edited, type FontNames, invisibleText } from "./invisible-operators.ts";

/** Entries that describe how a stream was encoded (7.3.8.2). */
const ENCODING = new Set(["Length", "Filter", "DecodeParms", "F", "FFilter", "FDecodeParms", "DL"]);
const LINE_END = 0x0a;

/**
 * Removes invisible text (rendering mode 3) from pages and the forms they draw. Visible content does not change, and neither do other pages that
 * share forms and resources with these. Text in patterns and annotations stays, as does text hidden behind other content.
 */
export class InvisibleText {
  readonly #open: OpenPdf;
  /** The replacements of forms, by number; 0 for one that is kept. */
  readonly #forms = new Map<number, number>();
  /** The replacements of Resources, by their numbers and the fonts they lose; 0 if they are kept. */
  readonly #resources = new Map<string, number>();

  /** Requires a document with a sound page tree. */
  constructor(open: OpenPdf) {
    this.#open = open;
  }

  /**
   * Removes it from a page (0-based). Engine handles created here are destroyed with it.
   * @throws Refusal `limit_exceeded` if the content decompresses to too many bytes
   */
  async removeFrom(index: number): Promise<void> {
    const { document, engine } = this.#open;
    await engine.scope(async () => {
      const page = document.findPage(index);
      const resources = page.getInheritable("Resources");
      const { chosen, rest } = await this.#page(page, resources);
      const fonts = rest ? this.#fontsToDrop(resources, chosen, rest) : [];
      const fewer = await this.#without(resources, resources, fonts, 0);
      if (fewer) page.put("Resources", fewer);
    });
  }

  /** Returns the names of fonts that the content selected and, if it changed, all names that it still uses. */
  async #page(page: PDFObject, resources: PDFObject): Promise<{ chosen: Set<string>; rest?: Set<string> }> {
    const { document, engine } = this.#open;
    const contents = page.get("Contents");
    const streams = contents.isArray() ? items(contents) : [contents];
    const parts: { readonly stream: PDFObject; readonly bytes: Uint8Array | undefined }[] = [];
    for (const stream of streams) parts.push({ stream, bytes: await readStream(this.#open, stream) });
    const whole = new Uint8Array(parts.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0) + 1, 0));
    let at = 0;
    const spans = parts.map(({ bytes = new Uint8Array(0) }) => {
      whole.set(bytes, at);
      const span = { start: at, end: at + bytes.length };
      // Operators may span streams, but a token may not (7.8.2).
      whole[span.end] = LINE_END;
      at = span.end + 1;
      return span;
    });
    const chosen = new Set<string>();
    const edits = await invisibleText(whole, this.#fonts(resources, chosen), engine.work);
    if (edits.length === 0) return { chosen };
    const rest = new Set<string>();
    const kept = document.newArray();
    parts.forEach(({ stream, bytes }, place) => {
      const span = spans[place];
      const left = span && edited(whole, span, edits);
      if (!left) kept.push(stream);
      else if (left.some((byte) => byte > 0x20)) kept.push(document.addStream(left, {}));
      collectNames(left ?? bytes ?? new Uint8Array(0), rest, engine.work);
    });
    page.put("Contents", kept);
    return { chosen, rest };
  }

  /**
   * A form without its invisible text, as a new object, because other pages may draw the original. Undefined if it has none.
   */
  async #form(form: PDFObject, outer: PDFObject, depth: number): Promise<PDFObject | undefined> {
    const { document, engine } = this.#open;
    const number = objectNumber(form);
    const known = this.#forms.get(number);
    if (known !== undefined) return known > 0 ? document.newIndirect(known) : undefined;
    this.#forms.set(number, 0);
    const bytes = await readStream(this.#open, form);
    if (depth > MAX_DEPTH || !bytes) return undefined;
    const own = form.get("Resources");
    const names = own.isDictionary() ? own : outer;
    const edits = await invisibleText(bytes, this.#fonts(names), engine.work);
    const resources = own.isDictionary() ? await this.#without(own, outer, [], depth + 1) : undefined;
    if (edits.length === 0 && !resources) return undefined;
    const dictionary = document.newDictionary();
    for (const { key, value } of entries(engine, form)) if (!ENCODING.has(key.asName())) dictionary.put(key, value);
    if (resources) dictionary.put("Resources", resources);
    const made = document.addStream(edited(bytes, { start: 0, end: bytes.length }, edits) ?? bytes, dictionary);
    this.#forms.set(number, objectNumber(made));
    return made;
  }

  /** Resources with forms that have no invisible text, and without some fonts; undefined if nothing changes. */
  async #without(
    resources: PDFObject,
    outer: PDFObject,
    fonts: readonly string[],
    depth: number,
  ): Promise<PDFObject | undefined> {
    const { document, engine } = this.#open;
    if (!resources.isDictionary()) return undefined;
    const number = objectNumber(resources);
    const key = `${number} ${fonts.join(" ")}`;
    const known = number > 0 ? this.#resources.get(key) : undefined;
    if (known !== undefined) return known > 0 ? document.newIndirect(known) : undefined;
    this.#resources.set(key, 0);
    const forms: { key: PDFObject; value: PDFObject }[] = [];
    for (const { key, value } of entries(engine, resources.get("XObject"))) {
      const without = isForm(value) ? await this.#form(value, resources, depth) : undefined;
      if (without) forms.push({ key, value: without });
    }
    if (forms.length === 0 && fonts.length === 0) return undefined;
    const fewer = this.#copy(resources);
    if (forms.length > 0) {
      const named = this.#copy(resources.get("XObject"));
      for (const { key, value } of forms) named.put(key, value);
      fewer.put("XObject", named);
    }
    if (fonts.length > 0) {
      const named = document.newDictionary();
      for (const { key, value } of entries(engine, resources.get("Font"))) {
        if (!fonts.includes(nameOf(engine, key))) named.put(key, value);
      }
      fewer.put("Font", named);
    }
    if (number === 0) return fewer;
    const made = document.addObject(fewer);
    this.#resources.set(key, objectNumber(made));
    return made;
  }

  #copy(dictionary: PDFObject): PDFObject {
    const copy = this.#open.document.newDictionary();
    for (const { key, value } of entries(this.#open.engine, dictionary)) copy.put(key, value);
    return copy;
  }

  /** The fonts selected by the content that nothing on the page uses anymore. */
  #fontsToDrop(resources: PDFObject, chosen: ReadonlySet<string>, rest: ReadonlySet<string>): string[] {
    const { engine } = this.#open;
    const drawn = ["XObject", "Pattern", "Font"].flatMap((category) => entries(engine, resources.get(category)));
    if (drawn.some(({ value }) => usesPageResources(value))) return [];
    return [...chosen].filter((name) => !rest.has(name) && !resources.get("Font").get(name).isNull());
  }

  /** `chosen`: receives the names of the fonts that the content selects. */
  #fonts(resources: PDFObject, chosen?: Set<string>): FontNames {
    return {
      drawsAlways(name) {
        chosen?.add(name);
        return isNamed(resources.get("Font", name).get("Subtype"), "Type3");
      },
      setsFont: (name) => !resources.get("ExtGState", name).get("Font").isNull(),
    };
  }
}
