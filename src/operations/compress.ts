import { checkContents } from "../engines/pdf/content/size.ts";
import { openPdf, type OpenPdf } from "../engines/pdf/document/document.ts";
import { mergeDuplicates } from "../engines/pdf/optimize/duplicates.ts";
import { recompressStreams } from "../engines/pdf/optimize/recompress-streams.ts";
import { subsetFonts } from "../engines/pdf/optimize/subset-fonts.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { turnGray } from "../engines/pdf/grayscale/convert.ts";
import { recompressImages } from "../engines/pdf/images/recompress.ts";
import { liftInlineImages } from "../engines/pdf/images/inline-images.ts";
import { dropOutputProfiles } from "../engines/pdf/optimize/output-profiles.ts";
import { dropPrivateData } from "../engines/pdf/optimize/private-data.ts";
import { stripMetadata as stripAll } from "../engines/pdf/optimize/strip-metadata.ts";
import { rewriteSmall } from "../engines/pdf/write/save.ts";
import type { EngineBytes } from "../engines/memory/heap.ts";
import { Refusal } from "../engines/errors.ts";
import { limits, MiB } from "../limits.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formBoolean, formChoice, formInteger } from "./definition/values.ts";

/** How alike photographs must look after compression, by level. */
const FIDELITY = {
  low: { similarity: 0.998, least: 75, most: 90 },
  medium: { similarity: 0.992, least: 45, most: 75 },
  high: { similarity: 0.985, least: 35, most: 60 },
  max: { similarity: 0.97, least: 20, most: 45 },
} as const;
/** Minimum size in bytes of an inline image that is turned into an object and re-encoded. */
const SMALLEST_INLINE = 2048;

/** By how much a new file identifier may change the size of a file, in bytes: its escapes as a string differ. It would not be worth a signature. */
const IDENTIFIER_BYTES = 40;

export const compress = defineOperation({
  name: "compress",
  summary: "Reduce the file size",
  group: "Improve",
  keywords: "shrink reduce smaller size optimize optimise minimize linearize downsample email",
  guidance:
    "To make a file smaller, for example to send it by email. Images lose quality according to the level; text stays text.",
  description: `Re-encodes each image at the measured quality that \`level\` promises, and downsamples images above \`imageMaxDpi\`. Drawings and black-and-white images only lose resolution.
Fonts are subset, Type 1 fonts are converted to the Compact Font Format, duplicate streams are merged, unused objects and private application data are removed, and all streams are recompressed. Above \`low\`, output intents lose
their ICC profile, unless the file is a PDF/A. Text, links, forms, outlines, tags, and encryption are kept.

\`X-Images-Kept\` counts images that had to stay unchanged: those that take too much memory even in parts (more than ${limits.compress.decodedBytes / MiB} MiB at the resolution that they get, progressive JPEGs of
more than 5 to 9 megapixels, depending on their color resolution, JPEG 2000 of more than 2), those after the first ${(limits.compress.pixels / 1e6).toLocaleString("en-US")} megapixels of a document, damaged ones, and, above \`imageMaxDpi\`, those with a transparent color, with premultiplied colors, or
in a color space of other than one, three, or four components. With \`grayscale\`, the request fails with \`limit_exceeded\` instead.

The output is never larger than the input: if nothing can be saved, the input is returned unchanged, unless \`grayscale\` or \`stripMetadata\` is set or the file was damaged (\`X-Input-Repaired\`).`,
  credits: 2,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    level: text(
      formChoice("low", "medium", "high", "max"),
      "How close photographs stay to the original: a structural similarity (SSIM), as seen at 72 pixels per inch, of 0.998 (`low`), 0.992 (`medium`), 0.985 (`high`), or 0.97 (`max`), at a JPEG quality of 75 to 90, 45 to 75, 35 to 60, or 20 to 45.",
      { brief: "", label: "Compression level", default: "medium" },
    ),
    grayscale: text(formBoolean(), "Converts pages to grayscale: text, drawings, images, and annotations.", {
      brief: "",
    }),
    stripMetadata: text(
      formBoolean(),
      "Removes the Info dictionary, all XMP, thumbnails, and the metadata of images. Identifiers of PDF/A and PDF/UA are kept.",
      { brief: "", label: "Remove metadata" },
    ),
    imageMaxDpi: text(
      formInteger(1, 10_000),
      "Images with a higher resolution on the page, in pixels per inch, are downsampled to this one.",
      { brief: "", label: "Highest resolution of images (dpi)", default: 150 },
    ),
  },
  example: { file: "letter.pdf" },
  furtherExamples: [{ file: "five-megabytes.pdf" }],
  memory: { needsHeadroom: true },
  headers: [
    "X-Page-Count",
    "X-Input-Repaired",
    "X-Signature-Invalidated",
    "X-Conformance-Lost",
    "X-Original-Size",
    "X-Output-Size",
    "X-Images-Kept",
  ],

  async run({ file, level, grayscale, stripMetadata, imageMaxDpi }, { pdf, codecs }) {
    using open = await openPdf(pdf, file, { validateFor: "save" });
    const { pageCount } = open;
    await checkContents(
      open,
      Array.from({ length: pageCount }, (_, page) => page),
    );
    const signatureInvalidated = await hasIntactSignature(open);
    if (stripMetadata) await stripAll(open);
    await dropPrivateData(open);
    if (level !== "low") dropOutputProfiles(open);
    await subsetFonts(open);
    if (grayscale) await turnGray(open);
    else await liftInlineImages(open, { smallest: SMALLEST_INLINE });
    await mergeDuplicates(open);
    const kept = await recompressImages(open, codecs, { fidelity: FIDELITY[level], maxDpi: imageMaxDpi, grayscale });
    codecs.drop();
    await recompressStreams(open);
    // A damaged file is not returned as it was: readers that do not repair it could not open it.
    const mustChange = grayscale || stripMetadata || open.repaired;
    const smaller = await rewritten(open, mustChange);
    const gained = smaller !== undefined && smaller.length < file.bytes.length - IDENTIFIER_BYTES;
    const bytes = smaller && (gained || mustChange) ? smaller : file.bytes;
    const sizes = { "X-Original-Size": String(file.bytes.length), "X-Output-Size": String(bytes.length) };
    const documentHeaders =
      bytes === smaller
        ? resultHeadersOf([open], { pageCount, signatureInvalidated })
        : resultHeadersOf([], { pageCount });
    const keptImages = kept > 0 && { "X-Images-Kept": String(kept) };
    return { kind: "pdf", bytes, headers: { ...documentHeaders, ...sizes, ...keptImages } };
  },
});

/** The rewritten document; undefined if there is no memory for that and the original can be returned. */
async function rewritten(open: OpenPdf, mustChange: boolean): Promise<EngineBytes | undefined> {
  try {
    return await rewriteSmall(open);
  } catch (error) {
    const meaning = open.engine.explain(error);
    const isMemory = meaning instanceof Refusal && meaning.details?.["limit"] === "memory";
    if (mustChange || !isMemory) throw meaning;
    return undefined;
  }
}
