import type { VisibleBox } from "../../geometry.ts";
import type { PDFObject, PDFPage, StructuredText } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import { tooManyWords, tooMuchText } from "../../limit-errors.ts";
import { checkContents } from "../content/size.ts";
import type { OpenPdf } from "../document/document.ts";
import { inTurns, STRIDE } from "../../steps.ts";
import { fetchAhead, fetchPages } from "../document/fetch-pages.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, isNamed } from "../objects/objects.ts";
import { storeTrimmer } from "../mupdf/store.ts";
import { inColumns } from "./columns.ts";
import { readSegments, type Segment } from "./glyphs.ts";
import { BLOCKS } from "../mupdf/abi.ts";
import { blocksIn, blockBoxOf, RECTANGLE, vectorColor, vectorFlags } from "../mupdf/structured-text.ts";
import { joinLines, textOf, type TextWord, wordsOf } from "./lines.ts";
import { withoutStructure } from "../document/without-structure.ts";

export interface PageText<T = undefined> {
  /** 1-based. */
  readonly pageNumber: number;
  /** Lines end with `\n`; paragraphs and other blocks are separated by an empty line. No trailing newline. */
  readonly text: string;
  readonly words?: readonly TextWord[];
  /** Whether it shows something, but has no text that could be read, or next to none on a scan. */
  readonly needsOcr?: true;
  /** The result of a `PageVisitor`. */
  readonly visited?: T;
}

/** A reader of a page's other contents in addition to its text. */
export interface PageVisitor<T> {
  /** Bytes per character of the page that its value takes. */
  readonly bytesPerCharacter: number;
  visit(page: VisitedPage): Promise<{ readonly segments: readonly Segment[]; readonly value: T }>;
  /** The value of a page that cannot be drawn. */
  empty(pageNumber: number): T;
}

export interface VisitedPage {
  readonly open: OpenPdf;
  readonly page: PDFPage;
  /** 0-based. */
  readonly index: number;
  /** Reads the page: its text, with its vectors and images if `drawings`. `as`: as if the document or the page had these. */
  readonly read: (options: { readonly drawings: boolean }, as?: TaggedAs) => Promise<StructuredText>;
  readonly bounds: VisibleBox;
  /** Maximum number of glyphs. */
  readonly budget: number;
  /** Whether glyphs need boxes. */
  readonly boxes: boolean;
}

/** A structure tree for MuPDF to report, and the content of the page with the marked content that it refers to. */
interface TaggedAs {
  readonly tree: PDFObject;
  readonly content: PDFObject | undefined;
}

/** Bytes per character, and per word with its box, until they are in the response (`npm run measure -- memory`). */
const [CHARACTER_BYTES, WORD_BYTES] = [10, 250];

/** Fuel for a glyph of a line that is written. */
const TEXT_WORK = 40;

/** Pages of a file read in ranges that are fetched together. */
const PAGES_AHEAD = 24;

/** Clipping and spacing are done here, with all facts about the glyphs, rather than in MuPDF. */
const OPTIONS = "clip=no,inhibit-spaces";
/** Also reports drawings, and structure. */
const [DRAWINGS, STRUCTURE] = [",vectors,preserve-images", ",structured"];

/** In a file that is read in ranges, an image is replaced by a box of this color (0xAARRGGBB), as large as the image. */
const IMAGE_COLOR = 0xff_01_17_cb;
const IMAGE_BOX = "0.00392157 0.09019608 0.79607843 rg 0 0 1 1 re f";

/** A page with fewer characters, most of it covered by an image, is a scan. */
const FEW_CHARACTERS = 20;

/**
 * Reads the text of pages (0-based) as displayed: rotated, cropped to the CropBox, with annotations and form fields. A page
 * that exists but cannot be drawn has no text. `words`: also returns each word with its position. `visitor`: also reads something else.
 * @throws Refusal `limit_exceeded` (contents, characters, or words of all pages together, memory)
 */
export async function readText<T = undefined>(
  open: OpenPdf,
  pages: readonly number[],
  { words, visitor }: { readonly words: boolean; readonly visitor?: PageVisitor<T> },
): Promise<PageText<T>[]> {
  const { engine } = open;
  await checkContents(open, pages);
  // Colors do not matter here, and converting them takes a tenth of the time.
  engine.mupdf.disableICC();
  const read: PageText<T>[] = [];
  const trim = storeTrimmer(engine);
  let [characters, wordCount] = [0, 0];
  for (const [index, page] of pages.entries()) {
    if (index % PAGES_AHEAD === 0) await fetchAhead(open, pages.slice(index, index + PAGES_AHEAD));
    engine.work.stage("readText");
    const text = await readPage(open, page, limits.text.characters - characters, { words, visitor });
    characters += text.text.length;
    wordCount += text.words?.length ?? 0;
    if (characters > limits.text.characters) throw tooMuchText();
    if (wordCount > limits.text.words) throw tooManyWords(wordCount);
    const bytes = CHARACTER_BYTES + (visitor?.bytesPerCharacter ?? 0);
    engine.claim(text.text.length * bytes + (text.words?.length ?? 0) * WORD_BYTES);
    read.push(text);
    trim();
    await engine.work.pause();
  }
  return read;
}

async function readPage<T>(
  open: OpenPdf,
  index: number,
  budget: number,
  { words: withWords, visitor }: { readonly words: boolean; readonly visitor: PageVisitor<T> | undefined },
): Promise<PageText<T>> {
  const { document, engine } = open;
  using stack = new DisposableStack();
  const pageNumber = index + 1;
  // Throws if a page listed in the page tree is missing, which means that the file is damaged.
  await fetchPages(open, [index]);
  let bounds: VisibleBox = [0, 0, 0, 0];
  try {
    const page = stack.adopt(await engine.long.loadPage(document, index), (loaded) => loaded.destroy());
    bounds = page.getBounds() as VisibleBox;
    let drawn: StructuredText | undefined;
    const read: VisitedPage["read"] = async ({ drawings }, as) => {
      if (drawings && as === undefined && drawn !== undefined) return drawn;
      const options = OPTIONS + (drawings ? DRAWINGS : "") + (as ? STRUCTURE : "");
      const text = (): Promise<StructuredText> => structuredText(engine, page, stack, options);
      const structured = await withoutImages(open, index, drawings ? IMAGE_BOX : "", () =>
        withContent(page.getObject(), as?.content, () => withoutStructure(document, text, as?.tree)),
      );
      if (drawings && as === undefined) drawn = structured;
      return structured;
    };
    const visited = await visitor?.visit({ open, page, index, read, bounds, budget, boxes: withWords });
    const segments =
      visited?.segments ??
      (await inTurns(
        engine.work,
        readSegments(engine, await read({ drawings: false }), { bounds, budget, boxes: withWords }),
      ));
    const lines = await inTurns(engine.work, joinLines(await inTurns(engine.work, inColumns(segments))));
    let text = "";
    let last: number | undefined;
    for (const [at, line] of lines.entries()) {
      engine.work.spend(TEXT_WORK * line.glyphs.length);
      if (at % STRIDE === STRIDE - 1) await engine.work.pause();
      const written = textOf(line);
      if (written === "") continue;
      text += last === undefined ? written : `${last === line.block ? "\n" : "\n\n"}${written}`;
      last = line.block;
    }
    const isSparse = isUnreadable(text);
    const needsOcr = isSparse && showsMore(engine, await read({ drawings: true }), bounds, text);
    return {
      pageNumber,
      text,
      ...(withWords ? { words: lines.flatMap(wordsOf) } : {}),
      ...(needsOcr && { needsOcr }),
      ...(visited && { visited: visited.value }),
    };
  } catch (error) {
    const meaning = engine.explain(error);
    if (!(meaning instanceof Refusal) || meaning.code !== "invalid_file") throw meaning;
    return {
      pageNumber,
      text: "",
      ...(withWords ? { words: [] } : {}),
      ...(visitor && { visited: visitor.empty(pageNumber) }),
    };
  }
}

/** Whether a page has next to no characters, or most of them are unknown. */
function isUnreadable(text: string): boolean {
  if (text.length < 2 * FEW_CHARACTERS && text.replaceAll(/\s/g, "").length < FEW_CHARACTERS) return true;
  return text.includes("\ufffd") && text.split("\ufffd").length - 1 > text.length / 2;
}

/** Whether a page without readable text shows something else that may be text: an image, or many shapes. */
function showsMore(engine: PdfEngine, structured: StructuredText, bounds: VisibleBox, text: string): boolean {
  const pageSize = (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]);
  let [covered, shapes] = [0, 0];
  for (const { block, type } of blocksIn(engine, structured)) {
    const isImage = type === BLOCKS.image || (type === BLOCKS.vector && isImageBox(vectorColor(engine, block)));
    if (isImage) {
      const [x0, y0, x1, y1] = blockBoxOf(engine, block);
      const width = Math.min(x1, bounds[2]) - Math.max(x0, bounds[0]);
      const height = Math.min(y1, bounds[3]) - Math.max(y0, bounds[1]);
      if (width > 0 && height > 0) covered += width * height;
    } else if (type === BLOCKS.vector && (vectorFlags(engine, block) & RECTANGLE) === 0) shapes++;
  }
  if (text.includes("\ufffd") && text.length >= FEW_CHARACTERS) return true;
  return text === "" ? covered > LEAST_IMAGE * pageSize || shapes >= LEAST_SHAPES : covered > pageSize / 2;
}

export const isImageBox = (color: number): boolean => color >>> 0 === IMAGE_COLOR;

/** On a page without text: the share of it from which an image may show text, and how many shapes may be letters. */
const [LEAST_IMAGE, LEAST_SHAPES] = [0.02, 50];

/**
 * Runs `work`, which reads the text of a page (0-based). If the file is read in ranges, forms of this content replace the page's images: MuPDF would
 * fetch their data, which is most of a scan, for nothing.
 */
async function withoutImages<T>(
  { engine, document }: OpenPdf,
  index: number,
  content: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!engine.ranges) return work();
  const { load } = engine.long;
  const resources = await load(document.findPage(index).getInheritable("Resources"));
  const objects = await load(resources.get("XObject"));
  const images: { key: PDFObject; value: PDFObject }[] = [];
  for (const entry of entries(engine, objects)) {
    if (isNamed((await load(entry.value)).get("Subtype"), "Image")) images.push(entry);
  }
  const nothing =
    images.length > 0
      ? document.addStream(content, { Type: "XObject", Subtype: "Form", BBox: [0, 0, 1, 1] })
      : undefined;
  for (const { key } of images) if (nothing) objects.put(key, nothing);
  try {
    return await work();
  } finally {
    for (const { key, value } of images) objects.put(key, value);
  }
}

/** Runs `work` with other content of the page, if there is any. */
async function withContent<T>(page: PDFObject, content: PDFObject | undefined, work: () => Promise<T>): Promise<T> {
  if (content === undefined) return work();
  const own = page.get("Contents");
  page.put("Contents", content);
  try {
    return await work();
  } finally {
    page.put("Contents", own);
  }
}

/** MuPDF reads only a page's own content. A page with annotations is first drawn to a display list to include them. */
async function structuredText(
  engine: PdfEngine,
  page: PDFPage,
  stack: DisposableStack,
  options: string,
): Promise<StructuredText> {
  const drop = (made: { destroy(): void }): void => made.destroy();
  if (!showsAnnotations(page)) return stack.adopt(await engine.long.textOfPage(page, options), drop);
  const list = stack.adopt(await engine.long.displayList(page), drop);
  return stack.adopt(await engine.long.textOfList(list, options), drop);
}

function showsAnnotations(page: PDFPage): boolean {
  const annotations = page.getObject().get("Annots");
  if (!annotations.isArray()) return false;
  for (let index = 0; index < annotations.length; index++) {
    const subtype = annotations.get(index).get("Subtype");
    if (!subtype.isName() || !["Link", "Popup"].includes(subtype.asName())) return true;
  }
  return false;
}
