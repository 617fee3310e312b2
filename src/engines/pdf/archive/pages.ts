/** Compares the looks of the pages of two documents. */
import { PageRaster } from "../../render/page-raster.ts";
import { allowPage } from "../content/page-work.ts";
import type { OpenPdf } from "../document/document.ts";
import { boxOf } from "../document/page-facts.ts";
import { pageAt } from "../document/page-tree.ts";
import { storeTrimmer } from "../mupdf/store.ts";
import { pagesOfEqualObjects } from "./equal-pages.ts";

/** The share of samples that may differ, in 72 dpi. */
const MOST_DIFFERENT = 0.001;
/** Levels, of 255, that a sample may differ by: those of an edge that is a 64th of a pixel away, which is how precisely outlines are placed. */
const MOST_LEVELS = 4;
/** Pixels of a page that are compared. Larger pages are drawn at a lower resolution. */
const MOST_PIXELS = 2_000_000;
const DPI = 72;

/** The pages that look different, from 1. Those of equal objects are not drawn. */
export async function changedPages(before: OpenPdf, after: OpenPdf): Promise<number[]> {
  const changed: number[] = [];
  const { pageCount } = after;
  const equal = await pagesOfEqualObjects(before, after);
  const trim = storeTrimmer(after.engine);
  for (let index = 0; index < pageCount; index++) {
    await after.engine.work.pause();
    if (equal.has(index)) continue;
    if (await looksDifferent(before, after, index)) changed.push(index + 1);
    trim();
  }
  return changed;
}

async function looksDifferent(before: OpenPdf, after: OpenPdf, index: number): Promise<boolean> {
  const options = { dpi: resolutionOf(after, index), alpha: false };
  const first: Uint8Array[] = [];
  {
    await allowPage(before, index);
    using raster = await PageRaster.of(before, index, options);
    for await (const { pixels } of raster.bands()) first.push(pixels.slice());
  }
  await allowPage(after, index);
  using raster = await PageRaster.of(after, index, options);
  let [different, samples, at] = [0, 0, 0];
  for await (const { pixels } of raster.bands()) {
    const other = first[at++];
    if (other?.length !== pixels.length) return true;
    different += differingSamples(pixels, other);
    samples += pixels.length;
    after.engine.work.spend(pixels.length);
    await after.engine.work.pause();
  }
  return at !== first.length || different > samples * MOST_DIFFERENT;
}

/** How many samples differ by too many levels. Most pixels are equal, so four samples are compared at once: a sixth of the time. */
function differingSamples(pixels: Uint8Array, other: Uint8Array): number {
  const [words, others] = [wordsOf(pixels), wordsOf(other)];
  const compared = Math.min(words.length, others.length);
  let different = 0;
  const compare = (from: number, to: number): void => {
    for (let sample = from; sample < to; sample++)
      if (Math.abs((pixels[sample] ?? 0) - (other[sample] ?? 0)) > MOST_LEVELS) different++;
  };
  for (let word = 0; word < compared; word++) if (words[word] !== others[word]) compare(4 * word, 4 * word + 4);
  compare(4 * compared, pixels.length);
  return different;
}

/** As many words of four bytes as there are; none if they are not at a multiple of four. */
const wordsOf = ({ buffer, byteOffset, length }: Uint8Array): Uint32Array =>
  byteOffset % 4 === 0 ? new Uint32Array(buffer, byteOffset, length >> 2) : new Uint32Array();

function resolutionOf(open: OpenPdf, index: number): number {
  return open.engine.scope(() => {
    const page = pageAt(open, index);
    const [left = 0, bottom = 0, right = 0, top = 0] = boxOf(page.getInheritable("MediaBox")) ?? [];
    const unit = page.get("UserUnit").asNumber() || 1;
    const pixels = Math.abs(right - left) * Math.abs(top - bottom) * unit * unit;
    return pixels > MOST_PIXELS ? DPI * Math.sqrt(MOST_PIXELS / pixels) : DPI;
  });
}
