/** Profiles of output intents (ISO 32000-2, 14.11.5), which describe printing presses: large, and useless on screens. */
import type { PDFDocument } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { items } from "../objects/objects.ts";
import { latin1 } from "../../../bytes/latin1.ts";

/** Namespace in the XMP of a PDF/A (ISO 19005), whose profile defines all device colors. */
const ARCHIVE = "http://www.aiim.org/pdfa/ns/id/";

/** Removes the profile from each output intent, which still names its printing condition. Keeps the profile of a PDF/A. */
export function dropOutputProfiles({ document, engine }: OpenPdf): void {
  if (isArchive(engine, document)) return;
  engine.scope(() => {
    for (const intent of items(document.getTrailer().get("Root", "OutputIntents"))) {
      if (intent.get("DestOutputProfile").isStream()) intent.delete("DestOutputProfile");
    }
  });
}

/** Whether a document declares that it is a PDF/A, or has unreadable XMP. */
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
