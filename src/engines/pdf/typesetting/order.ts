/** Orders the glyphs of a line so that readers of the document reconstruct its text. */
import type { ShapedGlyph, TypesetLine } from "./line.ts";
import { EMPTY } from "../fonts/subset.ts";

/**
 * A run in reverse order. Readers reverse it by character, so a glyph with several characters is preceded by an invisible
 * glyph for each but the last.
 */
function reversed(run: readonly ShapedGlyph[]): ShapedGlyph[] {
  return run.toReversed().flatMap((glyph) => {
    const [last = "", ...earlier] = Array.from(glyph.text).reverse();
    const x = glyph.x + glyph.advance;
    return [{ ...glyph, text: last }, ...earlier.map((text) => ({ ...glyph, id: EMPTY, text, x, advance: 0 }))];
  });
}

/**
 * A left-to-right run in visual order: Indic vowels may be displayed before the letters that they follow. The first glyph of
 * such a syllable carries its whole text.
 */
function inPlace(run: readonly ShapedGlyph[]): ShapedGlyph[] {
  const placed: ShapedGlyph[] = [];
  for (const glyph of run) {
    const from = glyph.advance > 0 ? placed.findIndex(({ x, advance }) => advance > 0 && x > glyph.x) : -1;
    if (from < 0) {
      placed.push(glyph);
      continue;
    }
    const syllable = [...placed.splice(from), glyph];
    const text = syllable.map((part) => part.text).join("");
    syllable.sort((a, b) => a.x - b.x);
    placed.push(...syllable.map((part, place) => ({ ...part, text: place === 0 ? text : "" })));
  }
  return placed;
}

/** Runs from left to right, as readers expect even for right-to-left text. */
export function inVisualRuns(text: string, glyphs: readonly ShapedGlyph[]): TypesetLine {
  const runs: ShapedGlyph[][] = [];
  for (const glyph of glyphs) {
    const run = runs.at(-1);
    if (run && run[0]?.rightToLeft === glyph.rightToLeft) run.push(glyph);
    else runs.push([glyph]);
  }
  const left = (run: readonly ShapedGlyph[]): number => Math.min(...run.map(({ x }) => x));
  const ordered = runs
    .map((run) => ({ run: run[0]?.rightToLeft ? reversed(run) : inPlace(run), x: left(run) }))
    .sort((a, b) => a.x - b.x);
  const start = ordered[0]?.x ?? 0;
  const end = Math.max(start, ...glyphs.map(({ x, advance }) => x + advance));
  return {
    text,
    glyphs: ordered.flatMap(({ run }) => run.map((glyph) => ({ ...glyph, x: glyph.x - start }))),
    width: end - start,
  };
}
