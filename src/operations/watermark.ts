import { openPdf } from "../engines/pdf/document/document.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { checkLength } from "../engines/pdf/stamps/labels.ts";
import { imageMark, namedFont, textMark } from "../engines/pdf/stamps/mark.ts";
import { stampWatermark, WATERMARK_POSITIONS } from "../engines/pdf/stamps/watermark.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { imageFile, pdfFile, text } from "./definition/fields.ts";
import {
  formBoolean,
  formChoice,
  formColor,
  formInteger,
  formNumber,
  lineText,
  pageRange,
  stampText,
} from "./definition/values.ts";

export const watermark = defineOperation({
  name: "watermark",
  summary: "Add a text or image watermark",
  group: "Edit",
  keywords: "stamp draft confidential logo overlay background text image",
  guidance:
    "To mark pages as a draft, confidential, or someone's own, with text or an image. For page numbers, use `add-page-numbers`; for a signature at one place, `sign`.",
  description: `Stamps text or an image on pages. Positions refer to the page as a viewer shows it, with its rotation and crop box applied. Text is searchable in all
supported scripts; characters that no font has fail with \`unsupported_text\`. Images keep their transparency, and the EXIF orientation is
applied. In tagged documents, the watermark is an artifact.

Changes are appended to the file (an incremental update), unless it is damaged, so the earlier state stays in the file. Signed bytes do not change, but signatures do not allow the change
(\`X-Signature-Invalidated\`).`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    kind: text(formChoice("text", "image"), "What to stamp.", { label: "Type", required: true }),
    text: text(
      stampText(),
      "The text, up to 2,000 characters. Line feeds start new lines; markup is not interpreted.",
      { brief: "", format: "multiline", required: true, when: { kind: ["text"] } },
    ),
    image: imageFile("The image: PNG, JPEG, WebP, TIFF, GIF, or BMP.", { required: true, when: { kind: ["image"] } }),
    position: text(
      formChoice(...WATERMARK_POSITIONS),
      "Where on the page. `diagonal` runs from the bottom left to the top right; `rotation` is added to its angle.",
      { brief: "", default: "center" },
    ),
    opacity: text(formNumber(0, 1), "From 0 (invisible) to 1 (opaque).", { default: 0.35 }),
    rotation: text(formNumber(), "Degrees counterclockwise.", { brief: "Degrees counterclockwise.", default: 0 }),
    color: text(formColor(), "The text color, as `#rgb` or `#rrggbb`.", {
      brief: "",
      default: "#888888",
      format: "color",
      when: { kind: ["text"] },
    }),
    font: text(
      lineText(255),
      "The family of a font that the operator of the server has added. Right-to-left text, and characters that it lacks, are set in the fonts of the service.",
      { brief: "Of the operator.", when: { kind: ["text"] } },
    ),
    fontSize: text(formInteger(1, 2_000), "The font size in points. By default, the text is fitted to the page.", {
      brief: "In points.",
      when: { kind: ["text"] },
    }),
    scale: text(
      formNumber(0.01, 10),
      "The width of the image as a fraction of the page width. Default: `0.5`, or `0.25` with `tile`.",
      { brief: "", when: { kind: ["image"] } },
    ),
    tile: text(formBoolean(), "Repeats the watermark across the page.", {
      label: "Repeat across the page",
      when: { position: ["center", "diagonal"] },
    }),
    layer: text(formChoice("over", "under"), "Whether the watermark is drawn over or under the page content.", {
      brief: "",
      default: "over",
    }),
    pages: text(pageRange(), "The pages to stamp.", { brief: "", default: "all" }),
  },
  example: { file: "letter.pdf", kind: "text", text: "DRAFT", position: "diagonal" },
  furtherExamples: [{ file: "hundred-pages.pdf", kind: "text", text: "Entwurf", tile: "true" }],
  memory: { readsRanges: true },
  errors: ["unsupported_text"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ file, text = "", image, color, font, fontSize, scale, ...placing }, engines) {
    checkLength(text);
    using open = await openPdf(engines.pdf, file, { validateFor: "save" });
    const { pageCount } = open;
    const { position, tile } = placing;
    const pages = placing.pages.resolveSet("pages", pageCount);
    const align = position.endsWith("left") ? "left" : position.endsWith("right") ? "right" : "center";
    const look = { color, align, repeated: tile, face: namedFont(engines.loadFont, "font", font) } as const;
    const mark = image ? await imageMark(open, engines, image) : await textMark(open, engines, text, look);
    await stampWatermark(open, mark, {
      pages,
      layer: placing.layer,
      position,
      tile,
      opacity: placing.opacity,
      rotation: placing.rotation,
      size: image
        ? { ofWidth: scale ?? (tile ? 0.25 : 0.5) }
        : fontSize === undefined
          ? "fitted"
          : { points: fontSize },
    });
    const { bytes, signatureInvalidated } = await saveChanges(open, { changed: pages });
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});
