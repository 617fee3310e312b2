/**
 * Removes what stands in an area from the content of a page, with MuPDF's redaction: text glyph by glyph, pixels of images, and drawings.
 * It rewrites the content, and copies the forms that it draws, so that other pages which draw them keep theirs.
 */
import type { PDFObject } from "mupdf";
import { ContentMeter } from "../content/meter.ts";
import type { Matrix } from "../content/operands.ts";
import { allowPage } from "../content/page-work.ts";
import { idOf } from "../content/resources.ts";
import { streamsOf } from "../content/streams.ts";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import type { Quad } from "../text/glyphs.ts";
import { apply, inverse, type Mark } from "./page-matches.ts";

/** An area of a page, and what goes from it. */
interface Erasure {
  readonly quads: readonly Quad[];
  readonly text: boolean;
  /** Pixels of images, and drawings: those that lie in the area as a whole, or all that it touches. */
  readonly graphics: "none" | "covered" | "touched";
}

/** Values of MuPDF's constants `REDACT_IMAGE_...`, `REDACT_LINE_ART_...`, and `REDACT_TEXT_...`. */
const IMAGES = { none: 0, pixels: 2 } as const;
const DRAWINGS = { none: 0, covered: 1, touched: 2 } as const;
const TEXT = { remove: 0, none: 1 } as const;

/** Sine of an angle below which a line counts as parallel to an axis of the page. */
const PARALLEL = 0.002;

/** How far beyond what was found pixels are overwritten, in units of the page: they are antialiased. */
const BLEED = 0.75;

/** The same along the line, in font sizes: the words that were recognized in a scan have letters of other widths than their pixels. */
const SPREAD = 0.4;

export interface Areas {
  readonly marks: readonly Mark[];
  /** Left, bottom, right, top in units of the page. All that they touch goes. */
  readonly regions: readonly (readonly [number, number, number, number])[];
  /** 0 for the middle of each mark, 1 for all of it, above that by how many font sizes more. */
  readonly reach: number;
}

/** Fuel for MuPDF to compare a glyph or a path with an area, in addition to that of its loop: about 150 ns. */
const COMPARE_WORK = 36;

/**
 * Erases areas of a page (0-based), which is the first or has been changed to what shall be erased.
 * @throws Refusal `limit_exceeded`
 */
export async function eraseOnPage(open: OpenPdf, index: number, { marks, regions, reach }: Areas): Promise<void> {
  await allowPage(open, index);
  if (regions.length > 0) {
    const quads = regions.map(([left, bottom, right, top]): Quad => [
      left,
      top,
      right,
      top,
      left,
      bottom,
      right,
      bottom,
    ]);
    await applyErasure(open, index, { quads, text: true, graphics: "touched" });
  }
  // MuPDF removes what touches the rectangle around an area. A line at an angle is turned until it is parallel to that.
  const angles = Map.groupBy(marks, ({ direction: [x, y] }) =>
    Math.abs(x * y) < PARALLEL ? 0 : Math.round(Math.atan2(y, x) * 1000) / 1000,
  );
  for (const [angle, group] of angles) {
    await turned(open, index, angle, async (matrix) => {
      const turn = (quad: Quad): Quad => quad.map((_, at) => coordinate(quad, at, matrix)) as unknown as Quad;
      const text = group.map((mark) =>
        reach === 0 ? turn(mark.middle) : grown(turn(mark.box), (reach - 1) * mark.size),
      );
      await applyErasure(open, index, { quads: text, text: true, graphics: "none" });
      if (reach > 0) return;
      await applyErasure(open, index, {
        quads: group.map((mark) => grown(turn(lengthened(mark.box, SPREAD * mark.size)), BLEED)),
        text: false,
        graphics: "covered",
      });
    });
  }
}

function coordinate(quad: Quad, at: number, matrix: Matrix): number {
  const first = at - (at % 2);
  return apply(matrix, quad[first] ?? 0, quad[first + 1] ?? 0)[at % 2] ?? 0;
}

/** A quadrilateral that is longer at both ends of its line. */
function lengthened([ax, ay, bx, by, cx, cy, dx, dy]: Quad, more: number): Quad {
  const length = Math.hypot(bx - ax, by - ay) || 1;
  const [x, y] = [((bx - ax) / length) * more, ((by - ay) / length) * more];
  return [ax - x, ay - y, bx + x, by + y, cx - x, cy - y, dx + x, dy + y];
}

/** The rectangle around a quadrilateral, larger on each side. */
function grown(quad: Quad, by: number): Quad {
  const [x, y] = [0, 1].map((from) => [0, 2, 4, 6].map((at) => quad[at + from] ?? 0));
  const [left, right] = [Math.min(...(x ?? [])) - by, Math.max(...(x ?? [])) + by];
  const [bottom, top] = [Math.min(...(y ?? [])) - by, Math.max(...(y ?? [])) + by];
  return [left, top, right, top, left, bottom, right, bottom];
}

/** Does the work while the content of a page is turned clockwise by an angle. */
async function turned(
  open: OpenPdf,
  index: number,
  angle: number,
  work: (matrix: Matrix) => Promise<void>,
): Promise<void> {
  if (angle === 0) return work([1, 0, 0, 1, 0, 0]);
  const { document } = open;
  const page = document.findPage(index);
  const matrix: Matrix = [Math.cos(angle), -Math.sin(angle), Math.sin(angle), Math.cos(angle), 0, 0];
  const wrap = (by: Matrix, end: string): void => {
    const parts = document.newArray();
    parts.push(document.addStream(`q ${by.map((value) => value.toFixed(9)).join(" ")} cm\n`, {}));
    for (const stream of streamsOf(page)) parts.push(stream);
    parts.push(document.addStream(end, {}));
    page.put("Contents", parts);
  };
  wrap(matrix, "");
  await work(matrix);
  wrap(inverse(matrix), "\nQ");
}

async function applyErasure(open: OpenPdf, index: number, { quads, text, graphics }: Erasure): Promise<void> {
  const { document, engine } = open;
  const page = document.findPage(index);
  const annotations = page.get("Annots");
  const resources = page.getInheritable("Resources");
  const meter = new ContentMeter(open);
  const shown = await meter.marksOf(streamsOf(page), { object: resources, id: idOf(resources, `p${index}`) });
  engine.work.spend(shown * quads.length * COMPARE_WORK);
  const points = quads.flat();
  const [x, y] = [0, 1].map((from) => points.filter((_, at) => at % 2 === from));
  const redaction = document.addObject(document.newDictionary());
  redaction.put("Type", document.newName("Annot"));
  redaction.put("Subtype", document.newName("Redact"));
  redaction.put("Rect", arrayOf(open, [minimum(x), minimum(y), maximum(x), maximum(y)]));
  redaction.put("QuadPoints", arrayOf(open, points));
  // Only with a new array does MuPDF write a stream of the page's own, rather than into one that other pages share.
  const parts = document.newArray();
  for (const stream of streamsOf(page)) parts.push(stream);
  page.put("Contents", parts);
  const own = document.newArray();
  own.push(redaction);
  page.put("Annots", own);
  const loaded = await engine.long.loadPage(document, index);
  try {
    await withoutStructure(document, () =>
      engine.long.redact(loaded, {
        images: graphics === "none" ? IMAGES.none : IMAGES.pixels,
        lines: DRAWINGS[graphics],
        text: text ? TEXT.remove : TEXT.none,
      }),
    );
    engine.refuseSkipped();
  } finally {
    loaded.destroy();
    if (annotations.isNull()) page.delete("Annots");
    else page.put("Annots", annotations);
  }
}

function arrayOf({ document }: OpenPdf, values: readonly number[]): PDFObject {
  const array = document.newArray();
  for (const value of values) array.push(document.newReal(value));
  return array;
}

const minimum = (values: readonly number[] | undefined): number =>
  (values ?? []).reduce((least, value) => Math.min(least, value), Infinity);
const maximum = (values: readonly number[] | undefined): number =>
  (values ?? []).reduce((most, value) => Math.max(most, value), -Infinity);
