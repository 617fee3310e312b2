/** Documents made of images, one per page. */
import type { Engines } from "../../lease/engines.ts";
import { embedImage, type ImageInput } from "./embed.ts";
import type { ImageFileFacts } from "../../image/facts.ts";
import { type OpenPdf, openPdf } from "../document/document.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { ImageObjects } from "./image-object.ts";
import { layOutImage, type PageOptions } from "./image-page.ts";
import { ownBytes } from "../../memory/joined-bytes.ts";
import { PdfFile, pdfNumber } from "../write/pdf-file.ts";

/** Writes a page that shows an image of the file, and returns its number. `tree`: the number of the page tree. */
export function addImagePage(
  file: PdfFile,
  tree: number,
  { facts, number }: { readonly facts: ImageFileFacts; readonly number: number },
  options: PageOptions,
): number {
  const { width, height, content } = layOutImage(facts, options);
  const drawing = file.addStream("", ownBytes(new TextEncoder().encode(content)));
  const box = `/MediaBox [0 0 ${pdfNumber(width)} ${pdfNumber(height)}]`;
  const resources = `/Resources << /XObject << /Im0 ${number} 0 R >> >>`;
  return file.add(`<< /Type /Page /Parent ${tree} 0 R ${box} ${resources} /Contents ${drawing} 0 R >>`);
}

/** Writes the page tree and catalog, and returns the file. */
export function endDocument(
  file: PdfFile,
  { catalog, tree, pages }: { readonly catalog: number; readonly tree: number; readonly pages: readonly number[] },
): EngineBytes {
  file.add(`<< /Type /Pages /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] /Count ${pages.length} >>`, tree);
  file.add(`<< /Type /Catalog /Pages ${tree} 0 R >>`, catalog);
  return file.end(catalog);
}

/**
 * Opens an image as a one-page document, with the page as large as the image at its own resolution (72 dpi if it has none).
 * The request's files must not be read afterwards.
 * @throws Refusal `invalid_file`, `limit_exceeded` (pixels, memory), `overloaded`
 */
export async function openImage(engines: Engines, sent: ImageInput): Promise<OpenPdf> {
  const file = new PdfFile();
  const [catalog, tree] = [file.reserve(), file.reserve()];
  const { facts, image } = await embedImage(engines, sent, () => {});
  const number = await new ImageObjects(engines.pdf, file).add(image);
  const page = addImagePage(file, tree, { facts, number }, AS_IT_IS);
  const bytes = engines.pdf.contiguous(endDocument(file, { catalog, tree, pages: [page] }));
  engines.pdf.files.free();
  return openPdf(engines.pdf, { field: sent.field, bytes, passwordIsOwn: false });
}

const AS_IT_IS: PageOptions = { size: "auto", orientation: "auto", margin: 0, fit: "contain" };
