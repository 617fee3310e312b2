import { z } from "zod";
import { recognizesTooManyPages } from "./definition/limit-errors.ts";
import type { Engines } from "../engines/lease/engines.ts";
import { readPictureWithLayout } from "../engines/ocr/read-picture.ts";
import { allowPage } from "../engines/pdf/content/page-work.ts";
import { type OpenPdf, openPdf } from "../engines/pdf/document/document.ts";
import { csvOf } from "../engines/pdf/export/csv.ts";
import { exportedHtml } from "../engines/pdf/export/html.ts";
import { type FoundTable, type PageBlocks, tablesIn } from "../engines/pdf/export/tables.ts";
import { sheetNames, workbookParts } from "../engines/pdf/export/xlsx.ts";
import { DocumentFacts, type RawPage } from "../engines/pdf/layout/document.ts";
import { markdownOf } from "../engines/pdf/export/markdown.ts";
import { outlineLevels } from "../engines/pdf/layout/outline-levels.ts";
import { layoutReader } from "../engines/pdf/reading/read.ts";
import { blockTypes, shownBlock } from "../engines/pdf/layout/shown.ts";
import { type PageText, readText } from "../engines/pdf/text/text.ts";
import { limits } from "../limits.ts";
import {
  defineOperation,
  type FinishedParts,
  type Output,
  type OutputFile,
  type ResultHeaders,
  resultHeadersOf,
} from "./definition/define.ts";
import { returnsJson, XLSX } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { joinedPages, joinedTexts, PAGE_BREAK, utf8 } from "./definition/joined-pages.ts";
import { formLanguages, languagesOfText, missingModels } from "./definition/languages.ts";
import { formBoolean, formChoice, pageRange } from "./definition/values.ts";
import { noTables } from "../engines/result-errors.ts";

/** Pages of a part of a job, and of one whose pages may have to be recognized, which takes seconds. */
const [PAGES_PER_PART, PAGES_PER_OCR_PART] = [100, 2];
/** Memory in bytes for a character of recognized text with its block, and for a positioned word. */
const [CHARACTER_BYTES, WORD_BYTES] = [50, 250];

const FORMATS = ["json", "text", "markdown", "html", "csv", "xlsx"] as const;
/** Formats that have nothing but tables. */
const OF_TABLES: readonly string[] = ["csv", "xlsx"];

const box = z.tuple([z.number(), z.number(), z.number(), z.number()]);

const cell = z.object({
  text: z.string(),
  row: z.int().min(0),
  column: z.int().min(0),
  rowSpan: z.int().min(1),
  columnSpan: z.int().min(1),
  bbox: box,
});

const block = z.object({
  type: z.enum(blockTypes),
  level: z.int().min(1).max(6).describe("Of a heading.").optional(),
  marker: z.string().describe("Of a list item: its bullet or number.").optional(),
  text: z.string().describe("Without markup. In a table, tabs separate cells and line feeds rows."),
  bbox: box,
  rows: z
    .array(z.array(cell))
    .describe(
      "Of a table: the cells that begin in each row. `row` and `column` count from 0; empty cells are left out.",
    )
    .optional(),
});

const result = z.object({
  text: z.string().describe("The text of all pages, joined by `\\n\\f`."),
  pages: z.array(
    z.object({
      pageNumber: z.int().min(1),
      text: z.string(),
      words: z
        .array(z.object({ text: z.string(), bbox: box }))
        .describe("Only with `words`. `bbox` is x0, y0, x1, y1 in points from the top left of the visible page.")
        .optional(),
      markdown: z.string().describe("Only with `markdown`.").optional(),
      blocks: z
        .array(block)
        .describe("Only with `blocks`: the parts of the page in reading order. `bbox` is as for words.")
        .optional(),
      needsOcr: z
        .literal(true)
        .describe("The page shows an image or drawn letters, but has no readable text: `ocr=auto` reads it.")
        .optional(),
    }),
  ),
  stats: z.object({
    wordCount: z.int().min(0).describe("The number of words, separated by white space."),
    charCount: z.int().min(0).describe("The number of Unicode code points in `text`."),
  }),
});

/** The parts of each page that the request wants. */
interface Wanted {
  readonly file: { readonly stem: string };
  readonly format: (typeof FORMATS)[number];
  readonly words: boolean;
  readonly markdown: boolean;
  readonly blocks: boolean;
  readonly furniture: boolean;
  readonly ocr: "none" | "auto";
  readonly languages: readonly string[];
}

/** A page of a part of a job. */
type Page = Omit<PageText<RawPage>, "visited"> & { readonly visited?: RawPage | undefined };

export const extractText = defineOperation({
  name: "extract-text",
  summary: "Extract the text of a PDF",
  group: "Convert",
  aside: "as text, Markdown, HTML, or JSON, and its tables as CSV or XLSX",
  keywords:
    "parse read get text markdown words coordinates bounding boxes tables llm rag pdf to txt html csv excel xlsx spreadsheet pdf to markdown",
  guidance:
    "To read a document: the cheapest way to get its content. `format=markdown` keeps headings and tables. Scans have no text; `ocr=auto` reads them, too. To make a searchable PDF of a scan, use `ocr`. To see how a page looks, use `to-images`.",
  description: `Returns the text of each page in reading order, column by column. It includes form field values, annotations that show text, and the invisible text of scans, but no text outside the visible page.

- **Formats**: \`json\` has the text of each page, with \`markdown=true\` its Markdown and with \`blocks=true\` its blocks and their positions. \`text\`, \`markdown\` (CommonMark with GitHub's tables and footnotes), and \`html\` return the whole document.
- **Tables**: \`csv\` and \`xlsx\` return only the tables, as CSV files in a ZIP archive or as sheets of a workbook. Without a table, the error is \`no_tables\`.
- **Scans**: pages that show something but have no readable text have \`needsOcr\`. With \`ocr=auto\`, up to ${limits.ocr.pages} of them are recognized in the same request, and more in a job.
- **Structure** comes from the tags of a tagged document. On pages without tags, or whose tags leave out a tenth of the text, it is recognized by appearance, and can be wrong. Running headers, footers, and page numbers are left out of Markdown and HTML.
- **Characters**: ligatures are split, right-to-left scripts are in logical order, and glyphs without a known character become U+FFFD.

The guide at \`/docs/text-extraction\` has the details.`,
  credits: 1,
  modes: {
    by: "format",
    values: {
      json: returnsJson(result),
      text: { scope: "pdf:read", returns: ["text/plain"] },
      markdown: { scope: "pdf:read", returns: ["text/markdown"] },
      html: { scope: "pdf:read", returns: ["text/html"] },
      csv: { scope: "pdf:read", returns: ["text/csv", "application/zip"] },
      xlsx: { scope: "pdf:read", returns: [XLSX] },
    },
  },
  fields: {
    file: pdfFile(),
    pages: text(pageRange(), "The pages to read, in document order.", { brief: "", default: "all" }),
    format: text(
      formChoice(...FORMATS),
      "`json`: text by page, with what the other parameters add. `text`: plain text, with `\\n\\f` between pages. `markdown`: Markdown of all pages. `html`: the same as HTML. `csv`: the only table, or a ZIP archive of several. `xlsx`: a workbook with a sheet for each table.",
      { brief: "`csv` and `xlsx`: tables only.", default: "json" },
    ),
    words: text(
      formBoolean(),
      "Adds `pages[].words`: `[{ text, bbox: [x0, y0, x1, y1] }]`, in points from the top left of the visible page.",
      { brief: "With positions.", label: "Positions of words", when: { format: ["json"] } },
    ),
    markdown: text(formBoolean(), "Adds `pages[].markdown`.", { brief: "", when: { format: ["json"] } }),
    blocks: text(
      formBoolean(),
      "Adds `pages[].blocks`: headings, paragraphs, list items, tables with their cells, code, figures, and captions, each with its position.",
      {
        brief: "Headings, paragraphs, tables, and so on, with positions.",
        label: "Blocks, such as headings and tables",
        when: { format: ["json"] },
      },
    ),
    furniture: text(formBoolean(), "Keeps running headers, footers, and page numbers in Markdown and blocks.", {
      brief: "Keeps running headers and footers.",
      label: "Keep headers, footers, and page numbers",
      when: { format: ["json", "markdown", "html"] },
    }),
    ocr: text(
      formChoice("none", "auto"),
      "`auto`: recognizes the text of pages that have `needsOcr`, such as scans. In a job, the credits then cover as many pages as those of `ocr`.",
      { brief: "`auto` reads pages without text.", label: "Pages without text", default: "none" },
    ),
    languages: text(formLanguages(), languagesOfText, {
      brief: "As for `ocr`.",
      default: "eng",
      when: { ocr: ["auto"] },
    }),
  },
  checks: [({ ocr, languages }) => (ocr === "auto" ? missingModels("languages", languages, "best") : [])],
  example: { file: "letter.pdf" },
  furtherExamples: [{ file: "hundred-pages.pdf", words: "true" }],
  memory: { readsRanges: true, needsHeadroom: true },
  headers: ["X-Input-Repaired"],
  errors: ["ocr_failed", "no_tables"],
  resolve: ({ ocr, format, markdown, blocks, furniture }) => ({
    ...(ocr === "auto" && {
      memory: { extraBytes: limits.admission.recognizerBytes },
      pricedPages: limits.jobs.pagesPerPriceOfOcr,
    }),
    ...(furniture && format === "json" && !markdown && !blocks && { ignored: ["furniture"] }),
  }),
  pageByPage: {
    async pagesOf({ file, pages }, { pdf }) {
      using open = await openPdf(pdf, file);
      return pages.resolveSet("pages", open.pageCount);
    },
    pagesPerPart: ({ ocr }) => (ocr === "auto" ? PAGES_PER_OCR_PART : PAGES_PER_PART),
    async run(input, pages, engines) {
      using open = await openPdf(engines.pdf, input.file, { validateFor: "render" });
      const value = await readPages(open, pages, input, engines);
      return { kind: "json", value, headers: resultHeadersOf([open]) };
    },
    join: (input, parts) => joined(parts, input),
  },

  async run(input, engines) {
    using open = await openPdf(engines.pdf, input.file, { validateFor: "render" });
    const chosen = input.pages.resolveSet("pages", open.pageCount);
    const read = await readPages(open, chosen, input, engines, limits.ocr.pages);
    const headers = resultHeadersOf([open]);
    if (input.format === "json" && !hasLayout(input)) {
      const all = read.map((page) => page.text).join(PAGE_BREAK);
      return { kind: "json", value: { text: all, pages: read, stats: count(all) }, headers };
    }
    return await joined({ headers, values: () => only(read) }, input);
  },
});

const hasLayout = ({ format, markdown, blocks }: Wanted): boolean =>
  !["json", "text"].includes(format) || markdown || blocks;

/** Reads pages (0-based). Throws `limit_exceeded` if more than `most` of them have to be recognized, and `ocr_failed`. */
async function readPages(
  open: OpenPdf,
  pages: readonly number[],
  input: Wanted,
  engines: Engines,
  most = Infinity,
): Promise<Page[]> {
  const withLayout = hasLayout(input);
  const read: Page[] = await readText(open, pages, {
    words: input.words,
    ...(withLayout && {
      visitor: await layoutReader(open, { levels: await outlineLevels(open), text: input.format === "json" }),
    }),
  });
  const actual = read.filter(({ needsOcr }) => needsOcr).length;
  if (input.ocr === "none" || actual === 0) return read;
  if (actual > most) throw recognizesTooManyPages(most, actual);
  const { pdf, recognizer, work } = engines;
  await recognizer.open(input.languages, "best");
  for (const [index, page] of read.entries()) {
    if (page.needsOcr) read[index] = await recognized(open, page, input, engines);
    const { text: written, words = [] } = read[index] ?? page;
    if (page.needsOcr) pdf.claim(written.length * CHARACTER_BYTES + words.length * WORD_BYTES);
    await work.pause();
  }
  recognizer.drop();
  return read;
}

/** A page as it was recognized from its picture. */
async function recognized(open: OpenPdf, { pageNumber }: Page, input: Wanted, { recognizer }: Engines): Promise<Page> {
  await allowPage(open, pageNumber - 1);
  const reading = await readPictureWithLayout(open, pageNumber - 1, recognizer);
  const words = reading.lines.flatMap((line) => line.words);
  return {
    pageNumber,
    text: reading.text,
    ...(input.words && {
      words: words.map(({ text: word, bbox: [x0, y0, x1, y1] }) => ({ text: word, bbox: [x0, y0, x1, y1] })),
    }),
    ...(hasLayout(input) && { visited: reading.layout }),
  };
}

async function* only(pages: readonly Page[]): AsyncGenerator<unknown, void> {
  yield pages;
}

/** The pages of a request or of the parts of a job, which can be read several times. */
type ReadParts = Pick<FinishedParts, "headers" | "values">;

const pagesOfPart = (value: unknown): readonly Page[] => value as readonly Page[];

async function* pagesIn(parts: ReadParts): AsyncGenerator<Page, void> {
  for await (const value of parts.values()) yield* pagesOfPart(value);
}

/** The result, in pieces. What a heading is, and what repeats from page to page, only all pages together show. */
async function joined(parts: ReadParts, wanted: Wanted): Promise<Output> {
  const { headers } = parts;
  if (wanted.format === "text") return { kind: "text", format: "plain", bytes: plainText(parts), headers };
  const facts = new DocumentFacts();
  if (hasLayout(wanted)) for await (const { visited } of pagesIn(parts)) if (visited) facts.add(visited);
  if (wanted.format === "markdown")
    return { kind: "text", format: "markdown", bytes: markdown(parts, wanted, facts), headers };
  const pages = (): AsyncIterable<PageBlocks> => blocksByPage(parts, wanted, facts);
  if (wanted.format === "html") {
    const bytes = inUtf8(exportedHtml(wanted.file.stem, pages()));
    return { kind: "text", format: "html", bytes, headers };
  }
  if (OF_TABLES.includes(wanted.format)) return await tablesOf(() => tablesIn(pages()), wanted, headers);
  return { kind: "long json", bytes: joinedJson(parts, wanted, facts), headers };
}

async function* plainText(parts: ReadParts): AsyncGenerator<Uint8Array, void> {
  let separator = "";
  for await (const { text } of pagesIn(parts)) {
    yield utf8(separator + text);
    separator = PAGE_BREAK;
  }
}

async function* markdown(parts: ReadParts, wanted: Wanted, facts: DocumentFacts): AsyncGenerator<Uint8Array, void> {
  let separator = "";
  for await (const { pageNumber, visited } of pagesIn(parts)) {
    const written = visited === undefined ? "" : markdownOf(facts.blocksOf(visited, wanted), pageNumber);
    if (written === "") continue;
    yield utf8(separator + written);
    separator = "\n\n";
  }
  if (separator !== "") yield utf8("\n");
}

async function* blocksByPage(parts: ReadParts, wanted: Wanted, facts: DocumentFacts): AsyncGenerator<PageBlocks, void> {
  for await (const { pageNumber, visited } of pagesIn(parts))
    if (visited !== undefined) yield { pageNumber, blocks: facts.blocksOf(visited, wanted) };
}

async function* inUtf8(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  for await (const piece of texts) yield utf8(piece);
}

/** The tables alone. They are read twice: first it is seen how many there are. */
async function tablesOf(
  tables: () => AsyncIterable<FoundTable>,
  { format, file }: Wanted,
  headers: ResultHeaders,
): Promise<Output> {
  const found: Omit<FoundTable, "table">[] = [];
  for await (const { table: _, ...facts } of tables()) found.push(facts);
  if (found.length === 0) throw noTables();
  if (format === "xlsx") return { kind: "zip", format, entries: workbook(found, tables()), headers };
  if (found.length > 1) return { kind: "zip", entries: csvFiles(file.stem, tables()), headers };
  return { kind: "text", format: "csv", bytes: onlyCsv(tables()), headers };
}

async function* workbook(
  found: readonly Omit<FoundTable, "table">[],
  tables: AsyncIterable<FoundTable>,
): AsyncGenerator<OutputFile, void> {
  for await (const { name, xml } of workbookParts(sheetNames(found), tables)) yield { name, bytes: once(utf8(xml)) };
}

async function* csvFiles(stem: string, tables: AsyncIterable<FoundTable>): AsyncGenerator<OutputFile, void> {
  for await (const { table, pageNumber, number } of tables) {
    yield { name: `${stem}-page-${pageNumber}-table-${number}.csv`, bytes: once(utf8(csvOf(table))) };
  }
}

async function* onlyCsv(tables: AsyncIterable<FoundTable>): AsyncGenerator<Uint8Array, void> {
  for await (const { table } of tables) yield utf8(csvOf(table));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

async function* joinedJson(parts: ReadParts, wanted: Wanted, facts: DocumentFacts): AsyncGenerator<Uint8Array, void> {
  let [wordCount, charCount] = [0, 0];
  yield* joinedTexts(parts, pagesOfPart, (text) => {
    const counted = count(text);
    wordCount += counted.wordCount;
    charCount += counted.charCount;
  });
  yield* joinedPages(parts, pagesOfPart, (page) => shown(page, wanted, facts));
  yield utf8(`,"stats":${JSON.stringify({ wordCount, charCount })}}`);
}

/** A page in the response. */
function shown({ visited, ...page }: Page, wanted: Wanted, facts: DocumentFacts) {
  const blocks = visited === undefined ? [] : facts.blocksOf(visited, wanted);
  return {
    ...page,
    ...(wanted.markdown && { markdown: markdownOf(blocks, page.pageNumber) }),
    ...(wanted.blocks && { blocks: blocks.map(shownBlock) }),
  };
}

/** One pass without copies, because the text may be long. */
function count(value: string): { wordCount: number; charCount: number } {
  let [wordCount, charCount, inWord] = [0, value.length, false];
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index);
    // The engine emits no other white space.
    const isSpace = unit === 0x20 || unit === 0x0a || unit === 0x0c;
    if (!isSpace && !inWord) wordCount++;
    inWord = !isSpace;
    // The second half of a surrogate pair; halves never occur alone.
    if ((unit & 0xfc00) === 0xdc00) charCount--;
  }
  return { wordCount, charCount };
}
