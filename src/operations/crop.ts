import { z } from "zod";
import { areaOn, areaWithin, planCrops, setBoxes } from "../engines/pdf/crop/crop-pages.ts";
import { inkOn } from "../engines/pdf/crop/ink.ts";
import { removeOutside } from "../engines/pdf/crop/remove-outside.ts";
import { checkContents } from "../engines/pdf/content/size.ts";
import { openPdf } from "../engines/pdf/document/document.ts";
import { hasIntactSignature } from "../engines/pdf/signatures/invalidation.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { rewritePdf } from "../engines/pdf/write/save.ts";
import { tooLargeToRemove } from "./definition/limit-errors.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formBoolean, jsonField, jsonNumber, pageRange } from "./definition/values.ts";

const distance = jsonNumber(z.number().min(0));
/** Less than a point is a mistake, not a page. */
const side = jsonNumber(z.number().min(1));

const area = z.strictObject({ x: distance, y: distance, width: side, height: side });
const eachMargin = z.strictObject({
  top: distance.default(0),
  right: distance.default(0),
  bottom: distance.default(0),
  left: distance.default(0),
});
const margins = z.union([distance, eachMargin], {
  error: "must be a number of points, or an object with `top`, `right`, `bottom`, and `left`",
});

export const crop = defineOperation({
  name: "crop",
  summary: "Crop pages",
  group: "Organize",
  keywords: "trim margins whitespace cut off edges box",
  guidance:
    "To cut margins or a part out of pages. To remove confidential content, use `redact`: unless `remove` is set, the cropped content is still in the file. To change how many pages are on a sheet, use `n-up`.",
  description: `Crops pages to a box, by margins, or to their ink. Send \`box\`, \`margins\`, or \`auto\`. Boxes and margins refer to the page as a viewer shows it, with its
rotation and crop box applied. \`auto\` leaves blank pages unchanged.

Content outside is hidden, and other programs can show it again. With \`remove\`, it is removed from the file: text, drawings, images, annotations, and form fields
outside, and the pixels of images there. Letters on the edge are removed, lines and outlines end just beyond it, pixels on it stay, and nothing inside moves. An image at the edge that cannot be decoded is rejected (\`invalid_file\`). Outlines, metadata, attachments, and alternative texts of tagged documents are not
searched for the removed text. Files over 32 MiB (by default: see \`GET /limits\`) are not supported with \`remove\`.

Changes are appended to the file (an incremental update), unless it is damaged or \`remove\` is set, so the earlier state stays in the file. Signatures do not allow the change (\`X-Signature-Invalidated\`).`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    box: text(
      jsonField(area).meta({ examples: [{ x: 36, y: 36, width: 300, height: 400 }] }),
      "What stays visible, in points from the top left of the visible page.",
      { brief: "What stays, in points from the top left." },
    ),
    margins: text(
      jsonField(margins).meta({ examples: [{ top: 36, right: 0, bottom: 72, left: 0 }, 36] }),
      "What is cut off, in points: for each side, or one number for all.",
      { brief: "What is cut off, in points." },
    ),
    auto: text(formBoolean(), "Crops each page to its visible content. Almost white pixels count as blank.", {
      brief: "Crops to the visible content.",
      label: "Crop to the content",
    }),
    pages: text(pageRange(), "The pages to crop.", { brief: "", default: "all" }),
    remove: text(formBoolean(), "Removes what lies outside from the file.", {
      brief: "Removes what lies outside from the file.",
      label: "Remove what is cut off",
    }),
  },
  oneOf: { fields: ["box", "margins", "auto"], exactly: true },
  example: { file: "letter.pdf", margins: "36" },
  furtherExamples: [{ file: "letter.pdf", auto: "true" }],
  memory: { readsRanges: true },
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  async run({ file, box, margins, pages, remove }, { pdf, codecs }) {
    using open = await openPdf(pdf, file, { validateFor: "save" });
    if (remove && pdf.ranges) throw tooLargeToRemove(pdf.ranges.heldBytes, file.bytes.length);
    const { pageCount } = open;
    const chosen = pages.resolveSet("pages", pageCount);
    const within =
      typeof margins === "number" ? { top: margins, right: margins, bottom: margins, left: margins } : margins;
    if ((box ?? within) === undefined || remove) await checkContents(open, chosen);
    const crops = await planCrops(open, chosen, (page) =>
      box ? areaOn(page, box) : within ? areaWithin(page, within) : inkOn(open, page),
    );
    // The removed content may include the field of a signature.
    const isIntact = remove && (await hasIntactSignature(open));
    if (remove) await removeOutside(open, codecs, crops);
    setBoxes(crops, { removed: remove });
    const changed = crops.map(({ page }) => page.index);
    // An update would leave the removed content in the file.
    const { bytes, signatureInvalidated } = remove
      ? { bytes: await rewritePdf(open, { changed }), signatureInvalidated: isIntact }
      : await saveChanges(open, { changed, keepsClaim: true });
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});
