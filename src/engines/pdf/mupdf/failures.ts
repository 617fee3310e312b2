/** MuPDF's errors, and their meaning to the client. */
import { firstThrown } from "../../errors.ts";
import { objectsTooDeep, pdfDamaged } from "../../file-errors.ts";
import { tooMuchMemory } from "../../limit-errors.ts";
import { means } from "./messages.ts";
import { outOfMemory } from "../../result-errors.ts";

/** An error reported by MuPDF itself (not a trap): the document is at fault, or the heap's limit is reached. */
export class MuPDFFailure extends Error {
  override readonly name = "MuPDFFailure";
}

/** Why the heap was last refused to grow, if it was: the request's own limit, or memory held by other requests. */
export type Denied = false | "limit" | "busy";

/** A `Refusal` if the document is at fault, else the error itself. */
export function meaningOf(thrown: unknown, denied: Denied): unknown {
  const error = firstThrown(thrown);
  if (error instanceof RangeError && /call stack/.test(error.message)) {
    return objectsTooDeep(error);
  }
  if (!(error instanceof MuPDFFailure)) return error;
  if (denied === "busy") {
    return outOfMemory(error);
  }
  if (denied === "limit" || means(error.message, "lackOfMemory")) {
    return tooMuchMemory(error);
  }
  return pdfDamaged(error);
}
