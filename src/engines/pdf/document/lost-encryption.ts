import type { PDFDocument } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachObject } from "../objects/each-object.ts";
import { isNamed } from "../objects/objects.ts";

/**
 * Whether a document without encryption has an encryption dictionary (ISO 32000-2, 7.6.2) that its trailer no longer leads to: its strings and
 * streams would be taken for what they are encrypted to. Reads all objects.
 */
export async function hasLostEncryption(engine: PdfEngine, document: PDFDocument): Promise<boolean> {
  let isLost = false;
  await eachObject({ engine, document }, (object) => {
    isLost ||=
      !object.isStream() &&
      isNamed(object.get("Filter"), "Standard") &&
      object.get("V").isNumber() &&
      object.get("O").isString() &&
      object.get("U").isString();
  });
  return isLost;
}
