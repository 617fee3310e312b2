/** Annotations and forms (ISO 19005-2, 6.3 and 6.4). They look the same: hidden ones stay invisible. */
import type { PDFObject } from "mupdf";
import { Refusal } from "../../errors.ts";
import { ANNOTATIONS } from "../conformance/rules/interactive.ts";
import { isWidget } from "../document/fields.ts";
import { pageAt, repairPageTree } from "../document/page-tree.ts";
import { appearancesOf } from "../forms/appearance.ts";
import { drawForm } from "../forms/flatten-document.ts";
import { drawBare, dropAnnotations } from "../forms/flatten.ts";
import { eachItem, entries, isNamed, items, objectNumber } from "../objects/objects.ts";
import type { ArchiveTarget } from "./target.ts";

/** Bits of F (ISO 32000-2, table 167). */
const [INVISIBLE, HIDDEN, PRINT, NO_VIEW, TOGGLE] = [1, 2, 4, 32, 256];

/** Fuel per annotation: some ten calls into MuPDF. */
const ANNOTATION_WORK = 2_000;

/** Entries that make a dictionary a signature field. */
const SIGNATURE_ENTRIES = ["FT", "T", "V", "Parent", "Kids", "MK", "DA", "Lock", "SV", "Ff", "TU", "TM", "H"];

export async function archiveAnnotations(target: ArchiveTarget): Promise<void> {
  const { open } = target;
  await repairPageTree(open);
  const unseen = await sealToStamps(target);
  await drawFields(target);
  const annotations = new Annotations(target, unseen);
  for (let index = 0; index < open.pageCount; index++) await annotations.page(index);
  await annotations.drop();
  archiveForm(target);
}

/** Draws the fields that have no appearances, or all of them if the form leaves drawing to viewers. */
async function drawFields({ open, loadFont, changes }: ArchiveTarget): Promise<void> {
  const form = open.document.getTrailer().get("Root", "AcroForm");
  if (!form.isDictionary()) return;
  if (form.get("NeedAppearances").asBoolean()) changes.add("forms_drawn");
  if (!form.get("XFA").isNull()) changes.add("xfa_removed");
  try {
    await drawForm(open, loadFont);
  } catch (error) {
    // The pages of a pure XFA form are all that there is without a viewer for it.
    if (!(error instanceof Refusal) || error.code !== "unsupported_form") throw error;
  }
}

function archiveForm({ open, changes }: ArchiveTarget): void {
  const root = open.document.getTrailer().get("Root");
  const form = root.get("AcroForm");
  if (!root.get("NeedsRendering").isNull()) root.delete("NeedsRendering");
  if (!root.get("Perms").isNull() || !root.get("DSS").isNull()) changes.add("permissions_removed");
  for (const key of ["Perms", "DSS"]) if (!root.get(key).isNull()) root.delete(key);
  if (!form.isDictionary()) return;
  for (const key of ["NeedAppearances", "XFA", "SigFlags"]) if (!form.get(key).isNull()) form.delete(key);
}

/**
 * A signature ends when the file is written. Its picture becomes a stamp, which nobody takes for a field that waits to be signed. Returns the numbers of
 * widgets without a picture.
 */
async function sealToStamps({ open, changes }: ArchiveTarget): Promise<Set<number>> {
  const { document, engine } = open;
  const form = document.getTrailer().get("Root", "AcroForm");
  const signed: PDFObject[] = [];
  const pending = items(form.get("Fields"));
  const seen = new Set<number>();
  for (let field = pending.pop(); field; field = pending.pop()) {
    engine.work.spend(ANNOTATION_WORK);
    await engine.work.pause();
    const number = objectNumber(field);
    if (!field.isDictionary() || seen.has(number)) continue;
    seen.add(number);
    if (isNamed(field.getInheritable("FT"), "Sig") && field.get("V").isDictionary()) signed.push(field);
    else for (const kid of items(field.get("Kids"))) pending.push(kid);
  }
  const unseen = new Set<number>();
  const ended = new Set(signed.map(objectNumber));
  const holders = new Map<number, readonly [holder: PDFObject, key: string]>();
  for (const field of signed) {
    changes.add("signatures_removed");
    const parent = field.get("Parent");
    if (parent.isDictionary()) holders.set(objectNumber(parent), [parent, "Kids"]);
    else holders.set(-1, [form, "Fields"]);
  }
  for (const [holder, key] of holders.values()) {
    const rest = document.newArray();
    for await (const item of eachItem(engine, holder.get(key))) {
      engine.work.spend(ANNOTATION_WORK);
      if (!ended.has(objectNumber(item))) rest.push(item);
    }
    holder.put(key, rest);
  }
  for (const field of signed) {
    engine.work.spend(ANNOTATION_WORK);
    await engine.work.pause();
    for (const widget of [field, ...items(field.get("Kids"))]) {
      if (!isWidget(widget)) continue;
      for (const entry of SIGNATURE_ENTRIES) if (!widget.get(entry).isNull()) widget.delete(entry);
      if (widget.get("AP", "N").isStream()) widget.put("Subtype", document.newName("Stamp"));
      else unseen.add(objectNumber(widget));
    }
  }
  return unseen;
}

class Annotations {
  readonly #target: ArchiveTarget;
  readonly #allowed: ReadonlySet<string>;
  readonly #seen = new Set<number>();
  /** Those that are removed, by their numbers. */
  readonly #gone: Set<number>;
  /** The number of the appearance that shows nothing. */
  #empty: number | undefined;

  constructor(target: ArchiveTarget, gone: Set<number>) {
    this.#target = target;
    this.#gone = gone;
    this.#allowed = ANNOTATIONS[target.part] ?? new Set();
  }

  async page(index: number): Promise<void> {
    const { open } = this.#target;
    const { engine } = open;
    await engine.work.pause();
    await engine.scope(async () => {
      const annots = pageAt(open, index).get("Annots");
      if (!annots.isArray() || annots.length === 0) return;
      // A direct annotation has no number to be known by.
      for (let at = 0; at < annots.length; at++) {
        const item = annots.get(at);
        if (item.isDictionary() && !item.isIndirect()) annots.put(at, open.document.addObject(item));
      }
      for await (const annotation of eachItem(engine, annots)) this.#prepare(annotation);
      await drawBare(open, index, (annotation) => this.#needsDrawing(annotation));
      for await (const annotation of eachItem(engine, annots)) {
        engine.work.spend(ANNOTATION_WORK);
        const number = objectNumber(annotation);
        if (!annotation.isDictionary() || this.#gone.has(number) || this.#seen.has(number)) continue;
        this.#seen.add(number);
        this.#annotation(annotation);
      }
    });
  }

  /** Removes what may not stay, and turns media with a picture into stamps. */
  #prepare(annotation: PDFObject): void {
    const { open, changes } = this.#target;
    const number = objectNumber(annotation);
    if (!annotation.isDictionary() || this.#seen.has(number) || this.#gone.has(number)) return;
    const subtype = annotation.get("Subtype");
    const name = subtype.isName() ? subtype.asName() : "";
    const isShown = (annotation.get("F").asNumber() & (HIDDEN | NO_VIEW)) === 0;
    if (!this.#allowed.has(name)) {
      const picture = annotation.get("AP", "N");
      if (isShown && picture.isStream()) {
        annotation.put("Subtype", open.document.newName("Stamp"));
        changes.add("annotations_turned_into_stamps");
        return;
      }
      this.#gone.add(number);
      changes.add("annotations_removed");
    } else if (!isShown && name !== "Popup" && name !== "Widget") {
      this.#gone.add(number);
      changes.add("hidden_annotations_removed");
    }
  }

  #needsDrawing(annotation: PDFObject): boolean {
    if (!annotation.isDictionary() || this.#gone.has(objectNumber(annotation))) return false;
    return !isWidget(annotation) && needsAppearance(annotation) && !annotation.get("AP", "N").isDictionary();
  }

  #annotation(annotation: PDFObject): void {
    const { open, changes } = this.#target;
    const { document, engine } = open;
    const flags = annotation.get("F").asNumber();
    const shown = (flags | PRINT) & ~(INVISIBLE | HIDDEN | NO_VIEW | TOGGLE);
    const isHidden = isWidget(annotation) && (flags & (HIDDEN | NO_VIEW)) !== 0;
    if (shown !== flags || annotation.get("F").isNull()) {
      annotation.put("F", shown);
      changes.add("annotations_made_printable");
    }
    if (!needsAppearance(annotation)) {
      if (!annotation.get("AP").isNull()) this.#onlyNormal(annotation);
      return;
    }
    const isButton = isWidget(annotation) && isNamed(annotation.getInheritable("FT"), "Btn");
    if (isHidden) {
      // It is invisible as before.
      const before = annotation.get("AP", "N");
      const states = document.newDictionary();
      if (!before.isStream()) for (const { key } of entries(engine, before)) states.put(key, this.#nothing());
      if (isButton) this.#putStates(annotation, states);
      else appearancesOf(open, annotation).put("N", this.#nothing());
      changes.add("hidden_fields_emptied");
      return;
    }
    this.#onlyNormal(annotation);
    const normal = annotation.get("AP", "N");
    if (isButton && (normal.isStream() || !normal.isDictionary())) {
      const states = document.newDictionary();
      if (normal.isStream()) states.put("Off", normal);
      else changes.add("annotations_given_appearances");
      this.#putStates(annotation, states);
    } else if (!isButton && !normal.isStream()) {
      const state =
        normal.isDictionary() && annotation.get("AS").isName() ? normal.get(annotation.get("AS")) : undefined;
      appearancesOf(open, annotation).put("N", state?.isStream() ? state : this.#nothing());
      changes.add("annotations_given_appearances");
    }
  }

  /** Gives a button the appearances of its states, of which it needs one, and is in one. */
  #putStates(button: PDFObject, states: PDFObject): void {
    const { open } = this.#target;
    if (entries(open.engine, states).length === 0) states.put("Off", this.#nothing());
    appearancesOf(open, button).put("N", states);
    const state = button.get("AS");
    if (!state.isName() || states.get(state).isNull()) button.put("AS", open.document.newName("Off"));
  }

  /** Removes the appearances while the pointer is over it, or pressed. */
  #onlyNormal(annotation: PDFObject): void {
    const { open, changes } = this.#target;
    const appearances = annotation.get("AP");
    if (!appearances.isDictionary()) {
      if (!appearances.isNull()) annotation.delete("AP");
      return;
    }
    const others = entries(open.engine, appearances).filter(({ key }) => !isNamed(key, "N"));
    if (others.length === 0) return;
    appearancesOf(open, annotation);
    changes.add("annotations_given_appearances");
  }

  /** An appearance that shows nothing. */
  #nothing(): PDFObject {
    const { document } = this.#target.open;
    const form = { Type: "XObject", Subtype: "Form", BBox: [0, 0, 1, 1], Resources: {} };
    // By its number: handles end with their page.
    this.#empty ??= objectNumber(document.addStream("", form));
    return document.newIndirect(this.#empty);
  }

  /** Takes removed annotations out of the pages, with the windows of those. */
  async drop(): Promise<void> {
    if (this.#gone.size === 0) return;
    const { open } = this.#target;
    const { document, engine } = open;
    const isGone = (annotation: PDFObject): boolean =>
      this.#gone.has(objectNumber(annotation)) ||
      (isNamed(annotation.get("Subtype"), "Popup") && this.#gone.has(objectNumber(annotation.get("Parent"))));
    const rest = new Map<number, PDFObject | undefined>();
    for (let index = 0; index < open.pageCount; index++) {
      await engine.work.pause();
      await dropAnnotations(open, pageAt(open, index), isGone, rest);
    }
    for (const number of this.#gone) document.newIndirect(number).writeObject(document.newDictionary());
  }
}

/** ISO 19005-2, 6.3.3: pop-up windows and links have none, and what takes no space may be without. */
function needsAppearance(annotation: PDFObject): boolean {
  const subtype = annotation.get("Subtype");
  if (isNamed(subtype, "Popup") || isNamed(subtype, "Link")) return false;
  const [left = 0, bottom = 0, right = 0, top = 0] = items(annotation.get("Rect")).map((item) => item.asNumber());
  return left !== right || bottom !== top || !annotation.get("AP").isNull();
}
