/** Erases glyphs that were found on a page: their codes leave the content, and texts that replace them lose the same characters. */
import type { OpenPdf } from "../document/document.ts";
import { joinedArea } from "./area.ts";
import { blankImage } from "./blank-image.ts";
import { changeContent } from "./change-content.ts";
import type { Eraser } from "./eraser.ts";
import { corners, type Polygon } from "./geometry.ts";
import { NearGlyphs } from "./near-glyphs.ts";
import { SpanRecorder, type FindInText } from "./span-texts.ts";
import type { Choice } from "./choice.ts";

/** A glyph to erase, in units of the page. */
export interface WantedGlyph {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** Whether the match is in the glyph's own text, not in a replacement text. */
  readonly isOwnText: boolean;
  /** Whether it may only be a glyph without an advance, such as a mark on a letter: the next glyph may have the same origin. */
  readonly isMark: boolean;
  /** How many glyphs the page has there, and which of these it is, in the order of the content. */
  readonly among: number;
  readonly place: number;
}

/** Glyphs that belong together, and the areas that they take. */
export interface WantedRun {
  readonly glyphs: readonly WantedGlyph[];
  readonly areas: readonly Polygon[];
}

/** Glyphs are at the same place if they are no farther apart than this: in font sizes, and in units of the page. */
const [SAME_OF_SIZE, SAME] = [0.002, 0.001];

interface Hit {
  readonly id: number;
  readonly distance: number;
  readonly size: number;
  readonly invisible: boolean;
}

/**
 * Erases glyphs from a page (0-based), and pixels under them. If the text is invisible, like that of a scan, drawings that it covers are removed.
 * `find`: the matches in replacement texts. `all`: whether everything with the origin of a glyph is removed.
 */
export async function eraseGlyphs(
  open: OpenPdf,
  index: number,
  eraser: Eraser,
  runs: readonly WantedRun[],
  { find, all }: { readonly find: FindInText; readonly all: boolean },
): Promise<void> {
  const wanted = runs.flatMap(({ glyphs }, run) => glyphs.map((glyph) => ({ ...glyph, run, hits: [] as Hit[] })));
  const lookup = new NearGlyphs(wanted);
  const spans = new SpanRecorder(find);
  await changeContent(open, index, eraser, {
    ...NOTHING,
    code(code) {
      spans.code(code.id);
      for (const { glyph, distance } of lookup.near(code)) {
        if (glyph.isMark && code.advances) continue;
        glyph.hits.push({ id: code.id, distance, size: code.size, invisible: code.invisible });
      }
      return false;
    },
    beginSpan(span) {
      spans.begin(span);
      return undefined;
    },
    endSpan: (span) => spans.end(span),
  });
  const gone = new Set<number>();
  const covered = new Set<number>();
  for (const { hits, among, place, run, text, isOwnText } of wanted) {
    const least = Math.min(...hits.map(({ distance }) => distance));
    const same = hits.filter(({ distance, size }) => distance <= least + SAME_OF_SIZE * size + SAME);
    const own = same.length === among && !all ? same.slice(place, place + 1) : same;
    for (const { id, invisible } of own) {
      gone.add(id);
      if (isOwnText) spans.says(id, text);
      if (invisible) covered.add(run);
    }
  }
  const texts = spans.decide(gone);
  const images = joinedArea(runs.flatMap(({ areas }) => areas));
  const drawings = joinedArea([...covered].flatMap((run) => runs[run]?.areas ?? []));
  await changeContent(open, index, eraser, {
    code: ({ id }) => gone.has(id),
    drawing: ({ box }) => (drawings.covers(corners(box)) ? "goes" : "stays"),
    async image({ object, matrix }) {
      const square = SQUARE.map(
        ([x, y]) => [matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]] as const,
      );
      if (!images.touches(square)) return "stays";
      const image = object();
      return image ? blankImage(open, eraser, image, { matrix, area: images }) : "goes";
    },
    beginSpan: ({ id }) => texts.get(id),
    endSpan: () => {},
  });
}

const SQUARE: Polygon = corners([0, 0, 1, 1]);

/** Takes nothing. */
export const NOTHING: Choice = {
  code: () => false,
  drawing: () => "stays",
  image: async () => "stays",
  beginSpan: () => undefined,
  endSpan: () => {},
};
