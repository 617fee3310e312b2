import { z } from "zod";
import { openPdf } from "../engines/pdf/document.ts";
import { readText } from "../engines/pdf/text.ts";
import { defineOperation } from "./define.ts";
import { pdfFile, text } from "./fields.ts";
import { notes } from "./notes.ts";
import { formBoolean, pageRange } from "./values.ts";

/** What stands between two pages in `text`. */
const PAGE_BREAK = "\n\f";

const box = z.tuple([z.number(), z.number(), z.number(), z.number()]);

const result = z.object({
  text: z.string().describe("The pages' text, joined by `\\n\\f`."),
  pages: z.array(
    z.object({
      pageNumber: z.int().min(1),
      text: z.string(),
      words: z
        .array(z.object({ text: z.string(), bbox: box }))
        .describe("With `words`: x0, y0, x1, y1 in points, origin top-left of the visible page.")
        .optional(),
    }),
  ),
  stats: z.object({
    wordCount: z.int().min(0).describe("Runs of characters between white space."),
    charCount: z.int().min(0).describe("Unicode code points of `text`."),
  }),
});

export const extractText = defineOperation({
  name: "extract-text",
  summary: "Pull embedded text from a PDF",
  description: `Gives the text of the pages in the order in which it is read: columns one after the other, ligatures as
their letters, right-to-left scripts in logical order, hyphens as they stand at the ends of lines. Form fields' values and
annotations that show text are part of it, and so is the invisible text of a scan; text outside the visible page or of no
size is not. A glyph whose font does not tell its character is U+FFFD. A scan without text gives empty text: use ocr.

\`{ text, pages: [{ pageNumber, text, words? }], stats: { wordCount, charCount } }\`: \`text\` joins the pages by \`\\n\\f\`;
\`wordCount\` counts what white space separates, \`charCount\` the Unicode code points of \`text\`.`,
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
  memoryBeside: true,
  example: { file: "letter.pdf" },
  produces: ["application/json"],
  json: result,
  headers: ["X-Input-Repaired"],

  async run({ file, pages, words }, { pdf }) {
    using open = await openPdf(pdf, file, { whole: "drawn" });
    const { pageCount } = open;
    const chosen = pages.resolveSet("pages", pageCount);
    const read = await readText(open, chosen, { words });
    const all = read.map((page) => page.text).join(PAGE_BREAK);
    return {
      kind: "json",
      value: { text: all, pages: read, stats: count(all) },
      headers: notes([open], { signed: false }),
    };
  },
});

/** In one pass and without copies: the text may be long. */
function count(value: string): { wordCount: number; charCount: number } {
  let [wordCount, charCount, inWord] = [0, value.length, false];
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index);
    // The engine leaves no other white space.
    const isSpace = unit === 0x20 || unit === 0x0a || unit === 0x0c;
    if (!isSpace && !inWord) wordCount++;
    inWord = !isSpace;
    // The second half of a pair; halves never stand alone.
    if ((unit & 0xfc00) === 0xdc00) charCount--;
  }
  return { wordCount, charCount };
}
