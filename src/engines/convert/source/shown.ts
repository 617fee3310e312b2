/** Counts the content that a document shows, before more of it is made: a few bytes can refer to the same text or picture again and again. */
import { shownPicturesTooLarge, shownTextTooLong } from "../../limit-errors.ts";
import { limits } from "../../../limits.ts";

export class ShownBudget {
  #characters = 0;
  #bytes = 0;

  /**
   * Counts characters of HTML that were added, and returns the HTML.
   * @throws Refusal `limit_exceeded`
   */
  added(html: string, inner = 0): string {
    this.#characters += html.length - inner;
    if (this.#characters <= limits.conversion.textCharacters) return html;
    throw shownTextTooLong(this.#characters);
  }

  /** @throws Refusal `limit_exceeded` */
  picture(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= limits.conversion.pictureBytes) return;
    throw shownPicturesTooLarge(this.#bytes);
  }
}
