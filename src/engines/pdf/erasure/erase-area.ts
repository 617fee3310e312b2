/** Erases what lies in an area of a page: glyphs, drawings, images, and pixels of these. */
import { apply, inverse, type Matrix } from "../../geometry.ts";
import type { StructuredText } from "mupdf";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import { charactersIn } from "../mupdf/structured-text.ts";
import type { Area } from "./area.ts";
import { blankImage } from "./blank-image.ts";
import { changeContent } from "./change-content.ts";
import type { Eraser } from "./eraser.ts";
import { corners, type Polygon, transformed } from "./geometry.ts";
import { NearGlyphs } from "./near-glyphs.ts";
import { SpanRecorder } from "./span-texts.ts";
import type { PlacedCode } from "./walk.ts";

/** The area is around the ink of each glyph. */
const OPTIONS = "clip=no,inhibit-spaces,ignore-actualtext,accurate-bboxes";

const SQUARE: Polygon = corners([0, 0, 1, 1]);

interface Ink {
  readonly x: number;
  readonly y: number;
  readonly ink: Polygon;
}

/**
 * Erases an area of a page (0-based). Glyphs go if their ink touches it, and images with the part that lies in it. `drawings`: which paths and
 * shadings go.
 */
export async function eraseArea(
  open: OpenPdf,
  index: number,
  eraser: Eraser,
  area: Area,
  drawings: "touched" | "covered",
): Promise<void> {
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
    drawing: () => false,
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
    drawing: (box) => (drawings === "touched" ? area.touches(corners(box)) : area.covers(corners(box))),
    async image({ object, matrix }) {
      const square = transformed(SQUARE, matrix);
      if (area.covers(square)) return "goes";
      if (!area.touches(square)) return "stays";
      const image = object();
      return image ? blankImage(open, image, matrix, area) : "goes";
    },
    beginSpan: ({ id }) => texts.get(id),
    endSpan: () => {},
  });
}

/** The glyphs of a page as MuPDF shows them, with the rectangle around the ink of each, in units of the page. */
async function readInk(open: OpenPdf, index: number): Promise<Ink[]> {
  const { document, engine } = open;
  const page = await engine.long.loadPage(document, index);
  let text: StructuredText | undefined;
  try {
    const toPage = inverse(page.getTransform() as unknown as Matrix);
    text = await withoutStructure(document, () => engine.long.textOfPage(page, OPTIONS));
    engine.refuseSkipped();
    const found: Ink[] = [];
    for (const { character, vertical } of charactersIn(engine, text)) {
      // MuPDF does not say where the origins of columns are, once it knows the ink.
      if (vertical) continue;
      const [x, y] = apply(toPage, character.x, character.y);
      const corner = (index: number): [number, number] =>
        apply(toPage, character.corner(index), character.corner(index + 1));
      found.push({ x, y, ink: [corner(0), corner(2), corner(6), corner(4)] });
    }
    return found;
  } finally {
    text?.destroy();
    page.destroy();
  }
}
