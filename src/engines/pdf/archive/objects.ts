/** Entries of objects that PDF/A forbids: of actions, images, forms, graphics states, fonts, and attachments. */
import type { PDFObject } from "mupdf";
import { ACTIONS, NAMED } from "../conformance/rules/interactive.ts";
import { isUtf8 } from "../conformance/rules/file-structure.ts";
import { RENDERING_INTENTS } from "../conformance/rules/graphics.ts";
import { BLEND_MODES } from "../conformance/rules/transparency.ts";
import { colorantsOf } from "../conformance/model/color-spaces.ts";
import { isArray } from "../conformance/model/document.ts";
import { type Plain, PlainDictionary } from "../objects/plain-values.ts";
import { entries, items, nameOf } from "../objects/objects.ts";
import { describeColorant, colorantParts, MOST_COLORANTS, type SeparationParts } from "./colorants.ts";
import { eachContainer, type PlainPlace } from "./containers.ts";
import type { SurveyedTarget } from "./target.ts";

/** Cleans all dictionaries of a document, and its Separation color spaces. Counts the specifications of embedded files. */
export async function archiveObjects(target: SurveyedTarget): Promise<{ readonly attachments: number }> {
  const cleaner = new Cleaner(target);
  await eachContainer(
    target,
    (place) => cleaner.clean(place),
    (array, handle) => cleaner.colors(array, handle),
  );
  await cleaner.describeColorants();
  cleaner.associate();
  return cleaner;
}

/** Colorants that stand for all, or for none (ISO 32000-2, 8.6.6.4). */
const ALL_OR_NONE = new Set(["All", "None"]);
/** Rules about names, and about the colorants of DeviceN spaces. */
const [NAMES, COLORANTS] = ["6.1.8-1", "6.2.4.4-1"];

class Cleaner {
  attachments = 0;
  readonly #target: SurveyedTarget;
  /** Names of separations that have different alternate spaces or transforms. */
  readonly #unequal: ReadonlySet<string>;
  /** The numbers of the different separations of each of these names by their written form: alternate space and transform. */
  readonly #variants = new Map<string, Map<string, number>>();
  /** The first separation of each name. */
  readonly #separations = new Map<string, SeparationParts>();
  /** DeviceN spaces with colorants that they do not describe. */
  readonly #bare: {
    readonly handle: () => PDFObject;
    readonly colorants: readonly string[];
    readonly missing: readonly string[];
  }[] = [];

  constructor(target: SurveyedTarget) {
    this.#target = target;
    const places = target.survey.get("6.2.4.4-2") ?? [];
    this.#unequal = new Set(places.map(({ context = "" }) => context));
  }

  clean(place: PlainPlace): void {
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
    else if (subtype === "PS") this.#postScript(place);
    else if (subtype === "Form") {
      for (const key of ["OPI", "PS", "Ref"]) this.#remove(place, key, "form_entries_removed");
      if (model.name(plain, "Subtype2") === "PS") this.#remove(place, "Subtype2", "form_entries_removed");
    }
  }

  /** Separation and DeviceN spaces (6.1.8 and 6.2.4.4). */
  colors(array: readonly Plain[], handle: () => PDFObject): void {
    if (array.length < 4) return;
    const { model, survey } = this.#target;
    const family = model.name(array[0]);
    if (family !== "Separation" && family !== "DeviceN") return;
    if (survey.has(NAMES)) this.#colorantNames(array, handle);
    if (family === "Separation") this.#separation(model.name(array[1]) ?? "", handle);
    else if (survey.has(COLORANTS)) {
      const { colorants, missing } = colorantsOf(model, array);
      if (missing.length > 0 && colorants.length <= MOST_COLORANTS) this.#bare.push({ handle, colorants, missing });
    }
  }

  /** Names of colorants are UTF-8: other bytes are read as Latin-1. */
  #colorantNames(array: readonly Plain[], handle: () => PDFObject): void {
    const { model, open, changes } = this.#target;
    const { document, engine } = open;
    const space = handle();
    // A key that is not UTF-8 leads nowhere: its entry is corrected with the space that describes it.
    if (!space.isArray()) return;
    const correct = (holder: PDFObject, index: number, value: Plain | undefined): void => {
      const name = model.name(value);
      if (name === undefined || isUtf8(name)) return;
      holder.put(index, document.newName(name));
      changes.add("names_corrected");
    };
    const names = model.resolve(array[1]);
    if (!isArray(names)) return correct(space, 1, array[1]);
    for (const [index, item] of names.entries()) correct(space.get(1), index, item);
    const colorants = space.get(4, "Colorants");
    for (const { key, value } of entries(engine, colorants)) {
      const name = nameOf(engine, key);
      if (isUtf8(name)) continue;
      colorants.delete(key);
      colorants.put(name, value);
      if (value.isArray()) value.put(1, document.newName(name));
      changes.add("names_corrected");
    }
  }

  /** Describes the spot colors of DeviceN spaces as separations of the same name are, or else by the space itself. */
  async describeColorants(): Promise<void> {
    const { open, changes } = this.#target;
    for (const { handle, colorants, missing } of this.#bare) {
      await open.engine.scope(async () => {
        const space = handle();
        for (const name of missing) {
          const place = colorants.indexOf(name);
          const parts = this.#separations.get(name) ?? (await colorantParts(open, space, place));
          if (!parts) continue;
          this.#separations.set(name, parts);
          describeColorant(open, space, space.get(1).get(place), parts);
          changes.add("colorants_described");
        }
      });
    }
  }

  /**
   * Separations of one name have the same alternate space and the same transform. Others get a name of their own, with which they look the same.
   */
  #separation(name: string, handle: () => PDFObject): void {
    const { open, changes, survey } = this.#target;
    const isUnequal = this.#unequal.has(name);
    if (!isUnequal && !survey.has(COLORANTS)) return;
    const { document } = open;
    const space = handle();
    const first = this.#separations.get(name);
    if (first === undefined) {
      const [alternate = 0, transform = 0] = [2, 3].map((index) => {
        const part = space.get(index);
        return (part.isIndirect() ? part : document.addObject(part)).asIndirect();
      });
      this.#separations.set(name, [alternate, transform]);
      for (const [index, number] of [alternate, transform].entries())
        space.put(index + 2, document.newIndirect(number));
    }
    if (!isUnequal) return;
    const written = [2, 3].map((index) => space.get(index).toString()).join(" ");
    const variants = this.#variants.get(name) ?? new Map<string, number>();
    this.#variants.set(name, variants);
    const variant = variants.get(written) ?? variants.size;
    variants.set(written, variant);
    if (variant === 0) return;
    if (ALL_OR_NONE.has(name)) {
      for (const [index, number] of (first ?? []).entries()) space.put(index + 2, document.newIndirect(number));
      changes.add("separations_unified");
      return;
    }
    space.put(1, document.newName(`${space.get(1).asName()} (${variant + 1})`));
    changes.add("separations_renamed");
  }

  #remove({ plain, handle }: PlainPlace, key: string, kind: string): void {
    if (!plain.entries.has(key)) return;
    handle().delete(key);
    this.#target.changes.add(kind);
  }

  #actions(place: PlainPlace): void {
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

  #state(place: PlainPlace): void {
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

  /** A PostScript XObject, which readers do not show, becomes an empty form (6.2.9). */
  #postScript({ handle }: PlainPlace): void {
    const object = handle();
    for (const key of ["Filter", "DecodeParms", "Level1"]) if (!object.get(key).isNull()) object.delete(key);
    object.put("Subtype", "Form");
    object.put("BBox", [0, 0, 1, 1]);
    object.put("Resources", {});
    object.writeStream("");
    this.#target.changes.add("postscript_removed");
  }

  #image(place: PlainPlace): void {
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
  #fontName({ plain, handle }: PlainPlace): void {
    const { model, open, changes } = this.#target;
    for (const key of ["BaseFont", "FontName"]) {
      const name = model.name(plain, key);
      if (name === undefined || isUtf8(name)) continue;
      handle().put(key, open.document.newName(name));
      changes.add("names_corrected");
    }
  }

  #file(place: PlainPlace): void {
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
