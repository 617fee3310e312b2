/** Page boxes with sides that are too short or too long (ISO 19005-2, 6.1.13). What a page shows stays. */
import { LONGEST_SIDE, SHORTEST_SIDE, type PageBox } from "../../geometry.ts";
import { boxOf, common } from "../document/page-facts.ts";
import type { SurveyedTarget } from "./target.ts";

const BOXES = "6.1.13-11";
/** Boxes that readers do not show pages by. */
const FOR_PRINTERS = ["BleedBox", "TrimBox", "ArtBox"];

/** Pages that show too little or too much stay, and validation names them. */
export function archiveBoxes({ open, survey, changes }: SurveyedTarget): void {
  const { document, engine } = open;
  for (const { object } of survey.get(BOXES) ?? []) {
    engine.scope(() => {
      const page = document.newIndirect(object);
      for (const key of FOR_PRINTERS) {
        const box = boxOf(page.get(key));
        if (box === undefined || isAllowed(box)) continue;
        page.delete(key);
        changes.add("page_boxes_changed");
      }
      const media = boxOf(page.getInheritable("MediaBox"));
      const crop = boxOf(page.getInheritable("CropBox")) ?? media;
      const visible = media && crop && common(media, crop);
      if (!visible || !isAllowed(visible)) return;
      for (const [key, box] of [["MediaBox", media] as const, ["CropBox", crop] as const]) {
        if (isAllowed(box)) continue;
        page.put(key, [...visible]);
        changes.add("page_boxes_changed");
      }
    });
  }
}

const isAllowed = ([left, bottom, right, top]: PageBox): boolean =>
  [right - left, top - bottom].every((side) => side >= SHORTEST_SIDE && side <= LONGEST_SIDE);
