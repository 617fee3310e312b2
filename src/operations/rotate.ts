import { z } from "zod";
import { openPdf } from "../engines/pdf/document.ts";
import { rewritePdf } from "../engines/pdf/save.ts";
import { isSigned } from "../engines/pdf/form-fields.ts";
import { mendPageTree } from "../engines/pdf/page-tree.ts";
import { Refusal } from "../engines/errors.ts";
import { defineOperation } from "./define.ts";
import { formChoice, jsonField, pageRange, pdfFile, text } from "./fields.ts";
import { notes } from "./notes.ts";

/** Page number to angle, such as `{"1": 90, "4": 180}`. */
const rotationMap = z.record(
  z.string().regex(/^[1-9]\d{0,8}$/, "must be page numbers from 1"),
  z.literal([0, 90, 180, 270], { error: "must be 0, 90, 180 or 270" }),
);

export const rotate = defineOperation({
  name: "rotate",
  summary: "Rotate pages in 90-degree steps",
  description: `Turns pages clockwise, relative to how they are shown now. \`rotations\` wins over \`angle\` for the pages it
names; one of the two must be given. All else stays as it is, encryption too.`,
  credits: 1,
  scope: "pdf:write",
  fields: {
    file: pdfFile(),
    angle: text(formChoice("0", "90", "180", "270"), "Degrees clockwise, for all pages or those of `pages`."),
    pages: text(pageRange(), "The pages that `angle` is for; all where it is not given."),
    rotations: text(jsonField(rotationMap), 'Degrees clockwise by page number, such as `{"1": 90, "4": 180}`.'),
  },
  example: { file: "letter.pdf", angle: "90" },
  produces: ["application/pdf"],
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated"],

  check({ angle, pages, rotations }) {
    if (angle === undefined && rotations === undefined) {
      return [{ name: "angle", issue: "angle or rotations is required" }];
    }
    if (rotations !== undefined && Object.keys(rotations).length === 0) {
      return [{ name: "rotations", issue: "must name at least one page" }];
    }
    return angle === undefined && pages !== undefined ? [{ name: "pages", issue: "needs angle" }] : [];
  },

  async run({ file, angle, pages, rotations }, { pdf }) {
    using open = openPdf(pdf, file, { whole: "written" });
    mendPageTree(open);
    const { document, pageCount } = open;
    const turns = new Map<number, number>();
    if (angle !== undefined) {
      const chosen = pages?.resolveSet("pages", pageCount) ?? Array.from({ length: pageCount }, (_, page) => page);
      for (const page of chosen) turns.set(page, Number(angle));
    }
    for (const [number, turn] of Object.entries(rotations ?? {})) {
      if (Number(number) > pageCount) {
        throw new Refusal("invalid_page_range", `rotations: page ${number} is beyond the last page, ${pageCount}.`, {
          field: "rotations",
          range: number,
          maxPage: pageCount,
        });
      }
      turns.set(Number(number) - 1, turn);
    }
    // All are looked up before the first is changed: each change makes MuPDF forget where the others are.
    const objects = [...turns].map(([page, turn]) => ({ object: document.findPage(page), turn }));
    for (const { object, turn } of objects) {
      if (turn === 0) continue;
      const now = object.getInheritable("Rotate").asNumber();
      const multiple = now % 90 === 0 ? now : 0;
      object.put("Rotate", (((multiple + turn) % 360) + 360) % 360);
    }
    const signed = isSigned(document.getTrailer().get("Root"));
    const bytes = rewritePdf(open);
    return { kind: "pdf", bytes, headers: notes([open], { pageCount, signed }) };
  },
});
