import { openPdf } from "../engines/pdf/document.ts";
import { NUMBER_STYLES, pageNumber } from "../engines/pdf/page-number.ts";
import { saveSigned } from "../engines/pdf/save-signed.ts";
import { stampLabels } from "../engines/pdf/stamp-labels.ts";
import { defineOperation } from "./define.ts";
import { formChoice, formColour, formInteger, pageRange, pdfFile, stampText, text } from "./fields.ts";
import { notes } from "./notes.ts";

const POSITIONS = ["top-left", "top-center", "top-right", "bottom-left", "bottom-center", "bottom-right"] as const;

export const addPageNumbers = defineOperation({
  name: "add-page-numbers",
  summary: "Stamp page numbers",
  description: `Pages are numbered as they come in the document: its first page has the number \`startAt\`, whichever \`pages\` are
stamped. \`startAt\` may be 0 or negative, for documents whose count begins on a later page, as long as no stamped page gets a
number below 0, or below 1 in Roman numerals and letters; Roman numerals end at 3999. Labels stand upright where a person sees
the page's edge: /Rotate, CropBox and UserUnit are taken into account. They can be searched and copied, in every script that
there are fonts for; a character that no font has is \`unsupported_text\`. In tagged documents they are artifacts. Signed
documents are saved as an incremental update, so that their signatures stay verifiable; \`X-Signature-Invalidated\` tells where
one breaks all the same.`,
  credits: 1,
  scope: "pdf:write",
  fields: {
    file: pdfFile(),
    template: text(
      stampText(),
      "What a label says, 2,000 characters at most; `{n}` is the number in `style`, `{roman}` in Roman numerals, `{total}` the page count; other braces are themselves. Default `{n} of {total}`.",
      { default: "{n} of {total}" },
    ),
    position: text(formChoice(...POSITIONS), "Where on the page as it is seen. Default `bottom-center`.", {
      default: "bottom-center",
    }),
    fontSize: text(formInteger(1, 1_000), "Points. Default 10.", { default: 10 }),
    marginPt: text(formInteger(0, 100_000), "Points from the edges; less than half the page. Default 20.", {
      default: 20,
    }),
    startAt: text(formInteger(-1_000_000, 1_000_000), "The number of the document's first page. Default 1.", {
      default: 1,
    }),
    style: text(formChoice(...NUMBER_STYLES), "How `{n}` is written. Default `arabic`.", { default: "arabic" }),
    color: text(formColour(), "`#rgb` or `#rrggbb`. Default `#000000`.", { default: "#000000", format: "color" }),
    pages: text(pageRange(), "The pages that are stamped, as a set; all where it is not given."),
  },
  example: { file: "letter.pdf" },
  produces: ["application/pdf"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated"],

  async run({ file, template = "{n} of {total}", position, startAt = 1, style = "arabic", pages, ...look }, engines) {
    using open = openPdf(engines.pdf, file);
    const { pageCount } = open;
    const chosen = pages?.resolveSet("pages", pageCount) ?? Array.from({ length: pageCount }, (_, page) => page);
    const [vertical, horizontal] = (position ?? "bottom-center").split("-") as ["top" | "bottom", "left"];
    await stampLabels(open, engines.loadFont, {
      labels: new Map(chosen.map((page) => [page, pageNumber(template, style, startAt + page, pageCount)])),
      template,
      vertical,
      horizontal,
      size: look.fontSize ?? 10,
      margin: look.marginPt ?? 20,
      colour: look.color ?? [0, 0, 0],
    });
    const { bytes, broken } = saveSigned(open);
    return { kind: "pdf", bytes, headers: notes([open], { pageCount, signed: broken }) };
  },
});
