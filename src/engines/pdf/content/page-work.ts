/** The work budget for drawing a page: a fixed amount, plus the cost of decoding its images. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import type { OpenPdf } from "../document/document.ts";
import { fetchPages } from "../document/fetch-pages.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, MAX_DEPTH, objectNumber, isNamed } from "../objects/objects.ts";

/**
 * Fuel to decode and scale a pixel of an image, for 1 bit and for more. Measured with `npm run corpus`: `hugemono.pdf` takes
 * 5.4, `enormous.pdf` 10.
 */
const BILEVEL_WORK = 6;
const PIXEL_WORK = 12;

/** Most images and forms of a dictionary that are looked at in a file that is read in ranges. */
const MOST_FETCHED = 32;

/** Fuel for the images of resources, by object number, since pages may share them. */
const known = new WeakMap<OpenPdf, Map<number, number>>();

/** Starts the work of drawing a page (0-based). */
export async function allowPage(open: OpenPdf, page: number): Promise<void> {
  const { engine, document } = open;
  await fetchPages(open, [page]);
  const fuel = await engine.scope(async () => {
    const resources = document.findPage(page).getInheritable("Resources");
    const number = objectNumber(resources);
    const costs = known.get(open) ?? new Map<number, number>();
    known.set(open, costs);
    const cost = costs.get(number) ?? (await imagesOf(engine, resources, new Set(), 0));
    if (number > 0) costs.set(number, cost);
    return cost;
  });
  engine.work.allow(limits.work.request, Math.min(fuel, limits.work.images));
}

/** Fuel for each image reachable from resources, counted once. */
async function imagesOf(engine: PdfEngine, resources: PDFObject, seen: Set<number>, depth: number): Promise<number> {
  if (depth > MAX_DEPTH) return 0;
  const { load } = engine.long;
  let fuel = 0;
  const objects = entries(engine, await load((await load(resources)).get("XObject")));
  // Each may lie in a part of the file that is fetched only for this.
  if (engine.ranges && objects.length > MOST_FETCHED) return limits.work.images;
  for (const { value } of objects) {
    const number = objectNumber(value);
    if (seen.has(number) || !(await load(value)).isStream()) continue;
    seen.add(number);
    if (!isNamed(value.get("Subtype"), "Image"))
      fuel += await imagesOf(engine, value.get("Resources"), seen, depth + 1);
    else {
      const pixels = value.get("Width").asNumber() * value.get("Height").asNumber();
      const isBilevel = value.get("ImageMask").asBoolean() || value.get("BitsPerComponent").asNumber() === 1;
      if (pixels > 0) fuel += pixels * (isBilevel ? BILEVEL_WORK : PIXEL_WORK);
    }
  }
  return fuel;
}
