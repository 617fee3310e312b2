/** MuPDF's errors, and their meaning for the client. */
import { firstThrown, Refusal } from "../../errors.ts";
import { means } from "./messages.ts";

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
    return new Refusal("invalid_file", "The objects of the PDF are nested too deeply.", undefined, { cause: error });
  }
  if (!(error instanceof MuPDFFailure)) return error;
  if (denied === "busy") {
    return new Refusal("overloaded", "The service is out of memory at the moment. Retry in a few seconds.", undefined, {
      cause: error,
    });
  }
  if (denied === "limit" || means(error.message, "lackOfMemory")) {
    const message = "The request needs too much memory. Send a smaller file, or select fewer pages.";
    return new Refusal("limit_exceeded", message, { limit: "memory" }, { cause: error });
  }
  return new Refusal("invalid_file", "The PDF is damaged and cannot be processed.", undefined, { cause: error });
}
