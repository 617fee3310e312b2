/** Entries of objects that PDF/A forbids: of actions, images, forms, graphics states, fonts, and attachments. */
import type { PDFObject } from "mupdf";
import { ACTIONS, NAMED } from "../conformance/rules/interactive.ts";
import { isUtf8 } from "../conformance/rules/file-structure.ts";
import { RENDERING_INTENTS } from "../conformance/rules/graphics.ts";
import { BLEND_MODES } from "../conformance/rules/transparency.ts";
import { isArray } from "../conformance/model/document.ts";
import { type Plain, PlainDictionary } from "../objects/plain-values.ts";
import { items } from "../objects/objects.ts";
import type { SurveyedTarget } from "./target.ts";

/** Fuel per value that is looked at. */
const VALUE_WORK = 20;
/** Levels of direct values within each other. */
const MOST_LEVELS = 64;

/** A dictionary of the document, and the same in the engine. */
interface Place {
  readonly plain: PlainDictionary;
  /** Is valid until the visit ends. */
  readonly handle: () => PDFObject;
}

/** Cleans all dictionaries of a document, and its Separation color spaces. Counts the specifications of embedded files. */
export async function archiveObjects(target: SurveyedTarget): Promise<{ readonly attachments: number }> {
  const cleaner = new Cleaner(target);
  await eachContainer(
    target,
    (place) => cleaner.clean(place),
    (array, handle) => cleaner.separation(array, handle),
  );
  cleaner.associate();
  return cleaner;
}

async function eachContainer(
  { open, model }: SurveyedTarget,
  visit: (place: Place) => void,
  visitArray: (array: readonly Plain[], handle: () => PDFObject) => void,
): Promise<void> {
  const { engine, document } = open;
  for (const [number, object] of model.objects) {
    const pending: { value: Plain; path: readonly (string | number)[] }[] = [{ value: object, path: [] }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      engine.work.spend(VALUE_WORK);
      await engine.work.pause();
      const { value, path } = next;
      if (path.length > MOST_LEVELS) continue;
      const handle = (): PDFObject =>
        path.length === 0 ? document.newIndirect(number) : document.newIndirect(number).get(...path);
      if (isArray(value)) {
        engine.scope(() => visitArray(value, handle));
        for (const [index, item] of value.entries()) {
          if (isArray(item) || item instanceof PlainDictionary) pending.push({ value: item, path: [...path, index] });
        }
      }
      if (!(value instanceof PlainDictionary)) continue;
      engine.scope(() => visit({ plain: value, handle }));
      for (const [key, item] of value.entries) {
        if (isArray(item) || item instanceof PlainDictionary) pending.push({ value: item, path: [...path, key] });
      }
    }
  }
}

class Cleaner {
  attachments = 0;
  readonly #target: SurveyedTarget;
  /** Separations of one name that have different alternate spaces or transforms, each with the first of them. */
  readonly #separations: Map<string, readonly [alternate: number, transform: number] | undefined>;

  constructor(target: SurveyedTarget) {
    this.#target = target;
    const places = target.survey.get("6.2.4.4-2") ?? [];
    this.#separations = new Map(places.map(({ context = "" }) => [context, undefined]));
  }

  clean(place: Place): void {
    const { plain } = place;
    const { model } = this.#target;
    this.#actions(place);
    if (plain.entries.has("PresSteps")) this.#remove(place, "PresSteps", "presentations_removed");
    if (plain.entries.has("EF")) this.#file(place);
    if (isState(plain)) this.#state(place);
    const type = model.name(plain, "Type");
    if (type === "Font" || type === "FontDescriptor") this.#fontName(place);
    if (!plain.isStream) return;
    const subtype = model.name(plain, "Subtype");
    if (subtype === "Image") this.#image(place);
    else if (subtype === "Form") {
      for (const key of ["OPI", "PS", "Ref"]) this.#remove(place, key, "form_entries_removed");
      if (model.name(plain, "Subtype2") === "PS") this.#remove(place, "Subtype2", "form_entries_removed");
    }
  }

  /** Gives separations of one name the alternate space and the transform of the first one (6.2.4.4). */
  separation(array: readonly Plain[], handle: () => PDFObject): void {
    const { model, open, changes } = this.#target;
    const name = model.name(array[1]) ?? "";
    if (array.length < 4 || model.name(array[0]) !== "Separation" || !this.#separations.has(name)) return;
    const space = handle();
    const first = this.#separations.get(name);
    if (first === undefined) {
      const numbers = [2, 3].map((index) => {
        const part = space.get(index);
        return part.isIndirect() ? part.asIndirect() : open.document.addObject(part).asIndirect();
      });
      this.#separations.set(name, [numbers[0] ?? 0, numbers[1] ?? 0]);
    }
    const [alternate, transform] = this.#separations.get(name) ?? [0, 0];
    space.put(2, open.document.newIndirect(alternate));
    space.put(3, open.document.newIndirect(transform));
    if (first !== undefined) changes.add("separations_unified");
  }

  #remove({ plain, handle }: Place, key: string, kind: string): void {
    if (!plain.entries.has(key)) return;
    handle().delete(key);
    this.#target.changes.add(kind);
  }

  #actions(place: Place): void {
    const { plain, handle } = place;
    const { model, open, changes } = this.#target;
    if (plain.entries.get("AA") !== undefined) this.#remove(place, "AA", "actions_removed");
    if (model.name(plain, "Subtype") === "Widget" && plain.entries.has("A")) {
      this.#remove(place, "A", "actions_removed");
      return;
    }
    // The attributes of elements of the structure tree are no actions.
    const keys = plain.entries.has("S") ? ["Next"] : ["A", "OpenAction", "Next"];
    for (const key of keys) {
      const value = model.resolve(plain.entries.get(key));
      if (isArray(value) && key === "Next") {
        const kept = items(handle().get(key)).filter((_, index) => this.#isAllowed(value[index]));
        if (kept.length === value.length) continue;
        const rest = open.document.newArray();
        for (const action of kept) rest.push(action);
        handle().put(key, rest);
        changes.add("actions_removed", value.length - kept.length);
      } else if (value instanceof PlainDictionary && !this.#isAllowed(value)) {
        const isScript = model.name(value, "S") === "JavaScript";
        this.#remove(place, key, isScript ? "scripts_removed" : "actions_removed");
      }
    }
  }

  /** Whether a value may stay: an action that is allowed, or no action at all, such as the next item of an outline. */
  #isAllowed(value: Plain | undefined): boolean {
    const { model } = this.#target;
    const type = model.name(model.dictionary(value), "S");
    // Attributes of the structure tree have an owner.
    if (type === undefined) return model.has(value, "O") || model.has(value, "Title");
    return ACTIONS.has(type) && (type !== "Named" || NAMED.has(model.name(model.dictionary(value), "N") ?? ""));
  }

  #state(place: Place): void {
    const { plain, handle } = place;
    const { model, open, changes, survey } = this.#target;
    for (const key of ["TR", "HTP"]) this.#remove(place, key, "transfer_functions_removed");
    if (model.name(plain, "TR2") !== "Default") this.#remove(place, "TR2", "transfer_functions_removed");
    // Halftones are about a device.
    if (["6.2.5-4", "6.2.5-5", "6.2.5-6"].some((id) => survey.has(id))) this.#remove(place, "HT", "halftones_removed");
    const intent = model.name(plain, "RI");
    if (intent !== undefined && !RENDERING_INTENTS.has(intent))
      this.#remove(place, "RI", "rendering_intents_corrected");
    if (!plain.entries.has("BM")) return;
    const mode = model.get(plain, "BM");
    const names = (isArray(mode) ? mode : [mode]).map((item) => model.name(item) ?? "");
    if (names.every((name) => BLEND_MODES.has(name))) return;
    handle().put("BM", open.document.newName(names.find((name) => BLEND_MODES.has(name)) ?? "Normal"));
    changes.add("blend_modes_corrected");
  }

  #image(place: Place): void {
    const { plain, handle } = place;
    const { model, changes } = this.#target;
    if (model.get(plain, "Interpolate") === true) this.#remove(place, "Interpolate", "images_not_interpolated");
    for (const key of ["Alternates", "OPI"]) this.#remove(place, key, "image_entries_removed");
    const intent = model.name(plain, "Intent");
    if (intent !== undefined && !RENDERING_INTENTS.has(intent))
      this.#remove(place, "Intent", "rendering_intents_corrected");
    const bits = model.number(plain, "BitsPerComponent");
    if (model.get(plain, "ImageMask") !== true || bits === undefined || bits === 1) return;
    handle().put("BitsPerComponent", 1);
    changes.add("image_entries_removed");
  }

  /** Names of fonts are UTF-8: other bytes are read as Latin-1. */
  #fontName({ plain, handle }: Place): void {
    const { model, open, changes } = this.#target;
    for (const key of ["BaseFont", "FontName"]) {
      const name = model.name(plain, key);
      if (name === undefined || isUtf8(name)) continue;
      handle().put(key, open.document.newName(name));
      changes.add("names_corrected");
    }
  }

  #file(place: Place): void {
    const { plain, handle } = place;
    const { model, open, changes, part } = this.#target;
    if (!(model.dictionary(plain, "EF") instanceof PlainDictionary)) return;
    this.attachments += 1;
    const { document } = open;
    const specification = handle();
    const names = ["F", "UF"].map((key) => specification.get(key));
    const name = names.find((value) => value.isString());
    for (const key of ["F", "UF"]) {
      if (!plain.entries.has(key)) specification.put(key, name ?? document.newString("attachment"));
    }
    if (part !== 3) return;
    changes.add("attachments_described");
    if (!plain.entries.has("AFRelationship")) specification.put("AFRelationship", document.newName("Unspecified"));
    for (const value of model.dictionary(plain, "EF")?.entries.values() ?? []) {
      const stream = model.stream(value);
      const type = model.name(stream, "Subtype");
      if (!stream || (type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type))) continue;
      document.newIndirect(stream.object).put("Subtype", document.newName("application/octet-stream"));
    }
  }

  /** Associates files with the document that are associated with nothing. */
  associate(): void {
    const { survey, open, model } = this.#target;
    const places = survey.get("6.8-4") ?? [];
    if (places.length === 0) return;
    const { document, engine } = open;
    engine.scope(() => {
      const root = document.getTrailer().get("Root");
      const associated = root.get("AF");
      const list = associated.isArray() ? associated : document.newArray();
      for (const { object } of places) {
        const known = model.objects.get(object);
        if (!(known instanceof PlainDictionary)) continue;
        if (known.entries.has("EF")) list.push(document.newIndirect(object));
        else this.#associateNested(object, list);
      }
      root.put("AF", list);
    });
  }

  /** A specification within an annotation becomes an object, so that both can refer to it. */
  #associateNested(number: number, list: PDFObject): void {
    const { document } = this.#target.open;
    const holder = document.newIndirect(number);
    const specification = holder.get("FS");
    if (!specification.get("EF").isDictionary()) return;
    const added = document.addObject(specification);
    holder.put("FS", added);
    list.push(added);
  }
}

/** Whether a dictionary is one of graphics state parameters, which rarely has a type. Soft masks have a group. */
const isState = ({ entries, isStream }: PlainDictionary): boolean =>
  !isStream &&
  !entries.has("G") &&
  !entries.has("Subtype") &&
  ["TR", "TR2", "HTP", "HT", "BM", "RI"].some((key) => entries.has(key));
