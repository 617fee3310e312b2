/** Counts the visible content of a document before it is expanded: a few bytes can refer to the same text or picture again and again. */
import { Refusal } from "../../errors.ts";
import { limits, MiB } from "../../../limits.ts";

export class ShownBudget {
  #characters = 0;
  #bytes = 0;

  /**
   * Counts characters of HTML that were added, and returns the HTML.
   * @throws Refusal `limit_exceeded`
   */
  added(html: string, inner = 0): string {
    const limit = limits.conversion.textCharacters;
    this.#characters += html.length - inner;
    if (this.#characters <= limit) return html;
    const text = `The text of a document can have up to ${limit.toLocaleString("en-US")} characters where it is shown.`;
    throw new Refusal("limit_exceeded", text, { limit, actual: this.#characters });
  }

  /** @throws Refusal `limit_exceeded` */
  picture(bytes: number): void {
    const limit = limits.conversion.pictureBytes;
    this.#bytes += bytes;
    if (this.#bytes <= limit) return;
    const text = `The pictures of a document can have up to ${limit / MiB} MiB where they are shown.`;
    throw new Refusal("limit_exceeded", text, { limit, actual: this.#bytes });
  }
}
