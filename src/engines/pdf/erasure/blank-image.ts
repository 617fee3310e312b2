/** Overwrites pixels of images (ISO 32000-2, 8.9.5). */
import { inverse, type Matrix } from "../../geometry.ts";
import type { PDFObject, Pixmap } from "mupdf";
import { concat } from "../../../bytes/concat.ts";
import { deflated } from "../../flate/deflate.ts";
import { DamagedStream, inflate } from "../../flate/inflate.ts";
import { jpegQuality } from "../../image/jpeg-segments.ts";
import type { OpenPdf } from "../document/document.ts";
import { encodingWork } from "../images/choice.ts";
import { eachRow } from "../images/each-row.ts";
import { type ImageFacts, opacityInData, readImageFacts } from "../images/facts.ts";
import { encodeBands } from "../images/jpeg.ts";
import type { Samples } from "../images/lossless.ts";
import { dropOuterFilters } from "../images/outer-filters.ts";
import { PngPredictor } from "../images/png-predictor.ts";
import { colorBands, fits, readSamples, sampleBands } from "../images/samples.ts";
import { UndecodableImage } from "../../file-errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { objectNumber } from "../objects/objects.ts";
import type { Work } from "../../work.ts";
import type { ErasedArea } from "./area.ts";
import { type Blank, blankOf, blankRun, isWhiteColor, type SampleRole, type BlankRun } from "./blank-color.ts";
import type { Eraser } from "./eraser.ts";
import { type Polygon, transformed } from "./geometry.ts";
import { copyOf } from "./own-resources.ts";

/** Pixels that touch an area by less than this do not. */
const ADJOINING = 1e-3;

/** Quality of a JPEG without a known one, and the highest: a higher one adds bytes, and avoids no visible loss. */
const MOST_QUALITY = 95;

/** Bytes after which the work yields to other requests. They are counted as a whole before (`encodingWork`, `ROW_WORK`). */
const BYTES_A_TURN = 1 << 20;

/** Fuel per byte of rows that are overwritten in their stored form, including inflating and deflating: about 40 ns. */
const ROW_WORK = 12;

/** An area of the page that has the image's unit square at `matrix`. */
interface Place {
  readonly matrix: Matrix;
  readonly area: ErasedArea;
}

/**
 * A copy of an image without the pixels in an area, which are overwritten with white. If the image has no white, a mask hides them. So does a mask if
 * the encoding is lossy and would spread adjacent pixels into the area.
 * @throws UndecodableImage, Refusal `limit_exceeded`
 */
export async function blankImage(open: OpenPdf, eraser: Eraser, image: PDFObject, place: Place): Promise<PDFObject> {
  const { document } = open;
  const copy = await overwritten(open, eraser, image, place, "image");
  const facts = readImageFacts(copy.image);
  const [soft, stencil] = [image.get("SMask"), image.get("Mask")];
  if (soft.isStream()) {
    const role = copy.isHidden ? "transparent" : "opaque";
    copy.image.put("SMask", (await overwritten(open, eraser, soft, place, role)).image);
  }
  if (stencil.isStream()) {
    copy.image.put("Mask", (await overwritten(open, eraser, stencil, place, "stencil")).image);
  } else if (copy.isHidden && facts && !soft.isStream()) {
    const mask = document.addStream("", {
      Type: document.newName("XObject"),
      Subtype: document.newName("Image"),
      ImageMask: true,
      BitsPerComponent: 1,
      Width: facts.width,
      Height: facts.height,
    });
    await blankRows(open, mask, facts, { bits: 1, samples: [1] }, runsOf(facts, place), none());
    eraser.blanked.set(objectNumber(mask), undefined);
    copy.image.put("Mask", mask);
  }
  return copy.image;
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** A copy of an image or mask whose pixels are overwritten. `isHidden`: a mask has to hide them. */
async function overwritten(
  open: OpenPdf,
  eraser: Eraser,
  image: PDFObject,
  place: Place,
  purpose: SampleRole,
): Promise<{ readonly image: PDFObject; readonly isHidden: boolean }> {
  const { document, engine, input } = open;
  const data = image.readRawStream();
  const copy = document.addRawStream(data, copyOf(open, image));
  data.destroy();
  await dropOuterFilters(open, copy);
  const facts = readImageFacts(copy);
  if (!facts) return { image: copy, isHidden: false };
  eraser.blanked.set(objectNumber(copy), eraser.blanked.get(objectNumber(image)));
  const role = facts.isStencil ? "stencil" : purpose;
  try {
    return { image: copy, isHidden: await overwrite(open, eraser, { image: copy, facts, role }, runsOf(facts, place)) };
  } catch (error) {
    if (engine.isFailure(error)) throw new UndecodableImage(input.field, facts);
    throw error;
  }
}

/** Overwrites pixels of an image or mask. Returns whether a mask has to hide them. */
async function overwrite(
  open: OpenPdf,
  eraser: Eraser,
  { image, facts, role }: { readonly image: PDFObject; readonly facts: ImageFacts; readonly role: SampleRole },
  runs: (y: number) => readonly BlankRun[],
): Promise<boolean> {
  const hides = async (space: PDFObject, blank: Blank, hasLoss: boolean): Promise<boolean> => {
    if (role !== "image" || facts.transparency === "color-key") return false;
    return hasLoss || !(await isWhiteColor(open, image, space, blank));
  };
  const space = image.get("ColorSpace");
  if (!isCoded(facts) && [1, 2, 4, 8, 16].includes(facts.bits)) {
    const blank = blankOf(image, { bits: facts.bits, space, role });
    if (blank) {
      await blankStored(open, image, facts, blank, runs);
      return hides(space, blank, eraser.blanked.get(objectNumber(image)) !== undefined);
    }
  }
  const work = open.engine.work.stage("encodeImage", encodingWork(facts, facts));
  const own = facts.isIndexed ? space.get(1) : space;
  const blank = hasOwnNumbers(image, facts) ? undefined : blankOf(image, { bits: 8, space: own, role });
  const components = facts.space === "Lab" ? 3 : facts.components;
  if (!blank || components === undefined) {
    await work.run(() => blankColors(open, image, facts, runs));
    return false;
  }
  const isJpeg = facts.filter === "DCTDecode" && facts.components !== undefined && facts.transparency !== "color-key";
  if (isJpeg && role === "image") eraser.blanked.set(objectNumber(image), qualityOf(open.engine, image));
  const hasLoss = await work.run(() => blankDecoded(open, image, { ...facts, components }, blank, runs));
  return hides(own, blank, hasLoss || isJpeg);
}

/** Whether only a decoder can tell the samples. */
const isCoded = ({ filter }: ImageFacts): boolean => filter === "DCTDecode" || filter === "JPXDecode";

/** Whether samples have a meaning that they would not have as numbers of 8 bits. */
const hasOwnNumbers = (image: PDFObject, { isIndexed, transparency }: ImageFacts): boolean =>
  opacityInData(image) !== "none" || (isIndexed && (transparency === "color-key" || image.get("Decode").isArray()));

/** Overwrites samples in their stored form: decoded samples are written with as many bits as before. */
async function blankStored(
  open: OpenPdf,
  image: PDFObject,
  facts: ImageFacts,
  blank: Blank,
  runs: (y: number) => readonly BlankRun[],
): Promise<void> {
  const layout = { columns: facts.width, colors: blank.samples.length, bits: blank.bits };
  const found = await blankRows(open, image, facts, blank, runs, storedRows(open.engine, image, layout, facts.height));
  if (found === 0 && facts.bytes > 0) throw new UndecodableImage(open.input.field, facts);
}

/** Writes an image with these rows, in which pixels are overwritten, and with zeros for those that lack: so they are shown. Returns how many there were. */
async function blankRows(
  { engine: { work } }: OpenPdf,
  image: PDFObject,
  { width, height }: ImageFacts,
  blank: Blank,
  runs: (y: number) => readonly BlankRun[],
  stored: AsyncIterable<Uint8Array>,
): Promise<number> {
  const stride = Math.ceil((width * blank.samples.length * blank.bits) / 8);
  // A few bytes can be many rows of one color.
  work.spend(stride * height * ROW_WORK);
  let found = 0;
  async function* rows(): AsyncGenerator<Uint8Array> {
    for await (const row of stored) yield changed(row.slice(), found++);
    for (let y = found; y < height; y++) yield changed(new Uint8Array(stride), y);
  }
  const changed = (row: Uint8Array, y: number): Uint8Array => {
    for (const run of runs(y)) blankRun(row, run, blank);
    return row;
  };
  await writeFlate(image, turns(work, rows()));
  return found;
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

/** The rows of an image in their stored form. An image with only a Flate filter is never held as a whole. */
async function* storedRows(
  { complete, long, scope, work }: PdfEngine,
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
  // For lack of memory, a decoder just ends the data.
  const buffer = await complete(() => long.readStream(image));
  try {
    // The heap may have grown since the last row.
    for (let y = 0; y < height && (y + 1) * stride <= buffer.getLength(); y++)
      yield buffer.asUint8Array().subarray(y * stride, (y + 1) * stride);
  } finally {
    buffer.destroy();
  }
}

/** Overwrites samples that only a decoder can tell. Those that are too large to be held are encoded again band by band. Returns whether that has a loss. */
async function blankDecoded(
  open: OpenPdf,
  image: PDFObject,
  facts: ImageFacts,
  blank: Blank,
  runs: (y: number) => readonly BlankRun[],
): Promise<boolean> {
  const { engine, document } = open;
  const { width, height, components = 1 } = facts;
  const isHeld = fits(facts, facts);
  async function* erased(): AsyncGenerator<Samples> {
    const bands = isHeld ? wholeImage(engine, image, facts) : bandsOf(engine, image, facts);
    for await (const { top, samples } of bands) {
      const { data } = samples;
      await eachRow(engine.work, { height: samples.height, samples: width * components }, (y) => {
        const row = data.subarray(y * width * components, (y + 1) * width * components);
        for (const run of runs(top + y)) blankRun(row, run, blank);
      });
      yield samples;
    }
  }
  const hasLoss = !isHeld && components !== 4 && facts.transparency !== "color-key";
  if (hasLoss) {
    const quality = facts.filter === "DCTDecode" ? qualityOf(engine, image) : MOST_QUALITY;
    const picture = { width, height, gray: components === 1, quality, bands: erased() };
    image.writeRawStream(await encodeBands(engine.jpeg, picture));
    image.put("Filter", document.newName("DCTDecode"));
    for (const key of ["DecodeParms", "SMaskInData"]) image.delete(key);
  } else await writeFlate(image, copiesOf(erased()));
  if (facts.isIndexed) image.put("ColorSpace", image.get("ColorSpace").get(1));
  image.put("BitsPerComponent", 8);
  return hasLoss;
}

/** Overwrites pixels of an image whose colors only MuPDF can tell. They are written in RGB, and a color key or an opacity in the data as a soft mask. */
async function blankColors(
  open: OpenPdf,
  image: PDFObject,
  facts: ImageFacts,
  runs: (y: number) => readonly BlankRun[],
): Promise<void> {
  const { engine, document } = open;
  const { width, height, transparency } = facts;
  const inData = opacityInData(image);
  const hasOpacity = transparency === "color-key" || inData !== "none";
  const opacity = hasOpacity ? new Uint8Array(width * height) : undefined;
  engine.claim(opacity?.length ?? 0);
  async function* colors(): AsyncGenerator<Uint8Array> {
    for await (const { top, rows, pixmap } of colorBands(engine, image, facts)) {
      for (let y = 0; y < rows; y++) {
        const row = new Uint8Array(width * 3);
        const pixels = pixmap.getPixels().subarray(y * width * 4, (y + 1) * width * 4);
        for (let x = 0; x < width; x++) {
          const alpha = pixels[x * 4 + 3] ?? 0;
          for (let channel = 0; channel < 3; channel++)
            row[x * 3 + channel] =
              alpha === 0 ? 0 : Math.min(255, Math.round(((pixels[x * 4 + channel] ?? 0) * 255) / alpha));
          if (opacity) opacity[(top + y) * width + x] = alpha;
        }
        for (const run of runs(top + y)) {
          blankRun(row, run, WHITE);
          opacity?.fill(255, (top + y) * width + run[0], (top + y) * width + run[1]);
        }
        yield row;
      }
    }
  }
  await writeFlate(image, turns(engine.work, colors()));
  image.put("ColorSpace", document.newName("DeviceRGB"));
  image.put("BitsPerComponent", 8);
  image.delete("Decode");
  if (!opacity) return;
  const mask = document.addStream("", {
    Type: document.newName("XObject"),
    Subtype: document.newName("Image"),
    ColorSpace: document.newName("DeviceGray"),
    BitsPerComponent: 8,
    Width: width,
    Height: height,
    ...(inData === "premultiplied" && { Matte: [0, 0, 0] }),
  });
  const level = (y: number): Uint8Array => opacity.subarray(y * width, (y + 1) * width);
  await writeFlate(mask, turns(engine.work, eachOf(height, level)));
  image.delete("Mask");
  image.put("SMask", mask);
  engine.claim(-opacity.length);
}

const WHITE: Blank = { bits: 8, samples: [255, 255, 255] };

async function* eachOf<T>(count: number, make: (index: number) => T): AsyncGenerator<T> {
  for (let index = 0; index < count; index++) yield make(index);
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

/** Finds the pixels of each row, from the top, that are blanked. */
function runsOf(
  { width, height }: ImageFacts,
  { matrix, area: { pixels } }: Place,
): (y: number) => readonly BlankRun[] {
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
function runIn(part: Polygon, y: number, width: number): BlankRun | undefined {
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
