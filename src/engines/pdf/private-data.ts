/** What programs keep in a document for themselves (ISO 32000-2, 14.5): no reader shows it. */
import type { OpenPdf } from "./document.ts";

export function dropPrivateData({ document, engine }: OpenPdf): void {
  for (let number = 1, count = document.countObjects(); number < count; number++) {
    try {
      engine.scope(() => {
        const object = document.newIndirect(number);
        if (object.isDictionary() && object.get("PieceInfo").isDictionary()) object.delete("PieceInfo");
      });
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    }
  }
}
