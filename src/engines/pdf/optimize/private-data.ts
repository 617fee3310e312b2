/** Private data of applications (ISO 32000-2, 14.5), which readers do not show. */
import type { OpenPdf } from "../document/document.ts";
import { eachObjectHaving } from "../objects/each-object.ts";

export async function dropPrivateData(open: OpenPdf): Promise<void> {
  await eachObjectHaving(open, { keys: ["PieceInfo"] }, (object) => {
    if (object.isDictionary() && object.get("PieceInfo").isDictionary()) object.delete("PieceInfo");
  });
}
