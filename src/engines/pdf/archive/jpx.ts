/** JPEG 2000 images (ISO 19005-2, 6.2.8.3). Their codestreams stay: only the boxes around them are written anew. */
import { withSoundBoxes } from "../../image/jpx-boxes.ts";
import { filtersOf } from "../objects/filters.ts";
import type { SurveyedTarget } from "./target.ts";

/** Rules about the number of channels, color specifications, and bit depths. An image in CIEJab stays: its colors would be other ones. */
const RULES = ["6.2.8.3-1", "6.2.8.3-2", "6.2.8.3-3", "6.2.8.3-5"];
const JPX = "JPXDecode";

export function archiveJpx({ open, survey, changes }: SurveyedTarget): void {
  const { document, engine } = open;
  for (const number of new Set(RULES.flatMap((rule) => survey.get(rule) ?? []).map(({ object }) => object))) {
    engine.scope(() => {
      const image = document.newIndirect(number);
      if (filtersOf(image).join() !== JPX) return;
      const buffer = image.readRawStream();
      engine.work.spend(buffer.getLength());
      const written = withSoundBoxes(buffer.asUint8Array());
      buffer.destroy();
      if (!written) return;
      image.writeRawStream(written);
      image.put("Filter", document.newName(JPX));
      changes.add("jpeg_2000_headers");
    });
  }
}
