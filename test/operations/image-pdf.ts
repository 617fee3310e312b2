/** What from-images writes, as its tests read it. */
import { decodePDFRawStream, PDFDict, PDFDocument, PDFName, PDFRawStream } from "pdf-lib";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { fromImages } from "../../src/operations/from-images.ts";
import { predicted } from "../harness/images/png-filter.ts";
import { newKey, senderTo } from "../http/echo-service.ts";

const send = senderTo(fromImages);
const key = await newKey("unlimited");

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export async function post(...images: readonly Uint8Array[]): Promise<Reply> {
  const form = new FormData();
  for (const [index, image] of images.entries()) form.append(`image${index}`, new Blob([image.slice()]), "picture.bin");
  const headers = { Authorization: `Bearer ${key}` };
  const response = await send("/api/v1/from-images", { method: "POST", headers, body: form });
  return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
}

/** Status and message of a refusal. */
export async function refusal(image: Uint8Array): Promise<string> {
  const { status, body } = await post(image);
  const { error } = JSON.parse(new TextDecoder().decode(body)) as { error?: { code: string; message: string } };
  return `${status} ${error?.code}: ${error?.message}`;
}

export interface StoredImage {
  readonly width: number;
  readonly height: number;
  readonly filter: string;
  readonly space: string;
  readonly bits: number;
  readonly dict: PDFDict;
  /** As it lies in the file. */
  readonly data: Uint8Array;
  /** Rows without PNG filters, for deflated data. */
  readonly rows: Uint8Array | undefined;
  readonly mask: StoredImage | undefined;
}

/** The image of each page, in order, read by pdf-lib. */
export async function imagesOf(pdf: Uint8Array): Promise<StoredImage[]> {
  const document = await PDFDocument.load(pdf);
  return document.getPages().map((page) => {
    const image = page.node.Resources()?.lookup(PDFName.of("XObject"), PDFDict).lookup(PDFName.of("Im0"));
    if (!(image instanceof PDFRawStream)) throw new Error("a page has no image");
    return stored(image);
  });
}

function stored(image: PDFRawStream): StoredImage {
  const { dict } = image;
  const entry = (name: string): string => String(dict.lookup(PDFName.of(name)) ?? "");
  const [width, height, bits] = ["Width", "Height", "BitsPerComponent"].map((name) => Number(entry(name)));
  const filter = entry("Filter").slice(1);
  const mask = dict.lookup(PDFName.of("SMask"));
  return {
    width: width ?? 0,
    height: height ?? 0,
    bits: bits ?? 0,
    filter,
    space: entry("ColorSpace"),
    dict,
    data: image.contents,
    rows: filter === "FlateDecode" ? unfiltered(image) : undefined,
    mask: mask instanceof PDFRawStream ? stored(mask) : undefined,
  };
}

function unfiltered(image: PDFRawStream): Uint8Array {
  const parameters = image.dict.lookup(PDFName.of("DecodeParms"), PDFDict);
  const number = (name: string): number => Number(String(parameters.get(PDFName.of(name))));
  const pixelBits = number("Colors") * number("BitsPerComponent");
  const [stride, distance] = [Math.ceil((number("Columns") * pixelBits) / 8), Math.max(1, pixelBits >> 3)];
  // pdf-lib does not support predictors.
  const plain = PDFRawStream.of(PDFDict.withContext(image.dict.context), image.contents);
  plain.dict.set(PDFName.of("Filter"), PDFName.of("FlateDecode"));
  const filtered = decodePDFRawStream(plain).decode();
  const rows = new Uint8Array((filtered.length / (stride + 1)) * stride);
  for (let y = 0; y * stride < rows.length; y++) {
    const filter = filtered[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < distance ? 0 : (rows[at - distance] ?? 0);
      const [up, corner] =
        y === 0 ? [0, 0] : [rows[at - stride] ?? 0, x < distance ? 0 : (rows[at - stride - distance] ?? 0)];
      rows[at] = (filtered[y * (stride + 1) + 1 + x] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return rows;
}

/** Rows of samples as a PDF stores them: packed, the high byte first. */
export function packed(
  { width, height, bits }: { readonly width: number; readonly height: number; readonly bits: number },
  channels: readonly number[],
  sample: (x: number, y: number, channel: number) => number,
): Uint8Array {
  const stride = Math.ceil((width * channels.length * bits) / 8);
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    for (let index = 0; index < width * channels.length; index++) {
      const value = sample(Math.floor(index / channels.length), y, channels[index % channels.length] ?? 0);
      const at = y * stride + ((index * bits) >> 3);
      if (bits === 16) rows.set([value >> 8, value & 255], at);
      else rows[at] = (rows[at] ?? 0) | (value << (8 - bits - ((index * bits) & 7)));
    }
  }
  return rows;
}

export interface Drawn {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, and alpha of each pixel, at 72 dpi. */
  readonly pixels: Uint8Array;
}

/** A page as MuPDF draws it. */
export async function draw(pdf: Uint8Array, index = 0): Promise<Drawn> {
  const { engines, release } = await leaseEngines(() => true);
  const { mupdf } = engines.pdf;
  const page = mupdf.Document.openDocument(pdf.slice(), "application/pdf").loadPage(index);
  const pixmap = page.toPixmap(mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, true);
  const drawn = { width: pixmap.getWidth(), height: pixmap.getHeight(), pixels: Uint8Array.from(pixmap.getPixels()) };
  release(false);
  return drawn;
}
