/** Overwrites pixels of images (ISO 32000-2, 8.9.5). */
import { inverse, type Matrix } from "../../geometry.ts";
import type { PDFObject, Pixmap } from "mupdf";
import { concat } from "../../bytes/concat.ts";
import { deflated } from "../../bytes/deflate.ts";
import { DamagedStream, inflate } from "../../bytes/inflate.ts";
import { jpegQuality } from "../../image/jpeg-segments.ts";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import { encodingWork } from "../images/choice.ts";
import { eachRow } from "../images/each-row.ts";
import { type ImageFacts, readImageFacts } from "../images/facts.ts";
import { encodeBands } from "../images/jpeg.ts";
import type { Samples } from "../images/lossless.ts";
import { dropOuterFilters } from "../images/outer-filters.ts";
import { PngPredictor } from "../images/png-predictor.ts";
import { fits, readSamples, sampleBands } from "../images/samples.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { grayOfDevice, readSpace } from "../objects/color-space.ts";
import { items } from "../objects/objects.ts";
import type { Work } from "../../work.ts";
import type { Area } from "./area.ts";
import { asPage } from "../document/as-page.ts";
import { type Polygon, transformed } from "./geometry.ts";
import { copyOf } from "./own-resources.ts";

/** Pixels that a row has in an area, from the first up to the last. */
type Run = readonly [from: number, to: number];

/** Pixels that touch an area by less than this do not. */
const ADJOINING = 1e-3;

const MASKS = ["SMask", "Mask"] as const;

/** Values of MuPDF's constants `REDACT_IMAGE_PIXELS`, `REDACT_LINE_ART_NONE`, and `REDACT_TEXT_NONE`. */
const PIXELS = { images: 2, lines: 0, text: 1 } as const;

/** Quality of a JPEG that says none, and the highest: a higher one adds bytes, and hides no loss that is seen. */
const MOST_QUALITY = 95;

/** Bytes after which the work yields to other requests. They are counted as a whole before (`encodingWork`, `ROW_WORK`). */
const BYTES_A_TURN = 1 << 20;

/** Fuel per byte of rows that are overwritten as they are stored, with what inflates and deflates them: about 40 ns. */
const ROW_WORK = 12;

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
  await dropOuterFilters(open, copy);
  const facts = readImageFacts(copy);
  if (!facts) return copy;
  const runs = runsOf(facts, matrix, area);
  const stored = storedSamples(copy, facts);
  const edit = async (work: () => Promise<void>): Promise<PDFObject> => {
    await open.engine.work.stage("encodeImage", encodingWork(facts, facts)).run(work);
    return copy;
  };
  if (stored) {
    await blankStored(open, copy, facts, stored, runs);
    return copy;
  }
  if (facts.components === undefined || hasOwnNumbers(copy, facts)) return blankWithMuPDF(open, copy, facts, runs);
  return edit(() => blankDecoded(open, copy, facts, runs));
}

/** Whether entries besides the samples refer to the numbers that these have in the file, which would not be the same afterwards. */
const hasOwnNumbers = (image: PDFObject, { isIndexed, transparency }: ImageFacts): boolean =>
  transparency === "color-key" ||
  transparency === "in data" ||
  transparency === "baked" ||
  (isIndexed && image.get("Decode").isArray());

/** Overwrites samples as they are stored, row by row: what is decoded is written as it was, in as many bits. */
async function blankStored(
  { engine }: OpenPdf,
  image: PDFObject,
  { width, height }: ImageFacts,
  { bits, blank }: StoredSamples,
  runs: (y: number) => readonly Run[],
): Promise<void> {
  const { work } = engine;
  const colors = blank.length;
  const stride = Math.ceil((width * colors * bits) / 8);
  // A few bytes can be many rows of one color.
  work.spend(stride * height * ROW_WORK);
  const put = (row: Uint8Array, [from, to]: Run): void => {
    for (let at = from * colors; at < to * colors; at++) {
      const value = blank[at % colors] ?? 0;
      if (bits === 8) row[at] = value;
      else if (bits === 16) row[at * 2] = row[at * 2 + 1] = value;
      else {
        const [byte, shift] = [(at * bits) >> 3, 8 - bits - ((at * bits) & 7)];
        row[byte] = ((row[byte] ?? 0) & ~(((1 << bits) - 1) << shift)) | (value << shift);
      }
    }
  };
  async function* rows(): AsyncGenerator<Uint8Array> {
    let y = 0;
    for await (const row of storedRows(engine, image, { columns: width, colors, bits }, height)) {
      const changed = row.slice();
      for (const run of runs(y)) put(changed, run);
      yield changed;
      y++;
    }
    // What the data lacks is shown as zeros.
    for (; y < height; y++) {
      const row = new Uint8Array(stride);
      for (const run of runs(y)) put(row, run);
      yield row;
    }
  }
  await writeFlate(image, turns(work, rows()));
}

/** Yields to other requests between rows. */
async function* turns(work: Work, rows: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let since = 0;
  for await (const row of rows) {
    yield row;
    since += row.length;
    if (since < BYTES_A_TURN) continue;
    since = 0;
    await work.rest();
  }
}

/** The rows of an image as they are stored. An image that is only deflated is never held as a whole. */
async function* storedRows(
  { long, scope, work }: PdfEngine,
  image: PDFObject,
  layout: { readonly columns: number; readonly colors: number; readonly bits: number },
  height: number,
): AsyncGenerator<Uint8Array> {
  const predictor = scope(() => PngPredictor.of(image, layout));
  if (predictor) {
    const data = scope(() => image.readRawStream().asUint8Array().slice());
    try {
      yield* predictor.rows(inflate(work, [data]), height);
    } catch (error) {
      if (!(error instanceof DamagedStream)) throw error;
    }
    return;
  }
  const stride = Math.ceil((layout.columns * layout.colors * layout.bits) / 8);
  const buffer = await long.readStream(image);
  try {
    // The heap may have grown since the last row.
    for (let y = 0; y < height && (y + 1) * stride <= buffer.getLength(); y++)
      yield buffer.asUint8Array().subarray(y * stride, (y + 1) * stride);
  } finally {
    buffer.destroy();
  }
}

/** Overwrites samples that only a decoder can tell: those of a JPEG. One that is too large to be held is encoded again band by band. */
async function blankDecoded(
  open: OpenPdf,
  image: PDFObject,
  facts: ImageFacts,
  runs: (y: number) => readonly Run[],
): Promise<void> {
  const { engine, document } = open;
  const { width, height, components = 1 } = facts;
  const value = isInk(facts) === isInverted(image) ? 255 : 0;
  async function* erased(): AsyncGenerator<Samples> {
    const bands = isHeld ? wholeImage(engine, image, facts) : bandsOf(engine, image, facts);
    for await (const { top, samples } of bands) {
      const { data } = samples;
      await eachRow(engine.work, { height: samples.height, samples: width * components }, (y) => {
        const row = data.subarray(y * width * components, (y + 1) * width * components);
        for (const [from, to] of runs(top + y)) row.fill(value, from * components, to * components);
      });
      yield samples;
    }
  }
  const isHeld = fits(facts, facts);
  if (isHeld || components === 4) {
    await writeFlate(image, copiesOf(erased()));
    if (facts.isIndexed) image.put("ColorSpace", image.get("ColorSpace").get(1));
  } else {
    const quality = facts.filter === "DCTDecode" ? qualityOf(engine, image) : MOST_QUALITY;
    const picture = { width, height, gray: components === 1, quality, bands: erased() };
    image.writeRawStream(await encodeBands(engine.jpeg, picture));
    image.put("Filter", document.newName("DCTDecode"));
    for (const key of ["DecodeParms", "SMaskInData"]) image.delete(key);
  }
  image.put("BitsPerComponent", 8);
}

interface Band {
  readonly top: number;
  readonly samples: Samples;
}

async function* wholeImage(engine: PdfEngine, image: PDFObject, facts: ImageFacts): AsyncGenerator<Band> {
  const pixmap = await readSamples(engine, image, facts, facts);
  try {
    yield { top: 0, samples: samplesOf(pixmap) };
  } finally {
    pixmap.destroy();
  }
}

async function* bandsOf(engine: PdfEngine, image: PDFObject, facts: ImageFacts): AsyncGenerator<Band> {
  for await (const { top, pixmap } of sampleBands(engine, image, facts)) yield { top, samples: samplesOf(pixmap) };
}

function samplesOf(pixmap: Pixmap): Samples {
  const [width, height, components] = [pixmap.getWidth(), pixmap.getHeight(), pixmap.getNumberOfComponents()];
  if ((components !== 1 && components !== 3 && components !== 4) || pixmap.getStride() !== width * components) {
    throw new Error("the pixmap is not as asked for");
  }
  return {
    // The heap may have grown since the last access.
    get data() {
      const view = pixmap.getPixels();
      return new Uint8Array(view.buffer, view.byteOffset, width * height * components);
    },
    width,
    height,
    components,
  };
}

/** Samples outside of the engine's heap, a little at a time. */
async function* copiesOf(bands: AsyncIterable<Samples>): AsyncGenerator<Uint8Array> {
  for await (const band of bands) {
    const { length } = band.data;
    for (let at = 0; at < length; at += BYTES_A_TURN) yield band.data.slice(at, at + BYTES_A_TURN);
  }
}

function qualityOf(engine: PdfEngine, image: PDFObject): number {
  const quality = engine.scope(() => jpegQuality(image.readRawStream().asUint8Array()));
  return Math.min(MOST_QUALITY, Math.round(quality ?? MOST_QUALITY));
}

async function writeFlate(image: PDFObject, data: AsyncIterable<Uint8Array>): Promise<void> {
  const pieces: Uint8Array[] = [];
  for await (const piece of deflated(data)) pieces.push(piece);
  image.writeRawStream(concat(pieces));
  image.put("Filter", image._doc.newName("FlateDecode"));
  for (const key of ["DecodeParms", "SMaskInData"]) image.delete(key);
}

const isInk = ({ components, space }: ImageFacts): boolean => components === 4 || space === "Separation";

const isInverted = (image: PDFObject): boolean => items(image.get("Decode"))[0]?.asNumber() === 1;

/** How samples are stored (8.9.5.2), and the sample of each component that is white, as paper is; of a stencil or mask, what is not painted. */
interface StoredSamples {
  readonly bits: number;
  readonly blank: readonly number[];
}

/** Undefined for samples that only a decoder can tell, and colors that are not known. */
function storedSamples(image: PDFObject, { filter, bits, isStencil }: ImageFacts): StoredSamples | undefined {
  if (filter === "DCTDecode" || filter === "JPXDecode" || ![1, 2, 4, 8, 16].includes(bits)) return undefined;
  const most = 2 ** Math.min(bits, 8) - 1;
  const space = image.get("ColorSpace");
  const decode = items(image.get("Decode")).map((item) => item.asNumber());
  const palette = isStencil ? undefined : lightestIn(space);
  if (palette !== undefined) {
    const [first = 0, last = most] = decode;
    if (first === 0 && last === most) return { bits, blank: [palette] };
    return first === most && last === 0 ? { bits, blank: [most - palette] } : undefined;
  }
  const white = isStencil ? [1] : whiteOf(space);
  return white && { bits, blank: white.map((one, index) => (decode[index * 2] === 1 ? 1 - one : one) * most) };
}

/** White in a color space, each component from 0 to 1 as it is stored. Undefined if it is not known. */
function whiteOf(space: PDFObject): readonly number[] | undefined {
  const family = space.isArray() ? space.get(0) : space;
  const { components, space: name, isIndexed } = readSpace(space);
  if (!family.isName() || isIndexed || name === "Pattern") return undefined;
  // Of inks, none.
  if (name === "DeviceN") return items(space.get(1)).map(() => 0);
  if (components === undefined) return undefined;
  return Array.from({ length: components }, () => (components === 4 || name === "Separation" ? 0 : 1));
}

/** The index of the lightest color of a palette (8.6.6.3); undefined if the space has none, or its colors are not known. */
function lightestIn(space: PDFObject): number | undefined {
  const { components, space: base, isIndexed } = readSpace(space);
  if (!isIndexed || components === undefined) return undefined;
  const table = space.get(3);
  const colors = table.isStream() ? table.readStream().asUint8Array() : table.asByteString();
  const isInks = components === 4 || base === "Separation";
  let [lightest, most] = [0, -1];
  for (let index = 0; (index + 1) * components <= colors.length && index <= space.get(2).asNumber(); index++) {
    const color = [...colors.subarray(index * components, (index + 1) * components)].map((value) => value / 255);
    const gray = isInks && components === 1 ? 1 - (color[0] ?? 0) : grayOfDevice(color);
    if (gray > most) [lightest, most] = [index, gray];
  }
  return lightest;
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
