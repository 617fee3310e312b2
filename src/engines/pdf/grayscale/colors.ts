/** Converts colors to gray (ISO 32000-2, 10.4.2: the device spaces; the others through MuPDF). */
import type { Color, ColorSpace, PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { readSpace, grayOfDevice } from "../objects/color-space.ts";
import { bytesOfString, objectNumber } from "../objects/objects.ts";
import { bytesOf } from "../../../bytes/latin1.ts";

const GRAY_SPACES = new Set(["DeviceGray", "G", "CalGray"]);
const BY_FORMULA = new Set(["DeviceRGB", "RGB", "CalRGB", "DeviceCMYK", "CMYK", "ICCBased"]);

/** Whether a color space contains only grays. */
export function isGraySpace(space: PDFObject): boolean {
  const { space: name, components } = readSpace(space);
  return name !== undefined && (GRAY_SPACES.has(name) || (name === "ICCBased" && components === 1));
}

/** A gray in content syntax. */
export const grayText = (gray: number): string => String(Math.round(gray * 10_000) / 10_000);

/** Converts colors of a document's spaces to gray. */
export class GrayColors {
  readonly #open: OpenPdf;
  readonly #known = new Map<string, number>();

  /** Profiles are ignored from here on, so that colors and images follow the same rule. */
  constructor(open: OpenPdf) {
    this.#open = open;
    open.engine.mupdf.disableICC();
  }

  /** The gray of a color, 0 to 1; black if its space cannot be read. */
  of(space: PDFObject, values: readonly number[]): number {
    const { space: name, components, isIndexed } = readSpace(space);
    if (isIndexed) return this.#ofIndexed(space, values[0] ?? 0);
    if (name !== undefined && (BY_FORMULA.has(name) || GRAY_SPACES.has(name)) && components === values.length) {
      return grayOfDevice(values);
    }
    const number = objectNumber(space);
    const key = number > 0 ? `${number} ${values.join(" ")}` : undefined;
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const gray = this.#draw(space, values);
    if (key !== undefined) this.#known.set(key, gray);
    return gray;
  }

  /** The grays of all entries in an Indexed space. */
  palette(space: PDFObject): Uint8Array {
    const highest = Math.min(255, Math.max(0, space.get(2).asNumber()));
    return Uint8Array.from({ length: highest + 1 }, (_, index) => Math.round(this.#ofIndexed(space, index) * 255));
  }

  /** The initial color of a space (8.6.8, table 73, `CS`). */
  initial(space: PDFObject): number {
    const { space: name } = readSpace(space);
    const count = this.#components(space);
    if (name === "Separation" || name === "DeviceN")
      return this.of(
        space,
        Array.from({ length: count }, () => 1),
      );
    if (name === "DeviceCMYK") return 0;
    return this.of(
      space,
      Array.from({ length: count }, () => 0),
    );
  }

  #components(space: PDFObject): number {
    const { components, space: name, isIndexed } = readSpace(space);
    if (isIndexed) return 1;
    if (name === "DeviceN") return space.get(1).length;
    return components ?? 3;
  }

  #ofIndexed(space: PDFObject, index: number): number {
    const base = space.get(1);
    const count = this.#components(base);
    const lookup = space.get(3);
    const { engine } = this.#open;
    return engine.scope(() => {
      const bytes = lookup.isStream()
        ? lookup.readStream().asUint8Array()
        : bytesOf(bytesOfString(engine, lookup) ?? "");
      const at = Math.round(index) * count;
      const values = Array.from({ length: count }, (_, part) => (bytes[at + part] ?? 0) / 255);
      return this.of(base, readSpace(base).space === "Lab" ? labValues(base, values) : values);
    });
  }

  /** Draws one pixel of the color on gray. */
  #draw(space: PDFObject, values: readonly number[]): number {
    const { engine } = this.#open;
    const { mupdf } = engine;
    try {
      return engine.scope(() => {
        const loaded = this.#load(space);
        if (!loaded) return 0;
        const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, 0, 1, 1], false);
        pixmap.clear(255);
        const path = new mupdf.Path();
        path.rect(-1, -1, 2, 2);
        const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
        // As many numbers as MuPDF reads, even if the document has fewer: missing ones are 0, as in an operator.
        const color = [0, 1, 2, 3].map((at) => values[at] ?? 0) as Color;
        device.fillPath(path, false, mupdf.Matrix.identity, loaded, color, 1);
        device.close();
        return (pixmap.getPixels()[0] ?? 0) / 255;
      });
    } catch (error) {
      if (!engine.outlives(error)) throw error;
      return 0;
    }
  }

  /** The space as a MuPDF object, taken from an image of one sample. */
  #load(space: PDFObject): ColorSpace | undefined {
    const { document, engine } = this.#open;
    const count = this.#components(space);
    const dictionary = document.newDictionary();
    dictionary.put("Subtype", document.newName("Image"));
    dictionary.put("Width", 1);
    dictionary.put("Height", 1);
    dictionary.put("BitsPerComponent", 8);
    dictionary.put("ColorSpace", space);
    const image = document.addStream(new Uint8Array(count), dictionary);
    try {
      return document.loadImage(image).getColorSpace() ?? undefined;
    } finally {
      document.deleteObject(image);
      engine.emptyStore();
    }
  }
}

/** Maps 0 to 1 to the ranges of L*, a* and b* (8.6.5.4). */
function labValues(space: PDFObject, [l = 0, a = 0, b = 0]: readonly number[]): number[] {
  const range = space.get(1, "Range");
  const at = (index: number, otherwise: number): number => (range.isArray() ? range.get(index).asNumber() : otherwise);
  const [a0, a1, b0, b1] = [at(0, -100), at(1, 100), at(2, -100), at(3, 100)];
  return [l * 100, a0 + a * (a1 - a0), b0 + b * (b1 - b0)];
}
