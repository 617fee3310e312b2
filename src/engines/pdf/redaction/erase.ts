/** Removes matches and the contents of regions from the content of a page and from the forms that it draws. */
import type { PDFObject } from "mupdf";
import { changeContent } from "../erasure/change-content.ts";
import { erasedRegions } from "../erasure/area.ts";
import { eraseArea } from "../erasure/erase-area.ts";
import { eraseGlyphs, NOTHING } from "../erasure/erase-glyphs.ts";
import type { Eraser } from "../erasure/eraser.ts";
import type { Polygon } from "../erasure/geometry.ts";
import { ContentMeter } from "../content/meter.ts";
import { allowPage } from "../content/page-work.ts";
import { idOf } from "../content/resources.ts";
import { streamsOf } from "../content/streams.ts";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import type { Quad } from "../text/glyphs.ts";
import type { RedactedBox } from "./annotations.ts";
import type { Matcher } from "./matcher.ts";
import type { GlyphRun, PageMatch } from "./distinct-matches.ts";

/** Width of the border in which pixels around a match are overwritten, in units of the page: glyphs are antialiased. */
const BLEED = 0.75;

/** The same along the line, in font sizes: the words that were recognized in a scan have letters of other widths than their pixels. */
const SPREAD = 0.4;

/** Most rounds of erasing a page: first glyph by glyph, then everything in the places of these glyphs, then with MuPDF. */
export const MOST_ROUNDS = 3;

/** Fuel for a glyph or a path to be compared with an area: about 150 ns. */
const COMPARE_WORK = 36;

export interface Erasure {
  readonly matches: readonly PageMatch[];
  /** Left, bottom, right, top in units of the page. */
  readonly regions: readonly RedactedBox[];
  /** From 0. */
  readonly round: number;
}

/**
 * Erases from a page (0-based), which is the first or has been changed to what shall be erased.
 * @throws Refusal `limit_exceeded`
 */
export async function eraseOnPage(
  open: OpenPdf,
  index: number,
  { eraser, matcher }: { readonly eraser: Eraser; readonly matcher: Matcher },
  { matches, regions, round }: Erasure,
): Promise<void> {
  await allowPage(open, index);
  await spendCompared(open, index, regions.length);
  if (regions.length > 0) await eraseArea(open, index, eraser, await erasedRegions(open.engine.work, regions));
  if (matches.length === 0) return;
  if (round === MOST_ROUNDS - 1) {
    await eraseWithMuPDF(open, index, eraser, matches);
    return;
  }
  const runs = matches.map(({ glyphs, marks }) => ({
    glyphs: glyphs.flatMap(({ wanted }) => wanted),
    areas: marks.map((mark) => widened(mark, SPREAD * mark.size + BLEED, BLEED)),
  }));
  await eraseGlyphs(open, index, eraser, runs, { find: (text) => matcher.inString(text), all: round > 0 });
}

/** Counts the comparisons of all that a page shows with areas, before they are made. */
async function spendCompared(open: OpenPdf, index: number, areas: number): Promise<void> {
  if (areas === 0) return;
  const page = open.document.findPage(index);
  const resources = page.getInheritable("Resources");
  const meter = new ContentMeter(open);
  const shown = await meter.marksOf(streamsOf(page), { object: resources, id: idOf(resources, `p${index}`) });
  open.engine.work.spend(shown * areas * COMPARE_WORK);
}

/** The area of a mark, longer at both ends of its line and higher, in units of the page. */
function widened(
  { box: [ax, ay, bx, by, cx, cy, dx, dy], direction: [x, y] }: GlyphRun,
  along: number,
  across: number,
): Polygon {
  // Upper left, upper right, lower right, lower left; "up" is to the left of the direction, unless the page is mirrored.
  const isUp = (ax - cx) * -y + (ay - cy) * x >= 0;
  const [upX, upY] = isUp ? [-y * across, x * across] : [y * across, -x * across];
  const [alongX, alongY] = [x * along, y * along];
  return [
    [ax - alongX + upX, ay - alongY + upY],
    [bx + alongX + upX, by + alongY + upY],
    [dx + alongX - upX, dy + alongY - upY],
    [cx - alongX - upX, cy - alongY - upY],
  ];
}

/** Values of MuPDF's constants `REDACT_IMAGE_NONE`, `REDACT_LINE_ART_NONE`, and `REDACT_TEXT_REMOVE`. */
const TEXT = { images: 0, lines: 0, text: 0 } as const;

/**
 * Lets MuPDF erase glyphs that our own interpreter did not find. MuPDF rewrites the whole content and removes everything in the rectangle around each
 * glyph.
 */
async function eraseWithMuPDF(
  open: OpenPdf,
  index: number,
  eraser: Eraser,
  matches: readonly PageMatch[],
): Promise<void> {
  const { document, engine } = open;
  // MuPDF writes `'` in a way that moves the lines after it.
  await changeContent(open, index, eraser, { ...NOTHING, plainOperators: true });
  const quads = matches.flatMap(({ marks }) => marks.map(({ middle }) => boundsOf(middle)));
  const page = document.findPage(index);
  const annotations = page.get("Annots");
  await spendCompared(open, index, quads.length);
  const redaction = { Type: document.newName("Annot"), Subtype: document.newName("Redact") };
  const all = quads.flatMap(([left, bottom, right, top]) => [left, top, right, top, left, bottom, right, bottom]);
  const xs = all.filter((_, at) => at % 2 === 0);
  const ys = all.filter((_, at) => at % 2 === 1);
  // Only with a new array does MuPDF write a stream of the page's own, rather than into one that other pages share.
  const parts: PDFObject = document.newArray();
  for (const stream of streamsOf(page)) parts.push(stream);
  page.put("Contents", parts);
  page.put("Annots", [{ ...redaction, Rect: [least(xs), least(ys), most(xs), most(ys)], QuadPoints: all }]);
  const loaded = await engine.long.loadPage(document, index);
  try {
    await withoutStructure(document, () => engine.long.redact(loaded, TEXT));
    engine.refuseSkipped();
  } finally {
    loaded.destroy();
    if (annotations.isNull()) page.delete("Annots");
    else page.put("Annots", annotations);
  }
}

function boundsOf(quad: Quad): RedactedBox {
  const xs = quad.filter((_, at) => at % 2 === 0);
  const ys = quad.filter((_, at) => at % 2 === 1);
  return [least(xs), least(ys), most(xs), most(ys)];
}

const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);
