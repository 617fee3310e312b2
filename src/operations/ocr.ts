import { z } from "zod";
import type { Engines } from "../engines/lease/engines.ts";
import { recognizesTooManyPages } from "./definition/limit-errors.ts";
import { HiddenText } from "../engines/ocr/hidden-text.ts";
import { InvisibleText } from "../engines/ocr/invisible-text.ts";
import { type Accuracy, languages as known } from "../engines/ocr/languages.ts";
import { PagePicture } from "../engines/ocr/page-picture.ts";
import { readPicture } from "../engines/ocr/read-picture.ts";
import type { PageReading } from "../engines/ocr/recognize-page.ts";
import { uncoveredWords } from "../engines/ocr/uncovered-words.ts";
import { checkContents } from "../engines/pdf/content/size.ts";
import { repairPageTree } from "../engines/pdf/document/page-tree.ts";
import { type OpenPdf, openPdf } from "../engines/pdf/document/document.ts";
import { fetchContents, fetchPages } from "../engines/pdf/document/fetch-pages.ts";
import { countImages } from "../engines/pdf/embed/embed.ts";
import { openImage } from "../engines/pdf/embed/image-document.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { readText } from "../engines/pdf/text/text.ts";
import { imageKindOf } from "../engines/image/kind.ts";
import { allowPage } from "../engines/pdf/content/page-work.ts";
import { limits } from "../limits.ts";
import { defineOperation, type FinishedParts, type Output, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF, returnsJson } from "./definition/modes.ts";
import { pdfOrImageFile, text, type UploadedFile } from "./definition/fields.ts";
import { joinedPages, joinedTexts, PAGE_BREAK, utf8 } from "./definition/joined-pages.ts";
import { formLanguages, languagesOfText, missingModels } from "./definition/languages.ts";
import { formBoolean, formChoice, pageRange } from "./definition/values.ts";

/** Pages of a part of a job: recognizing one takes seconds. */
const PAGES_PER_PART = 2;
/**
 * A page with fewer characters of text than this, more than half covered by an image, is treated as a scan with a stamp on it.
 */
const FEW_CHARACTERS = 20;
/** Memory in bytes for a character of text and for a positioned word, until they are part of the response. */
const [CHARACTER_BYTES, WORD_BYTES] = [10, 300];

/** A page of the response. */
interface Page {
  readonly pageNumber: number;
  readonly text: string;
  readonly confidence: number;
  readonly words: readonly { readonly text: string; readonly bbox: readonly number[]; readonly confidence: number }[];
  /** Undefined if the page has its own text. */
  readonly reading?: Reading;
}

/** As JSON can hold it. */
type Reading = Omit<PageReading, "languages"> & { readonly languages: Languages };

const box = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const confidence = z.number().min(0).max(1);

const result = z.object({
  text: z.string().describe("The text of all pages, joined by `\\n\\f`."),
  pages: z.array(
    z.object({
      pageNumber: z.int().min(1),
      text: z.string(),
      confidence: confidence.describe("The mean confidence of the words; 1 if the page already had text."),
      words: z
        .array(z.object({ text: z.string(), bbox: box, confidence }))
        .describe("Only with `words`. `bbox` is x0, y0, x1, y1 in points from the top left of the visible page.")
        .optional(),
    }),
  ),
  meanConfidence: confidence.describe("The mean confidence of all words; 0 if there are none."),
  languagesUsed: z.array(z.string()).describe("The requested languages in which words were found."),
});

export const ocr = defineOperation({
  name: "ocr",
  summary: "Recognize text in scans",
  group: "Convert",
  aside: "in twenty languages",
  keywords:
    "recognize scan scanned searchable tesseract image to text language english german deutsch french spanish italian portuguese dutch polish czech danish swedish norwegian ukrainian turkish arabic hindi chinese japanese korean",
  guidance:
    "For scans and photos of text. Pages with text do not need it; use `extract-text`. Returns text, or with `output` = `pdf` a searchable PDF.",
  description: `Recognizes the text on the pages of a PDF or in an image, and returns it as JSON or as a searchable PDF. Rotated pages and slanted lines are straightened
before recognition. Columns are read one after the other, and a line can contain several languages.

Confidence values range from 0 to 1. The confidence of a page is the mean of its words; \`meanConfidence\` is the mean of all words. \`languagesUsed\` lists the
requested languages in which words were found. Supported languages: ${known.join(", ")}. BCP 47 codes such as \`en\`, \`de-DE\`, and \`zh-Hant\` are also accepted.

A request can recognize up to ${limits.ocr.pages} pages; send longer documents as jobs. With \`output=pdf\`, the pages look as before, and their text can be
searched, selected, and copied. Invisible text from an earlier recognition is replaced. An image becomes a page of its size, and
a TIFF has a page for each of its own.

Changes are appended to the file (an incremental update), unless it is damaged, so the earlier state stays in the file. Signed bytes do not change, but signatures do not allow the change
(\`X-Signature-Invalidated\`).`,
  credits: 2,
  modes: { by: "output", values: { json: returnsJson(result), pdf: { ...MAKES_PDF, scope: "pdf:read" } } },
  fields: {
    file: pdfOrImageFile("The document: PDF, PNG, JPEG, WebP, TIFF, GIF, or BMP."),
    languages: text(formLanguages(), languagesOfText, {
      brief: "Up to 3, such as `deu+eng`, most frequent first.",
      default: "eng",
    }),
    accuracy: text(
      formChoice("best", "fast"),
      "`fast`: reads with smaller models, in about two thirds of the time. Only for languages for which the operator of the service has added such models.",
      { brief: "", default: "best" },
    ),
    output: text(
      formChoice("json", "pdf"),
      "`json`: the text. `pdf`: the document, with invisible text on the recognized pages.",
      { brief: "`pdf`: with invisible text.", default: "json" },
    ),
    pages: text(pageRange(), "The pages to recognize, in document order.", {
      brief: "",
      tries: ["1", "last", "99"],
      default: "all",
    }),
    words: text(
      formBoolean(),
      "Adds `pages[].words`: `[{ text, bbox: [x0, y0, x1, y1], confidence }]`, in points from the top left of the visible page.",
      { brief: "With positions.", label: "Positions of words", when: { output: ["json"] } },
    ),
    mode: text(
      formChoice("skip-text", "force"),
      `\`skip-text\`: a page that has text keeps it and is reported with confidence 1, unless an image covers more than half of
the page and the text has fewer than ${FEW_CHARACTERS} characters. \`force\`: every page is recognized.`,
      { brief: "`force`: pages that have text, too.", default: "skip-text" },
    ),
  },
  checks: [({ languages, accuracy }) => missingModels("accuracy", languages, accuracy)],
  memory: { readsRanges: true, needsHeadroom: true, extraBytes: limits.admission.recognizerBytes },
  resolve: () => ({ pricedPages: limits.jobs.pagesPerPriceOfOcr }),
  example: { file: "receipt.png" },
  errors: ["ocr_failed"],
  headers: [
    "X-OCR-Mean-Confidence",
    "X-Page-Count",
    "X-Input-Repaired",
    "X-Signature-Invalidated",
    "X-Conformance-Lost",
  ],

  pageByPage: {
    async pagesOf({ file, pages }, engines) {
      if (isImage(file)) return pages.resolveSet("pages", await countImages(engines, file));
      using open = await openPdf(engines.pdf, file);
      return pages.resolveSet("pages", open.pageCount);
    },
    pagesPerPart: () => PAGES_PER_PART,
    async run(input, pages, engines) {
      using open = await opened(input, engines);
      const value: Page[] = [];
      for await (const page of readPages(open, pages, input, engines)) value.push(page);
      return { kind: "json", value, headers: resultHeadersOf([open]) };
    },
    async join(input, parts, engines) {
      const summary = new Summary();
      for await (const page of pagesIn(parts)) summary.add(page);
      if (input.output === "pdf") {
        using open = await opened(input, engines);
        return await searchable(open, pagesIn(parts), summary, { isNew: isImage(input.file) });
      }
      const headers = { ...parts.headers, "X-OCR-Mean-Confidence": String(summary.meanConfidence) };
      return { kind: "long json", bytes: joined(parts, input, summary), headers };
    },
  },

  async run(input, engines) {
    using open = await opened(input, engines);
    const { output, pages } = input;
    const read: Page[] = [];
    const summary = new Summary();
    const chosen = pages.resolveSet("pages", open.pageCount);
    for await (const page of readPages(open, chosen, input, engines, limits.ocr.pages)) {
      read.push(page);
      summary.add(page);
    }
    engines.recognizer.drop();
    if (output === "pdf") return await searchable(open, read, summary, { isNew: isImage(input.file) });
    return {
      kind: "json",
      value: {
        text: read.map((page) => page.text).join(PAGE_BREAK),
        pages: read.map((page) => shown(page, input)),
        ...summary.of(input),
      },
      headers: {
        ...resultHeadersOf([open]),
        "X-OCR-Mean-Confidence": String(summary.meanConfidence),
      },
    };
  },
});

type Languages = readonly string[];

const isImage = ({ bytes }: UploadedFile): boolean =>
  imageKindOf(bytes.view(0, Math.min(bytes.length, 16))) !== undefined;

function opened(
  { file, output }: { readonly file: UploadedFile; readonly output: "json" | "pdf" },
  engines: Engines,
): Promise<OpenPdf> {
  return isImage(file)
    ? openImage(engines, file)
    : openPdf(engines.pdf, file, { validateFor: output === "pdf" ? "save" : "render" });
}

/**
 * Reads pages (0-based), in order. Throws `limit_exceeded` if more than `most` of them have to be recognized, before any is, and
 * `ocr_failed`.
 */
async function* readPages(
  open: OpenPdf,
  chosen: readonly number[],
  {
    languages,
    accuracy,
    mode,
  }: { readonly languages: Languages; readonly accuracy: Accuracy; readonly mode: "skip-text" | "force" },
  engines: Engines,
  most = Infinity,
): AsyncGenerator<Page, void> {
  await checkContents(open, chosen);
  const kept = mode === "force" ? new Map<number, Page>() : await pagesWithText(open, chosen);
  const actual = chosen.length - kept.size;
  if (actual > most) throw recognizesTooManyPages(most, actual);
  if (actual > 0) await engines.recognizer.open(languages, accuracy);
  for (const page of chosen) {
    await allowPage(open, page);
    const result = kept.get(page) ?? (await recognized(open, page, engines));
    engines.pdf.claim(result.text.length * CHARACTER_BYTES + result.words.length * WORD_BYTES);
    yield result;
    await engines.work.pause();
  }
}

/** The document with the text of its pages, which are read one after the other. `isNew`: it was made of an image. */
async function searchable(
  open: OpenPdf,
  pages: Iterable<Page> | AsyncIterable<Page>,
  { meanConfidence }: Summary,
  { isNew }: { readonly isNew: boolean },
): Promise<Output> {
  const { pageCount } = open;
  const changed = await addLayer(open, pages);
  const { bytes, signatureInvalidated } = await saveChanges(open, { changed, rewrite: isNew });
  const headers = {
    ...resultHeadersOf([open], { pageCount, signatureInvalidated }),
    "X-OCR-Mean-Confidence": String(meanConfidence),
  };
  return { kind: "pdf", bytes, headers };
}

/** A page in the response. */
const shown = ({ pageNumber, text, confidence, words }: Page, input: { readonly words: boolean }) => ({
  pageNumber,
  text,
  confidence,
  ...(input.words && { words }),
});

/** The report about all pages together. */
class Summary {
  #words = 0;
  #confidence = 0;
  readonly #languages = new Set<string>();

  add({ words, confidence: ofPage, reading }: Page): void {
    this.#words += words.length;
    this.#confidence += ofPage * words.length;
    for (const language of reading?.languages ?? []) this.#languages.add(language);
  }

  get meanConfidence(): number {
    return rounded(this.#confidence / Math.max(1, this.#words));
  }

  of({ languages }: { readonly languages: Languages }) {
    const languagesUsed = languages.filter((language) => this.#languages.has(language));
    return { meanConfidence: this.meanConfidence, languagesUsed };
  }
}

const pagesOfPart = (value: unknown): readonly Page[] => value as readonly Page[];

async function* pagesIn(parts: FinishedParts): AsyncGenerator<Page, void> {
  for await (const value of parts.values()) yield* pagesOfPart(value);
}

/** The same JSON as of one request, in pieces. */
async function* joined(
  parts: FinishedParts,
  input: { readonly words: boolean; readonly languages: Languages },
  summary: Summary,
): AsyncGenerator<Uint8Array, void> {
  yield* joinedTexts(parts, pagesOfPart);
  yield* joinedPages(parts, pagesOfPart, (page) => shown(page, input));
  yield utf8(`,${JSON.stringify(summary.of(input)).slice(1)}`);
}

/** The pages (0-based) that do not need recognition. */
async function pagesWithText(open: OpenPdf, pages: readonly number[]): Promise<Map<number, Page>> {
  const kept = new Map<number, Page>();
  for (const page of pages) {
    const [own] = await readText(open, [page], { words: true });
    if (!own || own.text === "") continue;
    if (own.text.replaceAll(/\s/g, "").length < FEW_CHARACTERS && (await isScan(open, page))) continue;
    const placed = own.words ?? [];
    kept.set(page, {
      pageNumber: own.pageNumber,
      text: own.text,
      confidence: 1,
      words: placed.map(({ text, bbox }) => ({ text, bbox, confidence: 1 })),
    });
  }
  return kept;
}

async function isScan(open: OpenPdf, page: number): Promise<boolean> {
  using picture = await PagePicture.of(open, page);
  return picture.scanDpi !== undefined;
}

async function recognized(open: OpenPdf, page: number, { recognizer }: Engines): Promise<Page> {
  const reading = await readPicture(open, page, recognizer);
  return {
    pageNumber: page + 1,
    text: reading.text,
    confidence: rounded(reading.confidence),
    words: reading.lines.flatMap((line) => line.words),
    reading: { ...reading, languages: [...reading.languages] },
  };
}

/**
 * Adds the recognized text under its pages and removes the layer of an earlier recognition. Returns the pages (0-based).
 */
async function addLayer(open: OpenPdf, pages: Iterable<Page> | AsyncIterable<Page>): Promise<number[]> {
  await repairPageTree(open);
  const [earlier, layer] = [new InvisibleText(open), new HiddenText(open)];
  const all: number[] = [];
  for await (const { pageNumber, reading } of pages) {
    all.push(pageNumber - 1);
    if (!reading) continue;
    // In a job, nothing was allowed yet for what the page costs here.
    await allowPage(open, pageNumber - 1);
    await fetchContents(open, pageNumber - 1);
    await earlier.removeFrom(pageNumber - 1);
    const words = await uncoveredWords(open, pageNumber - 1, reading);
    // The change of the page before made MuPDF forget where this one is.
    await fetchPages(open, [pageNumber - 1]);
    layer.add(pageNumber - 1, words);
  }
  layer.finish();
  return all;
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
