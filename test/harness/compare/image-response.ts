import { unzipSync } from "fflate";
import type { ApiResponse } from "../requests/client.ts";
import { readJpeg, readPng, type Picture } from "../images/images.ts";
import type { DocumentView } from "../engines/pdfjs.ts";
import { shownSize } from "../engines/pdfjs-page.ts";

/** The files of a response of to-images, one for each page. */
export function imagesOf(response: ApiResponse): [name: string, bytes: Uint8Array][] {
  const type = response.headers.get("Content-Type") ?? "";
  return type === "application/zip"
    ? Object.entries(unzipSync(response.body))
    : [[`image.${type.slice(6)}`, response.body]];
}

/** Decodes a file of `imagesOf`. */
export const readImage = (name: string, bytes: Uint8Array): Picture =>
  name.endsWith("png") ? readPng(bytes) : readJpeg(bytes);

/** What is wrong with a response of to-images for all pages at `dpi`, in words: each image is decoded, its size is pdf.js's. */
export function checkImages(response: ApiResponse, view: DocumentView | undefined, dpi: number): string[] {
  const images = imagesOf(response);
  const pages = view?.pages;
  if (pages !== undefined && pages.length !== images.length) {
    return [`${pages.length} images expected, got ${images.length}`];
  }
  return images.flatMap(([name, bytes], index) => {
    const { width, height, dpi: own } = readImage(name, bytes);
    const problems = own === dpi ? [] : [`${name}: ${dpi} dpi expected, got ${own ?? "none"}`];
    const page = pages?.[index];
    if (page === undefined) return problems;
    const [across, down] = shownSize(page).map((side) => (side * dpi) / 72) as [number, number];
    const right = Math.abs(width - across) < 1.01 && Math.abs(height - down) < 1.01;
    return right ? problems : [...problems, `${name}: ${across} x ${down} expected, got ${width} x ${height}`];
  });
}
