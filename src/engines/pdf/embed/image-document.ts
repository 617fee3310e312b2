/** Documents made of images, one per page. */
import { limits } from "../../../limits.ts";
import type { Engines } from "../../lease/engines.ts";
import { imagesHaveTooManyPixels } from "../../limit-errors.ts";
import { embedImages, type ImageInput } from "./embed.ts";
import type { ImageFileFacts } from "../../image/facts.ts";
import { type OpenPdf, openPdf } from "../document/document.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { hex } from "../../../bytes/hex.ts";
import { ImageObjects } from "./image-object.ts";
import { layOutImage, type PageOptions, pdfNumber } from "./image-page.ts";
import { ownBytes } from "../../memory/joined-bytes.ts";
import { PdfWriter } from "../write/pdf-writer.ts";

/** Version of the documents, times 10. */
const VERSION = 17;
const ID_BYTES = 16;

/** A document in the making. Its cross-references are a table: with few objects, a stream would not be smaller. */
export const newImageDocument = (engine: PdfEngine): PdfWriter =>
  new PdfWriter(engine, { begins: { version: VERSION }, size: 1, references: "table" });

/** Writes a page that shows an image of the file, and returns its number. `tree`: the number of the page tree. */
export async function addImagePage(
  file: PdfWriter,
  tree: number,
  { facts, number }: { readonly facts: ImageFileFacts; readonly number: number },
  options: PageOptions,
): Promise<number> {
  const { width, height, content } = layOutImage(facts, options);
  const drawing = await file.addStream("", ownBytes(new TextEncoder().encode(content)));
  const box = `/MediaBox [0 0 ${pdfNumber(width)} ${pdfNumber(height)}]`;
  const resources = `/Resources << /XObject << /Im0 ${number} 0 R >> >>`;
  return file.add(`<< /Type /Page /Parent ${tree} 0 R ${box} ${resources} /Contents ${drawing} 0 R >>`);
}

/** Writes the page tree and catalog, and returns the file. */
export async function endDocument(
  file: PdfWriter,
  { catalog, tree, pages }: { readonly catalog: number; readonly tree: number; readonly pages: readonly number[] },
): Promise<EngineBytes> {
  await file.add(
    `<< /Type /Pages /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    tree,
  );
  await file.add(`<< /Type /Catalog /Pages ${tree} 0 R >>`, catalog);
  const id = hex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  return file.end(`/Root ${catalog} 0 R/ID[<${id}><${id}>]`);
}

/**
 * Opens an image as a document, with a page as large as the image at its own resolution (72 dpi if it has none), and one for each page of a TIFF.
 * The request's files must not be read afterwards.
 * @throws Refusal `invalid_file`, `limit_exceeded` (pixels, memory), `overloaded`
 */
export async function openImage(engines: Engines, sent: ImageInput): Promise<OpenPdf> {
  const file = newImageDocument(engines.pdf);
  const [catalog, tree] = [file.reserve(), file.reserve()];
  const objects = new ImageObjects(engines.pdf, file);
  const pages: number[] = [];
  for await (const { facts, image } of embedImages(engines, sent, pixelCounter())) {
    const number = await objects.add(image);
    pages.push(await addImagePage(file, tree, { facts, number }, AS_IT_IS));
  }
  const bytes = engines.pdf.contiguous(await endDocument(file, { catalog, tree, pages }));
  engines.pdf.files.free();
  return openPdf(engines.pdf, { field: sent.field, bytes, passwordIsOwn: false });
}

/** Counts the pixels of all images of a request. */
export function pixelCounter(): (pixels: number) => void {
  let actual = 0;
  return (pixels) => {
    actual += pixels;
    if (actual > limits.images.allPixels) throw imagesHaveTooManyPixels(actual);
  };
}

const AS_IT_IS: PageOptions = { size: "auto", orientation: "auto", margin: 0, fit: "contain" };
