/**
 * Lets MuPDF report which content of a page belongs to which identifier. It reports structure, which it looks up from there to the root
 * of the document's tree, without end if that has a cycle. So it gets a tree of our own: below the root, an element for each identifier.
 */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { SLOT } from "../mupdf/structured-text.ts";

export class Slots {
  readonly #open: OpenPdf;
  readonly #root: PDFObject;
  readonly #elements: PDFObject;
  readonly #content: PDFObject;

  constructor(open: OpenPdf) {
    const { document } = open;
    this.#open = open;
    this.#elements = document.newArray();
    this.#root = document.addObject({ Type: "StructTreeRoot", RoleMap: { [SLOT]: "Span" } });
    this.#root.put("K", this.#elements);
    this.#content = document.addStream("", {});
  }

  /** A tree for a page with this key and identifiers up to `highest`. */
  treeFor(key: number, highest: number): PDFObject {
    const { document } = this.#open;
    for (let count = this.#elements.length; count <= highest; count++) {
      // MuPDF takes elements with the same entries for the same.
      const element = document.addObject({ Type: "StructElem", S: SLOT, K: count });
      element.put("P", this.#root);
      this.#elements.push(element);
    }
    this.#root.put("ParentTree", { Nums: [key, this.#elements] });
    return this.#root;
  }

  /** A stream with the content of a page, until the next one. */
  contentOf(bytes: Uint8Array): PDFObject {
    this.#content.writeStream(bytes);
    return this.#content;
  }
}
