/** Erases an area of a page: glyphs, drawings, images, and pixels of these. */
import type { OpenPdf } from "../document/document.ts";
import type { CutArea } from "./area.ts";
import { blankImage } from "./blank-image.ts";
import { changeContent } from "./change-content.ts";
import type { Eraser } from "./eraser.ts";
import { corners, type Polygon, transformed } from "./geometry.ts";
import { readInk } from "./glyph-ink.ts";
import { NearGlyphs } from "./near-glyphs.ts";
import { SpanRecorder } from "./span-texts.ts";
import type { PlacedCode } from "./choice.ts";

const SQUARE: Polygon = corners([0, 0, 1, 1]);

/**
 * Erases an area of a page (0-based). Glyphs are removed if their ink touches it. Images and drawings lose the part in it. A drawing painted with a
 * pattern of cells, a mesh, or a mask is removed as a whole.
 */
export async function eraseArea(open: OpenPdf, index: number, eraser: Eraser, area: CutArea): Promise<void> {
  const ink = new NearGlyphs(await readInk(open, index));
  const spans = new SpanRecorder(() => []);
  const gone = new Set<number>();
  const goes = (code: PlacedCode): boolean => {
    const near = ink.near(code).toSorted((a, b) => a.distance - b.distance);
    const [nearest] = near;
    if (!nearest) return area.touches(code.square());
    return near.some(({ glyph, distance }) => distance <= nearest.distance + 1e-3 && area.touches(glyph.ink));
  };
  const stays = async (): Promise<"stays"> => "stays";
  await changeContent(open, index, eraser, {
    code(code) {
      spans.code(code.id);
      if (goes(code)) gone.add(code.id);
      return false;
    },
    drawing: () => "stays",
    image: stays,
    beginSpan(span) {
      spans.begin(span);
      return undefined;
    },
    endSpan: (span) => spans.end(span),
  });
  const texts = spans.decide(gone);
  await changeContent(open, index, eraser, {
    code: ({ id }) => gone.has(id),
    drawing({ box, reach }) {
      if (area.covers(corners(box))) return "goes";
      return area.touches(corners(reach)) ? "is cut" : "stays";
    },
    cutAt: area,
    async image({ object, matrix }) {
      const square = transformed(SQUARE, matrix);
      if (area.covers(square)) return "goes";
      if (!area.touches(square)) return "stays";
      const image = object();
      return image ? blankImage(open, eraser, image, { matrix, area }) : "goes";
    },
    beginSpan: ({ id }) => texts.get(id),
    endSpan: () => {},
  });
}
