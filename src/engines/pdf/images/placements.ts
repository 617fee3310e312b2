/** Finds the size at which images are drawn: the transformation matrix at each `Do` (ISO 32000-2, 8.3.4 and 8.9.5). */
import { limits } from "../../../limits.ts";
import { IDENTITY, type Matrix, multiply } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import { Nesting } from "../content/nesting.ts";
import { process, type Run, type Visitor } from "../content/processor.ts";
import { resourcesOf } from "../content/resources.ts";
import { appearances, readStreams, streamsOf } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { entries, items, objectNumber, isNamed } from "../objects/objects.ts";
import { pageAt } from "../document/page-tree.ts";

/** Side lengths in points of an image as drawn, each the largest of all its placements. */
export interface Placement {
  width: number;
  height: number;
}

/** A form that is drawn again is visited again only if it is larger by this factor. */
const LARGER = 1.01;
/** Most visits to forms in one document: many small forms are drawn thousands of times. */
const MOST_WALKS = 50_000;

/**
 * The largest placement of each image drawn by pages, forms, patterns, and appearances, by object number. Images drawn by
 * glyphs, or reached in any other way, have none.
 */
export async function findPlacements(open: OpenPdf): Promise<Map<number, Placement>> {
  const { engine, pageCount } = open;
  const finder = new Finder(open);
  for (let index = 0; index < pageCount; index++) {
    await engine.work.pause();
    await engine.scope(async () => {
      const page = pageAt(open, index);
      if (page.isDictionary()) await finder.page(page);
    });
  }
  return finder.found;
}

/** An XObject or a soft mask that content draws, and the matrix with which it does in its own coordinates. */
interface Drawn {
  readonly category: "XObject" | "ExtGState";
  readonly name: string;
  readonly matrix: Matrix;
}

class Draws implements Visitor {
  readonly keeps = ["matrix"] as const;
  readonly found: Drawn[] = [];

  draw(run: Run): void {
    this.#add("XObject", run);
  }

  parameters(run: Run): void {
    this.#add("ExtGState", run);
  }

  #add(category: Drawn["category"], { operators, state }: Run): void {
    const name = operators.name(0);
    if (name !== undefined) this.found.push({ category, name, matrix: state.matrix });
  }
}

class Finder {
  readonly found = new Map<number, Placement>();
  readonly #open: OpenPdf;
  readonly #nesting = new Nesting();
  /** The drawn objects of forms, by object number. */
  readonly #draws = new Map<number, readonly Drawn[]>();
  /** The largest scales with which each form was visited. */
  readonly #walked = new Map<number, readonly [number, number]>();
  /** Whether resources, or those of a form, lead to an image, by object number. */
  readonly #matters = new Map<number, boolean>();
  #walks = 0;

  constructor(open: OpenPdf) {
    this.#open = open;
  }

  async page(page: PDFObject): Promise<void> {
    const unit = page.get("UserUnit").asNumber();
    const base: Matrix = unit > 0 ? [unit, 0, 0, unit, 0, 0] : IDENTITY;
    const resources = page.getInheritable("Resources");
    if (this.#drawsImages(resources, 0)) await this.#run(await this.#read(streamsOf(page)), resources, base);
    for (const annotation of items(page.get("Annots"))) await this.#annotation(annotation, base);
  }

  /** The box of an appearance is fitted into the annotation's rectangle (12.5.5, Algorithm: appearance streams). */
  async #annotation(annotation: PDFObject, base: Matrix): Promise<void> {
    const rect = numbers(annotation.get("Rect"), 4);
    for (const form of rect ? appearances(this.#open.engine, annotation) : []) {
      const box = numbers(form.get("BBox"), 4);
      const matrix = matrixOf(form.get("Matrix"));
      if (!rect || !box) continue;
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = box;
      const corners = [
        [x0, y0],
        [x1, y0],
        [x0, y1],
        [x1, y1],
      ].map(([x = 0, y = 0]) => [x * matrix[0] + y * matrix[2] + matrix[4], x * matrix[1] + y * matrix[3] + matrix[5]]);
      const extent = (axis: 0 | 1): number => {
        const values = corners.map((corner) => corner[axis] ?? 0);
        return Math.max(...values) - Math.min(...values);
      };
      const fit = (axis: 0 | 1): number => Math.abs((rect[axis + 2] ?? 0) - (rect[axis] ?? 0)) / extent(axis);
      const [x, y] = [fit(0), fit(1)];
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      await this.#form(form, annotation.get("none"), multiply([x, 0, 0, y, 0, 0], base));
    }
  }

  async #run(draws: readonly Drawn[], resources: PDFObject, base: Matrix): Promise<void> {
    for (const { category, name, matrix } of draws) {
      const object = resources.get(category, name);
      if (category === "XObject") await this.#draw(object, resources, multiply(matrix, base));
      else await this.#form(object.get("SMask", "G"), resources, multiply(matrix, base));
    }
    for (const { value } of entries(this.#open.engine, resources.get("Pattern"))) {
      // A pattern's matrix maps to the initial coordinates of the content, not to those in effect where it is used
      // (8.7.3.1).
      if (value.isStream()) await this.#form(value, resources, base);
    }
  }

  async #draw(object: PDFObject, resources: PDFObject, matrix: Matrix): Promise<void> {
    if (!object.isStream()) return;
    if (isNamed(object.get("Subtype"), "Form")) await this.#form(object, resources, matrix);
    else this.#place(object, matrix);
  }

  #place(image: PDFObject, [a, b, c, d]: Matrix): void {
    const number = objectNumber(image);
    const place = this.found.get(number) ?? { width: 0, height: 0 };
    place.width = Math.max(place.width, Math.hypot(a, b));
    place.height = Math.max(place.height, Math.hypot(c, d));
    this.found.set(number, place);
    const mask = ["SMask", "Mask"].map((key) => image.get(key)).find((entry) => entry.isStream());
    if (mask) this.#place(mask, [a, b, c, d, 0, 0]);
  }

  async #form(form: PDFObject, outer: PDFObject, base: Matrix): Promise<void> {
    if (!form.isStream() || this.#nesting.isCyclic(form) || this.#nesting.isTooDeep()) return;
    if (this.#walks >= MOST_WALKS) return;
    const resources = resourcesOf(form, outer);
    if (!this.#drawsImages(resources, 0)) return;
    const matrix = multiply(matrixOf(form.get("Matrix")), base);
    const number = objectNumber(form);
    const scales = [Math.hypot(matrix[0], matrix[1]), Math.hypot(matrix[2], matrix[3])] as const;
    const before = this.#walked.get(number);
    if (before && scales[0] <= before[0] * LARGER && scales[1] <= before[1] * LARGER) return;
    this.#walked.set(number, [Math.max(scales[0], before?.[0] ?? 0), Math.max(scales[1], before?.[1] ?? 0)]);
    this.#walks++;
    const draws = this.#draws.get(number) ?? (await this.#read([form]));
    this.#draws.set(number, draws);
    await this.#open.engine.work.pause();
    await this.#nesting.within(form, () => this.#run(draws, resources, matrix));
  }

  /**
   * Whether resources may lead to an image, since most content need not be read. Each object is checked once, as forms may
   * reference all forms before them. Cyclic resources count as leading to an image.
   */
  #drawsImages(resources: PDFObject, depth: number): boolean {
    if (!resources.isDictionary()) return false;
    if (depth > limits.contents.nesting) return true;
    const { engine } = this.#open;
    const leads = (object: PDFObject): boolean =>
      object.isStream() &&
      (isNamed(object.get("Subtype"), "Image") ||
        this.#once(object, () => this.#drawsImages(object.get("Resources"), depth + 1)));
    return this.#once(
      resources,
      () =>
        ["XObject", "Pattern"].some((key) => entries(engine, resources.get(key)).some(({ value }) => leads(value))) ||
        entries(engine, resources.get("ExtGState")).some(({ value }) => leads(value.get("SMask", "G"))),
    );
  }

  #once(object: PDFObject, look: () => boolean): boolean {
    const number = objectNumber(object);
    const known = number > 0 ? this.#matters.get(number) : undefined;
    if (known !== undefined) return known;
    this.#matters.set(number, true);
    const result = look();
    this.#matters.set(number, result);
    return result;
  }

  async #read(streams: readonly PDFObject[]): Promise<readonly Drawn[]> {
    const { bytes } = await readStreams(this.#open, streams);
    const draws = new Draws();
    await process(bytes, draws, this.#open.engine.work);
    return draws.found;
  }
}

function numbers(array: PDFObject, count: number): number[] | undefined {
  const list = items(array).map((item) => item.asNumber());
  return list.length >= count && list.every(Number.isFinite) ? list : undefined;
}

function matrixOf(array: PDFObject): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbers(array, 6) ?? IDENTITY;
  return [a, b, c, d, e, f];
}
