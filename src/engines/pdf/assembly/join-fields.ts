import type { PDFObject } from "mupdf";
import { fields } from "../document/fields.ts";
import { branchOfList } from "../document/tree.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import { ContentOperators } from "../content/operators.ts";
import { byteString, eachEntry, eachItem, FreeNames, objectNumber } from "../objects/objects.ts";
import type { FieldTreeNode } from "./read-fields.ts";
import type { Graft } from "./graft.ts";

/** Joins the forms of the grafts into one. */
export class FormJoin {
  readonly #fields: PDFObject[] = [];
  readonly #names = new Set<string>();
  readonly #free = new FreeNames();
  readonly #calculated: PDFObject[] = [];
  /** For each form: whether it asks viewers to generate appearances, and whether a widget lacks one. */
  readonly #appearances: { readonly asked: boolean; readonly lacking: boolean }[] = [];
  #form: PDFObject | undefined;

  /** Adds the fields of a graft that have a widget on a kept page; for a whole document, all fields. */
  async add(graft: Graft): Promise<void> {
    const { source, target, engine } = graft;
    const annotations = graft.keepsAllPages ? undefined : await graft.annotations();
    /** Whether an annotation with this number stays. */
    const isKept = (number: number): boolean => annotations?.has(number) ?? true;
    const kept = new Set<number>();
    const copy = async (field: FieldTreeNode): Promise<PDFObject | undefined> => {
      await engine.work.pause();
      const kids: PDFObject[] = [];
      for (const kid of field.kids) {
        const own = await copy(kid);
        if (own) kids.push(own);
      }
      const widgets = field.widgets.filter((widget) => isKept(widget.number));
      const { number } = field;
      if (kids.length + widgets.length === 0 && !isKept(number)) return undefined;
      kept.add(number);
      const object = await graft.copy(field.object);
      await graft.remapDestinations(object);
      if (field.kids.length + field.widgets.length > 0) {
        const list = object.put("Kids", target.newArray()) as PDFObject;
        for (const kid of [...kids, ...(await graft.copyEach(widgets.map((widget) => widget.object)))]) list.push(kid);
      }
      return object;
    };
    const roots: { readonly object: PDFObject; readonly name: string | undefined }[] = [];
    for (const field of source.fields) {
      const object = await copy(field);
      if (object) roots.push({ object, name: field.name });
    }
    if (roots.length === 0) return;

    // Fields with the same name in one document are one field, and stay one.
    const own = new Set(roots.map(({ name }) => name));
    const earlier = new Set(this.#names);
    const renamed = new Map<string, string>();
    for (const { object, name } of roots) {
      await engine.work.pause();
      if (name !== undefined) {
        let free = renamed.get(name) ?? name;
        if (earlier.has(free)) {
          free = this.#free.of(name, (other) => this.#names.has(other) || own.has(other));
          renamed.set(name, free);
        }
        if (free !== name) object.put("T", target.newString(free));
        this.#names.add(free);
      }
      this.#fields.push(object);
    }
    for await (const field of eachItem(engine, source.root.get("AcroForm", "CO"))) {
      if (kept.has(objectNumber(field))) this.#calculated.push(await graft.copy(field));
    }
    this.#appearances.push({
      asked: source.root.get("AcroForm", "NeedAppearances").asBoolean(),
      lacking: source.fields.some(lacksAppearance),
    });
    await this.#joinDefaults(
      graft,
      roots.map(({ object }) => object),
    );
  }

  /**
   * Adds the widget of a repeated page: a widget that is its own field gets a new name; one of several widgets of a field
   * becomes another of them.
   */
  addRepeated(graft: Graft, widget: PDFObject, reference: PDFObject): void {
    const name = widget.get("T");
    const parent = widget.get("Parent");
    if (name.isString()) {
      const free = this.#free.of(name.asString(), (other) => this.#names.has(other) || other === name.asString());
      widget.put("T", graft.target.newString(free));
      this.#names.add(free);
    }
    // A parent that does not list the first widget does not list its copy.
    if (parent.isDictionary()) {
      const kids = parent.get("Kids");
      if (kids.isArray()) kids.push(reference);
    } else if (this.#form) this.#fields.push(reference);
  }

  /** Writes the form; undefined if no field is left. */
  write(target: Graft["target"]): PDFObject | undefined {
    if (!this.#form) return undefined;
    const put = (key: string, list: readonly PDFObject[]): void => {
      const array = this.#form?.put(key, target.newArray()) as PDFObject;
      for (const object of list) array.push(object);
    };
    put("Fields", this.#fields);
    // This makes viewers redraw the fields of every form, so it is set only if all forms ask for it, or one cannot do without
    // it.
    const isAskedByAll = this.#appearances.every(({ asked }) => asked);
    if (isAskedByAll || this.#appearances.some(({ asked, lacking }) => asked && lacking))
      this.#form.put("NeedAppearances", true);
    if (this.#calculated.length > 0) put("CO", this.#calculated);
    return target.addObject(this.#form);
  }

  /** The form's own entries: those of the first form, plus what fields of later forms need of theirs. */
  async #joinDefaults(graft: Graft, roots: readonly PDFObject[]): Promise<void> {
    const { source, target, engine } = graft;
    const form = source.root.get("AcroForm");
    const renamed = new Map<string, string>();
    if (!this.#form) {
      this.#form = target.newDictionary();
      for (const key of ["DR", "DA", "Q", "SigFlags"]) {
        const value = form.get(key);
        if (!value.isNull()) this.#form.put(key, await graft.copy(value));
      }
      // AppendOnly (bit 2) applied to the file as signed; this one is rewritten (table 224).
      if (form.get("SigFlags").isNumber()) this.#form.put("SigFlags", form.get("SigFlags").asNumber() & ~2);
      return;
    }
    if (form.get("SigFlags").asNumber() & 1) this.#form.put("SigFlags", 1);
    for await (const { key: category, value } of eachEntry(engine, form.get("DR"))) {
      if (!value.isDictionary()) continue;
      let resources = this.#form.get("DR");
      if (!resources.isDictionary()) resources = this.#form.put("DR", target.newDictionary()) as PDFObject;
      let present = resources.get(category);
      if (!present.isDictionary()) present = resources.put(category, target.newDictionary()) as PDFObject;
      for await (const entry of eachEntry(engine, value)) {
        const name = entry.key.asName();
        const there = present.get(name);
        if (there.isNull()) present.put(entry.key, await graft.copy(entry.value));
        else if (category.asName() === "Font" && !isSameStandardFont(there, entry.value)) {
          const free = new FreeNames().of(name, (other) => !present.get(other).isNull());
          present.put(free, await graft.copy(entry.value));
          renamed.set(name, free);
        }
      }
    }
    const appearance = form.get("DA");
    const quadding = form.get("Q");
    for (const field of roots) {
      await engine.work.pause();
      if (appearance.isString() && !field.get("DA").isString()) field.put("DA", await graft.copy(appearance));
      if (quadding.isNumber() && !field.get("Q").isNumber()) field.put("Q", quadding.asNumber());
    }
    if (renamed.size === 0) return;
    for await (const { object } of fields({ engine, document: target }, branchOfList(roots)))
      renameFonts(object, renamed);
  }
}

function lacksAppearance({ object, kids, widgets }: FieldTreeNode): boolean {
  const lacks = (widget: PDFObject): boolean => {
    const subtype = widget.get("Subtype");
    return subtype.isName() && subtype.asName() === "Widget" && !widget.get("AP", "N").isDictionary();
  };
  return lacks(object) || widgets.some((widget) => lacks(widget.object)) || kids.some(lacksAppearance);
}

/** Two fonts that are certainly the same: both of the standard 14, neither embedded. */
function isSameStandardFont(a: PDFObject, b: PDFObject): boolean {
  const key = (font: PDFObject): string =>
    font.isDictionary() && font.get("FontDescriptor").isNull()
      ? `${font.get("BaseFont").toString()} ${font.get("Encoding").isName() ? font.get("Encoding").asName() : ""}`
      : "";
  return key(a) !== "" && key(a) === key(b);
}

/** Renames the fonts in default appearances (12.7.4.3) to their names in the joined resources. */
function renameFonts(field: PDFObject, renamed: ReadonlyMap<string, string>): void {
  const appearance = field.get("DA");
  if (appearance.isString()) {
    const text = latin1(appearance.asByteString());
    const operators = new ContentOperators(bytesOf(text));
    let [changed, copied] = ["", 0];
    while (operators.next()) {
      const [font, name] = [operators.operand(operators.count - 2), operators.name(operators.count - 2) ?? ""];
      const free = operators.operator === "Tf" ? renamed.get(name) : undefined;
      if (!font || free === undefined) continue;
      changed += `${text.slice(copied, font.start)}/${free}`;
      copied = font.end;
    }
    if (copied > 0) field.put("DA", byteString(field._doc, changed + text.slice(copied)));
  }
}
