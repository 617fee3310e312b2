/** The structure tree of a tagged document when its widgets are merged into its pages (ISO 32000-2, 14.7.5). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { mapOf, numberEntries, writeNumbers } from "../document/names.ts";
import { kindOf, kidsOf } from "../document/structure.ts";
import { eachOf } from "../document/tree.ts";
import { objectNumber } from "../objects/objects.ts";

/** Points the structure elements of widgets to the content drawn in their place. */
export class FormTags {
  readonly #open: OpenPdf;
  readonly #root: PDFObject;
  readonly #parents: Map<number, PDFObject>;
  #next: number;
  /** The replacement of each widget, by the object numbers of its element and of the widget. */
  readonly #changes = new Map<number, Map<number, Record<string, unknown> | undefined>>();

  /** Undefined if the document is not tagged. */
  static async of(open: OpenPdf): Promise<FormTags | undefined> {
    const root = open.document.getTrailer().get("Root", "StructTreeRoot");
    if (!root.isDictionary()) return undefined;
    return new FormTags(open, root, await mapOf(numberEntries(open, root.get("ParentTree"))));
  }

  private constructor(open: OpenPdf, root: PDFObject, parents: Map<number, PDFObject>) {
    this.#open = open;
    this.#root = root;
    this.#parents = parents;
    this.#next = [...this.#parents.keys()].reduce((most, key) => Math.max(most, key + 1), 0);
  }

  /** The element that a widget belongs to. */
  elementOf(widget: PDFObject): PDFObject | undefined {
    const key = widget.get("StructParent");
    const element = key.isNumber() ? this.#parents.get(key.asNumber()) : undefined;
    return element?.isIndirect() && element.isDictionary() ? element : undefined;
  }

  /** Replaces widgets with marked content: that of `elements[n]` has the identifier `n` in a form of a page. */
  place(page: PDFObject, form: PDFObject, widgets: readonly PDFObject[]): void {
    const { document } = this.#open;
    const key = this.#next++;
    form.put("StructParents", key);
    const list = document.newArray();
    widgets.forEach((widget, number) => {
      const element = this.elementOf(widget);
      list.push(element ?? document.newNull());
      if (element) this.#replace(widget, element, { Type: "MCR", Pg: page, Stm: form, MCID: number });
    });
    this.#parents.set(key, document.addObject(list));
  }

  /** Removes widgets that are still in the tree. */
  drop(widgets: readonly PDFObject[]): void {
    for (const widget of widgets) {
      const element = this.elementOf(widget);
      if (!element) continue;
      this.#replace(widget, element, undefined);
      this.#parents.delete(widget.get("StructParent").asNumber());
    }
  }

  /** Writes each changed element once, since one element may have thousands of widgets. */
  async write(): Promise<void> {
    const { document, engine } = this.#open;
    for (const [number, contents] of this.#changes) {
      const element = document.newIndirect(number);
      const list = document.newArray();
      for await (const kid of eachOf(engine, await kidsOf(engine, element))) {
        const widget = kindOf(kid) === "OBJR" ? objectNumber(kid.get("Obj")) : 0;
        if (!contents.has(widget)) list.push(kid);
        const content = contents.get(widget);
        if (content) list.push(content);
      }
      element.put("K", list);
    }
    this.#root.put("ParentTree", await writeNumbers(this.#open, this.#parents));
    this.#root.put("ParentTreeNextKey", this.#next);
  }

  /**
   * Records the replacement for an element's reference to a widget. If pages share the widget, the first one drawn counts.
   */
  #replace(widget: PDFObject, element: PDFObject, content: Record<string, unknown> | undefined): void {
    const number = objectNumber(element);
    if (objectNumber(widget) === 0) return;
    const contents = this.#changes.get(number) ?? new Map<number, Record<string, unknown> | undefined>();
    this.#changes.set(number, contents);
    if (!contents.has(objectNumber(widget))) contents.set(objectNumber(widget), content);
  }
}
