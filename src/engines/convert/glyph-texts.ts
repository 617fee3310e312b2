/**
 * The texts of the glyphs of a document, read while it is laid out. MuPDF shapes text, but in its PDF each glyph has only the text in the font's own
 * table. That has no conjuncts and ligatures, and gives emoji a text that no reader accepts (ISO 32000-2, 9.10.2).
 */
import type { Font, Page, Text } from "mupdf";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import type { GlyphCounts } from "./missing-glyphs.ts";

/** Fuel per glyph that is looked at. */
const GLYPH_WORK = 200;
/** Most characters that are kept for glyphs: those of a long document in a script without a font. */
const MOST_KEPT = 4_000_000;

/** Characters that may be shown by other glyphs than their own: marks, scripts that join or reorder letters, and emoji. */
const SHAPED =
  /[\p{M}\p{Cf}\u{10000}-\u{10ffff}]|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Nko}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Mongolian}|\p{Script=Hangul}/u;
/** Readers reverse a replacement text that is read from right to left: these glyphs carry their own. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u;

/** Latin ligatures and radicals. People search for their letters and ideographs. */
const COMPATIBLE = /[\ufb00-\ufb06\u2f00-\u2fdf]/g;
export const plain = (text: string): string => text.replace(COMPATIBLE, (character) => character.normalize("NFKC"));

/** Least distance between two lines, of the size of the font. Marks are shifted by less. */
const NEW_LINE = 0.75;
/** The largest distance, in glyphs, between a letter and a later glyph for some of its characters. */
const REACH = 4;

/** Glyphs of a page, from number `start` to before `end`, whose text differs from the one in their font. */
export interface ReplacedGlyphs {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface PageRuns {
  readonly runs: readonly ReplacedGlyphs[];
  /** The number of glyphs on the page. */
  readonly glyphs: number;
}

/** The texts of the glyphs of a font, by their numbers. */
export interface FontTexts {
  readonly name: string;
  readonly texts: Map<number, string>;
  /** Glyphs that the font's table has, each for one character. */
  readonly own: Set<number>;
}

interface ShownGlyph {
  readonly id: number;
  /** Its characters, in the order in which they are read. */
  text: string;
  /** Whether the glyph before it represents them. */
  readonly continues: boolean;
  /** Whether it is shown before the glyph that is read before it, as some vowel signs are. */
  readonly isBack: boolean;
}

export class GlyphTexts {
  readonly #engine: PdfEngine;
  readonly #fontAt: (pointer: number) => Font;
  readonly #fonts = new Map<number, FontTexts>();
  readonly #pages = new Map<number, PageRuns>();
  #kept = 0;

  /** `fontAt`: a font by its address, which it keeps. */
  constructor(engine: PdfEngine, fontAt: (pointer: number) => Font) {
    this.#engine = engine;
    this.#fontAt = fontAt;
  }

  get fonts(): readonly FontTexts[] {
    return [...this.#fonts.values()];
  }

  /** By page (0-based). */
  get pages(): ReadonlyMap<number, PageRuns> {
    return this.#pages;
  }

  /** Adds characters of pages as their fonts have them. Returns whether some may be shown by other glyphs, so that `read` has to look. */
  add(counts: GlyphCounts): boolean {
    let isShaped = false;
    for (const [pointer, codes] of counts) {
      const font = this.#fontAt(pointer);
      const { texts, own } = this.#textsOf(pointer);
      // Of characters with the same glyph, the plainest: a space, and not one that does not break.
      for (const code of [...codes.keys()].sort((a, b) => a - b)) {
        if (code <= 0 || code > 0x10ffff) continue;
        const [id, text] = [font.encodeCharacter(code), String.fromCodePoint(code)];
        isShaped ||= id === 0 || SHAPED.test(text);
        if (id <= 0 || own.has(id)) continue;
        own.add(id);
        texts.set(id, plain(text));
      }
    }
    return isShaped;
  }

  /** Reads the glyphs of a page (0-based) in the order in which they are shown: `pages` are drawn onto it one after the other. */
  async read(pages: readonly Page[], index: number): Promise<void> {
    const runs: ReplacedGlyphs[] = [];
    let count = 0;
    const show = (text: Text): void => {
      let [glyphs, font, before, line]: [ShownGlyph[], number, number, number] = [[], 0, -Infinity, NaN];
      const end = (): void => {
        if (glyphs.length > 0) this.#readGlyphs(glyphs, this.#textsOf(font), { first: count, runs });
        count += glyphs.length;
        [glyphs, before] = [[], -Infinity];
      };
      text.walk({
        beginSpan: end,
        showGlyph: ({ pointer }, [, , c, d, x, y], id, code) => {
          // The space where a line breaks is not shown: without this, its last word would continue with the first of the next line.
          if (Math.abs(y - line) > Math.hypot(c, d) * NEW_LINE) end();
          if (glyphs.length === 0) line = y;
          font = pointer;
          const character = code < 0 ? "" : String.fromCodePoint(code);
          const last = glyphs.at(-1);
          if (id < 0) {
            if (last) last.text += character;
            return;
          }
          glyphs.push({ id, text: character, continues: code < 0, isBack: x < before });
          before = x;
        },
      });
      end();
    };
    const { mupdf, long, work } = this.#engine;
    const shows = { fillText: show, strokeText: show, clipText: show, clipStrokeText: show, ignoreText: show };
    for (const page of pages) await long.runPage(page, new mupdf.Device(shows), mupdf.Matrix.identity);
    work.spend(count * GLYPH_WORK);
    await work.pause();
    if (runs.length > 0) this.#pages.set(index, { runs, glyphs: count });
  }

  /** Adds the texts of the glyphs of a span. Clusters whose glyphs have another text become runs. So do words whose glyphs are in another order. */
  #readGlyphs(
    glyphs: ShownGlyph[],
    font: FontTexts,
    { first, runs }: { readonly first: number; readonly runs: ReplacedGlyphs[] },
  ): void {
    const { texts } = font;
    let word: ReplacedGlyphs & { inexact: ReplacedGlyphs[]; isReordered: boolean } = newWord(first);
    const endWord = (next: number): void => {
      const { start, end, text, inexact, isReordered } = word;
      if (!RIGHT_TO_LEFT.test(text))
        for (const run of isReordered ? [{ start, end, text }] : inexact) this.#keep(runs, run);
      word = newWord(next);
    };
    for (let at = 0; at < glyphs.length;) {
      const moved = movedFrom(glyphs, at, font);
      let to = moved?.to ?? at + 1;
      while (glyphs[to]?.continues) to += 1;
      const cluster = glyphs.slice(at, to);
      const text = cluster.map((glyph) => glyph.text).join("");
      for (const [place, part] of (moved?.parts ?? partsOf(text, cluster)).entries()) {
        const id = cluster[place]?.id ?? 0;
        if (id > 0 && !texts.has(id)) texts.set(id, plain(part));
      }
      const [start, end] = [first + at, first + to];
      if (text === " ") endWord(end);
      else {
        const said = cluster.map(({ id }) => texts.get(id) ?? "\ufffd").join("");
        const last = word.inexact.at(-1);
        if (said !== plain(text)) {
          if (last?.end === start) word.inexact.splice(-1, 1, { start: last.start, end, text: last.text + text });
          else word.inexact.push({ start, end, text });
        }
        word = {
          ...word,
          end,
          text: word.text + text,
          isReordered: word.isReordered || cluster.some(({ isBack }) => isBack),
        };
      }
      at = to;
    }
    endWord(0);
  }

  #keep(runs: ReplacedGlyphs[], run: ReplacedGlyphs): void {
    this.#kept += run.text.length;
    if (this.#kept <= MOST_KEPT) runs.push(run);
  }

  #textsOf(pointer: number): FontTexts {
    const known = this.#fonts.get(pointer);
    if (known) return known;
    const made = { name: this.#fontAt(pointer).getName(), texts: new Map<number, string>(), own: new Set<number>() };
    this.#fonts.set(pointer, made);
    return made;
  }
}

const newWord = (start: number): ReplacedGlyphs & { inexact: ReplacedGlyphs[]; isReordered: boolean } => ({
  start,
  end: start,
  text: "",
  inexact: [],
  isReordered: false,
});

/**
 * A glyph in the font's table may be followed by more characters than its own. They belong to a later glyph that is not in the table: the mark of
 * an r before a conjunct, or two vowel signs in one. Returns the cluster up to that glyph, and the texts of its glyphs.
 */
function movedFrom(
  glyphs: readonly ShownGlyph[],
  at: number,
  { own }: FontTexts,
): { readonly to: number; readonly parts: readonly string[] } | undefined {
  const { id = 0, text = "" } = glyphs[at] ?? {};
  const [base = ""] = text;
  if (text.length === base.length || !own.has(id)) return undefined;
  for (let to = at + 1; to <= at + REACH; to++) {
    const glyph = glyphs[to];
    if (!glyph || glyph.continues || glyph.id === 0) return undefined;
    if (own.has(glyph.id)) continue;
    const between = glyphs.slice(at + 1, to).map((one) => one.text);
    return { to: to + 1, parts: [base, ...between, text.slice(base.length) + glyph.text] };
  }
  return undefined;
}

/** The text of each glyph of a cluster: the parts of its character, or all of it for the first one. */
function partsOf(text: string, cluster: readonly ShownGlyph[]): string[] {
  const parts = Array.from(text.normalize("NFKD"));
  if (cluster.length > 1 && parts.length === cluster.length) return parts;
  return cluster.map((glyph) => glyph.text);
}
