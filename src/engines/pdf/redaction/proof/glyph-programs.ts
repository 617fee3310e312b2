/** Draws codes of a font with MuPDF to show whether their glyphs are still in its file. The code that removes glyphs uses another reader of fonts. */
import type { PDFObject } from "mupdf";
import { withoutStructure } from "../../document/without-structure.ts";
import type { OpenPdf } from "../../document/document.ts";
import { asPage } from "../../document/as-page.ts";

/** Points, and pixels, of the square in which each glyph is drawn, and of the page of `asPage`; the size of the font, and where its origin is. */
const [CELL, PAGE, SIZE, ORIGIN] = [20, 1_000, 12, 5];
const PER_ROW = PAGE / CELL;

/** Fuel per pixel that is looked at. */
const PIXEL_WORK = 4;

/** The share of the ink of a glyph by which another picture of it may differ: an outline that was written anew has rounded numbers. */
const SAME_INK = 0.15;

/** Pictures of codes: the darkness of each pixel of their squares. */
export type Pictures = ReadonlyMap<number, Uint8Array>;

/** Draws codes of a font (its object number). */
export async function drawCodes(open: OpenPdf, font: number, codes: Iterable<number>): Promise<Pictures> {
  const pictures = new Map<number, Uint8Array>();
  const all = [...codes];
  // Fonts are kept as they were read.
  open.engine.emptyStore();
  for (let from = 0; from < all.length; from += PER_ROW * PER_ROW) {
    const drawn = all.slice(from, from + PER_ROW * PER_ROW);
    const pixels = await draw(open, font, drawn);
    for (const [index, code] of drawn.entries()) pictures.set(code, pictureAt(pixels, index));
  }
  return pictures;
}

/**
 * Whether a glyph that only removed text showed is still drawn: as it was, and not as that of a code that is still shown, which may have the same glyph.
 * @param left the codes that are not shown any more, before and now; and those that are still shown, now
 */
export function isStillDrawn(
  { engine: { work } }: OpenPdf,
  left: { readonly before: Pictures; readonly now: Pictures },
  shown: Pictures,
): boolean {
  return [...left.now].some(([code, now]) => {
    const before = left.before.get(code);
    work.spend(now.length * PIXEL_WORK);
    if (before === undefined || inkOf(now) === 0 || !isAlike(before, now)) return false;
    work.spend(shown.size * now.length * PIXEL_WORK);
    return ![...shown.values()].some((other) => isAlike(other, now));
  });
}

const inkOf = (picture: Uint8Array): number => picture.reduce((sum, value) => sum + value, 0);

const isAlike = (a: Uint8Array, b: Uint8Array): boolean =>
  a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) <= SAME_INK * Math.max(inkOf(a), inkOf(b));

/** The pixels of rows with these codes, from the bottom left of a page, a byte each. */
async function draw(open: OpenPdf, font: number, codes: readonly number[]): Promise<Uint8Array> {
  const { document, engine } = open;
  const object = document.newIndirect(font);
  const digits = object.get("DescendantFonts").isArray() ? 4 : 2;
  const content = codes.map((code, index) => {
    const [x, y] = [(index % PER_ROW) * CELL, Math.floor(index / PER_ROW) * CELL];
    const shown = code.toString(16).padStart(digits, "0");
    return `q ${x} ${y} ${CELL} ${CELL} re W n BT /F ${SIZE} Tf ${x + ORIGIN} ${y + ORIGIN} Td <${shown}> Tj ET Q`;
  });
  const contents: PDFObject = document.addStream(content.join("\n"), {});
  const fonts = document.newDictionary();
  fonts.put("F", object);
  const resources = document.newDictionary();
  resources.put("Font", fonts);
  try {
    return await asPage(open, { contents, resources }, () => drawPage(open, Math.ceil(codes.length / PER_ROW) * CELL));
  } finally {
    document.deleteObject(contents.asIndirect());
    engine.emptyStore();
  }
}

async function drawPage({ engine, document }: OpenPdf, height: number): Promise<Uint8Array> {
  const { mupdf, long, work } = engine;
  using stack = new DisposableStack();
  const drop = (made: { destroy(): void }): void => made.destroy();
  const page = stack.adopt(await long.loadPage(document, 0), drop);
  const list = stack.adopt(
    await withoutStructure(document, () => long.displayList(page, { annotations: false })),
    drop,
  );
  const pixmap = stack.adopt(
    new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, PAGE - height, PAGE, PAGE], false),
    drop,
  );
  pixmap.clear(255);
  const device = stack.adopt(new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap), drop);
  await long.run(list, device, mupdf.Matrix.identity);
  device.close();
  const pixels = pixmap.getPixels().slice();
  work.spend(pixels.length * PIXEL_WORK);
  await work.pause();
  return new Uint8Array(pixels);
}

function pictureAt(pixels: Uint8Array, index: number): Uint8Array {
  const [left, bottom] = [(index % PER_ROW) * CELL, Math.floor(index / PER_ROW) * CELL];
  const picture = new Uint8Array(CELL * CELL);
  for (let row = 0; row < CELL; row++) {
    const from = pixels.length - (bottom + CELL - row) * PAGE + left;
    for (let column = 0; column < CELL; column++) picture[row * CELL + column] = 255 - (pixels[from + column] ?? 255);
  }
  return picture;
}
