/** Profiles of the presses that a document was made for (ISO 32000-2, 14.11.5): large, and of no use on a screen. */
import type { PDFDocument } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { items } from "../objects/objects.ts";
import { latin1 } from "../../bytes/latin1.ts";

/** What the XMP of a PDF/A names (ISO 19005): there the profile says what all colors of the device mean. */
const ARCHIVE = "http://www.aiim.org/pdfa/ns/id/";

/** Takes the profile out of each output intent, which still names its printing condition. A PDF/A keeps it. */
export function dropOutputProfiles({ document, engine }: OpenPdf): void {
  if (isArchive(engine, document)) return;
  engine.scope(() => {
    for (const intent of items(document.getTrailer().get("Root", "OutputIntents"))) {
      if (intent.get("DestOutputProfile").isStream()) intent.delete("DestOutputProfile");
    }
  });
}

/** Whether a document says that it is a PDF/A, or has XMP that cannot be read. */
export function isArchive(engine: PdfEngine, document: PDFDocument): boolean {
  try {
    return engine.scope(() => {
      const metadata = document.getTrailer().get("Root", "Metadata");
      if (!metadata.isStream()) return false;
      // It may be UTF-16.
      const packet = metadata.readStream().asUint8Array();
      return latin1(packet.filter((byte) => byte !== 0)).includes(ARCHIVE);
    });
  } catch (error) {
    if (engine.isFailure(error)) return true;
    throw error;
  }
}
