/** The pages of a TIFF, and where their data lies (TIFF 6.0). Nothing is decoded, and no count is believed. */
import { limits } from "../../../limits.ts";
import { madeTooManyPages } from "../../limit-errors.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { PLACEMENT_TAGS, placementOf } from "../exif.ts";
import { BadImage, type ImageFileFacts } from "../facts.ts";
import { MOST_PROFILE_BYTES } from "../icc.ts";
import { type TiffEntry, TiffStructure } from "../tiff-structure.ts";

/** How the data of a page is compressed. `fax-rows`: rows of T.4 codes that begin at bytes, without markers. */
export type TiffCompression =
  | "none"
  | "fax-rows"
  | "fax-g3"
  | "fax-g4"
  | "lzw"
  | "deflate"
  | "pack-bits"
  | "jpeg"
  | "jpeg-file";

export interface TiffPage extends ImageFileFacts {
  readonly compression: TiffCompression;
  /** The meaning of the samples. `white-is-zero`: gray, or black and white, with 0 for white. */
  readonly color: "gray" | "white-is-zero" | "rgb" | "palette" | "cmyk" | "ycbcr";
  /** Components of the color. */
  readonly components: 1 | 3 | 4;
  /** Samples of a pixel: the components, and others such as alpha. */
  readonly samples: number;
  /** The sample that is alpha, and whether the colors are multiplied by it. */
  readonly alpha: { readonly sample: number; readonly isPremultiplied: boolean } | undefined;
  /** Bits of a sample. */
  readonly bits: number;
  readonly isLittleEndian: boolean;
  /** Whether each sample has data of its own. */
  readonly isPlanar: boolean;
  /** Whether samples are stored as differences from their left neighbors. */
  readonly hasPredictor: boolean;
  /** Whether the first pixel of a byte is in its lowest bit. */
  readonly isReversed: boolean;
  /** Of fax G3: whether rows can refer to those above. */
  readonly isTwoDimensional: boolean;
  /** Red, green, and blue of each index. */
  readonly palette: Uint8Array | undefined;
  /** Where its ICC profile is. Many pages can share one, so it is only read with the page. */
  readonly profileAt: TiffPart | undefined;
  /** Where the tables are that all JPEG data of the page share: a JPEG without an image. */
  readonly jpegTables: TiffPart | undefined;
  /** Width and height of a tile, or of a strip. Tiles at the edges are padded, strips are not. */
  readonly part: { readonly width: number; readonly height: number; readonly isTile: boolean };
  readonly offsets: TiffEntry;
  readonly lengths: TiffEntry | undefined;
}

/** Data of a strip or tile: offsets in the file. */
export interface TiffPart {
  readonly start: number;
  readonly end: number;
}

const TAG = {
  subfile: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripLengths: 279,
  planar: 284,
  faxG3: 292,
  faxG4: 293,
  predictor: 317,
  colorMap: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileLengths: 325,
  inkSet: 332,
  extraSamples: 338,
  sampleFormat: 339,
  jpegTables: 347,
  jpegFile: 513,
  jpegFileLength: 514,
  profile: 34_675,
} as const;

/** No others are kept: a file can claim thousands for each of its pages. */
const TAGS = new Set([...PLACEMENT_TAGS, ...Object.values(TAG)]);

const COMPRESSIONS: Readonly<Record<number, TiffCompression>> = {
  1: "none",
  2: "fax-rows",
  3: "fax-g3",
  4: "fax-g4",
  5: "lzw",
  6: "jpeg-file",
  7: "jpeg",
  8: "deflate",
  32_773: "pack-bits",
  32_946: "deflate",
};

/** Others, by name. */
const UNSUPPORTED: Readonly<Record<number, string>> = {
  9: "JBIG",
  10: "JBIG",
  32_771: "CCITT RLEW",
  32_809: "ThunderScan",
  32_908: "PixarFilm",
  32_909: "Pixar log",
  33_003: "JPEG 2000",
  33_005: "JPEG 2000",
  34_661: "JBIG",
  34_676: "SGI log",
  34_677: "SGI log",
  34_712: "JPEG 2000",
  34_887: "LERC",
  34_892: "lossy DNG",
  34_925: "LZMA",
  50_000: "Zstandard",
  50_001: "WebP",
  50_002: "JPEG XL",
};

const COLORS: Readonly<Record<number, readonly [TiffPage["color"], TiffPage["components"]]>> = {
  0: ["white-is-zero", 1],
  1: ["gray", 1],
  2: ["rgb", 3],
  3: ["palette", 1],
  // The mask of another page: gray if it is a page by itself.
  4: ["gray", 1],
  5: ["cmyk", 4],
  6: ["ycbcr", 3],
};

const UNSUPPORTED_COLORS: Readonly<Record<number, string>> = {
  8: "CIELab",
  9: "CIELab",
  10: "CIELab",
  32_803: "camera raw",
  32_844: "LogLuv",
  32_845: "LogLuv",
  34_892: "camera raw",
};

const REDUCED = 1;
const MASK = 4;
const MOST_ENTRIES = 4_096;
const MOST_SAMPLES = 32;
const SAVE_AS = "Save it with LZW or Deflate";

/**
 * The pages of a TIFF in order, without reduced copies and masks of other pages.
 * @throws BadImage if it is truncated, damaged, or of a kind that is not supported; Refusal `limit_exceeded` (pages, work)
 */
export async function readTiff(work: Work, bytes: Uint8Array): Promise<TiffPage[]> {
  const structure = TiffStructure.of(bytes);
  if (structure?.version === 43) {
    throw new BadImage("is a BigTIFF, a format for files over 4 GB that is not supported. Save it as a TIFF");
  }
  if (!structure) throw new BadImage("is truncated: its header is incomplete");
  const meter = ParseMeter.ofRequest(work, "image");
  const known = new Set<number>();
  const found: { readonly page: TiffReader; readonly isExtra: boolean }[] = [];
  for (let at = structure.first; at !== 0;) {
    if (known.has(at)) throw new BadImage("is damaged: its list of pages has a loop");
    if (known.add(at).size > limits.pages) throw madeTooManyPages(known.size);
    const directory = structure.directory(at, MOST_ENTRIES, TAGS);
    if (directory?.next === undefined) throw new BadImage("is truncated or damaged: a page lies outside the file");
    meter.element(directory.count);
    await meter.pause();
    const page = new TiffReader(structure, directory.entries);
    found.push({ page, isExtra: (page.number(TAG.subfile, 0) & (REDUCED | MASK)) !== 0 });
    at = directory.next;
  }
  const main = found.filter(({ isExtra }) => !isExtra);
  const pages: TiffPage[] = [];
  for (const { page } of main.length > 0 ? main : found.slice(0, 1)) {
    pages.push(page.read());
    await meter.pause();
  }
  if (pages.length === 0) throw new BadImage("is damaged: it has no pages");
  return pages;
}

class TiffReader {
  readonly #structure: TiffStructure;
  readonly #entries: ReadonlyMap<number, TiffEntry>;

  constructor(structure: TiffStructure, entries: ReadonlyMap<number, TiffEntry>) {
    this.#structure = structure;
    this.#entries = entries;
  }

  number(name: number, byDefault: number): number {
    return this.#structure.number(this.#entries.get(name)) ?? byDefault;
  }

  #numbers(name: number): number[] {
    const entry = this.#entries.get(name);
    const count = Math.min(entry?.count ?? 0, MOST_SAMPLES);
    return Array.from({ length: count }, (_, index) => this.#structure.number(entry, index) ?? 0);
  }

  read(): TiffPage {
    const [width, height] = [this.number(TAG.width, 0), this.number(TAG.height, 0)];
    if (width === 0 || height === 0) throw new BadImage("has a page without width or height");
    const compression = this.#compression();
    const samples = this.number(TAG.samples, 1);
    const [color, components] = this.#color(compression, samples);
    const bits = this.#bits(samples);
    const isPlanar = this.number(TAG.planar, 1) === 2 && samples > 1;
    checkSamples({ compression, color, components, samples, bits, isPlanar });
    const predictor = this.number(TAG.predictor, 1);
    const isFlat = compression === "lzw" || compression === "deflate";
    if (isFlat && predictor !== 1 && (predictor !== 2 || bits < 8)) {
      throw new BadImage(
        `has a page with predictor ${predictor} and ${bits} bits per sample. Save it without a predictor`,
      );
    }
    const g3 = this.number(TAG.faxG3, 0);
    if ((compression === "fax-g3" && (g3 & 2) !== 0) || (compression === "fax-g4" && this.number(TAG.faxG4, 0) !== 0)) {
      throw new BadImage(
        "is a fax with uncompressed parts, which PDF readers do not support. Save it with LZW or Deflate",
      );
    }
    return {
      ...placementOf((name) => this.#structure.number(this.#entries.get(name))),
      width,
      height,
      compression,
      color,
      components,
      samples,
      alpha: this.#alpha(components, samples),
      bits,
      isLittleEndian: this.#structure.isLittleEndian,
      isPlanar,
      hasPredictor: isFlat && predictor === 2,
      isReversed: this.number(TAG.fillOrder, 1) === 2,
      isTwoDimensional: (g3 & 1) !== 0,
      palette: color === "palette" ? this.#palette(bits) : undefined,
      profileAt: this.#profile(),
      jpegTables: compression === "jpeg" ? this.#structure.range(this.#entries.get(TAG.jpegTables)) : undefined,
      ...this.#parts(compression, { width, height }),
    };
  }

  #compression(): TiffCompression {
    const number = this.number(TAG.compression, 1);
    const known = COMPRESSIONS[number];
    if (known === undefined || (known === "jpeg-file" && !this.#entries.has(TAG.jpegFile))) {
      const name = UNSUPPORTED[number] ?? (known === undefined ? `number ${number}` : "JPEG of the obsolete kind");
      throw new BadImage(`has a page with a compression that is not supported: ${name}. ${SAVE_AS}`);
    }
    return known;
  }

  #color(compression: TiffCompression, samples: number): readonly [TiffPage["color"], TiffPage["components"]] {
    const byDefault = compression.startsWith("fax") ? 0 : samples >= 3 ? 2 : 1;
    const number = this.number(TAG.photometric, byDefault);
    const known = COLORS[number];
    const isCmyk = known?.[0] === "cmyk" && this.number(TAG.inkSet, 1) !== 1 ? undefined : known;
    if (!isCmyk) {
      const name = known ? "inks other than CMYK" : (UNSUPPORTED_COLORS[number] ?? `number ${number}`);
      throw new BadImage(`has a page with colors that are not supported: ${name}. Save it as RGB`);
    }
    return isCmyk;
  }

  #bits(samples: number): number {
    const all = this.#numbers(TAG.bits);
    const [bits = 1] = all;
    if (samples > MOST_SAMPLES)
      throw new BadImage(`has ${samples} samples per pixel; up to ${MOST_SAMPLES} are supported`);
    if (all.some((one) => one !== bits) || ![1, 2, 4, 8, 16].includes(bits)) {
      throw new BadImage(
        `has a page with ${[...new Set(all)].join(" and ")} bits per sample; PDF supports 1, 2, 4, 8, and 16. Save it with 8 or 16`,
      );
    }
    if (this.#numbers(TAG.sampleFormat).some((format) => format !== 1 && format !== 4)) {
      throw new BadImage("has signed or floating-point samples, which PDF does not support. Save it with 8 or 16 bits");
    }
    return bits;
  }

  #alpha(components: number, samples: number): TiffPage["alpha"] {
    const kinds = this.#numbers(TAG.extraSamples).slice(0, samples - components);
    const index = kinds.findIndex((kind) => kind === 1 || kind === 2);
    return index < 0 ? undefined : { sample: components + index, isPremultiplied: kinds[index] === 1 };
  }

  /** The stored numbers have 16 bits, or 8 as some programs write them. Indices without a color are black. */
  #palette(bits: number): Uint8Array {
    const entry = this.#entries.get(TAG.colorMap);
    const count = 1 << bits;
    const values = Array.from({ length: 3 * count }, (_, index) => this.#structure.number(entry, index));
    if (values.includes(undefined)) throw new BadImage("is damaged: a page has no complete palette");
    const isWide = values.some((value = 0) => value > 255);
    return Uint8Array.from(values, (_, index) => {
      const value = values[(index % 3) * count + Math.floor(index / 3)] ?? 0;
      return isWide ? value >> 8 : value;
    });
  }

  #profile(): TiffPart | undefined {
    const entry = this.#entries.get(TAG.profile);
    return (entry?.count ?? 0) > MOST_PROFILE_BYTES ? undefined : this.#structure.range(entry);
  }

  #parts(
    compression: TiffCompression,
    { width, height }: { width: number; height: number },
  ): Pick<TiffPage, "part" | "offsets" | "lengths"> {
    if (compression === "jpeg-file") {
      const [offsets, lengths] = [this.#entries.get(TAG.jpegFile), this.#entries.get(TAG.jpegFileLength)];
      if (offsets) return { part: { width, height, isTile: false }, offsets, lengths };
    }
    const tiles = this.#entries.get(TAG.tileOffsets);
    const isTile = tiles !== undefined;
    const offsets = tiles ?? this.#entries.get(TAG.stripOffsets);
    const part = isTile
      ? { width: this.number(TAG.tileWidth, 0), height: this.number(TAG.tileHeight, 0), isTile }
      : { width, height: Math.min(height, this.number(TAG.rowsPerStrip, height)), isTile };
    if (!offsets || part.width === 0 || part.height === 0) throw new BadImage("is damaged: a page has no data");
    // A row of tiles is held in memory, however small the page is.
    const { side } = limits.images;
    if (isTile && Math.max(part.width, part.height) > side)
      throw new BadImage(`is damaged: its tiles have sides of more than ${side} pixels`);
    if (isTile && part.width % 8 !== 0)
      throw new BadImage("is damaged: the width of its tiles is not a multiple of 16");
    return { part, offsets, lengths: this.#entries.get(isTile ? TAG.tileLengths : TAG.stripLengths) };
  }
}

/** Rejects the ways to store samples that are not supported. */
function checkSamples({
  compression,
  color,
  components,
  samples,
  bits,
  isPlanar,
}: Pick<TiffPage, "compression" | "color" | "components" | "samples" | "bits" | "isPlanar">): void {
  if (samples < components) throw new BadImage("is damaged: a page has fewer samples than colors");
  const isJpeg = compression.startsWith("jpeg");
  if (color === "ycbcr" && !isJpeg) {
    throw new BadImage("has a page with YCbCr colors that is not a JPEG. Save it as RGB");
  }
  if (compression.startsWith("fax") && (bits !== 1 || samples !== 1 || components !== 1 || color === "palette")) {
    throw new BadImage("is damaged: a fax has one bit per pixel");
  }
  if (isJpeg && (bits !== 8 || samples !== components || isPlanar || color === "palette")) {
    throw new BadImage(
      "has a page of JPEG data with alpha, a palette, separate colors, or not 8 bits. Save it with LZW or Deflate",
    );
  }
  if (color === "palette" && bits > 8) throw new BadImage("has a palette with more than 8 bits. Save it as RGB");
  if (bits < 8 && (isPlanar || samples > components)) {
    throw new BadImage(`has alpha or separate colors with ${bits} bits per sample. Save it with 8`);
  }
}

/** Finds the data of pages. No byte can belong to two strips: so the data of all pages together is no longer than the file. */
export class TiffParts {
  readonly #file: EngineBytes;
  readonly #meter: ParseMeter;
  #covered = 0;

  constructor(work: Work, file: EngineBytes) {
    this.#file = file;
    this.#meter = ParseMeter.ofRequest(work, "image");
  }

  /**
   * The strips or tiles of a page in order; those of a plane follow those of the plane before.
   * @throws BadImage if one lies outside the file, or they overlap; Refusal `limit_exceeded` (work)
   */
  async of(page: TiffPage): Promise<TiffPart[]> {
    const structure = TiffStructure.of(this.#file.view(0, this.#file.length));
    const { across, down } = gridOf(page);
    const count = across * down * (page.isPlanar ? page.samples : 1);
    if (count > page.offsets.count) throw new BadImage("is damaged: a page has too few strips or tiles");
    const parts: TiffPart[] = [];
    for (let index = 0; index < count; index++) {
      this.#meter.element();
      await this.#meter.pause();
      const start = structure?.number(page.offsets, index);
      const length = start === undefined ? undefined : this.#length(structure, page, index, { start, count });
      if (start === undefined || !length || start + length > this.#file.length) {
        throw new BadImage("is truncated or damaged: a strip or tile lies outside the file");
      }
      this.#covered += length;
      if (this.#covered > this.#file.length) throw new BadImage("is damaged: its strips or tiles overlap");
      parts.push({ start, end: start + length });
    }
    return parts;
  }

  /** Without compression, the length follows from the size, and some programs write a wrong one. */
  #length(
    structure: TiffStructure | undefined,
    page: TiffPage,
    index: number,
    { start, count }: { readonly start: number; readonly count: number },
  ): number | undefined {
    if (page.compression === "none") return partBytes(page, index);
    const rest = this.#file.length - start;
    return structure?.number(page.lengths, index) ?? (page.lengths === undefined && count === 1 ? rest : undefined);
  }
}

/** How many strips or tiles are beside and below each other. */
export function gridOf({ width, height, part }: TiffPage): { readonly across: number; readonly down: number } {
  return { across: Math.ceil(width / part.width), down: Math.ceil(height / part.height) };
}

/** Samples of a pixel in one strip or tile. */
export const samplesInPart = ({ isPlanar, samples }: TiffPage): number => (isPlanar ? 1 : samples);

/** Bytes of a row of a strip or tile. */
export const partRowBytes = (page: TiffPage): number =>
  Math.ceil((page.part.width * samplesInPart(page) * page.bits) / 8);

/** Rows of the strip or tile `index`: the last strip of a plane can have fewer. */
export function partRows(page: TiffPage, index: number): number {
  const { part, height } = page;
  if (part.isTile) return part.height;
  const { down } = gridOf(page);
  return Math.min(part.height, height - (index % down) * part.height);
}

const partBytes = (page: TiffPage, index: number): number => partRowBytes(page) * partRows(page, index);
