/** Writes images losslessly: few colors as a palette, two colors as fax G4, others deflated with PNG predictors. */
import { deflate } from "../../flate/deflate.ts";
import type { Work } from "../../work.ts";
import type { Components } from "../objects/color-space.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachRow } from "./each-row.ts";

/** 8-bit samples, rows from the top without padding. */
export interface Samples {
  /** May be a view of the engine's heap, valid until the next call into the engine, but also while the work yields to other requests. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly components: Components;
}

/** The data of an image stream, and the matching entries of its dictionary. */
export interface EncodedImage {
  readonly bytes: Uint8Array;
  readonly filter: "FlateDecode" | "DCTDecode" | "CCITTFaxDecode";
  /** PDF syntax. */
  readonly decodeParms: string | undefined;
  readonly bits: 1 | 2 | 4 | 8;
  /** If present, the samples are indices into these colors, with the same components as the image. */
  readonly palette?: Uint8Array;
}

/** Traits that distinguish a photograph from a drawing. */
export interface ImageTraits {
  /** All colors, packed; undefined if there are more than 256. */
  readonly colors: ReadonlyMap<number, number> | undefined;
  /** Share of pixels equal to their left neighbor. */
  readonly flatness: number;
}

/** Most colors in a palette. */
const MOST_COLORS = 256;

export async function traitsOf(work: Work, { data, width, height, components }: Samples): Promise<ImageTraits> {
  const colors = new Map<number, number>();
  let [flat, few] = [0, true];
  let [at, last] = [0, -1];
  await eachRow(work, { height, samples: width * components }, () => {
    for (let x = 0; x < width; x++) {
      let color = 0;
      for (let index = 0; index < components; index++) color = color * 256 + (data[at++] ?? 0);
      if (color === last) flat++;
      else if (few && !colors.has(color)) {
        colors.set(color, colors.size);
        few = colors.size <= MOST_COLORS;
      }
      last = color;
    }
  });
  return { colors: few ? colors : undefined, flatness: flat / Math.max(1, width * height) };
}

/** Encodes samples losslessly, as small as possible. A `plain` image gets no palette, which soft masks do not allow. */
export async function encodeLossless(
  engine: PdfEngine,
  samples: Samples,
  traits: ImageTraits,
  { plain: isPlain = false }: { plain?: boolean } = {},
): Promise<EncodedImage> {
  const { colors } = traits;
  const { components } = samples;
  if (colors && isBlackAndWhite(colors, components)) return encodeFax(engine, samples);
  if (!colors || isPlain || (components === 1 && colors.size > 16)) return encodeWithPredictor(engine.work, samples);
  const [paletted, plain] = await Promise.all([
    encodePalette(engine.work, samples, colors),
    encodeWithPredictor(engine.work, samples),
  ]);
  return paletted.bytes.length + (paletted.palette?.length ?? 0) < plain.bytes.length ? paletted : plain;
}

export function isBlackAndWhite(colors: ReadonlyMap<number, number>, components: Components): boolean {
  return components === 1 && [...colors.keys()].every((value) => value === 0 || value === 255);
}

async function encodePalette(work: Work, samples: Samples, colors: ReadonlyMap<number, number>): Promise<EncodedImage> {
  const { data, width, height, components } = samples;
  const bits = colors.size <= 2 ? 1 : colors.size <= 4 ? 2 : colors.size <= 16 ? 4 : 8;
  // When sorted, similar colors get adjacent indices.
  const sorted = [...colors.keys()].sort((a, b) => a - b);
  const numbers = new Map(sorted.map((color, index) => [color, index]));
  const palette = new Uint8Array(sorted.length * components);
  for (const [index, color] of sorted.entries()) {
    for (let part = components - 1, rest = color; part >= 0; part--, rest = Math.floor(rest / 256)) {
      palette[index * components + part] = rest % 256;
    }
  }
  const stride = Math.ceil((width * bits) / 8);
  const packed = new Uint8Array(stride * height);
  let at = 0;
  await eachRow(work, { height, samples: width * components }, (y) => {
    for (let x = 0; x < width; x++) {
      let color = 0;
      for (let part = 0; part < components; part++) color = color * 256 + (data[at++] ?? 0);
      const place = y * stride + ((x * bits) >> 3);
      packed[place] = (packed[place] ?? 0) | ((numbers.get(color) ?? 0) << (8 - bits - ((x * bits) & 7)));
    }
  });
  const bytes = await deflate(packed);
  return { bytes, filter: "FlateDecode", decodeParms: undefined, bits, palette };
}

/**
 * PNG filters (RFC 2083, 6): for each row the one with the smallest sum of differences, or no filters at all if that is
 * smaller.
 */
async function encodeWithPredictor(work: Work, samples: Samples): Promise<EncodedImage> {
  const bits = 8;
  const { data, width, height, components } = samples;
  const stride = width * components;
  const filtered = new Uint8Array((stride + 1) * height);
  const rows = [0, 1, 2].map(() => new Uint8Array(stride));
  await eachRow(work, { height, samples: stride }, (y) => {
    const at = y * stride;
    let [best, least] = [0, Infinity];
    for (let kind = 0; kind < 3; kind++) {
      const row = rows[kind] ?? new Uint8Array(stride);
      let sum = 0;
      for (let x = 0; x < stride; x++) {
        const value = data[at + x] ?? 0;
        const before = kind === 1 ? (x >= components ? (data[at + x - components] ?? 0) : 0) : 0;
        const above = kind === 2 ? (y > 0 ? (data[at + x - stride] ?? 0) : 0) : 0;
        const difference = (value - before - above) & 255;
        row[x] = difference;
        sum += difference < 128 ? difference : 256 - difference;
      }
      if (sum < least) [best, least] = [kind, sum];
    }
    filtered[y * (stride + 1)] = best;
    filtered.set(rows[best] ?? data.subarray(at, at + stride), y * (stride + 1) + 1);
  });
  // Both are copied before the first await: the samples may be a view of an engine's heap.
  const [predicted, plain] = await Promise.all([deflate(filtered), deflate(data)]);
  if (plain.length <= predicted.length) return { bytes: plain, filter: "FlateDecode", decodeParms: undefined, bits };
  const decodeParms = `<</Predictor 15/Colors ${components}/BitsPerComponent ${bits}/Columns ${width}>>`;
  return { bytes: predicted, filter: "FlateDecode", decodeParms, bits };
}

/** Two colors as fax G4 (T.6), which MuPDF writes when it saves a 1-bit image. */
async function encodeFax(engine: PdfEngine, { data, width, height }: Samples): Promise<EncodedImage> {
  const stride = Math.ceil(width / 8);
  const packed = new Uint8Array(stride * height);
  let at = 0;
  await eachRow(engine.work, { height, samples: width }, (y) => {
    for (let x = 0; x < width; x++) {
      if ((data[at++] ?? 0) >= 128)
        packed[y * stride + (x >> 3)] = (packed[y * stride + (x >> 3)] ?? 0) | (128 >> (x & 7));
    }
  });
  return faxOf(engine, packed, width, height);
}

/** Encodes rows with one bit per pixel, padded to whole bytes, as fax G4. */
export function faxOf(engine: PdfEngine, rows: Uint8Array, width: number, height: number): Promise<EncodedImage> {
  return engine.scope(async () => {
    const document = new engine.mupdf.PDFDocument();
    const entries = { Type: "XObject", Subtype: "Image", ColorSpace: "DeviceGray" };
    const dictionary = document.newDictionary();
    for (const [key, value] of Object.entries(entries)) dictionary.put(key, document.newName(value));
    dictionary.put("Width", width);
    dictionary.put("Height", height);
    dictionary.put("BitsPerComponent", 1);
    const number = document.addStream(rows, dictionary).asIndirect();
    const buffer = await engine.long.save(document, "compress,compress-images,garbage=0");
    const saved = engine.mupdf.Document.openDocument(buffer, "application/pdf").asPDF();
    if (!saved) throw new Error("the fax document is no PDF");
    const stream = saved.newIndirect(number);
    const filter = stream.get("Filter");
    if (!filter.isName() || filter.asName() !== "CCITTFaxDecode") throw new Error(`no fax: ${stream.toString()}`);
    return {
      bytes: stream.readRawStream().asUint8Array().slice(),
      filter: "CCITTFaxDecode" as const,
      decodeParms: stream.get("DecodeParms").toString(),
      bits: 1 as const,
    };
  });
}
