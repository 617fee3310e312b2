/** Images: their dictionaries, masks, color spaces, and JPEG 2000 data (ISO 32000-2, 8.9). */
import { limits } from "../../../../limits.ts";
import { type Plain, PlainDictionary, PlainName } from "../../objects/plain-values.ts";
import { Name, Real, type Value } from "../../syntax/objects.ts";
import type { Check } from "./check.ts";
import type { ColorSpaces } from "./color-spaces.ts";
import type { ContentPlace } from "./content-place.ts";
import { isArray, type ModelDocument } from "./document.ts";
import { readJpxFacts } from "./jpx.ts";
import type { ResourceScope } from "./resources.ts";

export class Images {
  readonly #document: ModelDocument;
  readonly #check: Check;
  readonly #colors: ColorSpaces;
  /** Images that were checked, and whether each has a soft mask. */
  readonly #seen = new Map<PlainDictionary, boolean>();

  constructor(document: ModelDocument, check: Check, colors: ColorSpaces) {
    this.#document = document;
    this.#check = check;
    this.#colors = colors;
  }

  /** Checks an image with its masks. Returns whether it has a soft mask. */
  async check(image: PlainDictionary, resources: ResourceScope, place: ContentPlace): Promise<boolean> {
    return this.#image(image, resources, place, false);
  }

  async #image(
    image: PlainDictionary,
    resources: ResourceScope,
    place: ContentPlace,
    isSoftMask: boolean,
  ): Promise<boolean> {
    const document = this.#document;
    const known = this.#seen.get(image);
    if (known !== undefined) return known;
    const softMask = document.stream(image, "SMask");
    const isTransparent = softMask !== undefined || (document.number(image, "SMaskInData") ?? 0) > 0;
    this.#seen.set(image, isTransparent);
    const at = { ...place, object: image.object };
    const within = { ...place, depth: place.depth + 1 };
    this.#check("xobject", { dictionary: image }, at);
    if (softMask) {
      this.#check("softMask", { isNone: false }, at);
      if (place.depth < limits.contents.nesting) await this.#image(softMask, resources, within, true);
    }
    const mask = document.stream(image, "Mask");
    if (mask && place.depth < limits.contents.nesting) await this.#image(mask, resources, within, false);
    const isMask = document.get(image, "ImageMask") === true;
    const isJpx = document.filters(image).at(-1) === "JPXDecode";
    this.#check(
      "image",
      {
        dictionary: image,
        isInline: false,
        isMask,
        isJpx,
        interpolates: document.get(image, "Interpolate") === true,
        bitsPerComponent: document.number(image, "BitsPerComponent"),
      },
      at,
    );
    const intent = document.name(image, "Intent");
    if (intent !== undefined) this.#check("renderingIntent", { name: intent }, { ...at, context: intent });
    const space = image.entries.get("ColorSpace");
    // The gray of a soft mask is no color.
    if (space !== undefined && !isMask && !isSoftMask) await this.#colors.use(space, resources, at);
    if (isJpx) await this.#jpx(image, space !== undefined, at);
    return isTransparent;
  }

  async #jpx(image: PlainDictionary, hasColorSpace: boolean, place: ContentPlace): Promise<void> {
    const { engine, document } = this.#document.open;
    const data = engine.scope(() => {
      const buffer = document.newIndirect(image.object).readRawStream();
      const bytes = buffer.asUint8Array().slice();
      buffer.destroy();
      return bytes;
    });
    engine.work.spend(data.length);
    this.#check("jpx", readJpxFacts(data, hasColorSpace), place);
  }

  /** Checks an inline image (8.9.7), by the full names of its keys. */
  async inline(image: ReadonlyMap<string, Value>, resources: ResourceScope, place: ContentPlace): Promise<void> {
    const entries = new Map([...image].map(([key, value]) => [key, plainOf(value)]));
    const dictionary = new PlainDictionary(place.object, false, entries);
    const document = this.#document;
    const filters = document.filters(dictionary);
    this.#check("inlineFilters", { filters }, { ...place, context: filters.join(", ") });
    const isMask = document.get(dictionary, "ImageMask") === true;
    this.#check(
      "image",
      {
        dictionary,
        isInline: true,
        isMask,
        isJpx: false,
        interpolates: document.get(dictionary, "Interpolate") === true,
        bitsPerComponent: document.number(dictionary, "BitsPerComponent"),
      },
      { ...place, context: "inline image" },
    );
    const intent = document.name(dictionary, "Intent");
    if (intent !== undefined) this.#check("renderingIntent", { name: intent }, { ...place, context: intent });
    const space = document.get(dictionary, "ColorSpace");
    if (!isMask && (space instanceof PlainName || isArray(space))) await this.#colors.use(space, resources, place);
  }
}

/** A value of an inline image, as the document's values are. */
function plainOf(value: Value): Plain {
  if (value instanceof Name) return new PlainName(value.value);
  if (value instanceof Real) return value.value;
  if (Array.isArray(value)) return (value as readonly Value[]).map(plainOf);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}
