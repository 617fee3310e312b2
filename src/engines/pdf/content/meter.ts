/** Measures the bytes of content that an interpreter reads for a page: its own, and the content that it draws, each time it is drawn. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { contentsTooDeep, contentsTooLarge, formsDrawnTooOften } from "../../limit-errors.ts";
import { Nesting } from "./nesting.ts";
import { ContentCounter } from "./usage.ts";
import type { OpenPdf } from "../document/document.ts";
import { type Category, idOf, isForm, maskOf, type Resources } from "./resources.ts";
import { entries, entryCount, objectNumber } from "../objects/objects.ts";
import { DECODED_AT_ONCE, decodedSize, largestSize } from "../objects/stream-size.ts";

/** The cost of drawing a form XObject once. */
interface Cost {
  /** Bytes of content, including the content that it draws. */
  readonly bytes: number;
  /** Painting operators. Each one paints with the pattern and through the soft mask set before it. */
  readonly paints: number;
  /** Glyphs, or more if a glyph has several bytes, and painting operators, including those of the content that it draws. */
  readonly marks: number;
  /** Index of the outermost resources in which names were looked up. The cost is the same wherever those apply. */
  readonly outermost: number;
  /** Whether it draws itself, which interpreters refuse. The cost then depends on where the cycle is detected. */
  readonly cyclic: boolean;
}

/** The cost of drawing an empty XObject, as the number of bytes of content that take the same time. */
const DRAWING = 256;
/** Size in bytes up to which a Type 3 glyph is read only once: small glyphs are cached. */
const KEPT_GLYPH = 16 * 1024;
/** Entries of a category that are checked before the content is read to see which ones it uses. */
const LOOKED_AT = 50;
/** For how many forms a tiling pattern counts, for which MuPDF takes more stack. */
const PATTERN_DEPTH = 4;
/** Above any limit, but still safe to multiply. */
const TOO_MANY = 1e15;
/** Fuel per content that is counted, in addition to the cost of its bytes. */
const CONTENT_WORK = 5_000;
const NOTHING: Cost = { bytes: 0, paints: 1, marks: 1, outermost: Infinity, cyclic: false };

/** Counts the content of the pages of one document, one after the other. */
export class ContentMeter {
  readonly #open: OpenPdf;
  readonly #most = limits.contentBytes;
  readonly #costs = new Map<string, Cost>();
  readonly #nesting = new Nesting();
  readonly #heavyFonts = new Map<number, number>();
  readonly #plain = new Map<string, boolean>();
  /** Forms that were counted, and how many were counted again. */
  readonly #counted = new Set<number>();
  #again = 0;
  /** Bytes counted so far, for all pages. */
  #total = 0;

  constructor(open: OpenPdf) {
    this.#open = open;
  }

  /** Whether none of these resources has content that is interpreted where it is used. */
  async isPlain(resources: Resources): Promise<boolean> {
    const known = this.#plain.get(resources.id);
    if (known !== undefined) return known;
    const { object } = resources;
    const { engine } = this.#open;
    const none = async (
      category: Category,
      draws: (value: PDFObject) => boolean | Promise<boolean>,
    ): Promise<boolean> => {
      const named = object.get(category);
      if (entryCount(engine, named) > LOOKED_AT) return false;
      for (const { value } of entries(engine, named)) if (await draws(value)) return false;
      return true;
    };
    const plain =
      (await none("XObject", isForm)) &&
      (await none("Pattern", (value) => value.isStream())) &&
      (await none("ExtGState", (value) => value.get("SMask", "G").isStream())) &&
      (await none("Font", async (value) => (await this.#heaviestGlyph(value)) > 0));
    this.#plain.set(resources.id, plain);
    return plain;
  }

  /**
   * Counts content that is drawn once with these resources, in one or more streams.
   * @throws Refusal `limit_exceeded`
   */
  async add(streams: readonly PDFObject[], resources: Resources): Promise<void> {
    this.addBytes((await this.#costOf(streams, [resources])).bytes);
  }

  /**
   * Glyphs and painting operators of content that is drawn once with these resources, including those of the content that it draws: at least as many
   * as an interpreter shows.
   * @throws Refusal `limit_exceeded`
   */
  async marksOf(streams: readonly PDFObject[], resources: Resources): Promise<number> {
    return (await this.#costOf(streams, [resources])).marks;
  }

  /** Size in bytes of a form XObject that is drawn once with its own resources. */
  async sizeOfForm(form: PDFObject): Promise<number> {
    return (await this.#costOfForm(form, [])).bytes;
  }

  /** Counts bytes of content. */
  addBytes(bytes: number): void {
    this.#total += bytes;
    if (this.#total > this.#most) throw contentsTooLarge(this.#total);
  }

  /** Bytes that may still be counted. */
  get left(): number {
    return this.#most - this.#total;
  }

  async #costOf(streams: readonly PDFObject[], stack: readonly Resources[]): Promise<Cost> {
    let bytes = 0;
    const counter = new ContentCounter((name) => maskOf(stack, name));
    for (const stream of streams) bytes += await this.#readContent(stream, counter);
    let [paints, marks, outermost, cyclic] = [0, 0, Infinity, false];
    const note = (cost: Cost): Cost => {
      outermost = Math.min(outermost, cost.outermost);
      cyclic ||= cost.cyclic;
      return cost;
    };
    for (const { fill, stroke, mask, font, ...done } of counter.usages) {
      const of = async (category: Category, name: string | undefined): Promise<number> =>
        name === undefined ? 0 : note(await this.#costOfName(category, name, stack)).bytes;
      const paint =
        done.paints + done.draws.size === 0
          ? 0
          : (await of("Pattern", fill)) + (await of("Pattern", stroke)) + (await of("ExtGState", mask));
      let here = done.paints;
      marks += done.paints + done.shown;
      for (const [name, times] of done.draws) {
        const drawn = note(await this.#costOfName("XObject", name, stack));
        bytes += times * (DRAWING + drawn.bytes);
        here += times * drawn.paints;
        marks += times * drawn.marks;
      }
      bytes += here * paint + done.shown * (await of("Font", font));
      paints += here;
    }
    const most = (value: number): number => Math.min(value, TOO_MANY);
    return { bytes: most(bytes), paints: most(paints), marks: most(marks), outermost, cyclic };
  }

  /** The cost of using a resource once. If the name is unknown, the highest cost of all. */
  async #costOfName(category: Category, name: string, stack: readonly Resources[]): Promise<Cost> {
    if (name === "") {
      let most: Cost = { ...NOTHING, outermost: 0 };
      for (const { object } of stack) {
        for (const { value } of entries(this.#open.engine, object.get(category))) {
          const cost = await this.#costOfResource(category, value, stack);
          most = {
            bytes: Math.max(most.bytes, cost.bytes),
            paints: Math.max(most.paints, cost.paints),
            marks: Math.max(most.marks, cost.marks),
            outermost: 0,
            cyclic: most.cyclic || cost.cyclic,
          };
        }
      }
      return most;
    }
    for (let level = stack.length - 1; level >= 0; level--) {
      const value = stack[level]?.object.get(category, name);
      if (value === undefined || value.isNull()) continue;
      const cost = await this.#costOfResource(category, value, stack);
      return { ...cost, outermost: Math.min(cost.outermost, level) };
    }
    return { ...NOTHING, outermost: 0 };
  }

  async #costOfResource(category: Category, value: PDFObject, stack: readonly Resources[]): Promise<Cost> {
    await this.#open.engine.work.pause();
    if (category === "Font") return { ...NOTHING, bytes: await this.#heaviestGlyph(value) };
    if (category === "ExtGState") {
      const group = value.get("SMask", "G");
      return group.isStream() ? this.#costOfForm(group, stack) : NOTHING;
    }
    if (category === "Pattern") return value.isStream() ? this.#costOfForm(value, stack, PATTERN_DEPTH) : NOTHING;
    return isForm(value) ? this.#costOfForm(value, stack) : NOTHING;
  }

  async #costOfForm(form: PDFObject, stack: readonly Resources[], levels = 1): Promise<Cost> {
    const number = objectNumber(form);
    if (this.#nesting.isCyclic(form)) return { ...NOTHING, cyclic: true, outermost: 0 };
    const outer = `${number} ${stack.map(({ id }) => id).join(" ")}`;
    const known = this.#costs.get(String(number)) ?? this.#costs.get(outer);
    if (known !== undefined) return known;
    if (this.#counted.has(number)) this.#again++;
    if (this.#again > limits.contents.formsAgain) throw formsDrawnTooOften(this.#again);
    if (this.#nesting.isTooDeep(levels)) throw contentsTooDeep();
    this.#counted.add(number);
    const own = form.get("Resources");
    const inner = own.isDictionary() ? [...stack, { object: own, id: idOf(own, `f${number}`) }] : stack;
    const cost = await this.#nesting.within(form, () => this.#costOf([form], inner), levels);
    const isOwn = own.isDictionary() && cost.outermost >= stack.length;
    // A transparency group is painted as one object.
    const isGroup = form.get("Group", "S").isName();
    const result = { ...cost, paints: isGroup ? 1 : cost.paints, outermost: isOwn ? Infinity : cost.outermost };
    if (!cost.cyclic) this.#costs.set(isOwn ? String(number) : outer, result);
    return result;
  }

  /** Bytes by which the largest glyph of a Type 3 font exceeds the cache limit. 0 for other fonts. */
  async #heaviestGlyph(font: PDFObject): Promise<number> {
    const number = objectNumber(font);
    const known = this.#heavyFonts.get(number);
    if (known !== undefined && number > 0) return known;
    // A glyph may draw itself.
    this.#heavyFonts.set(number, 0);
    let heaviest = 0;
    const subtype = font.get("Subtype");
    if (subtype.isName() && subtype.asName() === "Type3") {
      const resources = { object: font.get("Resources"), id: `t${number}` };
      const plain = await this.isPlain(resources);
      for (const { value: glyph } of entries(this.#open.engine, font.get("CharProcs"))) {
        if (!glyph.isStream() || (plain && largestSize(glyph) <= KEPT_GLYPH)) continue;
        const { bytes } = await this.#costOfForm(glyph, [resources]);
        this.#total += bytes;
        heaviest = Math.max(heaviest, bytes - KEPT_GLYPH);
      }
    }
    this.#heavyFonts.set(number, heaviest);
    return heaviest;
  }

  /** Decodes a stream, counts its content, and returns its size in bytes. */
  async #readContent(stream: PDFObject, counter: ContentCounter): Promise<number> {
    const { engine } = this.#open;
    // Measured first if it could be a decompression bomb.
    const size = largestSize(stream) <= DECODED_AT_ONCE ? 0 : await decodedSize(engine, stream, this.#most);
    if (size > this.#most) throw contentsTooLarge(size);
    try {
      const buffer = await engine.long.readStream(stream);
      const length = buffer.getLength();
      engine.work.spend(CONTENT_WORK + length);
      await counter.feed(buffer.asUint8Array(), engine.work);
      buffer.destroy();
      await engine.work.pause();
      return length;
    } catch (error) {
      if (engine.isFailure(error)) return 0;
      throw error;
    }
  }
}
