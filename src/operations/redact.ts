import { z } from "zod";
import { refuseAttachmentFilter } from "../engines/pdf/document/crypt-filters.ts";
import { openPdf } from "../engines/pdf/document/document.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { regexIssue } from "../engines/pdf/redaction/search/expression.ts";
import { PRESETS } from "../engines/pdf/redaction/presets.ts";
import { type Findings, findRedactions, redactPdf } from "../engines/pdf/redaction/redact.ts";
import { regionIssue } from "../engines/pdf/redaction/regions.ts";
import { limits } from "../limits.ts";
import { defineOperation, listOf, type ResultHeaders, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF, returnsJson } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import {
  formBoolean,
  formColor,
  formText,
  jsonChoice,
  jsonField,
  jsonList,
  jsonText,
  pageBox,
  pageRange,
} from "./definition/values.ts";

const most = limits.redaction;

const term = jsonText(
  z
    .string()
    .min(1)
    .max(most.termCharacters)
    .refine((value) => value.isWellFormed() && value.trim() !== "", { error: "must not be blank" }),
);

const pattern = z.union(
  [jsonChoice(...PRESETS), z.strictObject({ regex: z.string().min(1).max(most.regexCharacters) })],
  {
    error: `must be ${PRESETS.join(", ")}, or {"regex": "..."} with up to ${most.regexCharacters.toLocaleString("en-US")} characters`,
  },
);

/** Stops at the first problem: compiling an expression takes milliseconds. */
const patternList = jsonList(pattern, most.patterns).superRefine((values, context) => {
  const found = regexIssue(values.map((value) => (typeof value === "string" ? undefined : value.regex)));
  if (found) context.addIssue({ code: "custom", message: found.issue, path: [found.index, "regex"] });
});

const result = z.object({
  matches: z.array(
    z.object({
      page: z.int().min(1),
      text: z.string(),
      boxes: z
        .array(z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }))
        .describe("One for each line, in points from the top left of the visible page."),
    }),
  ),
  elsewhere: z
    .int()
    .min(0)
    .describe("Matches that no page shows: in hidden content, annotations, form fields, bookmarks, and metadata."),
  pagesWithoutText: z.array(z.int().min(1)).describe("Pages on which no text could be searched: use `ocr` first."),
  attachments: z.int().min(0).describe("Embedded files that match or cannot be searched, which would be removed."),
  fontsKept: z
    .array(z.string())
    .describe("Names of embedded fonts that may still have glyphs that only the removed text used."),
});

export const redact = defineOperation({
  name: "redact",
  summary: "Remove text and areas for good",
  group: "Protect",
  keywords: "black out text blackout censor anonymize anonymise gdpr pii hide remove text sensitive confidential",
  guidance:
    "To remove confidential text, images, and areas so that nothing of them is left in the file. Try it with `dryRun` first. Scans need `ocr` before their text can be found; to cut off margins, use `crop`.",
  description: `Removes every occurrence of \`terms\` and \`patterns\`, and everything in \`regions\`, and draws boxes in their place. Text is found as a
reader sees it: in whatever order its parts are painted, line by line, column by column, and cell by cell, across lines and hyphens, rotated, spaced out, in ligatures, and in any script. Nothing is merely covered: glyphs leave the content, pixels of images are
overwritten, drawings and shadings end at the edges of a region, and matches also go from hidden layers and forms, annotations, links, form values, bookmarks, named destinations, tags, JavaScript, XMP, and the Info dictionary. Embedded files
that match, or that cannot be searched, are removed. Fonts that showed redacted text keep only the glyphs, names, widths, and Unicode values of what is still
shown. Fonts stay whole if form fields use them, if their codes have a CMap other than Identity, UCS-2, or UTF-16, and in documents where it cannot be known which codes all fonts
show; font files of rare kinds, and those too large for the memory, keep their glyphs. \`X-Fonts-Kept\` names the embedded fonts of all of these that may still have glyphs that only the removed text used. Images that were overwritten are JPEG again if they were JPEG, fax (CCITT G4) or Flate if they are black and
white, and otherwise Flate; where they have no white, and where a JPEG would blur into the gap, a mask hides the overwritten pixels. Only the glyphs of a match go, and everything else stays where it is; of an \`ActualText\`, \`Alt\`, or \`E\`, only the match. Under a match, pixels of
images go. In a region, glyphs go whose ink it touches. Drawings are cut at its edges, so that a background stays around the box: no point of an outline is left inside, and a curve that reaches in becomes
short lines, from which its other part cannot be continued. What is painted with a tiling pattern, a mesh, a function of two variables, or a soft mask goes as a whole, as do subpaths with more than 100,000 segments. One gap replaces the widths of the removed glyphs. The gap and its box are as wide as the text was, so where the length of a
text could give it away, redact a larger area with \`regions\`. The whole file is written anew, without earlier revisions, and a digital signature becomes invalid.

The result is verified before it is sent. On every page that changed, each glyph is compared with its place and character before: what stays has not moved, and what
goes is gone. Each region is drawn before its box is, and must be blank. Then the written file is opened again: the text of the selected pages is read in another way, and
the strings, names, and streams of the file are decoded and searched. If anything is found, has moved, or is lost, the response is \`redaction_failed\`, without a file. Samples
of images and of functions are not searched for text, nor are streams that cannot be decoded. Scans have no text: \`X-Pages-Without-Text\` lists such pages. In a pipeline, run \`ocr\`
first, and the pixels under the words are overwritten, too.

Of an image that cannot be decoded, no part can be removed: the request fails with \`invalid_file\`. An area that covers all of it removes it.

With \`dryRun\`, the response is JSON with what would be redacted.`,
  credits: 1,
  modes: { by: "dryRun", values: { false: MAKES_PDF, true: returnsJson(result) } },
  fields: {
    file: pdfFile(),
    terms: text(
      jsonField(jsonList(term, most.terms)).meta({ examples: [["Jane Doe", "Project X"]] }),
      "Texts to redact. They are also found within longer words, and white space matches any white space.",
      { format: "multiline" },
    ),
    ignoreCase: text(formBoolean(), "Whether `terms` match regardless of case."),
    patterns: text(
      jsonField(patternList).meta({ examples: [["email", { regex: "INV-\\d{6}" }]] }),
      "Kinds of text to redact: `email`, `phone`, `iban`, `credit-card`, `ip`, `url`, `us-ssn`, and regular expressions in RE2 syntax. Card numbers and IBANs must have valid check digits.",
      { format: "multiline" },
    ),
    regions: text(
      jsonField(jsonList(pageBox(z.number().positive()), most.regions)).meta({
        examples: [[{ page: 1, x: 72, y: 650, width: 200, height: 60 }]],
      }),
      "Areas to redact. Pages count from 1. `x` and `y` are the top left corner, in points from the top left of the visible page; if `origin` is `bottom-left`, the bottom left corner, from the bottom left of the page. Each area must touch its page.",
      { format: "multiline" },
    ),
    pages: text(
      pageRange(),
      "The pages on which `terms` and `patterns` are redacted. What belongs to the whole document, such as its metadata, is redacted in any case.",
      { default: "all" },
    ),
    fill: text(formColor(), "The color of the boxes, as `#rgb` or `#rrggbb`.", {
      label: "Color of the boxes",
      default: "#000000",
      format: "color",
    }),
    label: text(formText(most.labelCharacters), "A text to show in each box.", { label: "Text in the boxes" }),
    dryRun: text(formBoolean(), "Returns what would be redacted as JSON instead of a PDF.", {
      label: "Only list the matches",
    }),
  },
  example: { file: "letter.pdf", terms: '["Charles Babbage"]', patterns: '["email", "phone"]' },
  memory: { needsHeadroom: true },
  errors: ["redaction_failed", "unsupported_text"],
  headers: [
    "X-Page-Count",
    "X-Input-Repaired",
    "X-Signature-Invalidated",
    "X-Redactions",
    "X-Pages-Without-Text",
    "X-Attachments-Removed",
    "X-Fonts-Kept",
  ],

  checks: [
    ({ terms = [], patterns = [], regions = [] }) =>
      terms.length + patterns.length + regions.length > 0
        ? []
        : [{ name: "terms", issue: "is required unless `patterns` or `regions` is set" }],
  ],
  pageChecks: [
    ({ regions = [] }, pageCount) => {
      const issue = regionIssue(regions, pageCount);
      return issue === undefined ? [] : [{ name: "regions", issue }];
    },
  ],

  async run({ file, terms = [], patterns = [], regions = [], label, dryRun, ...given }, engines) {
    using open = await openPdf(engines.pdf, file, { validateFor: "save" });
    const { pageCount } = open;
    const pages = given.pages.resolveSet("pages", pageCount);
    const redaction = { terms, ignoreCase: given.ignoreCase, patterns, regions, pages, fill: given.fill, label };
    // Attachments are searched, too.
    refuseAttachmentFilter(open.document, file.field);
    if (dryRun) {
      const value = await findRedactions(open, engines, redaction);
      return { kind: "json", value, headers: resultHeadersOf([open]) };
    }
    const signatureInvalidated = await hasIntactSignature(open);
    const { bytes, findings, repaired } = await redactPdf(open, engines, redaction);
    const headers = {
      ...resultHeadersOf([{ repaired }], { pageCount, signatureInvalidated }),
      ...headersOf(findings, regions.length),
    };
    return { kind: "pdf", bytes, headers };
  },
});

function headersOf(findings: Findings, regions: number): ResultHeaders {
  const { matches, elsewhere, pagesWithoutText, attachments, fontsKept } = findings;
  const list = listOf(pagesWithoutText.map(String));
  const fonts = listOf(fontsKept.map((name) => encodeURIComponent(name.toWellFormed())));
  return {
    "X-Redactions": String(matches.length + elsewhere + regions),
    ...(list === "" ? {} : { "X-Pages-Without-Text": list }),
    ...(attachments === 0 ? {} : { "X-Attachments-Removed": String(attachments) }),
    ...(fonts === "" ? {} : { "X-Fonts-Kept": fonts }),
  };
}
