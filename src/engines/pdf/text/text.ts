import type { PDFObject, PDFPage, StructuredText } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import { checkContents } from "../content/size.ts";
import type { OpenPdf } from "../document/document.ts";
import { fetchAhead, fetchPages } from "../document/fetch-pages.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, isNamed } from "../objects/objects.ts";
import { storeTrimmer } from "../mupdf/store.ts";
import { inColumns } from "./columns.ts";
import { type Box, readSegments, tooMuchText } from "./glyphs.ts";
import { joinLines, textOf, type Word, wordsOf } from "./lines.ts";
import { withoutStructure } from "../document/without-structure.ts";

export interface PageText {
  /** 1-based. */
  readonly pageNumber: number;
  /** Lines end with `\n`; paragraphs and other blocks are separated by an empty line. No trailing newline. */
  readonly text: string;
  readonly words?: readonly Word[];
}

/** Bytes per character, and per word with its box, until they are in the response (`npm run memory`). */
const [CHARACTER_BYTES, WORD_BYTES] = [10, 250];

/** Pages of a file read in ranges that are fetched together. */
const PAGES_AHEAD = 24;

/** Clipping and spacing are done here, with all facts about the glyphs, rather than in MuPDF. */
const OPTIONS = "clip=no,inhibit-spaces";

/**
 * Reads the text of pages (0-based) as displayed: rotated, cropped to the CropBox, with annotations and form fields. A page
 * that exists but cannot be drawn has no text. `words`: also returns each word with its position.
 * @throws Refusal `limit_exceeded` (contents, characters, or words of all pages together, memory)
 */
export async function readText(
  open: OpenPdf,
  pages: readonly number[],
  { words }: { words: boolean },
): Promise<PageText[]> {
  const { engine } = open;
  await checkContents(open, pages);
  // Colors do not matter here, and converting them takes a tenth of the time.
  engine.mupdf.disableICC();
  const read: PageText[] = [];
  const trim = storeTrimmer(engine);
  let [characters, wordCount] = [0, 0];
  for (const [index, page] of pages.entries()) {
    if (index % PAGES_AHEAD === 0) await fetchAhead(open, pages.slice(index, index + PAGES_AHEAD));
    engine.work.allow(limits.work.request);
    const text = await readPage(open, page, limits.text.characters - characters, words);
    characters += text.text.length;
    wordCount += text.words?.length ?? 0;
    if (characters > limits.text.characters) throw tooMuchText();
    if (wordCount > limits.text.words) {
      throw new Refusal("limit_exceeded", "The pages have too many words for one response. Select fewer pages.", {
        limit: limits.text.words,
        actual: wordCount,
      });
    }
    engine.claim(text.text.length * CHARACTER_BYTES + (text.words?.length ?? 0) * WORD_BYTES);
    read.push(text);
    trim();
    await engine.work.pause();
  }
  return read;
}

async function readPage(open: OpenPdf, index: number, budget: number, withWords: boolean): Promise<PageText> {
  const { document, engine } = open;
  using stack = new DisposableStack();
  const pageNumber = index + 1;
  // Throws if a page listed in the page tree is missing, which means that the file is damaged.
  await fetchPages(open, [index]);
  try {
    const page = stack.adopt(await engine.long.loadPage(document, index), (loaded) => loaded.destroy());
    const structured = await withoutImages(open, index, () =>
      withoutStructure(document, () => structuredText(engine, page, stack)),
    );
    const bounds = page.getBounds() as Box;
    const lines = joinLines(inColumns(readSegments(engine, structured, { bounds, budget, boxes: withWords })));
    let text = "";
    let last: number | undefined;
    for (const line of lines) {
      const written = textOf(line);
      if (written === "") continue;
      text += last === undefined ? written : `${last === line.block ? "\n" : "\n\n"}${written}`;
      last = line.block;
    }
    return { pageNumber, text, ...(withWords ? { words: lines.flatMap(wordsOf) } : {}) };
  } catch (error) {
    const meaning = engine.explain(error);
    if (!(meaning instanceof Refusal) || meaning.code !== "invalid_file") throw meaning;
    return { pageNumber, text: "", ...(withWords ? { words: [] } : {}) };
  }
}

/**
 * Runs `work`, which reads the text of a page (0-based), with empty forms in place of its images if the file is read in ranges: MuPDF
 * would fetch their data, which is most of a scan, for nothing.
 */
async function withoutImages<T>({ engine, document }: OpenPdf, index: number, work: () => Promise<T>): Promise<T> {
  if (!engine.ranges) return work();
  const { load } = engine.long;
  const resources = await load(document.findPage(index).getInheritable("Resources"));
  const objects = await load(resources.get("XObject"));
  const images: { key: PDFObject; value: PDFObject }[] = [];
  for (const entry of entries(engine, objects)) {
    if (isNamed((await load(entry.value)).get("Subtype"), "Image")) images.push(entry);
  }
  const nothing =
    images.length > 0 ? document.addStream("", { Type: "XObject", Subtype: "Form", BBox: [0, 0, 0, 0] }) : undefined;
  for (const { key } of images) if (nothing) objects.put(key, nothing);
  try {
    return await work();
  } finally {
    for (const { key, value } of images) objects.put(key, value);
  }
}

/** MuPDF reads only a page's own content. A page with annotations is first drawn to a display list to include them. */
async function structuredText(engine: PdfEngine, page: PDFPage, stack: DisposableStack): Promise<StructuredText> {
  const drop = (made: { destroy(): void }): void => made.destroy();
  if (!showsAnnotations(page)) return stack.adopt(await engine.long.textOfPage(page, OPTIONS), drop);
  const list = stack.adopt(await engine.long.displayList(page), drop);
  return stack.adopt(await engine.long.textOfList(list, OPTIONS), drop);
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
