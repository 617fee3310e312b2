/** Costs of drawing the images of a page: the work budget, and the size of the bands that the page is drawn in. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import type { OpenPdf } from "../document/document.ts";
import { fetchPages } from "../document/fetch-pages.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";

import { filtersOf } from "../objects/filters.ts";
import { entries, objectNumber, isNamed } from "../objects/objects.ts";

/**
 * Fuel to decode and scale a pixel of an image, for 1 bit and for more. Measured with `npm run corpus`: `hugemono.pdf` takes
 * 5.4, `enormous.pdf` 10.
 */
const BILEVEL_WORK = 6;
const PIXEL_WORK = 12;

/** Most images and forms of a dictionary that are looked at in a file that is read in ranges. */
const MOST_FETCHED = 32;

/** Samples of a JPEG 2000 image that are decoded at a time. OpenJPEG holds 8 to 12 bytes for each. */
const JPX_SAMPLES = 4_000_000;
/** Assumed samples per pixel: the real number of a JPEG 2000 image is in its data. */
const JPX_COMPONENTS = 3;

/**
 * Bytes of an image with a palette that are decoded at once, as of a page in A4 at 300 dpi, and bytes of each part of a larger one. MuPDF begins each
 * part at the start of the image's data, and holds it up to three times while it is reduced to gray. Other images it reduces while it reads them.
 */
const [DECODED_BYTES, PART_BYTES] = [36_000_000, 12_000_000];
/** Bytes per pixel: an index and its RGB. */
const PIXEL_BYTES = 4;

interface Images {
  /** Fuel to draw each of them once. */
  readonly fuel: number;
  /** Pixels of the largest JPEG 2000 image. */
  readonly jpxPixels: number;
  /** Bytes of the largest image with a palette, decoded. */
  readonly indexedBytes: number;
}

interface ImagesOnPage extends Images {
  /** Object numbers of those in JBIG2. */
  readonly jbig2: readonly number[];
}

const NO_IMAGES: Images = { fuel: 0, jpxPixels: 0, indexedBytes: 0 };

const both = (a: Images, b: Images): Images => ({
  fuel: a.fuel + b.fuel,
  jpxPixels: Math.max(a.jpxPixels, b.jpxPixels),
  indexedBytes: Math.max(a.indexedBytes, b.indexedBytes),
});

/** The images of resources, by object number, since pages may share them. */
const known = new WeakMap<OpenPdf, Map<number, ImagesOnPage>>();

/** Starts the work of drawing a page (0-based). */
export async function allowPage(open: OpenPdf, page: number): Promise<void> {
  await fetchPages(open, [page]);
  const { fuel } = await imagesOnPage(open, page);
  open.engine.work.stage("page", Math.min(fuel, limits.work.images));
}

/**
 * Rows of a page (0-based) that are drawn at a time at this size, so that the memory for its images is bounded. MuPDF decodes the drawn part of each
 * image: JPEG 2000 at the largest power of two by which it may be reduced, and images with a palette at full size.
 */
export async function mostRows(
  open: OpenPdf,
  page: number,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<number> {
  const { jpxPixels, indexedBytes } = await imagesOnPage(open, page);
  const halvings = Math.max(0, Math.floor(Math.log2(jpxPixels / (width * height)) / 2));
  const samples = (jpxPixels / 4 ** halvings) * JPX_COMPONENTS;
  const parts = Math.max(1, samples / JPX_SAMPLES, indexedBytes > DECODED_BYTES ? indexedBytes / PART_BYTES : 1);
  return Math.max(1, Math.floor(height / parts));
}

/** The images that the resources of a page (0-based) and of its forms have. */
export function imagesOnPage(open: OpenPdf, page: number): Promise<ImagesOnPage> {
  const { engine, document } = open;
  return engine.scope(async () => {
    const resources = document.findPage(page).getInheritable("Resources");
    const number = objectNumber(resources);
    const found = known.get(open) ?? new Map<number, ImagesOnPage>();
    known.set(open, found);
    const jbig2: number[] = [];
    const images = found.get(number) ?? {
      ...(await imagesOf(engine, resources, { seen: new Set(), jbig2 }, 0)),
      jbig2,
    };
    if (number > 0) found.set(number, images);
    return images;
  });
}

/** The images reachable from resources, each counted once, with their masks. */
async function imagesOf(
  engine: PdfEngine,
  resources: PDFObject,
  found: { readonly seen: Set<number>; readonly jbig2: number[] },
  depth: number,
): Promise<Images> {
  const { seen, jbig2 } = found;
  let images = NO_IMAGES;
  const add = (more: Images): void => {
    images = both(images, more);
  };
  const addImage = (image: PDFObject): void => {
    add(imageOf(image));
    if (filtersOf(image).at(-1) === "JBIG2Decode") jbig2.push(objectNumber(image));
  };
  if (depth > limits.contents.nesting) return images;
  const { load } = engine.long;
  const objects = entries(engine, await load((await load(resources)).get("XObject")));
  // Each may lie in a part of the file that is fetched only for this.
  if (engine.ranges && objects.length > MOST_FETCHED) return { ...images, fuel: limits.work.images };
  for (const { value } of objects) {
    const number = objectNumber(value);
    if (seen.has(number) || !(await load(value)).isStream()) continue;
    seen.add(number);
    if (!isNamed(value.get("Subtype"), "Image")) {
      add(await imagesOf(engine, value.get("Resources"), found, depth + 1));
      continue;
    }
    addImage(value);
    for (const key of ["SMask", "Mask"]) {
      const mask = await load(value.get(key));
      if (!mask.isStream() || seen.has(objectNumber(mask))) continue;
      seen.add(objectNumber(mask));
      addImage(mask);
    }
  }
  return images;
}

function imageOf(image: PDFObject): Images {
  const pixels = Math.max(0, image.get("Width").asNumber() * image.get("Height").asNumber());
  const isBilevel = image.get("ImageMask").asBoolean() || image.get("BitsPerComponent").asNumber() === 1;
  const isIndexed = isNamed(image.get("ColorSpace", 0), "Indexed");
  return {
    fuel: pixels * (isBilevel ? BILEVEL_WORK : PIXEL_WORK),
    jpxPixels: filtersOf(image).at(-1) === "JPXDecode" ? pixels : 0,
    indexedBytes: isIndexed ? pixels * PIXEL_BYTES : 0,
  };
}
