/** Graphics state parameters: transparency, transfer functions, and halftones (ISO 32000-2, 8.4.5, 10.6, and 11.6). */
import type { PlainDictionary } from "../../objects/plain-values.ts";
import type { Check } from "./check.ts";
import type { ContentPlace } from "./content-place.ts";
import { isArray, type ModelDocument } from "./document.ts";

/** Fuel for each value that other parameters may share. */
const VALUE_WORK = 50;
const NO_EFFECT = new Set(["Normal", "Compatible"]);
/** The type of a halftone that has others for its colorants. */
const OF_COLORANTS = 5;

export class StateParameters {
  readonly #document: ModelDocument;
  readonly #check: Check;
  readonly #seen = new Map<PlainDictionary, boolean>();

  constructor(document: ModelDocument, check: Check) {
    this.#document = document;
    this.#check = check;
  }

  /** Checks parameters. Returns whether they set transparency. */
  check(state: PlainDictionary, place: ContentPlace): boolean {
    const known = this.#seen.get(state);
    if (known !== undefined) return known;
    const isTransparent = [this.#blendMode(state, place), this.#opacity(state, place), this.#softMask(state, place)];
    const document = this.#document;
    this.#check("graphicsState", { dictionary: state }, place);
    const intent = document.name(state, "RI");
    if (intent !== undefined) this.#check("renderingIntent", { name: intent }, { ...place, context: intent });
    const halftone = document.dictionary(state, "HT");
    if (halftone) this.#halftone(halftone, place, undefined);
    const result = isTransparent.includes(true);
    this.#seen.set(state, result);
    return result;
  }

  #blendMode(state: PlainDictionary, place: ContentPlace): boolean {
    if (!state.entries.has("BM")) return false;
    const mode = this.#document.get(state, "BM");
    if (isArray(mode)) this.#document.open.engine.work.spend(mode.length * VALUE_WORK);
    const names = (isArray(mode) ? mode : [mode]).map((item) => this.#document.name(item) ?? "");
    this.#check("blendMode", { names }, { ...place, context: names.join(", ") });
    return !names.every((name) => NO_EFFECT.has(name));
  }

  #opacity(state: PlainDictionary, place: ContentPlace): boolean {
    let isTransparent = false;
    for (const key of ["ca", "CA"]) {
      const value = this.#document.number(state, key);
      if (value === undefined) continue;
      this.#check("opacity", { value }, { ...place, context: key });
      isTransparent ||= value < 1;
    }
    return isTransparent;
  }

  #softMask(state: PlainDictionary, place: ContentPlace): boolean {
    if (!state.entries.has("SMask")) return false;
    const isNone = this.#document.name(state, "SMask") === "None";
    this.#check("softMask", { isNone }, place);
    return !isNone;
  }

  #halftone(halftone: PlainDictionary, place: ContentPlace, colorant: string | undefined): void {
    const isNested = colorant !== undefined;
    this.#check("halftone", { dictionary: halftone, isNested, colorant }, { ...place, context: colorant });
    if (isNested || this.#document.number(halftone, "HalftoneType") !== OF_COLORANTS) return;
    this.#document.open.engine.work.spend(halftone.entries.size * VALUE_WORK);
    for (const [name, value] of halftone.entries) {
      const inner = this.#document.dictionary(value);
      if (inner && name !== "TransferFunction") this.#halftone(inner, place, name);
    }
  }
}
