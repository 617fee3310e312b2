import { z } from "zod";
import { refuseAttachmentFilter } from "../engines/pdf/encryption/crypt-filters.ts";
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
    .describe(
      "Matches outside the visible pages: in hidden content, annotations, form fields, bookmarks, and metadata.",
    ),
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
  keywords:
    "black out text blackout censor anonymize anonymise gdpr pii hide remove text sensitive confidential email addresses credit card phone social security numbers",
  guidance:
    "To remove confidential text, images, and areas so that nothing of them is left in the file. Try it with `dryRun` first. Scans need `ocr` before their text can be found; to cut off margins, use `crop`.",
  description: `Removes every occurrence of \`terms\` and \`patterns\`, and everything in \`regions\`, and draws boxes in their place. Nothing is merely covered.

- **Text** is found as a reader sees it: in any drawing order, across lines, columns, cells, and hyphens, rotated, spaced out, in ligatures, and in any script. Remaining glyphs stay in place.
- **Other places**: matches are also removed from hidden layers and forms, annotations, links, form values, bookmarks, named destinations, tags, JavaScript, XMP, and the Info dictionary. Embedded files that match or cannot be searched are removed.
- **Images and drawings**: pixels are overwritten, and drawings and shadings are cut at the edges of a region. If an image cannot be decoded, the request fails with \`invalid_file\`, unless a region covers all of it.
- **Fonts** that showed redacted text keep only the glyphs of the remaining text. \`X-Fonts-Kept\` names embedded fonts that may still have others.
- **Verification**: the written file is opened again, compared, and searched. If a match is found, or text has moved or is lost, the response is \`redaction_failed\` without a file.
- **Scans** have no text: \`X-Pages-Without-Text\` lists such pages. In a pipeline, run \`ocr\` first, and the pixels under the words are overwritten too.
- **Width**: the gap and its box are as wide as the text. If the length of a text could reveal it, redact a larger area with \`regions\`.
- **Revisions**: the whole file is rewritten without earlier revisions, and digital signatures become invalid.

With \`dryRun\`, the response is JSON with the matches. The guide at \`/docs/redaction\` has the details.`,
  credits: 1,
  modes: { by: "dryRun", values: { false: MAKES_PDF, true: returnsJson(result) } },
  fields: {
    file: pdfFile(),
    terms: text(
      jsonField(jsonList(term, most.terms)).meta({ examples: [["Jane Doe", "Project X"]] }),
      "Texts to redact. They are also found within longer words, and white space matches any white space.",
      { brief: "Also found within words.", format: "multiline" },
    ),
    ignoreCase: text(formBoolean(), "Whether `terms` match regardless of case.", { brief: "" }),
    patterns: text(
      jsonField(patternList).meta({ examples: [["email", { regex: "INV-\\d{6}" }]] }),
      "Kinds of text to redact: `email`, `phone`, `iban`, `credit-card`, `ip`, `url`, `us-ssn`, and regular expressions in RE2 syntax. Card numbers and IBANs must have valid check digits.",
      { brief: "`regex` is RE2.", format: "multiline" },
    ),
    regions: text(
      jsonField(jsonList(pageBox(z.number().positive()), most.regions)).meta({
        examples: [[{ page: 1, x: 72, y: 650, width: 200, height: 60 }]],
      }),
      "Areas to redact. Pages count from 1. `x` and `y` are the top left corner, in points from the top left of the visible page; if `origin` is `bottom-left`, the bottom left corner, from the bottom left of the page. Each area must touch its page.",
      { brief: "In points from the top left.", format: "multiline" },
    ),
    pages: text(
      pageRange(),
      "The pages on which `terms` and `patterns` are redacted. Data of the whole document, such as its metadata, is always redacted.",
      { brief: "For `terms` and `patterns`.", default: "all" },
    ),
    fill: text(formColor(), "The color of the boxes, as `#rgb` or `#rrggbb`.", {
      brief: "",
      label: "Color of the boxes",
      default: "#000000",
      format: "color",
    }),
    label: text(formText(most.labelCharacters), "A text to show in each box.", {
      brief: "Text in the boxes.",
      label: "Text in the boxes",
    }),
    dryRun: text(formBoolean(), "Returns the matches as JSON instead of a redacted PDF.", {
      brief: "Only lists the matches.",
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
    "X-Conformance-Lost",
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
      ...resultHeadersOf([{ repaired, lostRules: open.lostRules }], { pageCount, signatureInvalidated }),
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
