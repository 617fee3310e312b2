/**
 * Converts PNGs to images as stored in a PDF. Compressed rows without alpha or interlacing are identical in both formats, so
 * they are only checked. Samples keep their depth, including 16 bits.
 */
import type { EngineBytes } from "../../memory/heap.ts";
import { joinedBytes, partOf } from "../../memory/joined-bytes.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { Deflated } from "./deflated.ts";
import type { ColorSpace, EmbeddedImage, SoftMask } from "./embedded-image.ts";
import { GRAY, GRAY_ALPHA, PALETTE, type PngFacts, RGB_ALPHA } from "../../image/png-header.ts";
import {
  inflatedBytes,
  pixelBits,
  sample,
  shownPngRows,
  storedRows,
  unfilter,
  UNFILTER_WORK,
} from "../../image/png-rows.ts";
import { RowFilter } from "../../image/row-filter.ts";

type Samples = Pick<EmbeddedImage, "data" | "softMask">;

const OPAQUE = 255;

/** Fuel per byte of a row that is separated into colors and alpha, and filtered. */
const ROW_WORK = 4;

/** @throws BadImage if the data is damaged; Refusal `limit_exceeded` (memory, decompressed bytes) */
export async function embedPng(engine: PdfEngine, png: PngFacts, file: EngineBytes): Promise<EmbeddedImage> {
  engine.countDecoded(inflatedBytes(png), 0);
  const { width, height, depth: bits, colorType } = png;
  const colorKey = colorKeyOf(png);
  const hasChannel = colorType === GRAY_ALPHA || colorType === RGB_ALPHA;
  const alphaOf = colorKey || hasChannel ? undefined : alphaFromColors(png);
  const samples =
    hasChannel && !png.interlaced
      ? await splitStored(engine, png, file)
      : png.interlaced || alphaOf
        ? await engine.work
            .stage("convertImage", inflatedBytes(png) * (UNFILTER_WORK + ROW_WORK))
            .run(() => fromShown(engine, png, file, alphaOf))
        : await passedOn(engine, png, file);
  return { width, height, bits, space: spaceOf(png), coding: "filtered", ...samples, ...(colorKey && { colorKey }) };
}

function spaceOf({ colorType, palette, depth, profile }: PngFacts): ColorSpace {
  // Indices outside the palette are black, as in decoders.
  const whole = new Uint8Array(3 << depth);
  whole.set(palette);
  return {
    components: colorType === GRAY || colorType === GRAY_ALPHA ? 1 : 3,
    ...(colorType === PALETTE && { palette: whole }),
    ...(profile && { profile }),
  };
}

const storedData = (png: PngFacts, file: EngineBytes): EngineBytes =>
  joinedBytes(png.data.map(({ start, end }) => partOf(file, start, end)));

async function passedOn(engine: PdfEngine, png: PngFacts, file: EngineBytes): Promise<Samples> {
  const rows = storedRows(engine.work, png, file);
  while ((await rows.next()).done !== true);
  return { data: storedData(png, file) };
}

/**
 * Splits color and alpha but keeps the filters of the rows: a filter processes each sample independently, so the filtered bytes can be split without
 * decoding.
 */
async function splitStored(engine: PdfEngine, png: PngFacts, file: EngineBytes): Promise<Samples> {
  const bytes = png.depth >> 3;
  const [pixel, colors] = [png.channels * bytes, (png.channels - 1) * bytes];
  const colorRow = new Uint8Array(1 + png.width * colors);
  const alphaRow = new Uint8Array(1 + png.width * bytes);
  using color = new Deflated(engine);
  using alpha = new Deflated(engine);
  const opaque = new OpaqueCheck(png.width * bytes, bytes);
  for await (const row of storedRows(engine.work, png, file)) {
    colorRow[0] = alphaRow[0] = row[0] ?? 0;
    let [toColor, toAlpha] = [1, 1];
    for (let at = 1; at < row.length; at += pixel) {
      for (let byte = 0; byte < colors; byte++) colorRow[toColor++] = row[at + byte] ?? 0;
      for (let byte = colors; byte < pixel; byte++) alphaRow[toAlpha++] = row[at + byte] ?? 0;
    }
    const waits = [color.write(colorRow), alpha.write(alphaRow)];
    if (waits.some((wait) => wait !== undefined)) await Promise.all(waits);
    opaque.add(alphaRow);
  }
  const data = await color.end();
  if (opaque.all) return { data };
  return { data, softMask: { bits: bitsOfAlpha(png), data: await alpha.end(), coding: "filtered" } };
}

const bitsOfAlpha = ({ depth }: PngFacts): SoftMask["bits"] => (depth === 16 ? 16 : 8);

/** Checks whether alpha is opaque everywhere: many programs write an unused alpha channel. */
class OpaqueCheck {
  all = true;
  readonly #distance: number;
  #above: Uint8Array;
  #line: Uint8Array;

  constructor(bytes: number, distance: number) {
    this.#distance = distance;
    this.#above = new Uint8Array(bytes);
    this.#line = new Uint8Array(bytes);
  }

  /** Checks a row, including its filter. */
  add(row: Uint8Array): void {
    if (!this.all) return;
    unfilter(row, this.#above, this.#line, this.#distance);
    this.all = this.#line.every((byte) => byte === OPAQUE);
    [this.#above, this.#line] = [this.#line, this.#above];
  }
}

/** Reads rows in display order. The colors of a non-interlaced image are kept as stored. */
async function fromShown(
  engine: PdfEngine,
  png: PngFacts,
  file: EngineBytes,
  alphaOf: ((row: Uint8Array, pixel: number) => number) | undefined,
): Promise<Samples> {
  const { width, depth, channels } = png;
  const bytes = Math.max(1, depth >> 3);
  const hasChannel = alphaOf === undefined && (channels === 2 || channels === 4);
  const [pixel, colors] = [channels * bytes, (channels - 1) * bytes];
  const colorRow = new Uint8Array(hasChannel ? width * colors : Math.ceil((width * pixelBits(png)) / 8));
  const alphaRow = new Uint8Array(hasChannel ? width * bytes : width);
  const distance = hasChannel ? colors : Math.max(1, pixelBits(png) >> 3);
  const filter = new RowFilter(colorRow.length, distance);
  using color = png.interlaced ? new Deflated(engine) : undefined;
  using alpha = hasChannel || alphaOf ? new Deflated(engine) : undefined;
  let opaque = true;
  for await (const row of shownPngRows(engine.work, png, file)) {
    engine.work.spend(row.length * ROW_WORK);
    if (hasChannel) {
      for (let index = 0; index < width; index++) {
        for (let byte = 0; byte < colors; byte++) colorRow[index * colors + byte] = row[index * pixel + byte] ?? 0;
        for (let byte = 0; byte < bytes; byte++) {
          alphaRow[index * bytes + byte] = row[index * pixel + colors + byte] ?? 0;
        }
      }
    } else {
      colorRow.set(row);
      if (alphaOf) for (let index = 0; index < width; index++) alphaRow[index] = alphaOf(row, index);
    }
    await color?.write(filter.filter(colorRow));
    await alpha?.write(alphaRow);
    opaque &&= alpha === undefined || alphaRow.every((byte) => byte === OPAQUE);
  }
  const data = (await color?.end()) ?? storedData(png, file);
  if (!alpha || opaque) return { data };
  return { data, softMask: { bits: hasChannel ? bitsOfAlpha(png) : 8, data: await alpha.end(), coding: "plain" } };
}

/**
 * The transparent colors as ranges of samples, if these suffice. PDF readers do not support such a color key for 16 bits.
 */
function colorKeyOf({ colorType, depth, transparency }: PngFacts): number[] | undefined {
  if (transparency.length === 0 || depth === 16) return undefined;
  if (colorType !== PALETTE) {
    const highest = (1 << depth) - 1;
    const values = Array.from({ length: transparency.length / 2 }, (_, index) => transparency[index * 2 + 1] ?? 0);
    return values.flatMap((value) => [value & highest, value & highest]);
  }
  const [first, last] = [transparency.indexOf(0), transparency.lastIndexOf(0)];
  const plain = transparency.every((alpha, index) => alpha === (index >= first && index <= last ? 0 : OPAQUE));
  return first >= 0 && plain ? [first, last] : undefined;
}

/** Returns a function that derives alpha from a pixel of a row, if tRNS needs more than a color key. */
function alphaFromColors(png: PngFacts): ((row: Uint8Array, pixel: number) => number) | undefined {
  const { colorType, depth, channels, transparency } = png;
  if (transparency.every((alpha) => alpha === OPAQUE) && (colorType === PALETTE || transparency.length === 0)) {
    return undefined;
  }
  if (colorType === PALETTE) return (row, pixel) => transparency[sample(row, pixel, depth)] ?? OPAQUE;
  const bytes = channels * 2;
  return (row, pixel) => (transparency.every((byte, index) => row[pixel * bytes + index] === byte) ? 0 : OPAQUE);
}
