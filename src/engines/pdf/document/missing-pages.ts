/** Checks that the pages listed in the page tree exist, with everything they draw (ISO 32000-2, 7.7.3). */
import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, items, objectNumber } from "../objects/objects.ts";

/** Fuel per page, and per resource, that is checked. */
const PAGE_WORK = 1_000;
const RESOURCE_WORK = 100;

/**
 * Finds pages (1-based) that are missing or lack something they draw. `lost`: those that are missing entirely. Reading
 * all pages also makes MuPDF find damage before the work begins.
 */
export async function findMissingPages(
  engine: PdfEngine,
  document: PDFDocument,
  pageCount: number,
): Promise<{ missing: number[]; lost: number[] }> {
  const { work, scope } = engine;
  const missing: number[] = [];
  const lost: number[] = [];
  const resolves = new ResourceCheck(engine);
  for (let index = 0; index < pageCount; index++) {
    work.spend(PAGE_WORK);
    await work.pause();
    await scope(async () => {
      const page = findPage(engine, document, index);
      if (!page) lost.push(index + 1);
      if (!page || !contentResolves(page) || !(await resolves.all(page.getInheritable("Resources")))) {
        missing.push(index + 1);
      }
    });
  }
  return { missing, lost };
}

function findPage(engine: PdfEngine, document: PDFDocument, index: number): PDFObject | undefined {
  try {
    const page = document.findPage(index);
    return page.isDictionary() ? page : undefined;
  } catch (error) {
    if (engine.isFailure(error)) return undefined;
    throw error;
  }
}

function contentResolves(page: PDFObject): boolean {
  const contents = page.get("Contents");
  const streams = contents.isArray() ? items(contents) : [contents];
  return streams.every((stream) => !stream.isIndirect() || stream.isStream());
}

/** Checks that named resources exist, once per dictionary, since pages may share them. */
class ResourceCheck {
  readonly #engine: PdfEngine;
  readonly #known = new Map<number, boolean>();

  constructor(engine: PdfEngine) {
    this.#engine = engine;
  }

  /** Checks all resources of a page. */
  async all(resources: PDFObject): Promise<boolean> {
    return this.#once(resources, async ({ value }) => {
      if (value.isIndirect() && !value.isDictionary() && !value.isArray()) return false;
      return this.#once(value, ({ value: resource }) => !resource.isIndirect() || isSomething(resource));
    });
  }

  async #once(
    dictionary: PDFObject,
    resolves: (entry: { value: PDFObject }) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const number = objectNumber(dictionary);
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    let all = true;
    for (const entry of entries(this.#engine, dictionary)) {
      this.#engine.work.spend(RESOURCE_WORK);
      await this.#engine.work.pause();
      all &&= await resolves(entry);
    }
    if (number > 0) this.#known.set(number, all);
    return all;
  }
}

function isSomething(reference: PDFObject): boolean {
  return reference.isDictionary() || reference.isArray() || reference.isName() || reference.isNumber();
}
