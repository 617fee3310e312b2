/** The text and pictures of a document before its content was changed. */
import type { OpenPdf } from "../document/document.ts";
import type { ShownCodes } from "../optimize/shown-codes.ts";
import { findCodes, forgetCodes } from "./fonts.ts";

/** Noted when the first content is about to be changed: often nothing is. */
export class Original {
  readonly #open: OpenPdf;
  #noted: { readonly codes: ShownCodes | undefined } | undefined;

  constructor(open: OpenPdf) {
    this.#open = open;
  }

  /** To be called before content is changed. Does nothing the second time. */
  async note(): Promise<void> {
    if (this.#noted) return;
    this.#open.engine.work.stage("redact");
    this.#noted = { codes: await findCodes(this.#open) };
  }

  /** Removes from fonts the codes that are no longer shown. Returns the names of embedded fonts that may still have glyphs of these. */
  async forgetCodes(): Promise<readonly string[]> {
    return this.#noted ? forgetCodes(this.#open, this.#noted.codes) : [];
  }
}
