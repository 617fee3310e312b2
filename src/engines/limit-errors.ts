/**
 * The Refusals `limit_exceeded` of the engines, one function for each situation. Their `limit` is one of src/limits.ts, or "work" or "memory"; `actual` is the
 * count at which processing stopped.
 */
import { limits, MiB } from "../limits.ts";
import { count, limitExceeded, type Refusal } from "./errors.ts";

// Work and memory

export const tooMuchWork = (): Refusal =>
  limitExceeded("The request needs too much processing. Send a smaller file, or select fewer pages.", "work");

export const tooMuchWorkAtOnce = (): Refusal =>
  limitExceeded(
    "A text in the document is too long for so many terms and patterns. Use fewer or narrower ones.",
    "work",
  );

export const markdownTooCostly = (): Refusal =>
  limitExceeded("The Markdown has marks nested too deeply or paragraphs that are too long.", "work");

export const tooMuchMemory = (cause: unknown): Refusal =>
  limitExceeded("The request needs too much memory. Send a smaller file, or select fewer pages.", "memory", { cause });

export const imageNeedsTooMuchMemory = (cause: unknown): Refusal =>
  limitExceeded("An image needs too much memory. Send a smaller image, or select fewer pages.", "memory", { cause });

/** `most`: elements that the parser reads, one of `limits.parsers`. */
export const tooManyElements = (reads: string, elements: string, most: number, actual: number): Refusal =>
  limitExceeded(`${reads} can have up to ${count(most)} ${elements}.`, most, { actual });

// The files of a request

/** `announced`: the bytes that the request said it would send. */
export const bodyTooLong = (announced: number, actual: number): Refusal =>
  limitExceeded("The request body is larger than its Content-Length.", announced, { actual });

export const decompressedTooLarge = (actual: number): Refusal =>
  limitExceeded("The files are too large when decompressed.", limits.decompressedBytes, { actual });

export const tooManyReads = (actual: number): Refusal =>
  limitExceeded("The request reads too many parts of the file. Select fewer pages.", limits.ranges.fetches, { actual });

// Documents

export const tooManyPages = (field: string, actual: number): Refusal =>
  limitExceeded(`\`${field}\` has too many pages.`, limits.pages, { actual });

export const tooManyObjects = (field: string, actual: number): Refusal =>
  limitExceeded(`\`${field}\` has too many objects.`, limits.objects, { actual });

export const pageTreeTooDeep = (field: string, actual: number): Refusal =>
  limitExceeded(`The page tree of \`${field}\` has too many levels.`, limits.pageTreeLevels, { actual });

export const tooManyAnnotations = (field: string, actual: number): Refusal =>
  limitExceeded(`The pages of \`${field}\` have too many annotations.`, limits.annotations, { actual });

export const tooManyEntries = (actual: number): Refusal =>
  limitExceeded("The PDF has an array or dictionary with too many entries.", limits.arrayItems, { actual });

/** `tree`: its name in a sentence, such as `outline`. */
export const treeTooLarge = (tree: string, actual: number): Refusal =>
  limitExceeded(`The ${tree} of the PDF has too many entries.`, limits.treeEntries, { actual });

const SYNTAX: Readonly<Record<keyof typeof limits.syntax, string>> = {
  tokens: "The PDF has an object that is too large.",
  dictionaryEntries: "The PDF has a dictionary with too many entries.",
  arrayItems: "The PDF has an array with too many items.",
  stringBytes: "The PDF has a string that is too long.",
  commentBytes: "The PDF has a comment that is too long.",
  nesting: "The PDF has arrays or dictionaries that are nested too deeply.",
};

export const objectTooLarge = (what: keyof typeof limits.syntax, limit: number, actual: number): Refusal =>
  limitExceeded(SYNTAX[what], limit, { actual });

export const objectStreamsTooLarge = (actual: number): Refusal =>
  limitExceeded("The object streams of the PDF are too large when decompressed.", limits.objectStreamBytes, { actual });

export const tooManyFilters = (actual: number): Refusal =>
  limitExceeded("The PDF has a stream with too many filters.", limits.streams.filters, { actual });

export const calculatorTooLong = (actual: number): Refusal =>
  limitExceeded("The PDF has a calculator function that is too long.", limits.streams.programBytes, { actual });

export const tooManyStrings = (actual: number): Refusal =>
  limitExceeded(
    "The PDF has too many strings outside of its object streams to be encrypted.",
    limits.encryptedStrings,
    {
      actual,
    },
  );

const CMAPS = { sectionValues: "values in a section", codeRanges: "ranges of lengths" } as const;

export const cmapTooLarge = (what: keyof typeof CMAPS, actual: number): Refusal =>
  limitExceeded(`A CMap of the PDF has more than ${count(limits.cmaps[what])} ${CMAPS[what]}.`, limits.cmaps[what], {
    actual,
  });

// Contents of pages

export const contentsTooLarge = (actual: number): Refusal =>
  limitExceeded("The contents of the pages are too large. Select fewer pages.", limits.contentBytes, { actual });

export const formsDrawnTooOften = (actual: number): Refusal =>
  limitExceeded("The contents of the pages draw too many forms. Select fewer pages.", limits.contents.formsAgain, {
    actual,
  });

export const contentsTooDeep = (): Refusal =>
  limitExceeded("The contents of a page are nested too deeply.", limits.contents.nesting);

export const tooManySavedStates = (): Refusal =>
  limitExceeded("The contents of a page save too many graphics states.", limits.contents.savedStates);

// Text

export const tooMuchText = (): Refusal =>
  limitExceeded("The pages have too much text for one response. Select fewer pages.", limits.text.characters);

export const tooManyWords = (actual: number): Refusal =>
  limitExceeded("The pages have too many words for one response. Select fewer pages.", limits.text.words, { actual });

export const pageTextTooLong = (): Refusal =>
  limitExceeded("A page has too much text.", limits.redaction.pageCharacters);

export const tooManyMatches = (): Refusal =>
  limitExceeded(
    "The request matches too much text. Select fewer pages, or use narrower patterns.",
    limits.redaction.matches,
  );

// Metadata and forms

export const metadataTextTooLong = (actual: number): Refusal =>
  limitExceeded("The metadata and form of the PDF have too much text.", limits.metadata.textBytes, { actual });

export const xmpTooLarge = (actual: number): Refusal =>
  limitExceeded("The XMP metadata of the PDF is too large.", limits.metadata.xmpBytes, { actual });

const XMP = {
  depth: { limit: limits.xmlLevels, of: "levels of elements" },
  elements: { limit: limits.metadata.xmpTags, of: "tags and attributes" },
  attributes: { limit: limits.metadata.xmpAttributes, of: "attributes of a tag" },
} as const;

export const xmpHasTooMany = (what: keyof typeof XMP, actual: number): Refusal =>
  limitExceeded(`The XMP metadata of the PDF has too many ${XMP[what].of}.`, XMP[what].limit, { actual });

export const tooManyFields = (actual: number): Refusal =>
  limitExceeded(`The form has more than ${count(limits.metadata.formFields)} fields.`, limits.metadata.formFields, {
    actual,
  });

export const formTextTooLong = (actual: number): Refusal =>
  limitExceeded("The form has too many characters that its own fonts do not have.", limits.stamps.charactersSet, {
    actual,
  });

// Signatures

export const tooManySignatures = (actual: number): Refusal =>
  limitExceeded(`The document has more than ${limits.signatures.most} signatures.`, limits.signatures.most, { actual });

export const tooMuchStored = (): Refusal =>
  limitExceeded(
    `The document stores more than ${count(limits.signatures.stored)} certificates, responses, or lists for its signatures.`,
    limits.signatures.stored,
  );

export const revisionsTooLarge = (heldBytes: number, actual: number): Refusal =>
  limitExceeded(
    `The file was changed after it was signed. Revisions are compared in files of up to ${heldBytes / MiB} MiB.`,
    heldBytes,
    { actual },
  );

// Stamps

export const stampTooLong = (actual: number): Refusal =>
  limitExceeded(`The text can have up to ${count(limits.stamps.characters)} characters.`, limits.stamps.characters, {
    actual,
  });

export const labelsTooLong = (actual: number): Refusal =>
  limitExceeded(
    "The labels of all pages have too many characters. Use a shorter text or fewer pages.",
    limits.stamps.charactersSet,
    { actual },
  );

export const tooManyTiles = (actual: number): Refusal =>
  limitExceeded(
    `The watermark repeats more than ${count(limits.stamps.tiles)} times on a page. Make it larger.`,
    limits.stamps.tiles,
    { actual },
  );

// Images

export const tooManyPixels = (input: string, actual: number): Refusal =>
  limitExceeded(`\`${input}\` has too many pixels in total.`, limits.images.pixels, { input, actual });

export const imagesHaveTooManyPixels = (actual: number): Refusal =>
  limitExceeded(
    `The images can have up to ${limits.images.allPixels / 1e9} gigapixels in total.`,
    limits.images.allPixels,
    { actual },
  );

export const imageSideTooLong = (input: string, actual: number): Refusal =>
  limitExceeded(`\`${input}\` has too many pixels in one dimension.`, limits.images.side, { input, actual });

export const tooManyChunks = (actual: number): Refusal =>
  limitExceeded("A PNG image has too many chunks.", limits.images.chunks, { actual });

export const tooManyScans = (actual: number): Refusal =>
  limitExceeded("A JPEG has too many scans.", limits.images.scans, { actual });

export const tooManyScansOfStream = (actual: number): Refusal =>
  limitExceeded("The PDF has a JPEG with too many scans.", limits.images.scans, { actual });

export const imagesTooLargeForGray = (actual: number): Refusal =>
  limitExceeded(
    "The images of the PDF have too many pixels to be converted to grayscale. Send fewer pages.",
    limits.compress.pixels,
    { actual },
  );

/** `kind`: its article and noun, such as `a progressive JPEG`. */
export function imageTooLargeForGray(kind: string, { width, height }: { width: number; height: number }): Refusal {
  const message = `The PDF has an image that is too large to be converted to grayscale: ${kind} of ${width} x ${height} pixels.`;
  const [actual, limit] = [width * height, limits.compress.decodedPixels];
  return actual > limit ? limitExceeded(message, limit, { actual }) : limitExceeded(message, "memory");
}

/** `page`: 1-based. */
export const pageHasTooManyPixels = (page: number, dpi: number, actual: number): Refusal =>
  limitExceeded(`Page ${page} has too many pixels at ${dpi} dpi. Use a lower \`dpi\`.`, limits.raster.pagePixels, {
    actual,
  });

export const pagesHaveTooManyPixels = (actual: number): Refusal =>
  limitExceeded(
    "The pages have too many pixels in total. Select fewer pages or use a lower `dpi`.",
    limits.raster.callPixels,
    {
      actual,
    },
  );

// Documents of other formats

const { conversion } = limits;

export const textTooLarge = (actual: number): Refusal =>
  limitExceeded(`Text can have up to ${conversion.textBytes / MiB} MiB.`, conversion.textBytes, { actual });

export const richTextTooLarge = (actual: number): Refusal =>
  limitExceeded(`Rich Text can have up to ${conversion.rtfBytes / MiB} MiB.`, conversion.rtfBytes, { actual });

export const madeTooManyPages = (actual: number): Refusal =>
  limitExceeded(`The PDF would have more than ${count(limits.pages)} pages.`, limits.pages, { actual });

// Documents in a browser

const { browser } = limits;

export const documentTooSlow = (): Refusal =>
  limitExceeded(`The browser did not finish the document within ${browser.seconds} seconds.`, browser.seconds);

export const pageCrashed = (): Refusal =>
  limitExceeded("The document needs more memory than a page of the browser has.", "memory");

export const documentRequestsTooMany = (actual: number): Refusal =>
  limitExceeded(`A document can request up to ${count(browser.requests)} files.`, browser.requests, { actual });

export const fetchedFilesTooLarge = (actual: number): Refusal =>
  limitExceeded(
    `A document can load up to ${browser.fetchedBytes / MiB} MiB of files from URLs.`,
    browser.fetchedBytes,
    { actual },
  );

/** `most`: what the memory allows, in bytes. */
export const printedTooLarge = (actual: number, most: number, by = "browser"): Refusal =>
  limitExceeded(`The PDF of the ${by} would be larger than ${Math.floor(most / MiB)} MiB.`, most, { actual });

export const tooLargeForOffice = (): Refusal =>
  limitExceeded("`file` is larger than the office converter allows.", "memory", { input: "file" });

export const tooManyArchived = (actual: number): Refusal =>
  limitExceeded(`A document can have up to ${count(conversion.entries)} files in it.`, conversion.entries, { actual });

export const archivedFileTooLarge = (name: string, actual: number): Refusal =>
  limitExceeded(`\`${name}\` is larger than ${conversion.entryBytes / MiB} MiB.`, conversion.entryBytes, { actual });

export const tooManyAssets = (actual: number): Refusal =>
  limitExceeded(`\`assets\` can have up to ${conversion.assets} files.`, conversion.assets, { actual });

export const assetsTooLarge = (actual: number): Refusal =>
  limitExceeded(
    `The files of \`assets\` can have up to ${conversion.assetBytes / MiB} MiB where they are used.`,
    conversion.assetBytes,
    { actual },
  );

const XML = { elements: "elements", attributes: "attributes of an element" } as const;

export const partHasTooMany = (part: string, what: keyof typeof XML, actual: number): Refusal =>
  limitExceeded(`\`${part}\` can have up to ${count(conversion[what])} ${XML[what]}.`, conversion[what], { actual });

const HTML = { tags: "tags", depth: "levels of elements" } as const;

export const htmlHasTooMany = (what: keyof typeof HTML, actual: number): Refusal =>
  limitExceeded(`A document can have up to ${count(conversion[what])} ${HTML[what]}.`, conversion[what], { actual });

export const tooManyAttributes = (actual: number): Refusal =>
  limitExceeded(`An element can have up to ${count(conversion.attributes)} attributes.`, conversion.attributes, {
    actual,
  });

export const wordTooLong = (actual: number): Refusal =>
  limitExceeded(`A word can have up to ${count(conversion.wordCharacters)} characters.`, conversion.wordCharacters, {
    actual,
  });

export const tooManyMarks = (actual: number): Refusal =>
  limitExceeded(`A character can have up to ${count(conversion.marks)} marks that combine with it.`, conversion.marks, {
    actual,
  });

export const tooManyStyleMatches = (actual: number): Refusal =>
  limitExceeded(
    `The selectors of a document's style sheets that may match, times its elements, can be up to ${count(conversion.styleMatches)}.`,
    conversion.styleMatches,
    { actual },
  );

export const tooManyStyleComparisons = (actual: number): Refusal =>
  limitExceeded(
    `Selectors can be compared with elements ${count(conversion.styleMatches)} times.`,
    conversion.styleMatches,
    { actual },
  );

export const shownTextTooLong = (actual: number): Refusal =>
  limitExceeded(
    `The text of a document can have up to ${count(conversion.textCharacters)} characters where it is shown.`,
    conversion.textCharacters,
    { actual },
  );

export const shownPicturesTooLarge = (actual: number): Refusal =>
  limitExceeded(
    `The pictures of a document can have up to ${conversion.pictureBytes / MiB} MiB where they are shown.`,
    conversion.pictureBytes,
    { actual },
  );

export const tooManySheets = (actual: number): Refusal =>
  limitExceeded(`A workbook can have up to ${count(conversion.sheets)} sheets that are shown.`, conversion.sheets, {
    actual,
  });

export const tooManyCells = (actual: number): Refusal =>
  limitExceeded(`Sheets can have up to ${count(conversion.cells)} cells.`, conversion.cells, { actual });

export const cellTextTooLong = (actual: number): Refusal =>
  limitExceeded(
    `The cells of sheets can have up to ${count(conversion.cellCharacters)} characters.`,
    conversion.cellCharacters,
    { actual },
  );

export const numberFormatTooLong = (actual: number): Refusal =>
  limitExceeded(`A number format can have up to ${conversion.numberFormat} characters.`, conversion.numberFormat, {
    actual,
  });

const MARKDOWN = {
  markdownCharacters: "characters",
  markdownLines: "lines",
  markdownBlockLines: "lines without an empty one between them",
  markdownItems: "list items",
  markdownDefinitions: "definitions of links",
  cells: "cells of tables",
} as const;

export const markdownHasTooMany = (what: keyof typeof MARKDOWN, actual: number): Refusal =>
  limitExceeded(`Markdown can have up to ${count(conversion[what])} ${MARKDOWN[what]}.`, conversion[what], { actual });

const MARKDOWN_RUN = {
  markdownRun: "characters",
  markdownMarks: "marks of emphasis (`*`, `_`, `~`)",
  markdownAddress: "characters in a word with `@`",
} as const;

/** `what`: of one run of text. */
export const markdownRunHasTooMany = (what: keyof typeof MARKDOWN_RUN, actual: number): Refusal =>
  limitExceeded(
    `A paragraph, heading, or cell of Markdown can have up to ${count(conversion[what])} ${MARKDOWN_RUN[what]}.`,
    conversion[what],
    { actual },
  );
