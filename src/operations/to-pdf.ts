import { convert } from "../engines/convert/convert.ts";
import type { Converted } from "../engines/convert/finish.ts";
import { formats } from "../engines/convert/formats/index.ts";
import { type BrowserOptions, printInBrowser } from "../engines/convert/in-browser.ts";
import { ENCODINGS, isEncoding } from "../engines/convert/source/decode-text.ts";
import { type PaperMargins, SIDES } from "../engines/convert/source/document.ts";
import { onlyForEngine } from "../engines/parameter-errors.ts";
import { browserUnavailable, officeUnavailable } from "../engines/result-errors.ts";
import type { ConversionEngine, OfficeSettings } from "../engines/services.ts";
import { limits, MiB } from "../limits.ts";
import { defineOperation, type Output } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { anyFile, type FieldIssue, text } from "./definition/fields.ts";
import {
  formBoolean,
  formChoice,
  formDuration,
  formFlag,
  formHosts,
  formInteger,
  formLength,
  formNumber,
  formPageSize,
  formText,
  languageTag,
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

const WIDEST_MARGIN = 720;
const LONGEST_CSS = limits.parameters.cssCharacters;

/** Parameters of browsers, which Gotenberg and Puppeteer have by the same names. */
const FAMILIAR = { brief: "" } as const;
const DEFAULT_FONT_SIZE = 11;
/** The scales that Chromium takes. */
const SCALES = [0.1, 2] as const;
const { templateCharacters: LONGEST_TEMPLATE, textCharacters: LONGEST_TEXT } = limits.browser;

const ENGINES = ["flow", "browser", "office"] as const satisfies readonly ConversionEngine[];

/** The fields that not all engines take. Without `engine`, they choose it. */
const TAKEN_BY: readonly (readonly [engines: readonly ConversionEngine[], fields: readonly string[]])[] = [
  [["flow"], ["fontSize", "fit", "strict"]],
  [
    ["flow", "browser"],
    [
      "encoding",
      "pageSize",
      "paperWidth",
      "paperHeight",
      "marginPt",
      "marginTop",
      "marginRight",
      "marginBottom",
      "marginLeft",
      "css",
      "assets",
    ],
  ],
  [
    ["browser", "office"],
    ["nativePageRanges", "singlePage", "generateDocumentOutline"],
  ],
  [
    ["browser"],
    [
      "url",
      "scripts",
      "allowedHosts",
      "scale",
      "printBackground",
      "preferCssPageSize",
      "header",
      "footer",
      "emulatedMediaType",
      "taggedPdf",
      "waitDelay",
      "waitForSelector",
      "waitForExpression",
      "failOnConsoleExceptions",
      "failOnResourceLoadingFailed",
    ],
  ],
  [["office"], ["password"]],
];

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
    "convert html word docx doc excel xlsx xls powerpoint pptx ppt odp libreoffice csv text txt office document export print word to pdf html to pdf excel to pdf markdown to pdf svg to pdf drawing epub fb2 rtf ebook e-book",
  guidance:
    "For DOCX, XLSX, EPUB, FB2, RTF, HTML, Markdown, text, and CSV; with an office converter, also DOC, XLS, PPT, PPTX, and ODP; with a browser, also SVG. For images, use `from-images`.",
  description: `Converts a document to PDF. The format is detected from the content; \`format\` decides between HTML, Markdown, CSV, and text.

${formatTable()}

- **Encoding**: text can be in any encoding of the WHATWG Encoding Standard. If the request and the document do not name it, and it is not UTF-8, it is guessed; if several are possible, the error names \`encoding\`.
- **Engine**: \`browser\` prints HTML and SVG as Chromium shows them, tagged, and without a network. \`flow\` is fast and everywhere. Default: \`browser\` if the service has one and the HTML has scripts, fonts of its own, or \`css-layout\`; otherwise \`flow\`. \`X-Engine\` names it. \`office\` is LibreOffice: if the service has it, it converts DOC, XLS, PPT, PPTX, ODP, and others, and with \`engine=office\` also DOCX, XLSX, ODT, ODS, and RTF. The rest of this description is about \`flow\`; the guide compares them.
- **Layout**: content flows onto pages from top to bottom, and wide content is scaled down or cut off (\`wide-content\`). Headings become bookmarks. The output is not tagged.
- **Assets**: scripts do not run, and nothing is fetched from the network. Send the files that HTML or Markdown refers to in the ZIP archive \`assets\`: up to ${limits.conversion.assets} files, and ${limits.conversion.assetBytes / MiB} MiB of files in use. A file that the document does not refer to is an error.
- **Fonts** are embedded for Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Thai, Chinese, Japanese, Korean, symbols, and emoji (in one color). \`X-Missing-Glyphs\` counts characters that no font has; with \`strict=true\`, they are an error (\`unsupported_text\`).

The guide at \`/docs/conversion\` has the details.

Other formats, such as XPS, get 415, as do DOC, PPTX, and ODP without an office converter, and SVG without a browser: \`GET /limits\` lists the \`formats\` of a server. HTML can have ${limits.conversion.depth} levels of elements. Text can have up to ${limits.conversion.textBytes / MiB} MiB, and sheets up to ${limits.conversion.cells.toLocaleString("en-US")} cells.`,
  credits: 1,
  memory: { extraBytes: limits.conversion.ownBytes },
  modes: MAKES_PDF,
  oneOf: { fields: ["file", "url"], exactly: true },
  fields: {
    file: anyFile("The document."),
    url: text(formText(limits.parameters.urlCharacters), "Instead of `file`: the URL of a public web page.", {
      label: "URL",
      ...FAMILIAR,
    }),
    engine: text(
      formChoice(...ENGINES),
      "`browser` prints HTML with Chromium, `office` converts with LibreOffice. Default: by the document.",
      FAMILIAR,
    ),
    format: text(formChoice(...formatNames), "The format of text that may have several. Default: detected.", {
      brief: "Default: detected.",
    }),
    encoding: text(
      lineText(100),
      "The encoding of text: a label of the WHATWG Encoding Standard, such as `windows-1251`. Default: detected.",
      FAMILIAR,
    ),
    pageSize: text(
      formPageSize(SIDES, "a4", "letter", "legal", "a5", "a3"),
      "The page size, by name or in points. Default: the document's, else A4.",
      { brief: "By name or in points." },
    ),
    paperWidth: text(
      formLength(...SIDES),
      "Instead of `pageSize`, with `paperHeight`: the width, in inches or with a unit.",
      FAMILIAR,
    ),
    paperHeight: text(
      formLength(...SIDES),
      "Instead of `pageSize`, with `paperWidth`: the height, in inches or with a unit.",
      FAMILIAR,
    ),
    orientation: text(
      formChoice("portrait", "landscape"),
      "The orientation. Default: the document's, else portrait.",
      FAMILIAR,
    ),
    landscape: text(formFlag(), "The same as `orientation`, for clients of Gotenberg.", FAMILIAR),
    marginPt: text(
      formInteger(0, WIDEST_MARGIN),
      "Space around the content, in points. Default: the document's, else 54.",
      FAMILIAR,
    ),
    marginTop: text(
      formLength(0, WIDEST_MARGIN),
      "The margin at the top, in inches or with a unit. Default: `marginPt`.",
      FAMILIAR,
    ),
    marginRight: text(formLength(0, WIDEST_MARGIN), "The same at the right.", FAMILIAR),
    marginBottom: text(formLength(0, WIDEST_MARGIN), "The same at the bottom.", FAMILIAR),
    marginLeft: text(formLength(0, WIDEST_MARGIN), "The same at the left.", FAMILIAR),
    fontSize: text(
      formNumber(4, 72),
      `The size of text without one of its own, in points. Default: ${DEFAULT_FONT_SIZE}. Only \`engine=flow\`.`,
      FAMILIAR,
    ),
    css: text(formText(LONGEST_CSS), "A style sheet that overrules the document's.", {
      format: "multiline",
      ...FAMILIAR,
    }),
    assets: anyFile(
      "A ZIP archive of the images and style sheets that HTML or Markdown refers to, at their relative paths.",
      { brief: "" },
    ),
    fit: text(
      formChoice("width", "none"),
      "Content wider than the page: `width`, the default, scales it down, `none` makes the page wider. Only `engine=flow`.",
      FAMILIAR,
    ),
    title: text(lineText(), "The title in the metadata. Default: the document's.", FAMILIAR),
    language: text(languageTag(), "The language, such as `en` or `pt-BR`. Default: the document's.", FAMILIAR),
    strict: text(formBoolean(), "Whether characters that no font has are an error. Only `engine=flow`.", {
      label: "Reject characters without a font",
      ...FAMILIAR,
    }),
    scripts: text(formFlag(), "Whether scripts run. Default: false.", { label: "Run scripts", ...FAMILIAR }),
    allowedHosts: text(
      formHosts(limits.browser.hosts),
      "Hosts of files that the document may load, besides that of `url`. Default: none.",
      FAMILIAR,
    ),
    scale: text(formNumber(...SCALES), "The scale of the content. Default: 1.", FAMILIAR),
    printBackground: text(formFlag(), "Whether backgrounds are printed. Default: true.", FAMILIAR),
    preferCssPageSize: text(
      formFlag(),
      "Whether the size in `@page` overrules that of the request. Default: only if the request has none.",
      FAMILIAR,
    ),
    singlePage: text(
      formFlag(),
      "Whether all content goes onto one long page; with `engine=office`, each sheet onto one page. Default: false.",
      FAMILIAR,
    ),
    header: text(
      formText(LONGEST_TEMPLATE),
      "HTML for the top of each page, in the margin. Elements with the classes `pageNumber`, `totalPages`, `title`, `date`, and `url` get these values.",
      { format: "multiline", ...FAMILIAR },
    ),
    footer: text(formText(LONGEST_TEMPLATE), "HTML for the bottom of each page, as `header`.", {
      format: "multiline",
      brief: "",
    }),
    nativePageRanges: text(formText(LONGEST_TEXT), "The printed pages, such as `1-3,5`. Default: all.", FAMILIAR),
    emulatedMediaType: text(formChoice("print", "screen"), "The media type of style sheets. Default: print.", FAMILIAR),
    taggedPdf: text(formFlag(), "Whether the PDF is tagged. Default: true.", FAMILIAR),
    generateDocumentOutline: text(formFlag(), "Whether headings become bookmarks. Default: true.", FAMILIAR),
    password: text(lineText(), "The password of an encrypted Office document. Only `engine=office`.", {
      format: "password",
      ...FAMILIAR,
    }),
    waitDelay: text(
      formDuration(limits.browser.delaySeconds * 1_000),
      "How long to wait after the document has loaded, such as `2s` or `500ms`.",
      FAMILIAR,
    ),
    waitForSelector: text(formText(LONGEST_TEXT), "Waits until an element matches this CSS selector.", FAMILIAR),
    waitForExpression: text(
      formText(LONGEST_TEXT),
      "Waits until this JavaScript expression is true. Only with `scripts=true`.",
      FAMILIAR,
    ),
    failOnConsoleExceptions: text(formFlag(), "Whether a script that fails is an error. Default: false.", FAMILIAR),
    failOnResourceLoadingFailed: text(
      formFlag(),
      "Whether a file that cannot be loaded is an error. Default: false.",
      FAMILIAR,
    ),
  },
  example: { file: "report.md", pageSize: "a4" },
  furtherExamples: [{ file: "report.md", pageSize: "letter", fontSize: "9" }],
  errors: [
    "unsupported_format",
    "unsupported_text",
    "browser_unavailable",
    "browser_failed",
    "office_unavailable",
    "office_failed",
    "password_required",
    "incorrect_password",
  ],
  headers: ["X-Page-Count", "X-Converted-From", "X-Engine", "X-Missing-Glyphs", "X-Not-Converted"],
  asksOutside: true,

  checks: [
    ({ encoding }) =>
      encoding !== undefined && !isEncoding(encoding)
        ? [
            {
              name: "encoding",
              issue: `must be a label of the WHATWG Encoding Standard, such as ${ENCODINGS.join(", ")}`,
            },
          ]
        : [],
    (input) => enginesFor(input).issues,
    ({ pageSize, paperWidth, paperHeight }) => {
      const missing = paperWidth === undefined ? "paperWidth" : "paperHeight";
      if ((paperWidth === undefined) !== (paperHeight === undefined))
        return [{ name: missing, issue: "is required with the other side of the paper" }];
      return paperWidth !== undefined && pageSize !== undefined
        ? [{ name: "paperWidth", issue: "must not be sent together with `pageSize`" }]
        : [];
    },
    ({ orientation, landscape }) =>
      orientation !== undefined && landscape !== undefined && landscape !== (orientation === "landscape")
        ? [{ name: "landscape", issue: "must not contradict `orientation`" }]
        : [],
    ({ waitForExpression, scripts }) =>
      waitForExpression !== undefined && scripts !== true
        ? [{ name: "waitForExpression", issue: "needs `scripts=true`" }]
        : [],
    ({ nativePageRanges = "" }) =>
      /^\s*(?:\d{1,5}\s*(?:-\s*(?:\d{1,5}\s*)?)?(?:,\s*|$))*$/.test(nativePageRanges)
        ? []
        : [{ name: "nativePageRanges", issue: "must be pages and ranges with commas between, such as 1-3,5" }],
  ],

  async run(input, engines, { browser, office }) {
    const { file, url, encoding, pageSize, paperWidth, paperHeight, orientation, landscape, css = "" } = input;
    const isLandscape = landscape ?? (orientation && orientation === "landscape");
    const options = {
      format: input.format,
      encoding,
      charset: file?.charset,
      page:
        paperWidth !== undefined && paperHeight !== undefined
          ? { width: paperWidth, height: paperHeight }
          : typeof pageSize === "string"
            ? SIZES[pageSize]
            : pageSize,
      landscape: isLandscape,
      margins: marginsOf(input),
      fontSize: input.fontSize ?? DEFAULT_FONT_SIZE,
      css,
      assets: input.assets?.bytes,
      scaled: input.fit !== "none",
      title: input.title,
      language: input.language,
      strict: input.strict,
    };
    const { allowed, chosenBy } = enginesFor(input);
    const [only] = allowed;
    if (allowed.size === 1 && chosenBy !== undefined) {
      if (only === "browser" && !browser) throw browserUnavailable(chosenBy);
      if (only === "office" && !office) throw officeUnavailable(chosenBy);
    }
    const choice = {
      allowed,
      chosenBy,
      browser: browser && { browser, print: printOptions(input) },
      office: office && { office, settings: officeSettings(input, isLandscape) },
    };
    if (url !== undefined && choice.browser)
      return outputOf(await printInBrowser(engines, choice.browser, { url }, options));
    if (file === undefined) throw new Error("there is no document");
    const mayUseBrowser = browser !== undefined && allowed.has("browser");
    const converted = await convert(engines, file.bytes, { ...options, mayUseBrowser }, choice);
    return outputOf(converted);
  },
});

function outputOf({ bytes, ...result }: Converted): Output {
  const lacking = result.notConverted.join(",");
  return {
    kind: "pdf",
    bytes,
    headers: {
      "X-Page-Count": String(result.pageCount),
      "X-Converted-From": result.format,
      "X-Engine": result.engine,
      ...(result.missingGlyphs !== undefined && { "X-Missing-Glyphs": String(result.missingGlyphs) }),
      ...(lacking !== "" && { "X-Not-Converted": lacking }),
    },
  };
}

type Sent = Readonly<Record<string, unknown>>;

/** `strict` is always there, and `false` means nothing. */
const isSent = (name: string, input: Sent): boolean =>
  input[name] !== undefined && !(name === "strict" && input[name] === false);

interface Allowed {
  /** The engines that take all parameters. */
  readonly allowed: ReadonlySet<ConversionEngine>;
  /** The parameter that rules the others out; undefined if none does. */
  readonly chosenBy: string | undefined;
  readonly issues: readonly FieldIssue[];
}

function enginesFor(input: Sent): Allowed {
  const requested = ENGINES.find((engine) => engine === input["engine"]);
  const issues: FieldIssue[] = [];
  let allowed = new Set<ConversionEngine>(requested === undefined ? ENGINES : [requested]);
  let chosenBy = requested && "engine";
  for (const [engines, fields] of TAKEN_BY) {
    const name = fields.find((field) => isSent(field, input));
    const left = allowed.intersection(new Set(engines));
    if (name === undefined || left.size === allowed.size) continue;
    if (left.size === 0) {
      issues.push({ name, issue: onlyForEngine(engines, requested === undefined ? chosenBy : undefined) });
      continue;
    }
    allowed = left;
    chosenBy = name;
  }
  return { allowed, chosenBy, issues };
}

interface Margins {
  readonly marginPt: number | undefined;
  readonly marginTop: number | undefined;
  readonly marginRight: number | undefined;
  readonly marginBottom: number | undefined;
  readonly marginLeft: number | undefined;
}

function marginsOf({ marginPt, marginTop, marginRight, marginBottom, marginLeft }: Margins): Partial<PaperMargins> {
  const sides = { top: marginTop, right: marginRight, bottom: marginBottom, left: marginLeft };
  return Object.fromEntries(
    Object.entries(sides).flatMap(([side, own]) => {
      const points = own ?? marginPt;
      return points === undefined ? [] : [[side, points]];
    }),
  );
}

interface BrowserFields {
  readonly scripts: boolean | undefined;
  readonly allowedHosts: readonly string[] | undefined;
  readonly scale: number | undefined;
  readonly printBackground: boolean | undefined;
  readonly preferCssPageSize: boolean | undefined;
  readonly singlePage: boolean | undefined;
  readonly header: string | undefined;
  readonly footer: string | undefined;
  readonly nativePageRanges: string | undefined;
  readonly emulatedMediaType: "print" | "screen" | undefined;
  readonly taggedPdf: boolean | undefined;
  readonly generateDocumentOutline: boolean | undefined;
  readonly waitDelay: number | undefined;
  readonly waitForSelector: string | undefined;
  readonly waitForExpression: string | undefined;
  readonly failOnConsoleExceptions: boolean | undefined;
  readonly failOnResourceLoadingFailed: boolean | undefined;
}

const officeSettings = (
  input: Pick<BrowserFields, "nativePageRanges" | "singlePage" | "generateDocumentOutline"> & {
    readonly password: string | undefined;
  },
  landscape: boolean | undefined,
): OfficeSettings => ({
  landscape,
  pageRanges: input.nativePageRanges,
  password: input.password,
  hasOutline: input.generateDocumentOutline,
  singlePage: input.singlePage,
});

const printOptions = (input: BrowserFields): BrowserOptions => ({
  allowsScripts: input.scripts ?? false,
  hosts: input.allowedHosts ?? [],
  scale: input.scale ?? 1,
  printsBackground: input.printBackground ?? true,
  prefersCssPageSize: input.preferCssPageSize,
  singlePage: input.singlePage ?? false,
  header: input.header,
  footer: input.footer,
  pageRanges: input.nativePageRanges ?? "",
  media: input.emulatedMediaType ?? "print",
  isTagged: input.taggedPdf ?? true,
  hasOutline: input.generateDocumentOutline ?? true,
  delay: input.waitDelay ?? 0,
  selector: input.waitForSelector,
  expression: input.waitForExpression,
  failsOnExceptions: input.failOnConsoleExceptions ?? false,
  failsOnMissing: input.failOnResourceLoadingFailed ?? false,
});
