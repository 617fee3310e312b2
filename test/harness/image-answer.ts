import { unzipSync } from "fflate";
import type { Answer } from "./client.ts";
import { readJpeg, readPng } from "./images.ts";
import type { DocumentView } from "./pdfjs.ts";

/** What is wrong with an answer of to-images for all pages at `dpi`, in words: each image is decoded, its size is pdf.js's. */
export function checkImages(answer: Answer, view: DocumentView | undefined, dpi: number): string[] {
  const type = answer.headers.get("Content-Type") ?? "";
  const images: [string, Uint8Array][] =
    type === "application/zip" ? Object.entries(unzipSync(answer.body)) : [[`image.${type.slice(6)}`, answer.body]];
  const pages = view?.pages;
  if (pages !== undefined && pages.length !== images.length) {
    return [`${pages.length} images expected, got ${images.length}`];
  }
  return images.flatMap(([name, bytes], index) => {
    const { width, height, dpi: own } = name.endsWith("png") ? readPng(bytes) : readJpeg(bytes);
    const problems = own === dpi ? [] : [`${name}: ${dpi} dpi expected, got ${own ?? "none"}`];
    const page = pages?.[index];
    if (page === undefined) return problems;
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = page.view as number[];
    const scale = (page.userUnit * dpi) / 72;
    const size = [(x1 - x0) * scale, (y1 - y0) * scale];
    const [across = 0, down = 0] = page.rotate % 180 === 0 ? size : size.toReversed();
    const right = Math.abs(width - across) < 1.01 && Math.abs(height - down) < 1.01;
    return right ? problems : [...problems, `${name}: ${across} x ${down} expected, got ${width} x ${height}`];
  });
}
