import { convert } from "../engines/convert/convert.ts";
import { formats } from "../engines/convert/formats/index.ts";
import { ENCODINGS, isEncoding } from "../engines/convert/source/decode-text.ts";
import { limits, MiB } from "../limits.ts";
import { defineOperation } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { anyFile, documentFile, text } from "./definition/fields.ts";
import {
  formBoolean,
  formChoice,
  formInteger,
  formNumber,
  formPageSize,
  formText,
  lineText,
} from "./definition/values.ts";

/** Width and height in points, upright. */
const SIZES = {
  a4: { width: 595.28, height: 841.89 },
  letter: { width: 612, height: 792 },
  legal: { width: 612, height: 1008 },
  a5: { width: 419.53, height: 595.28 },
  a3: { width: 841.89, height: 1190.55 },
} as const;

/** The sides of a page in points (ISO 32000-2, annex C). */
const SIDES = [72, 14_400] as const;
const WIDEST_MARGIN = 720;
const LONGEST_CSS = limits.parameters.cssCharacters;
/** A language tag (BCP 47). */
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z\d]{1,8}){0,5}$/;

const [firstFormat, ...otherFormats] = formats.map(({ name }) => name);
if (firstFormat === undefined) throw new Error("there is no format");
const formatNames: [string, ...string[]] = [firstFormat, ...otherFormats];

/** The kept and dropped features of each format. Formats that keep the same are one row. */
function formatTable(): string {
  const rows = Array.from(
    Map.groupBy(formats, ({ keeps, drops }) => `${keeps} | ${drops}`),
    ([facts, same]) => `| ${same.map(({ title }) => title).join(", ")} | ${facts} |`,
  );
  return ["| Format | What is kept | What is not (`X-Not-Converted`) |", "|---|---|---|", ...rows].join("\n");
}

export const toPdf = defineOperation({
  name: "to-pdf",
  summary: "Convert documents to PDF",
  group: "Convert",
  aside: "from HTML, Markdown, Word, Excel, and e-books",
  keywords:
    "convert html word docx excel xlsx csv text txt office document export print word to pdf html to pdf excel to pdf markdown to pdf epub fb2 rtf ebook e-book",
  guidance:
    "For documents of Word (DOCX) and Excel (XLSX), e-books (EPUB and FB2), RTF, HTML, Markdown, text, and CSV. For images, use `from-images`.",
  description: `Converts a document to PDF. The format is detected from the content; \`format\` decides between HTML, Markdown, CSV, and text.

${formatTable()}

- **Encoding**: text can be in any encoding of the WHATWG Encoding Standard. If the request and the document do not name it, and it is not UTF-8, it is guessed; if several are possible, the error names \`encoding\`.
- **Layout**: content flows onto pages from top to bottom, and wide content is scaled down or cut off (\`wide-content\`). Headings become bookmarks. The output is not tagged.
- **Assets**: scripts do not run, and nothing is fetched from the network. Send the files that HTML or Markdown refers to in the ZIP archive \`assets\`: up to ${limits.conversion.assets} files, and ${limits.conversion.assetBytes / MiB} MiB of files in use. A file that the document does not refer to is an error.
- **Fonts** are embedded for Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Thai, Chinese, Japanese, Korean, symbols, and emoji (in one color). \`X-Missing-Glyphs\` counts characters that no font has; with \`strict=true\`, they are an error (\`unsupported_text\`).

The guide at \`/docs/conversion\` has the details.

Other formats, such as DOC, PPTX, ODT, and XPS, get 415. HTML can have ${limits.conversion.depth} levels of elements. Text can have up to ${limits.conversion.textBytes / MiB} MiB, and sheets up to ${limits.conversion.cells.toLocaleString("en-US")} cells.`,
  credits: 1,
  memory: { extraBytes: limits.conversion.ownBytes },
  modes: MAKES_PDF,
  fields: {
    file: documentFile("The document."),
    format: text(formChoice(...formatNames), "The format of text that may have several. Default: detected."),
    encoding: text(
      lineText(100),
      "The encoding of text, such as `windows-1251`, `shift_jis`, or `gbk` (a label of the WHATWG Encoding Standard). Default: by byte order mark, the charset of the file's Content-Type, the document's declaration, UTF-8, or the only one that fits.",
    ),
    pageSize: text(
      formPageSize(SIDES, "a4", "letter", "legal", "a5", "a3"),
      "The page size, by name or in points. Default: the document's, else A4.",
    ),
    orientation: text(formChoice("portrait", "landscape"), "The orientation. Default: the document's, else portrait."),
    marginPt: text(
      formInteger(0, WIDEST_MARGIN),
      "Space around the content, in points. Default: the document's, else 54.",
    ),
    fontSize: text(formNumber(4, 72), "The size of text without one of its own, in points.", { default: 11 }),
    css: text(formText(LONGEST_CSS), "A style sheet that overrules the document's.", { format: "multiline" }),
    assets: anyFile(
      "A ZIP archive of the images and style sheets that HTML or Markdown refers to, at their relative paths.",
    ),
    fit: text(
      formChoice("width", "none"),
      "Content wider than the page: `width` scales it down, `none` makes the page wider.",
      { default: "width" },
    ),
    title: text(lineText(), "The title in the metadata. Default: the document's."),
    language: text(lineText(100), "The language, such as `en` or `pt-BR`. Default: the document's."),
    strict: text(formBoolean(), "Whether characters that no font has are an error.", {
      label: "Reject characters without a font",
    }),
  },
  example: { file: "report.md", pageSize: "a4" },
  furtherExamples: [{ file: "report.md", pageSize: "letter", fontSize: "9" }],
  errors: ["unsupported_format", "unsupported_text"],
  headers: ["X-Page-Count", "X-Converted-From", "X-Missing-Glyphs", "X-Not-Converted"],

  checks: [
    ({ language }) =>
      language !== undefined && !LANGUAGE.test(language)
        ? [{ name: "language", issue: "must be a language tag, such as en or pt-BR" }]
        : [],
    ({ encoding }) =>
      encoding !== undefined && !isEncoding(encoding)
        ? [
            {
              name: "encoding",
              issue: `must be a label of the WHATWG Encoding Standard, such as ${ENCODINGS.join(", ")}`,
            },
          ]
        : [],
  ],

  async run(
    {
      file,
      format,
      encoding,
      pageSize,
      orientation,
      marginPt,
      fontSize,
      css = "",
      assets,
      fit,
      title,
      language,
      strict,
    },
    engines,
  ) {
    const { bytes, ...result } = await convert(engines, file.bytes, {
      format,
      encoding,
      charset: file.charset,
      page: typeof pageSize === "string" ? SIZES[pageSize] : pageSize,
      landscape: orientation && orientation === "landscape",
      margin: marginPt,
      fontSize,
      css,
      assets: assets?.bytes,
      scaled: fit === "width",
      title,
      language,
      strict,
    });
    const lacking = result.notConverted.join(",");
    return {
      kind: "pdf",
      bytes,
      headers: {
        "X-Page-Count": String(result.pageCount),
        "X-Converted-From": result.format,
        "X-Missing-Glyphs": String(result.missingGlyphs),
        ...(lacking !== "" && { "X-Not-Converted": lacking }),
      },
    };
  },
});
