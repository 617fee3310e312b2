/** What MuPDF reports, and what it means to the caller. */
import { Refusal } from "../errors.ts";

/** An error that MuPDF itself reports (not a trap): the document is at fault, or the heap's limit is reached. */
export class MuPDFFailure extends Error {
  override readonly name = "MuPDFFailure";
}

/** Whether the heap was refused to grow last: past what a request may have, or past what others leave. */
export type Denied = false | "limit" | "busy";

/** How MuPDF words a lack of memory and its own guard against streams that inflate without end. */
const LACK_OF_MEMORY = /^(malloc|calloc|realloc|out of memory|cannot deflate)|compression bomb/;

/** A `Refusal` where the document is at fault, else the error itself. */
export function meaningOf(error: unknown, denied: Denied): unknown {
  if (error instanceof RangeError && /call stack/.test(error.message)) {
    return new Refusal("invalid_file", "The document's objects are nested too deeply.", undefined, { cause: error });
  }
  if (!(error instanceof MuPDFFailure)) return error;
  if (denied === "busy") {
    return new Refusal("overloaded", "The service is at its memory limit. Try again in a moment.", undefined, {
      cause: error,
    });
  }
  if (denied === "limit" || LACK_OF_MEMORY.test(error.message)) {
    const message = "The document needs more memory than one request may use.";
    return new Refusal("limit_exceeded", message, { limit: "memory" }, { cause: error });
  }
  return new Refusal("invalid_file", "The document is damaged and cannot be processed.", undefined, { cause: error });
}
