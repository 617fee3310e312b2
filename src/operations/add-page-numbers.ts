import { openPdf } from "../engines/pdf/document/document.ts";
import { pageNumber } from "../engines/pdf/stamps/page-number.ts";
import { NUMBER_STYLES, numberIssue } from "../page-numbers.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { stampLabels } from "../engines/pdf/stamps/labels.ts";
import { namedFont } from "../engines/pdf/stamps/mark.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formChoice, formColor, formInteger, lineText, pageRange, stampText } from "./definition/values.ts";

const POSITIONS = ["top-left", "top-center", "top-right", "bottom-left", "bottom-center", "bottom-right"] as const;

export const addPageNumbers = defineOperation({
  name: "add-page-numbers",
  summary: "Add page numbers",
  group: "Edit",
  keywords: "pagination number numbering bates footer header",
  guidance: "For page numbers, such as `Page 2 of 9`, at the edge of pages. For any other text, use `watermark`.",
  description: `Pages are numbered by their position in the document: the first page gets the number \`startAt\`, even if \`pages\` leaves it out. \`startAt\` can be
0 or negative if no stamped page gets a number below 0 (below 1 for Roman numerals and letters). Roman numerals end at 3999. Positions refer to the
page as a viewer shows it, with its rotation and crop box applied. Labels are searchable in all supported scripts; characters that no font has fail with
\`unsupported_text\`. In tagged documents, labels are artifacts.

Changes are appended to the file (an incremental update), unless it is damaged, so the earlier state stays in the file. Signed bytes do not change, but signatures do not allow the change
(\`X-Signature-Invalidated\`).`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    template: text(
      stampText(),
      "The label, up to 2,000 characters. `{n}` is the page number in `style`, `{roman}` the page number in Roman numerals, `{total}` the number of pages. Other braces are shown unchanged.",
      { brief: "`{n}`: the number, `{total}`: of pages.", default: "{n} of {total}" },
    ),
    position: text(formChoice(...POSITIONS), "Where on the page.", { default: "bottom-center" }),
    font: text(
      lineText(255),
      "The family of a font that the operator of the server has added. Right-to-left text, and characters that it lacks, are set in the fonts of the service.",
      { brief: "Of the operator." },
    ),
    fontSize: text(formInteger(1, 1_000), "The font size in points.", { brief: "In points.", default: 10 }),
    marginPt: text(
      formInteger(0, 100_000),
      "The distance from the edges of the page, in points. Must be less than half of the shorter side of the page. By default 20, but at most a quarter of the shorter side.",
      { brief: "In points." },
    ),
    startAt: text(
      formInteger(-1_000_000, 1_000_000),
      "The number of the first page of the document, whether it is stamped or not.",
      { brief: "", label: "First number", default: 1 },
    ),
    style: text(formChoice(...NUMBER_STYLES), "How `{n}` is written.", { brief: "", default: "arabic" }),
    color: text(formColor(), "The text color, as `#rgb` or `#rrggbb`.", {
      brief: "",
      default: "#000000",
      format: "color",
    }),
    pages: text(pageRange(), "The pages to stamp.", { brief: "", default: "all" }),
  },
  example: { file: "letter.pdf" },
  furtherExamples: [{ file: "hundred-pages.pdf", template: "{n} / {total}" }],
  memory: { readsRanges: true },
  errors: ["unsupported_text"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  pageChecks: [
    ({ template, style, startAt, pages }, pageCount) => {
      if (pages.problemIn(pageCount) !== undefined) return [];
      const chosen = pages.resolveSet("pages", pageCount);
      const [lowest = 0, highest = 0] = [chosen[0], chosen.at(-1)];
      const issue = numberIssue(template, style, startAt + lowest) ?? numberIssue(template, style, startAt + highest);
      return issue === undefined ? [] : [{ name: "startAt", issue }];
    },
  ],

  async run({ file, template, position, startAt, style, pages, ...look }, engines) {
    using open = await openPdf(engines.pdf, file, { validateFor: "save" });
    const { pageCount } = open;
    const chosen = pages.resolveSet("pages", pageCount);
    const [vertical, horizontal] = position.split("-") as ["top" | "bottom", "left"];
    await stampLabels(open, engines.loadFont, {
      labels: new Map(chosen.map((page) => [page, pageNumber(template, style, startAt + page, pageCount)])),
      template,
      vertical,
      horizontal,
      size: look.fontSize,
      margin: look.marginPt,
      color: look.color,
      face: namedFont(engines.loadFont, "font", look.font),
    });
    const { bytes, signatureInvalidated } = await saveChanges(open, { changed: chosen });
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});
