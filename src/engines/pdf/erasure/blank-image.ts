/** Overwrites pixels of images (ISO 32000-2, 8.9.5). */
import type { PDFObject } from "mupdf";
import { deflate } from "../../bytes/deflate.ts";
import type { Matrix } from "../content/operands.ts";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import { encodingWork, withSamples } from "../images/choice.ts";
import { eachRow } from "../images/each-row.ts";
import { type ImageFacts, readImageFacts } from "../images/facts.ts";
import type { Samples } from "../images/lossless.ts";
import { items } from "../objects/objects.ts";
import type { Area } from "./area.ts";
import { asPage } from "./as-page.ts";
import { inverse, type Polygon, transformed } from "./geometry.ts";
import { copyOf } from "./own-resources.ts";

/** Pixels that a row has in an area, from the first up to the last. */
type Run = readonly [from: number, to: number];

/** Pixels that touch an area by less than this do not. */
const ADJOINING = 1e-3;

const MASKS = ["SMask", "Mask"] as const;

/** Values of MuPDF's constants `REDACT_IMAGE_PIXELS`, `REDACT_LINE_ART_NONE`, and `REDACT_TEXT_NONE`. */
const PIXELS = { images: 2, lines: 0, text: 1 } as const;

/** A copy of an image without the pixels in an area. `matrix`: where the page has the image's unit square. */
export async function blankImage(open: OpenPdf, image: PDFObject, matrix: Matrix, area: Area): Promise<PDFObject> {
  const { document } = open;
  const data = image.readRawStream();
  const copy = document.addRawStream(data, copyOf(open, image));
  data.destroy();
  for (const key of MASKS) {
    const mask = image.get(key);
    if (mask.isStream()) copy.put(key, await blankImage(open, mask, matrix, area));
  }
  const facts = readImageFacts(copy);
  if (!facts) return copy;
  const runs = runsOf(facts, matrix, area);
  if (facts.components === undefined || hasOwnNumbers(copy, facts)) return blankWithMuPDF(open, copy, facts, runs);
  await open.engine.work.granted(encodingWork(facts, facts), () => blank(open, copy, facts, runs));
  return copy;
}

/** Whether entries besides the samples refer to the numbers that these have in the file, which would not be the same afterwards. */
const hasOwnNumbers = (image: PDFObject, { isIndexed, bits, transparency }: ImageFacts): boolean =>
  (transparency === "color-key" && (isIndexed || bits !== 8)) ||
  transparency === "baked" ||
  (isIndexed && image.get("Decode").isArray());

async function blank(
  open: OpenPdf,
  image: PDFObject,
  facts: ImageFacts,
  runs: (y: number) => readonly Run[],
): Promise<void> {
  const { engine, document } = open;
  // MuPDF draws a stencil only with a color.
  if (facts.isStencil) {
    image.delete("ImageMask");
    image.put("ColorSpace", document.newName("DeviceGray"));
    image.put("BitsPerComponent", 1);
  }
  const isBilevel = facts.bits === 1 && !facts.isIndexed && facts.components === 1;
  const bytes = await withSamples(
    engine,
    image,
    { image: { ...facts, isStencil: false } },
    facts,
    async (_, samples) => {
      const value = blankValue(image, facts);
      const { width, height, components } = samples;
      await eachRow(engine.work, { height, samples: width * components }, (y) => {
        const row = samples.data.subarray(y * width * components, (y + 1) * width * components);
        for (const [from, to] of runs(y)) row.fill(value, from * components, to * components);
      });
      return deflate(isBilevel ? await packed(open, samples) : samples.data.slice());
    },
  );
  image.writeRawStream(bytes);
  image.put("Filter", document.newName("FlateDecode"));
  for (const key of ["DecodeParms", "SMaskInData"]) image.delete(key);
  if (facts.isIndexed) image.put("ColorSpace", image.get("ColorSpace").get(1));
  image.put("BitsPerComponent", isBilevel ? 1 : 8);
  if (!facts.isStencil) return;
  image.put("ImageMask", true);
  image.delete("ColorSpace");
}

/** White, as paper is; of a stencil or mask, what is not painted. */
function blankValue(image: PDFObject, { components, space, isStencil }: ImageFacts): number {
  const [first = 0] = items(image.get("Decode")).map((item) => item.asNumber());
  const isInverted = first === 1;
  if (isStencil) return isInverted ? 0 : 255;
  const isInk = components === 4 || space === "Separation";
  return isInk === isInverted ? 255 : 0;
}

/** Samples of one bit, in rows of whole bytes. */
async function packed({ engine }: OpenPdf, samples: Samples): Promise<Uint8Array> {
  const { width, height } = samples;
  const stride = (width + 7) >> 3;
  const bits = new Uint8Array(stride * height);
  const { data } = samples;
  await eachRow(engine.work, { height, samples: width }, (y) => {
    for (let x = 0, at = y * width; x < width; x++, at++) {
      if ((data[at] ?? 0) >= 128) bits[y * stride + (x >> 3)] = (bits[y * stride + (x >> 3)] ?? 0) | (128 >> (x & 7));
    }
  });
  return bits;
}

/** Finds the pixels of each row, from the top, that are blanked. */
function runsOf({ width, height }: ImageFacts, matrix: Matrix, { pixels }: Area): (y: number) => readonly Run[] {
  const toUnit = inverse(matrix);
  const inImage = (part: Polygon): Polygon =>
    transformed(part, toUnit).map(([x, y]) => [x * width, (1 - y) * height] as const);
  if ("outside" in pixels) {
    const kept = inImage(pixels.outside);
    return (y) => {
      const run = runIn(kept, y, width);
      return run ? [[0, run[0]] as const, [run[1], width] as const] : [[0, width] as const];
    };
  }
  const parts = pixels.within.map(inImage);
  return (y) => parts.flatMap((part) => ((run) => (run ? [run] : []))(runIn(part, y, width)));
}

/** The pixels of a row that a convex area touches. */
function runIn(part: Polygon, y: number, width: number): Run | undefined {
  const [top, bottom] = [y + ADJOINING, y + 1 - ADJOINING];
  let [from, to] = [Infinity, -Infinity];
  const add = (x: number): void => {
    from = Math.min(from, x);
    to = Math.max(to, x);
  };
  for (const [at, [ax, ay]] of part.entries()) {
    const [bx, by] = part[(at + 1) % part.length] ?? [ax, ay];
    if (ay >= top && ay <= bottom) add(ax);
    for (const line of [top, bottom]) {
      if ((ay < line && by > line) || (ay > line && by < line)) add(ax + ((line - ay) / (by - ay)) * (bx - ax));
    }
  }
  const first = Math.max(0, Math.floor(from + ADJOINING));
  const end = Math.min(width, Math.ceil(to - ADJOINING));
  return end > first ? [first, end] : undefined;
}

/** Lets MuPDF overwrite the pixels of an image whose samples only it can tell. It writes a new image, in colors that it can write. */
async function blankWithMuPDF(
  open: OpenPdf,
  image: PDFObject,
  { width, height }: ImageFacts,
  runs: (y: number) => readonly Run[],
): Promise<PDFObject> {
  const { document, engine } = open;
  const resources = document.newDictionary();
  const objects = document.newDictionary();
  objects.put("Image", image);
  resources.put("XObject", objects);
  const contents = document.addStream(`q ${width} 0 0 ${height} 0 0 cm /Image Do Q`, {});
  const quads: number[] = [];
  /** Rows that have the same run, as one rectangle. MuPDF takes all pixels that a rectangle touches. */
  let open_: { from: number; to: number; top: number; bottom: number }[] = [];
  const inset = 0.1;
  const close = ({ from, to, top, bottom }: (typeof open_)[number]): void => {
    const [left, right, high, low] = [from + inset, to - inset, height - top - inset, height - bottom + inset];
    quads.push(left, high, right, high, left, low, right, low);
  };
  for (let y = 0; y <= height; y++) {
    const row = y < height ? runs(y).filter(([from, to]) => to > from) : [];
    const next: typeof open_ = [];
    for (const [from, to] of row) {
      const above = open_.find((one) => one.from === from && one.to === to);
      if (above) open_.splice(open_.indexOf(above), 1);
      next.push(above ? { ...above, bottom: y + 1 } : { from, to, top: y, bottom: y + 1 });
    }
    open_.forEach(close);
    open_ = next;
    engine.work.spend(row.length + 1);
  }
  if (quads.length === 0) return image;
  return asPage(open, { contents, resources }, async () => {
    const page = document.findPage(0);
    page.put("MediaBox", [0, 0, width, height]);
    page.put("CropBox", [0, 0, width, height]);
    const redaction = { Type: document.newName("Annot"), Subtype: document.newName("Redact") };
    page.put("Annots", [{ ...redaction, Rect: [0, 0, width, height], QuadPoints: quads }]);
    const loaded = await engine.long.loadPage(document, 0);
    try {
      await withoutStructure(document, () => engine.long.redact(loaded, PIXELS));
      engine.refuseSkipped();
    } finally {
      loaded.destroy();
    }
    const made = page.get("Resources", "XObject");
    let found: PDFObject | undefined;
    made.forEach((value) => {
      if (value.isStream()) found = value;
    });
    return found ?? image;
  });
}
