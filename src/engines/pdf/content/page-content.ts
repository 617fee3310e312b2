/** Adds operators before or after the content of pages, in the coordinates of the page as displayed. */
import type { Matrix } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import { deflate } from "../../flate/deflate.ts";
import { checkContents } from "./size.ts";
import { ContentState } from "./state.ts";
import type { OpenPdf } from "../document/document.ts";
import { fetchContents, fetchPages } from "../document/fetch-pages.ts";
import { boxOf, mediaBox, visiblePage } from "../document/page-facts.ts";
import { inherited, repairPageTree } from "../document/page-tree.ts";
import { ResourceNames } from "./resource-names.ts";
import { readablePart, readContent } from "./read-content.ts";
import { streamsOf } from "./streams.ts";
import type { NameResource } from "./operands.ts";

/** A page as displayed. */
export interface StampPage {
  readonly object: PDFObject;
  /** 0-based. */
  readonly index: number;
  /** Points. */
  readonly width: number;
  readonly height: number;
  /** Maps points (origin at the bottom left of the visible page, y up) to units of the page. */
  readonly toPage: Matrix;
}

export type Layer = "over" | "under";

/** Prefix of the resource names of stamps, followed by a number. */
const NAME = "Stamp";

/** The pages of a document that get stamps. */
export class StampPages {
  readonly pages: readonly StampPage[];
  /** Whether page content is tagged. If so, untagged content must be marked as an artifact (14.8.2.2). */
  readonly #tagged: boolean;
  readonly #open: OpenPdf;
  readonly #streams = new Map<string, PDFObject>();
  readonly #names: ResourceNames;

  /**
   * Looks up pages (0-based).
   * @throws Refusal `limit_exceeded` if their contents are too large to read
   */
  static async of(open: OpenPdf, pages: readonly number[], layer: Layer): Promise<StampPages> {
    await repairPageTree(open);
    if (layer === "over") await checkContents(open, pages);
    const objects = await fetchPages(open, pages);
    return new StampPages(
      open,
      objects.map((object, index) => pageAsShown(object, pages[index] ?? 0)),
    );
  }

  private constructor(open: OpenPdf, pages: readonly StampPage[]) {
    this.#open = open;
    this.#names = new ResourceNames(open, NAME);
    this.pages = pages;
    const root = open.document.getTrailer().get("Root");
    this.#tagged = root.get("StructTreeRoot").isDictionary() || root.get("MarkInfo", "Marked").asBoolean();
  }

  /**
   * Draws on a page. `draw` returns ASCII operators in units of the page; they may change the graphics state. `tagged`:
   * whether they mark their own content.
   */
  async draw(
    { object, index }: StampPage,
    layer: Layer,
    draw: (name: NameResource) => string,
    { tagged = false }: { tagged?: boolean } = {},
  ): Promise<void> {
    await fetchContents(this.#open, index);
    const { document } = this.#open;
    // Readers do not agree on the size of a page without one, and the stamp is placed on this.
    if (!boxOf(object.getInheritable("MediaBox"))) object.put("MediaBox", [...mediaBox(object)]);
    const streams = streamsOf(object);
    const content = layer === "over" ? await closedContent(this.#open, streams) : undefined;
    const form = content?.isDoubtful ? await this.#asForm(object, content) : undefined;
    const operators = draw(this.#names.in(object));
    const stamp = `q ${this.#tagged && !tagged ? `/Artifact BMC ${operators} EMC` : operators} Q`;
    const parts = document.newArray();
    if (!content) {
      parts.push(this.#stream(stamp));
      for (const stream of streams) parts.push(stream);
    } else if (form !== undefined) {
      parts.push(this.#stream(`q /${form} Do Q ${stamp}`));
    } else {
      const { closing, sound } = content;
      if (sound.length > 0) parts.push(this.#stream("q"));
      for (const stream of sound) parts.push(stream);
      parts.push(this.#stream(sound.length > 0 ? `${closing}Q ${stamp}` : stamp));
    }
    object.put("Contents", parts);
  }

  /**
   * Makes the content of a page a form, and returns its name: everything that readers find left open ends with the form (8.10.1). Elements of the
   * structure tree no longer find the content.
   */
  async #asForm(page: PDFObject, content: ClosedContent): Promise<string> {
    const { document } = this.#open;
    const form = await contentStreamOf(this.#open, content);
    form.put("Type", document.newName("XObject"));
    form.put("Subtype", document.newName("Form"));
    form.put("BBox", [...mediaBox(page)]);
    const resources = inherited(document, page, "Resources");
    form.put("Resources", resources.isDictionary() ? resources : document.newDictionary());
    page.put("Resources", document.newDictionary());
    return this.#names.in(page)("XObject", form);
  }

  /** A content stream, shared by all pages with the same operators. */
  #stream(operators: string): PDFObject {
    const known = this.#streams.get(operators);
    if (known) return known;
    const made = this.#open.document.addStream(`${operators}\n`, {});
    this.#streams.set(operators, made);
    return made;
  }
}

export interface ClosedContent {
  /** The streams of a page, without the parts that cannot be closed. */
  readonly sound: readonly PDFObject[];
  /** Operators that close everything left open in the streams. */
  readonly closing: string;
  /** Whether readers may find something else open. */
  readonly isDoubtful: boolean;
}

/** The content of a page as one stream. */
export async function contentStreamOf(
  { document, engine }: OpenPdf,
  { sound, closing }: ClosedContent,
): Promise<PDFObject> {
  const parts: (Uint8Array<ArrayBuffer> | string)[] = [];
  for (const stream of sound) parts.push(await readContent(engine, stream, (bytes) => bytes.slice()), "\n");
  const joined = new Blob([...parts, closing]);
  const bytes = await deflate(new Uint8Array(await joined.arrayBuffer()));
  return document.addRawStream(bytes, { Filter: document.newName("FlateDecode") });
}

/**
 * The operators that close everything left open in the streams of a page, and the streams without the parts that cannot be closed. Readers read
 * different amounts of a damaged stream before they stop, so its open constructs are unknown: it is replaced by its readable part.
 */
export async function closedContent(
  { engine, document }: OpenPdf,
  streams: readonly PDFObject[],
): Promise<ClosedContent> {
  const state = new ContentState();
  const readable: (Uint8Array<ArrayBuffer> | undefined)[] = [];
  for (const stream of streams) {
    const part = await readablePart(engine, stream);
    readable.push(part);
    if (part) await state.read(part, engine.work);
    else await readContent(engine, stream, (bytes) => state.read(bytes, engine.work));
  }
  const { blanked } = state;
  const sound: PDFObject[] = [];
  for (const [index, stream] of streams.entries()) {
    const ranges = blanked[index] ?? [];
    const copy =
      readable[index] ?? (ranges.length > 0 ? await readContent(engine, stream, (bytes) => bytes.slice()) : undefined);
    for (const [from, to] of ranges) copy?.fill(0x20, from, to);
    sound.push(copy ? document.addStream(copy, {}) : stream);
  }
  return { closing: state.closing, sound, isDoubtful: state.isDoubtful };
}

export function pageAsShown(object: PDFObject, index: number): StampPage {
  const { box, unit, rotation } = visiblePage(object);
  const [x0, y0, x1, y1] = box;
  const [across, up] = [(x1 - x0) * unit, (y1 - y0) * unit];
  const scale = 1 / unit;
  const matrices: Readonly<Record<number, Matrix>> = {
    0: [scale, 0, 0, scale, x0, y0],
    90: [0, scale, -scale, 0, x1, y0],
    180: [-scale, 0, 0, -scale, x1, y1],
    270: [0, -scale, scale, 0, x0, y1],
  };
  const [width, height] = rotation % 180 === 0 ? [across, up] : [up, across];
  return { object, index, width, height, toPage: matrices[rotation] ?? [scale, 0, 0, scale, x0, y0] };
}
