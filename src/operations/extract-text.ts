import { z } from "zod";
import { openPdf } from "../engines/pdf/document/document.ts";
import { type PageText, readText } from "../engines/pdf/text/text.ts";
import { defineOperation, type FinishedParts } from "./definition/define.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { joinedPages, joinedTexts, PAGE_BREAK, utf8 } from "./definition/joined-pages.ts";
import { resultHeadersOf } from "./definition/result-headers.ts";
import { formBoolean, pageRange } from "./definition/values.ts";

/** Pages of a part of a job. */
const PAGES_PER_PART = 100;

const box = z.tuple([z.number(), z.number(), z.number(), z.number()]);

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
    }),
  ),
  stats: z.object({
    wordCount: z.int().min(0).describe("The number of words, separated by white space."),
    charCount: z.int().min(0).describe("The number of Unicode code points in `text`."),
  }),
});

export const extractText = defineOperation({
  name: "extract-text",
  summary: "Extract the text of a PDF",
  guidance:
    "To read a document that has text: the cheapest way to learn what it says. Scans have none; use `ocr` for them. To see how a page looks, use `to-images`.",
  description: `Returns the text of each page in reading order, column by column. Ligatures are split into letters, right-to-left scripts are in logical
order, and hyphens at line ends are kept. The text includes form field values, annotations that show text, and the invisible text of
scans. Text outside the visible page is left out. Glyphs without a known character become U+FFFD. Scans without text return an empty text: use
\`ocr\` for them.`,
  credits: 1,
  scope: "pdf:read",
  fields: {
    file: pdfFile(),
    pages: text(pageRange(), "The pages to read, in document order.", { default: "all" }),
    words: text(
      formBoolean(),
      "Adds `pages[].words`: `[{ text, bbox: [x0, y0, x1, y1] }]`, in points from the top left of the visible page.",
    ),
  },
  needsHeadroom: true,
  example: { file: "letter.pdf" },
  readsRanges: true,
  produces: ["application/json"],
  json: result,
  headers: ["X-Input-Repaired"],
  pageByPage: {
    async pagesOf({ file, pages }, { pdf }) {
      using open = await openPdf(pdf, file);
      return pages.resolveSet("pages", open.pageCount);
    },
    pagesPerPart: () => PAGES_PER_PART,
    async run({ file, words }, pages, { pdf }) {
      using open = await openPdf(pdf, file, { validateFor: "render" });
      const value = await readText(open, pages, { words });
      return { kind: "json", value, headers: resultHeadersOf([open], { signed: false }) };
    },
    async join(_, parts) {
      return { kind: "long json", bytes: joinedText(parts), headers: parts.headers };
    },
  },

  async run({ file, pages, words }, { pdf }) {
    using open = await openPdf(pdf, file, { validateFor: "render" });
    const { pageCount } = open;
    const chosen = pages.resolveSet("pages", pageCount);
    const read = await readText(open, chosen, { words });
    const all = read.map((page) => page.text).join(PAGE_BREAK);
    return {
      kind: "json",
      value: { text: all, pages: read, stats: count(all) },
      headers: resultHeadersOf([open], { signed: false }),
    };
  },
});

/** The same JSON as of one request, in pieces. */
async function* joinedText(parts: FinishedParts): AsyncGenerator<Uint8Array, void> {
  const pagesOf = (value: unknown): readonly PageText[] => value as readonly PageText[];
  let [wordCount, charCount] = [0, 0];
  yield* joinedTexts(parts, pagesOf, (text) => {
    const counted = count(text);
    wordCount += counted.wordCount;
    charCount += counted.charCount;
  });
  yield* joinedPages(parts, pagesOf);
  yield utf8(`,"stats":${JSON.stringify({ wordCount, charCount })}}`);
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
