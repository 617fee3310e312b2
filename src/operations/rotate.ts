import { z } from "zod";
import { openPdf } from "../engines/pdf/document/document.ts";
import { fetchPages } from "../engines/pdf/document/fetch-pages.ts";
import { PageRange } from "../engines/pdf/document/ranges.ts";
import { saveChanges } from "../engines/pdf/signatures/save-changes.ts";
import { repairPageTree } from "../engines/pdf/document/page-tree.ts";
import { pagesMissing } from "./definition/errors.ts";
import { defineOperation, resultHeadersOf } from "./definition/define.ts";
import { MAKES_PDF } from "./definition/modes.ts";
import { pdfFile, text } from "./definition/fields.ts";
import { formChoice, jsonField, jsonMap, jsonNumber, pageRange } from "./definition/values.ts";

/** Page number to angle, such as `{"1": 90, "4": 180}`. */
const rotationMap = jsonMap(
  z.string().regex(/^[1-9]\d{0,8}$/, "must be a page number from 1"),
  jsonNumber(z.literal([0, 90, 180, 270], { error: "must be 0, 90, 180, or 270" })),
  (rotations) => rotations.size > 0,
  { error: "must list at least one page" },
);

const ANGLES = ["0", "90", "180", "270"] as const;

export const rotate = defineOperation({
  name: "rotate",
  summary: "Rotate pages",
  group: "Organize",
  keywords: "turn orientation landscape portrait sideways upside down flip",
  guidance:
    "To turn pages that are displayed sideways or upside down. To straighten slanted scans for reading, use `ocr`, which does so by itself.",
  description: `Rotates pages clockwise, relative to their current rotation. Send \`angle\`, \`rotations\`, or both; \`rotations\` overrides
\`angle\` for its pages.

Changes are appended to the file (an incremental update), unless it is damaged, so the earlier state stays in the file. Signed bytes do not change, but signatures do not allow the change
(\`X-Signature-Invalidated\`).`,
  credits: 1,
  modes: MAKES_PDF,
  fields: {
    file: pdfFile(),
    angle: text(formChoice(...ANGLES), "Degrees clockwise, for the pages in `pages`.", { brief: "Degrees clockwise." }),
    pages: text(pageRange(), "The pages to rotate by `angle`.", { brief: "", default: "all", when: { angle: ANGLES } }),
    rotations: text(
      jsonField(rotationMap).meta({ examples: [{ "1": 90, "4": 180 }] }),
      "Degrees clockwise by page number. Overrides `angle` for these pages.",
      { brief: "Degrees clockwise by page number." },
    ),
  },
  oneOf: { fields: ["angle", "rotations"] },
  example: { file: "letter.pdf", angle: "90" },
  furtherExamples: [{ file: "five-megabytes.pdf", angle: "180" }],
  memory: { readsRanges: true },
  headers: ["X-Page-Count", "X-Input-Repaired", "X-Signature-Invalidated", "X-Conformance-Lost"],

  pageChecks: [
    ({ rotations }, pageCount) => {
      const issue = pagesOf(rotations)?.problemIn(pageCount);
      return issue === undefined ? [] : [{ name: "rotations", issue }];
    },
  ],

  async run({ file, angle, pages, rotations }, { pdf }) {
    using open = await openPdf(pdf, file, { validateFor: "save" });
    await repairPageTree(open);
    const { pageCount } = open;
    const named = pagesOf(rotations);
    refuseBoth({ pages, rotations: named }, pageCount);
    const turns = new Map<number, number>();
    const byAngle = angle === undefined ? [] : pages.resolveSet("pages", pageCount);
    for (const page of byAngle) turns.set(page, Number(angle));
    for (const page of named?.resolveSet("rotations", pageCount) ?? [])
      turns.set(page, rotations?.get(String(page + 1)) ?? 0);
    // Find all pages before changing any: each change makes MuPDF forget where the others are.
    const objects = await fetchPages(open, [...turns.keys()]);
    for (const [index, turn] of [...turns.values()].entries()) {
      const object = objects[index];
      if (turn === 0 || !object) continue;
      const now = object.getInheritable("Rotate").asNumber();
      const multiple = now % 90 === 0 ? now : 0;
      object.put("Rotate", (((multiple + turn) % 360) + 360) % 360);
    }
    const { bytes, signatureInvalidated } = await saveChanges(open, { changed: [...turns.keys()], keepsClaim: true });
    return { kind: "pdf", bytes, headers: resultHeadersOf([open], { pageCount, signatureInvalidated }) };
  },
});

/** The pages named by `rotations`. */
function pagesOf(rotations: ReadonlyMap<string, number> | undefined): PageRange | undefined {
  return rotations && new PageRange(Array.from(rotations.keys()).join(","));
}

/** Rejects all invalid ranges in one error; a single one keeps its more specific message. */
function refuseBoth(ranges: Readonly<Record<string, PageRange | undefined>>, pageCount: number): void {
  const fields = Object.entries(ranges).flatMap(([name, range]) => {
    const issue = range?.problemIn(pageCount);
    return issue === undefined ? [] : [{ name, issue }];
  });
  if (fields.length > 1) throw pagesMissing(fields);
}
