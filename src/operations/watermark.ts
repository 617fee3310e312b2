import { openPdf } from "../engines/pdf/document.ts";
import { saveSigned } from "../engines/pdf/save-signed.ts";
import { checkLength } from "../engines/pdf/stamp-labels.ts";
import { imageMark, textMark } from "../engines/pdf/stamp-mark.ts";
import { stampWatermark, WATERMARK_POSITIONS } from "../engines/pdf/stamp-watermark.ts";
import { defineOperation } from "./define.ts";
import {
  type FieldIssue,
  formBoolean,
  formChoice,
  formColour,
  formInteger,
  formNumber,
  imageFile,
  pageRange,
  pdfFile,
  required,
  stampText,
  text,
} from "./fields.ts";
import { notes } from "./notes.ts";

export const watermark = defineOperation({
  name: "watermark",
  summary: "Stamp a text or image watermark",
  description: `Draws a text or an image on pages, as a person sees them: /Rotate, CropBox and UserUnit are taken into account. Text
may have several lines, and can be searched and copied, in every script that there are fonts for; a character that no font has
is \`unsupported_text\`. An image keeps its transparency and is turned as EXIF says. The mark is one object in the document,
however many pages show it; in tagged documents it is an artifact. Signed documents are saved as an incremental update, so that
their signatures stay verifiable; \`X-Signature-Invalidated\` tells where one breaks all the same.`,
  credits: 1,
  scope: "pdf:write",
  fields: {
    file: pdfFile(),
    kind: text(required(formChoice("text", "image")), "What is drawn."),
    text: text(stampText(), "For `kind=text`: what it says, 2,000 characters at most; markup in it is text, too.", {
      format: "multiline",
      when: { kind: ["text"] },
    }),
    image: imageFile("For `kind=image`: a PNG, JPEG or WebP.", { when: { kind: ["image"] } }),
    position: text(
      formChoice(...WATERMARK_POSITIONS),
      "Default `center`. `diagonal`: along the page's diagonal, from the bottom left up; `rotation` is added.",
      { default: "center" },
    ),
    opacity: text(formNumber(0, 1), "0 (not to be seen) to 1. Default 0.35.", { default: 0.35 }),
    rotation: text(formNumber(-360, 360), "Degrees counter-clockwise. Default 0.", { default: 0 }),
    color: text(formColour(), "For text: `#rgb` or `#rrggbb`. Default `#888888`.", {
      default: "#888888",
      format: "color",
      when: { kind: ["text"] },
    }),
    fontSize: text(formInteger(1, 2_000), "For text: points. Default: fitted to the page.", {
      when: { kind: ["text"] },
    }),
    scale: text(
      formNumber(0.01, 10),
      "For an image: its width as a part of the page's. Default 0.5, with `tile` 0.25.",
      {
        when: { kind: ["image"] },
      },
    ),
    tile: text(formBoolean(), "Repeats the mark over the whole page; with `position` `center` or `diagonal`."),
    layer: text(formChoice("over", "under"), "Over (default) or under what the page draws.", { default: "over" }),
    pages: text(pageRange(), "The pages that are stamped, as a set; all where it is not given."),
  },
  example: { file: "letter.pdf", kind: "text", text: "DRAFT", position: "diagonal" },
  produces: ["application/pdf"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated"],

  check({ kind, text, image, position = "center", color, fontSize, scale, tile }) {
    const issues: FieldIssue[] = [];
    const given = { text: text !== undefined, image: image !== undefined };
    if (!given[kind]) issues.push({ name: kind, issue: `is required for kind=${kind}` });
    const foreign =
      kind === "text"
        ? { image: given.image, scale: scale !== undefined }
        : { text: given.text, color: color !== undefined, fontSize: fontSize !== undefined };
    for (const [name, sent] of Object.entries(foreign)) {
      if (sent) issues.push({ name, issue: `does not belong to kind=${kind}` });
    }
    if (tile && position.includes("-"))
      issues.push({ name: "position", issue: "must be center or diagonal with tile" });
    return issues;
  },

  async run({ file, text = "", image, position = "center", color, fontSize, scale, ...look }, engines) {
    checkLength(text);
    using open = openPdf(engines.pdf, file);
    const { pageCount } = open;
    const pages = look.pages?.resolveSet("pages", pageCount) ?? Array.from({ length: pageCount }, (_, page) => page);
    const align = position.endsWith("left") ? "left" : position.endsWith("right") ? "right" : "center";
    const colour = color ?? ([0x88 / 255, 0x88 / 255, 0x88 / 255] as const);
    const mark = image ? await imageMark(open, engines, image) : await textMark(open, engines, text, { colour, align });
    stampWatermark(open, mark, {
      pages,
      layer: look.layer ?? "over",
      position,
      tile: look.tile,
      opacity: look.opacity ?? 0.35,
      rotation: look.rotation ?? 0,
      size: image
        ? { ofWidth: scale ?? (look.tile ? 0.25 : 0.5) }
        : fontSize === undefined
          ? "fitted"
          : { points: fontSize },
    });
    const { bytes, broken } = saveSigned(open);
    return { kind: "pdf", bytes, headers: notes([open], { pageCount, signed: broken }) };
  },
});
