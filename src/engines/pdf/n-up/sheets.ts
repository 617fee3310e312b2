/** Puts several pages on each sheet: every page becomes a form XObject (ISO 32000-2, 8.10). */
import { LONGEST_SIDE, inverse, type Matrix, multiply } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import { OwnColors } from "../conformance/own-colors.ts";
import { numbers } from "../content/operands.ts";
import { closedContent, contentStreamOf, StampPages, type StampPage } from "../content/page-content.ts";
import { streamsOf } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { visiblePage } from "../document/page-facts.ts";
import { INHERITABLE, inherited } from "../document/page-tree.ts";
import { entries, isNamed, objectNumber } from "../objects/objects.ts";
import { carryAnnotations, usesOf } from "./annotations.ts";
import { remapDestinations } from "./destinations.ts";
import { sheetGridOf, type SheetLayout, orderOf, placeIn, type SheetSize } from "./grid.ts";
import type { SheetPlace } from "./place.ts";
import { remapStructure } from "./structure.ts";

export interface Arranged extends SheetLayout {
  /** Points; undefined for that of the first page. */
  readonly sheet: SheetSize | undefined;
  readonly border: boolean;
}

/** Fuel per page, in addition to the cost of its content. */
const PAGE_WORK = 2_000;

/** Entries of the catalog about single pages, which have no meaning for sheets. */
const PER_PAGE = ["PageLabels", "Threads", "DPartRoot"];

/**
 * Replaces the pages of a document by sheets. Its form fields must be flattened; annotations that are left come along, and links, destinations, and
 * structure elements lead to the sheets. Returns the number of sheets.
 * @throws Refusal `invalid_parameters` (no room), `limit_exceeded`
 */
export async function arrange(open: OpenPdf, { sheet, border, ...layout }: Arranged): Promise<number> {
  const { document, engine, pageCount } = open;
  const root = document.getTrailer().get("Root");
  const all = Array.from({ length: pageCount }, (_, index) => index);
  const { pages } = await StampPages.of(open, all, "over");
  const [first] = pages;
  if (!first) return 0;
  const grid = sheetGridOf(first, sheet ?? sizeOf(first), layout);
  const fromRight = isNamed(root.get("ViewerPreferences", "Direction"), "R2L");
  const isTagged = root.get("StructTreeRoot").isDictionary();
  const forms = new PageForms(open, pages);
  const uses = await usesOf(open, pages);
  const order = orderOf(pageCount, layout);
  const perSheet = grid.columns * grid.rows;
  const places = new Map<number, SheetPlace>();
  const sheets: number[] = [];
  const colors = await OwnColors.of(open);
  for (let at = 0; at < order.length; at += perSheet) {
    await engine.scope(async () => {
      const reference = document.createObject();
      const drawn: string[] = [];
      const annotations = document.newArray();
      const xobjects = document.newDictionary();
      const spaces: Record<string, PDFObject> = {};
      const nameSpace = (_: string, space: PDFObject): string => {
        spaces["C0"] = space;
        return "C0";
      };
      let isBlended = false;
      for (const [cell, index] of order.slice(at, at + perSheet).entries()) {
        const page = pages[index];
        if (!page) continue;
        engine.work.spend(PAGE_WORK);
        await engine.work.pause();
        const { x, y, width, height, scale } = placeIn(grid, cell, page, { fromRight });
        const toSheet = multiply(inverse(page.toPage), [scale, 0, 0, scale, x, y]);
        const form = await forms.of(page);
        isBlended ||= page.object.get("Group").isDictionary();
        const { box: from, unit, rotation } = visiblePage(page.object);
        const place: SheetPlace = {
          sheet: objectNumber(reference),
          form: objectNumber(form),
          toSheet,
          scale: scale * unit,
          rotation,
          from,
          box: [x, y, x + width, y + height],
        };
        places.set(index, place);
        xobjects.put(`P${cell}`, form);
        drawn.push(`q ${matrix(toSheet)} cm /P${cell} Do Q`);
        const frame = `q 0.5 w ${colors.strokeGray(0, nameSpace)} ${numbers(x, y, width, height)} re S Q`;
        if (border) drawn.push(isTagged ? `/Artifact BMC ${frame} EMC` : frame);
        await carryAnnotations(open, page, place, { uses, annotations });
      }
      reference.writeObject({
        Type: document.newName("Page"),
        Parent: root.get("Pages"),
        MediaBox: [0, 0, grid.width, grid.height],
        Resources: { XObject: xobjects, ...(spaces["C0"] && { ColorSpace: spaces }) },
        Contents: document.addStream(drawn.join("\n"), {}),
      });
      if (isBlended) colors.blend(reference);
      if (annotations.length > 0) reference.put("Annots", annotations);
      sheets.push(objectNumber(reference));
    });
  }
  const pageOf = new Map(pages.map(({ object, index }) => [objectNumber(object), index]));
  const carried = sheets.map((number) => document.newIndirect(number));
  await remapDestinations(open, places, pageOf, carried);
  await remapStructure(open, places, pageOf);
  const tree = root.get("Pages");
  for (const key of INHERITABLE) tree.delete(key);
  tree.put("Kids", carried);
  tree.put("Count", carried.length);
  for (const key of PER_PAGE) root.delete(key);
  // Anything that still references a page finds it empty.
  for (const { object } of pages) {
    await engine.work.pause();
    if (objectNumber(object) > 0) object.writeObject(document.newDictionary());
  }
  return sheets.length;
}

/** The size of a page as a sheet. */
function sizeOf({ width, height }: SheetSize): SheetSize {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  return { width: width * scale, height: height * scale };
}

/** A scale needs more digits than a position: it is multiplied by the size of the page. */
const matrix = (values: Matrix): string => values.map((value) => String(Number(value.toFixed(7)))).join(" ");

/** The form of each page: its content with its resources, cut to its visible part. */
class PageForms {
  readonly #open: OpenPdf;
  /** How often each stream is the content of a page, by object number. */
  readonly #uses = new Map<number, number>();

  constructor(open: OpenPdf, pages: readonly StampPage[]) {
    this.#open = open;
    for (const { object } of pages) {
      for (const stream of streamsOf(object)) {
        const number = objectNumber(stream);
        this.#uses.set(number, (this.#uses.get(number) ?? 0) + 1);
      }
    }
  }

  async of({ object }: StampPage): Promise<PDFObject> {
    const { document } = this.#open;
    const form = await this.#streamOf(object);
    form.put("Type", document.newName("XObject"));
    form.put("Subtype", document.newName("Form"));
    form.put("BBox", [...visiblePage(object).box]);
    const resources = inherited(document, object, "Resources");
    form.put("Resources", resources.isDictionary() ? resources : document.newDictionary());
    const group = object.get("Group");
    if (group.isDictionary()) form.put("Group", this.#isolated(group));
    for (const key of ["StructParents", "AF"]) if (!object.get(key).isNull()) form.put(key, object.get(key));
    return form;
  }

  /** A page is an isolated group, regardless of its dictionary (11.4.7). */
  #isolated(group: PDFObject): PDFObject {
    const own = this.#open.document.newDictionary();
    for (const { key, value } of entries(this.#open.engine, group)) own.put(key, value);
    own.put("I", true);
    return own;
  }

  /** The content of a page as one stream: the page's only stream if it is not shared, or else a copy of all of them. */
  async #streamOf(page: PDFObject): Promise<PDFObject> {
    const streams = streamsOf(page);
    const content = await closedContent(this.#open, streams);
    const { closing, sound } = content;
    const [only] = sound;
    const isOwn = only !== undefined && sound.length === 1 && only === streams[0] && closing.trim() === "";
    if (isOwn && this.#uses.get(objectNumber(only)) === 1 && only.get("Subtype").isNull()) return only;
    return contentStreamOf(this.#open, content);
  }
}
