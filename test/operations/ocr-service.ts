import { decode as decodePng } from "fast-png";
import { expect } from "vitest";
import { type DrawnPage, drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { readJpeg } from "../harness/images/images.ts";
import { flate } from "../harness/fixtures/pdf-writer.ts";
import { operationService } from "./operation-service.ts";
import type { Extracted } from "./text-service.ts";

export interface Recognized {
  readonly text: string;
  readonly pages: readonly {
    readonly pageNumber: number;
    readonly text: string;
    readonly confidence: number;
    readonly words?: readonly {
      readonly text: string;
      readonly bbox: readonly number[];
      readonly confidence: number;
    }[];
  }[];
  readonly meanConfidence: number;
  readonly languagesUsed: readonly string[];
}

export const post = await operationService("ocr");
const watermark = await operationService("watermark");
const extractText = await operationService("extract-text");

export async function recognize(file: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<Recognized> {
  const response = await post(file, fields);
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
}

/** The words of a document's text, and where they stand. */
export async function wordsOf(file: Uint8Array): Promise<NonNullable<Extracted["pages"][number]["words"]>> {
  const { pages } = (await (await extractText(file, { words: "true" })).json()) as Extracted;
  return pages.flatMap(({ words = [] }) => words);
}

interface PlacedWord {
  readonly text: string;
  readonly bbox: readonly number[];
}

/** Expects each recognized word where the text has it. The order may differ: that of the text does not know that a page is turned. */
export function expectInPlace(recognized: readonly PlacedWord[], ofText: readonly PlacedWord[]): void {
  for (const word of recognized) {
    const nearest = Math.min(
      ...ofText
        .filter(({ text }) => text === word.text)
        .map(({ bbox }) => Math.max(...bbox.map((value, index) => Math.abs(value - (word.bbox[index] ?? 0))))),
    );
    // Boxes of text are as high as its font, those of what is seen as its ink.
    expect(nearest, word.text).toBeLessThan(9);
  }
}

/** A document with a text on its pages, set in the service's own fonts. */
export async function setPage(text: string, file: Uint8Array, fields: Readonly<Record<string, string>> = {}) {
  const response = await watermark(file, {
    kind: "text",
    text,
    position: "center",
    fontSize: "14",
    color: "#000",
    opacity: "1",
    ...fields,
  });
  expect(response.status, response.ok ? "" : await response.clone().text()).toBe(200);
  return response.bytes();
}

const toImages = await operationService("to-images");

/** A page as a gray picture, as a scanner makes one. */
export async function scanned(file: Uint8Array, format: "png" | "jpeg", dpi = 150): Promise<Uint8Array> {
  const response = await toImages(file, { dpi: String(dpi), format });
  expect(response.status).toBe(200);
  return response.bytes();
}

/** A page with the scan of another on it, at so many pixels an inch, and what stands over that. */
export function scanPage(jpeg: Uint8Array, content = "", dpi = 150): DrawnPage {
  const { width, height } = readJpeg(jpeg);
  const [across, down] = [(width * 72) / dpi, (height * 72) / dpi];
  const size = `/Width ${width} /Height ${height} /BitsPerComponent 8`;
  return {
    width: across,
    height: down,
    content: `q ${across} 0 0 ${down} 0 0 cm /Im Do Q ${content}`,
    resources: "/XObject << /Im $0 >>",
    objects: [
      { entries: `/Type /XObject /Subtype /Image ${size} /ColorSpace /DeviceGray /Filter /DCTDecode`, data: jpeg },
    ],
  };
}

/** Lines of a page, from its top. */
export function setLines(text: string, { x, y, size }: { x: number; y: number; size: number }): string {
  const lines = text.split("\n").map((line, at) => `BT /F1 ${size} Tf ${x} ${y - at * size * 1.6} Td (${line}) Tj ET`);
  return lines.join("\n");
}

/** As many pages with the text, each an image of its own: 2000 x 2600 pixels in color with a scanner's grain, at 72 dpi. */
export async function colorScans(text: string, count: number): Promise<Uint8Array> {
  const content = `1 0 0 rg 540 20 40 40 re f 0 g ${setLines(text, { x: 60, y: 700, size: 18 })}`;
  const response = await toImages(drawing({ width: 600, height: 780, content }), { dpi: "240" });
  const { width, height, data } = decodePng(await response.bytes());
  const samples = Uint8Array.from(data);
  let random = 1;
  for (let sample = 0; sample < samples.length; sample += 16) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) | 0;
    const value = samples[sample] ?? 0;
    if (value > 200) samples[sample] = value - (random >>> 29);
  }
  const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
  const page: DrawnPage = {
    width,
    height,
    content: `q ${width} 0 0 ${height} 0 0 cm /Im Do Q`,
    resources: "/XObject << /Im $0 >>",
    objects: [flate(samples, entries)],
  };
  return drawing(...Array.from({ length: count }, () => page));
}
