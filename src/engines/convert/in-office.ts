/** Converts documents with an office converter. */
import { Refusal } from "../errors.ts";
import type { Engines } from "../lease/engines.ts";
import { officeFailed } from "../result-errors.ts";
import type { OfficeConverter, OfficeDocument, OfficeSettings } from "../services.ts";
import type { Converted } from "./finish.ts";
import { finishArrived } from "./in-browser.ts";
import type { ConversionOptions } from "./source/document-parts.ts";

/** A document for an office converter. */
export interface OfficeSource extends OfficeDocument {
  /** Its name in `X-Converted-From`. */
  readonly format: string;
}

/**
 * Converts a document, whose bytes must not be read afterwards. The engines are given back meanwhile, so that nothing else in them may be open.
 * @throws Refusal `invalid_file`, `incorrect_password`, `limit_exceeded`, `office_failed`
 */
export async function convertInOffice(
  engines: Engines,
  { office, settings }: { readonly office: OfficeConverter; readonly settings: OfficeSettings },
  { format, ...document }: OfficeSource,
  options: Pick<ConversionOptions, "title" | "language">,
): Promise<Converted> {
  engines.park("office");
  const arrived = await office.convert(document, settings, engines.sizes.heldBytes);
  await engines.resume();
  const { pdf } = engines;
  // The PDF takes its place.
  pdf.files.free();
  const { repaired, ...finished } = await pdf
    .scope(() => finishArrived(pdf, { ...arrived, hasTitle: true }, options))
    .catch((error: unknown) => {
      const meaning = pdf.explain(error);
      const isItsFault = meaning instanceof Refusal && !["limit_exceeded", "overloaded"].includes(meaning.code);
      throw isItsFault ? officeFailed("returned a file that is not a usable PDF", meaning) : meaning;
    });
  // Its end may be missing, with pages of the document.
  if (repaired) throw officeFailed("returned a damaged PDF");
  return { engine: "office", ...finished, format, missingGlyphs: undefined, notConverted: [] };
}
