/** The colors of content that this service adds to a document. */
import type { PDFObject } from "mupdf";
import { type Color, fill, type NameResource, numbers } from "../content/operands.ts";
import { isNamed, items } from "../objects/objects.ts";
import { profileToKeep } from "./keep.ts";
import type { ClaimingDocument } from "./validate.ts";

/** sRGB (IEC 61966-2-1) with a plain gamma: its white point, D65, and its primaries as columns of X, Y, and Z. */
const WHITE = [0.9505, 1, 1.089];
const GAMMA = 2.2;
const PRIMARIES = [0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505];

/** Components of the profile of an RGB device. */
const RGB = 3;

/** Colors of devices, or CIE-based ones in a document that claims PDF/A and has no output intent for such a device (ISO 19005-2, 6.2.4). */
export class OwnColors {
  /** Whether the document claims PDF/A. */
  readonly isArchival: boolean;
  readonly #document: ClaimingDocument["document"];
  readonly #lacks: Readonly<Record<"rgb" | "gray", boolean>>;
  /** Object numbers, because a handle may be destroyed before the document is. */
  #rgb = 0;
  #gray = 0;

  private constructor({ document }: ClaimingDocument, lacks?: Readonly<Record<"rgb" | "gray", boolean>>) {
    this.#document = document;
    this.isArchival = lacks !== undefined;
    this.#lacks = lacks ?? { rgb: false, gray: false };
  }

  static async of(open: ClaimingDocument): Promise<OwnColors> {
    if ((await profileToKeep(open)) === undefined) return new OwnColors(open);
    const intents = items(open.document.getTrailer().get("Root", "OutputIntents"));
    const intent = intents.find((one) => isNamed(one.get("S"), "GTS_PDFA1"));
    const components = intent?.get("DestOutputProfile", "N").asNumber() ?? 0;
    return new OwnColors(open, { rgb: components !== RGB, gray: components === 0 });
  }

  /** Operators that set the color of fills. */
  fill(color: Color, name: NameResource): string {
    return this.#lacks.rgb ? `/${name("ColorSpace", this.#rgbSpace())} cs ${numbers(...color)} sc` : fill(color);
  }

  /** Operators that set the color of strokes: 0 is black, and 1 white. */
  strokeGray(level: number, name: NameResource): string {
    return this.#lacks.gray
      ? `/${name("ColorSpace", this.#graySpace())} CS ${numbers(level)} SC`
      : `${numbers(level)} G`;
  }

  /** The color space of an image, for the entries of a new object. */
  space(components: 1 | 3 | 4): unknown {
    if (components === 3 && this.#lacks.rgb) return this.#rgbSpace();
    if (components === 1 && this.#lacks.gray) return this.#graySpace();
    return { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" }[components];
  }

  /** Gives colors of devices a meaning in all content that has these resources. */
  define(resources: PDFObject): void {
    if (this.#lacks.rgb) this.#put(resources, "DefaultRGB", this.#rgbSpace());
    if (this.#lacks.gray) this.#put(resources, "DefaultGray", this.#graySpace());
  }

  #put(resources: PDFObject, name: string, space: PDFObject): void {
    const known = resources.get("ColorSpace");
    const all: PDFObject = known.isDictionary() ? known : resources.put("ColorSpace", this.#document.newDictionary());
    if (all.get(name).isNull()) all.put(name, space);
  }

  /** Gives a page a space in which its transparency is computed, where nothing else does (ISO 19005-2, 6.2.10). */
  blend(page: PDFObject): void {
    if (!this.#lacks.gray) return;
    const known = page.get("Group");
    if (!known.isDictionary()) page.put("Group", { Type: "Group", S: "Transparency", CS: this.#rgbSpace() });
    else if (known.get("CS").isNull()) known.put("CS", this.#rgbSpace());
  }

  #rgbSpace(): PDFObject {
    const values = { WhitePoint: WHITE, Gamma: [GAMMA, GAMMA, GAMMA], Matrix: PRIMARIES };
    this.#rgb ||= this.#document.addObject(["CalRGB", values]).asIndirect();
    return this.#document.newIndirect(this.#rgb);
  }

  #graySpace(): PDFObject {
    this.#gray ||= this.#document.addObject(["CalGray", { WhitePoint: WHITE, Gamma: GAMMA }]).asIndirect();
    return this.#document.newIndirect(this.#gray);
  }
}
