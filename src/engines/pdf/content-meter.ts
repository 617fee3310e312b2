/** How many bytes of content a page makes an interpreter read: its own, and what it draws, as often as it draws it. */
import type { PDFObject } from "mupdf";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import { ContentCounter, countAnything, type Usage } from "./content-tokens.ts";
import type { OpenPdf } from "./document.ts";
import { type Category, idOf, isForm, masksOf, type Resources } from "./content-resources.ts";
import { entries, objectNumber } from "./objects.ts";
import { decodedSize, largestSize } from "./stream-size.ts";

/** What one drawing of a form XObject costs. */
interface Cost {
  /** Bytes of content, its own and what it draws. */
  readonly bytes: number;
  /** Painting operators: each paints with the pattern and through the soft mask that were set before. */
  readonly paints: number;
  /** Outermost of the resources that names were looked for in; the cost is the same wherever those are in force. */
  readonly outermost: number;
  /** Whether it draws itself, which interpreters refuse: then the cost depends on where that is found out. */
  readonly cyclic: boolean;
}

/** What drawing an empty XObject costs, in bytes of content that take as long. */
const DRAWING = 256;
/** Bytes of a glyph of a Type 3 font that are read once only: small glyphs are kept. */
const KEPT_GLYPH = 16 * 1024;
/** Entries of a category that are looked at before content is read to see which it uses. */
const LOOKED_AT = 50;
/** Deepest nesting of forms; real ones stay below 20. */
const DEEPEST = 100;
/** More than any limit, and still a number that can be multiplied. */
const TOO_MANY = 1e15;
/** Forms that are counted again, because what they draw depends on where they are drawn; each takes some 40 µs. */
const MOST_AGAIN = 20_000;
/** Streams that cannot be larger than this, in bytes, are decoded without being counted first. */
const SMALL = 16 * 1024 * 1024;
const NOTHING: Cost = { bytes: 0, paints: 1, outermost: Infinity, cyclic: false };

/** Counts for pages of one document, one after the other. */
export class ContentMeter {
  readonly #open: OpenPdf;
  readonly #most = limits.contentBytes;
  readonly #costs = new Map<string, Cost>();
  readonly #drawing = new Set<number>();
  readonly #heavyFonts = new Map<number, number>();
  readonly #plain = new Map<string, boolean>();
  /** Forms that were counted, and how many of them again. */
  readonly #counted = new Set<number>();
  #again = 0;
  /** Bytes counted, of all pages until now. */
  #total = 0;

  constructor(open: OpenPdf) {
    this.#open = open;
  }

  /** Whether these resources have nothing whose content is interpreted where it is used. */
  isPlain(resources: Resources): boolean {
    const known = this.#plain.get(resources.id);
    if (known !== undefined) return known;
    const { object } = resources;
    const none = (category: Category, draws: (value: PDFObject) => boolean): boolean => {
      const all = entries(this.#open.engine, object.get(category));
      return all.length <= LOOKED_AT && !all.some(({ value }) => draws(value));
    };
    const plain =
      none("XObject", isForm) &&
      none("Pattern", (value) => value.isStream()) &&
      none("ExtGState", (value) => value.get("SMask", "G").isStream()) &&
      none("Font", (value) => this.#heaviestGlyph(value) > 0);
    this.#plain.set(resources.id, plain);
    return plain;
  }

  /**
   * Counts content that is drawn once with these resources, in one or more streams.
   * @throws Refusal `limit_exceeded`
   */
  add(streams: readonly PDFObject[], resources: Resources): void {
    this.#total += this.#costOf(streams, [resources]).bytes;
    this.check();
  }

  /** Counts a form XObject that is drawn once. */
  addForm(form: PDFObject, resources: Resources): void {
    this.#total += this.#costOfForm(form, [resources]).bytes;
    this.check();
  }

  /** Counts bytes of content that draws nothing. */
  addBytes(bytes: number): void {
    this.#total += bytes;
    this.check();
  }

  /** Bytes that may still be counted. */
  get left(): number {
    return this.#most - this.#total;
  }

  check(): void {
    if (this.#total > this.#most) throw tooLarge(this.#total);
  }

  #costOf(streams: readonly PDFObject[], stack: readonly Resources[]): Cost {
    let bytes = 0;
    const masks = masksOf(this.#open.engine, stack);
    const counter = new ContentCounter(masks);
    for (const stream of streams) bytes += this.#readContent(stream, (content) => counter.feed(content));
    let usages = counter.usages;
    if (usages === undefined) {
      const anything: Usage[] = [];
      for (const stream of streams) {
        this.#readContent(stream, (content) => anything.push(countAnything(content, masks.size > 0)));
      }
      usages = anything;
    }
    let [paints, outermost, cyclic] = [0, Infinity, false];
    const note = (cost: Cost): Cost => {
      outermost = Math.min(outermost, cost.outermost);
      cyclic ||= cost.cyclic;
      return cost;
    };
    for (const { fill, stroke, mask, font, ...done } of usages) {
      const of = (category: Category, name: string | undefined): number =>
        name === undefined ? 0 : note(this.#costOfName(category, name, stack)).bytes;
      const paint =
        done.paints + done.draws.size === 0 ? 0 : of("Pattern", fill) + of("Pattern", stroke) + of("ExtGState", mask);
      let here = done.paints;
      for (const [name, times] of done.draws) {
        const drawn = note(this.#costOfName("XObject", name, stack));
        bytes += times * (DRAWING + drawn.bytes);
        here += times * drawn.paints;
      }
      bytes += here * paint + done.shown * of("Font", font);
      paints += here;
    }
    return { bytes: Math.min(bytes, TOO_MANY), paints: Math.min(paints, TOO_MANY), outermost, cyclic };
  }

  /** What using a resource once costs; the most of all where the name cannot be told. */
  #costOfName(category: Category, name: string, stack: readonly Resources[]): Cost {
    if (name === "") {
      let most: Cost = { ...NOTHING, outermost: 0 };
      for (const { object } of stack) {
        for (const { value } of entries(this.#open.engine, object.get(category))) {
          const cost = this.#costOfResource(category, value, stack);
          most = {
            bytes: Math.max(most.bytes, cost.bytes),
            paints: Math.max(most.paints, cost.paints),
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
      const cost = this.#costOfResource(category, value, stack);
      return { ...cost, outermost: Math.min(cost.outermost, level) };
    }
    return { ...NOTHING, outermost: 0 };
  }

  #costOfResource(category: Category, value: PDFObject, stack: readonly Resources[]): Cost {
    if (category === "Font") return { ...NOTHING, bytes: this.#heaviestGlyph(value) };
    if (category === "ExtGState") {
      const group = value.get("SMask", "G");
      return group.isStream() ? this.#costOfForm(group, stack) : NOTHING;
    }
    const interpreted = category === "Pattern" ? value.isStream() : isForm(value);
    return interpreted ? this.#costOfForm(value, stack) : NOTHING;
  }

  #costOfForm(form: PDFObject, stack: readonly Resources[]): Cost {
    const number = objectNumber(form);
    if (this.#drawing.has(number)) return { ...NOTHING, cyclic: true, outermost: 0 };
    const outer = `${number} ${stack.map(({ id }) => id).join(" ")}`;
    const known = this.#costs.get(String(number)) ?? this.#costs.get(outer);
    if (known !== undefined) return known;
    if (this.#counted.has(number)) this.#again++;
    if (this.#drawing.size >= DEEPEST || this.#again > MOST_AGAIN) throw tooLarge(TOO_MANY);
    this.#counted.add(number);
    this.#drawing.add(number);
    try {
      const own = form.get("Resources");
      const inner = own.isDictionary() ? [...stack, { object: own, id: idOf(own, `f${number}`) }] : stack;
      const cost = this.#costOf([form], inner);
      const isOwn = own.isDictionary() && cost.outermost >= stack.length;
      // A transparency group is painted as one.
      const isGroup = form.get("Group", "S").isName();
      const result = { ...cost, paints: isGroup ? 1 : cost.paints, outermost: isOwn ? Infinity : cost.outermost };
      if (!cost.cyclic) this.#costs.set(isOwn ? String(number) : outer, result);
      return result;
    } finally {
      this.#drawing.delete(number);
    }
  }

  /** Bytes by which the largest glyph of a Type 3 font passes what is kept; 0 for other fonts. */
  #heaviestGlyph(font: PDFObject): number {
    const number = objectNumber(font);
    const known = this.#heavyFonts.get(number);
    if (known !== undefined && number > 0) return known;
    // A glyph that draws itself.
    this.#heavyFonts.set(number, 0);
    let heaviest = 0;
    const subtype = font.get("Subtype");
    if (subtype.isName() && subtype.asName() === "Type3") {
      const resources = { object: font.get("Resources"), id: `t${number}` };
      const plain = this.isPlain(resources);
      for (const { value: glyph } of entries(this.#open.engine, font.get("CharProcs"))) {
        if (!glyph.isStream() || (plain && largestSize(glyph) <= KEPT_GLYPH)) continue;
        const { bytes } = this.#costOfForm(glyph, [resources]);
        this.#total += bytes;
        heaviest = Math.max(heaviest, bytes - KEPT_GLYPH);
      }
    }
    this.#heavyFonts.set(number, heaviest);
    return heaviest;
  }

  /** Decodes a stream for `look`, which must not call the engine; gives its bytes. */
  #readContent(stream: PDFObject, look: (content: Uint8Array) => void): number {
    const { engine } = this.#open;
    // Counted first where it might be a bomb.
    const size = largestSize(stream) <= SMALL ? 0 : decodedSize(engine, stream, this.#most);
    if (size > this.#most) throw tooLarge(size);
    try {
      const buffer = stream.readStream();
      look(buffer.asUint8Array());
      const length = buffer.getLength();
      buffer.destroy();
      return length;
    } catch (error) {
      if (engine.isFailure(error)) return 0;
      throw error;
    }
  }
}

function tooLarge(actual: number): Refusal {
  return new Refusal("limit_exceeded", "The pages' contents, and what they draw, are too many bytes.", {
    limit: limits.contentBytes,
    actual,
  });
}
