/** Decides how replacement texts change if some of their glyphs are erased (ISO 32000-2, 14.9.3 to 14.9.5). */
import type { ReplacementSpan } from "./choice.ts";
import type { SpanTexts } from "./spans.ts";

/** From one index of a text to another. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds the ranges of a text to erase. */
export type FindInText = (text: string) => readonly Range[];

/** Characters without white space, as glyphs are compared with texts. */
const plain = (text: string): string => text.normalize("NFKD").replaceAll(/[\s\p{M}\u00ad]/gu, "");

/** Notes which codes each piece of marked content shows. */
export class SpanRecorder {
  readonly #find: FindInText;
  readonly #spans: { readonly span: ReplacementSpan; readonly ids: number[] }[] = [];
  readonly #current: { readonly span: ReplacementSpan; readonly ids: number[] }[] = [];
  readonly #said = new Map<number, string>();

  constructor(find: FindInText) {
    this.#find = find;
  }

  begin(span: ReplacementSpan): void {
    const made = { span, ids: [] };
    this.#spans.push(made);
    this.#current.push(made);
  }

  end(span: ReplacementSpan): void {
    const at = this.#current.findIndex((one) => one.span === span);
    if (at >= 0) this.#current.splice(at, 1);
  }

  code(id: number): void {
    for (const { ids } of this.#current) ids.push(id);
  }

  /** The text of an erased glyph. */
  says(id: number, text: string): void {
    this.#said.set(id, text);
  }

  /** The changed texts, by the spans. Adds codes to the erased ones if only a text gives their meaning. */
  decide(gone: Set<number>): Map<number, SpanTexts> {
    const changed = new Map<number, SpanTexts>();
    for (const { span, ids } of this.#spans) {
      const texts: { -readonly [key in keyof SpanTexts]: string } = {};
      for (const [key, text] of Object.entries(span.texts) as [keyof SpanTexts, string][]) {
        const found = this.#find(text);
        const ranges = key === "ActualText" ? [...found, ...this.#replaced(text, ids, gone, found)] : found;
        const cut = without(text, ranges);
        if (cut !== text) texts[key] = cut;
      }
      if (Object.keys(texts).length > 0) changed.set(span.id, texts);
    }
    return changed;
  }

  /** The parts of a text that represent erased codes. */
  #replaced(text: string, ids: readonly number[], gone: Set<number>, found: readonly Range[]): Range[] {
    const starts = characterStarts(text);
    const isOneEach = starts.length === ids.length + 1;
    const unsaid = found.filter(({ start, end }) => !this.#isSaid(text.slice(start, end), ids));
    for (const { start, end } of unsaid) {
      for (const [at, id] of ids.entries()) {
        const [from = 0, to = 0] = [starts[at], starts[at + 1]];
        if (!isOneEach || (from < end && to > start)) gone.add(id);
      }
    }
    const own = ids.filter((id) => gone.has(id));
    if (own.length === 0) return [];
    if (own.length === ids.length) return [{ start: 0, end: text.length }];
    if (isOneEach) {
      return ids.flatMap((id, at) => (gone.has(id) ? [{ start: starts[at] ?? 0, end: starts[at + 1] ?? 0 }] : []));
    }
    return this.#runs(text, ids, gone, found);
  }

  /** Whether the erased glyphs themselves have a text. */
  #isSaid(text: string, ids: readonly number[]): boolean {
    return plain(ids.map((id) => this.#said.get(id) ?? "").join("")).includes(plain(text));
  }

  /** Searches for the text of the erased glyphs, near their place among the others. */
  #runs(text: string, ids: readonly number[], gone: ReadonlySet<number>, found: readonly Range[]): Range[] {
    const ranges: Range[] = [];
    for (let at = 0; at < ids.length; at++) {
      if (!gone.has(ids[at] ?? -1)) continue;
      let end = at;
      let said = "";
      while (end < ids.length && gone.has(ids[end] ?? -1)) said += this.#said.get(ids[end++] ?? -1) ?? "";
      const expected = (at / ids.length) * text.length;
      at = end;
      const places = said === "" ? [] : placesOf(text, said);
      const [nearest] = places.toSorted((a, b) => Math.abs(a - expected) - Math.abs(b - expected));
      if (nearest !== undefined) ranges.push({ start: nearest, end: nearest + said.length });
      // The part of the text that represents them is unknown.
      else if (found.length === 0) return [{ start: 0, end: text.length }];
    }
    return ranges;
  }
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let place = text.indexOf(part); place >= 0; place = text.indexOf(part, place + 1)) places.push(place);
  return places;
}

/** Where each character starts, and the end. */
function characterStarts(text: string): number[] {
  const starts = [0];
  for (const character of text) starts.push((starts.at(-1) ?? 0) + character.length);
  return starts;
}

function without(text: string, ranges: readonly Range[]): string {
  let kept = "";
  let from = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (start > from) kept += text.slice(from, start);
    from = Math.max(from, end);
  }
  return kept + text.slice(from);
}
