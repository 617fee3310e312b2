/** Converts pages to gray: content, patterns, shadings, glyphs, annotations, and content that forms redraw. Images: images/recompress.ts. */
import type { PDFObject } from "mupdf";
import { type Content, forEachContent, readStreams } from "../content/streams.ts";
import { eachObject } from "../objects/each-object.ts";
import { fields } from "../document/fields.ts";
import type { OpenPdf } from "../document/document.ts";
import { GrayColors, isGraySpace } from "./colors.ts";
import { grayAppearance, grayContent, type GrayNames } from "./content.ts";
import { grayShading } from "./shadings.ts";
import { readImageFacts } from "../images/facts.ts";
import { liftInlineImages } from "../images/inline-images.ts";
import { byteString, bytesOfString, eachEntry, eachItem, FreeNames, items, objectNumber } from "../objects/objects.ts";
import { pageAt } from "../document/page-tree.ts";
import { grayOfDevice } from "../objects/color-space.ts";

/** Converts everything pages show to gray, by the formula that PDF specifies for the device spaces (ISO 32000-2, 10.4.2). */
export async function turnGray(open: OpenPdf): Promise<void> {
  const { document, engine, pageCount } = open;
  const colors = new GrayColors(open);
  // The colors of an inline image are among the operators.
  await liftInlineImages(open, { smallest: 0 });
  const painter = new Painter(open, colors);
  await forEachContent(open, (content) => painter.content(content));
  for (let index = 0; index < pageCount; index++) {
    await engine.work.pause();
    await engine.scope(async () => {
      for await (const annotation of eachItem(engine, pageAt(open, index).get("Annots")))
        await painter.annotation(annotation);
    });
  }
  await engine.scope(() => painter.form(document.getTrailer().get("Root", "AcroForm")));
  await turnPalettes(open, colors);
}

/** The colors of an Indexed image are separate from its samples. */
function turnPalettes(open: OpenPdf, colors: GrayColors): Promise<void> {
  const { document } = open;
  return eachObject(open, (image) => {
    const facts = readImageFacts(image);
    const space = image.get("ColorSpace");
    if (!facts?.isIndexed || isGraySpace(space.get(1))) return;
    const indexed = document.newArray();
    indexed.push(document.newName("Indexed"));
    indexed.push(document.newName("DeviceGray"));
    const palette = colors.palette(space);
    indexed.push(palette.length - 1);
    indexed.push(document.newByteString(palette));
    image.put("ColorSpace", indexed);
  });
}

class Painter {
  readonly #open: OpenPdf;
  readonly #colors: GrayColors;
  /** The converted streams of pages, by their numbers and those of their resources. */
  readonly #pages = new Map<string, number>();
  readonly #done = new Set<number>();

  constructor(open: OpenPdf, colors: GrayColors) {
    this.#open = open;
    this.#colors = colors;
  }

  async content({ kind, owner, streams, resources }: Content): Promise<void> {
    await this.#resources(resources);
    this.#group(owner.get("Group"));
    if (kind === "page") await this.#page(owner, streams, resources);
    else if (streams[0]) await this.#stream(streams[0], resources);
  }

  /** Pages may share streams but with resources that give the same names other meanings: each combination is written once. */
  async #page(page: PDFObject, streams: readonly PDFObject[], resources: PDFObject): Promise<void> {
    const { document, engine } = this.#open;
    const key = `${streams.map(objectNumber).join(" ")}/${objectNumber(resources)}`;
    const known = objectNumber(resources) > 0 ? this.#pages.get(key) : undefined;
    if (known !== undefined) {
      page.put("Contents", document.newIndirect(known));
      return;
    }
    const { bytes } = await readStreams(this.#open, streams);
    const changed = await grayContent(bytes, this.#colors, this.#names(resources), engine.work);
    if (!changed) return;
    const stream = document.addStream(changed, document.newDictionary());
    page.put("Contents", stream);
    this.#pages.set(key, objectNumber(stream));
  }

  async #stream(stream: PDFObject, resources: PDFObject): Promise<void> {
    const { bytes } = await readStreams(this.#open, [stream]);
    const { work } = this.#open.engine;
    const changed = await grayContent(bytes, this.#colors, this.#names(resources), work);
    if (changed) stream.writeStream(changed);
  }

  #names(resources: PDFObject): GrayNames {
    const document = this.#open.document;
    let made: string | undefined;
    return {
      resources,
      patternOverGray: () => {
        if (made !== undefined) return made;
        const present = resources.get("ColorSpace");
        const spaces = present.isDictionary()
          ? present
          : (resources.put("ColorSpace", document.newDictionary()) as PDFObject);
        const space = document.newArray();
        space.push(document.newName("Pattern"));
        space.push(document.newName("DeviceGray"));
        made = new FreeNames().of("PatternOverGray", (name) => !spaces.get(name).isNull());
        spaces.put(made, space);
        return made;
      },
    };
  }

  /** Shadings, alone and in patterns, and the backdrops of soft masks. */
  async #resources(resources: PDFObject): Promise<void> {
    const { engine } = this.#open;
    if (!resources.isDictionary() || this.#seen(resources)) return;
    for await (const { value } of eachEntry(engine, resources.get("Shading"))) this.#shading(value);
    for await (const { value } of eachEntry(engine, resources.get("Pattern"))) this.#shading(value.get("Shading"));
    for await (const { value } of eachEntry(engine, resources.get("ExtGState"))) {
      const mask = value.get("SMask");
      const backdrop = items(mask.get("BC")).map((item) => item.asNumber());
      const space = mask.get("G", "Group", "CS");
      if (backdrop.length > 0 && !space.isNull()) mask.put("BC", this.#gray(this.#colors.of(space, backdrop)));
      this.#group(mask.get("G", "Group"));
    }
  }

  #shading(shading: PDFObject): void {
    if (!shading.isDictionary() || this.#seen(shading)) return;
    const { engine } = this.#open;
    try {
      grayShading(engine, shading, this.#colors);
    } catch (error) {
      if (!engine.outlives(error)) throw error;
    }
  }

  /** The blending space of a transparency group: with only grays in it, the result is gray in any space except that of inks. */
  #group(group: PDFObject): void {
    const space = group.get("CS");
    if (group.isDictionary() && !space.isNull() && !isGraySpace(space)) {
      group.put("CS", this.#open.document.newName("DeviceGray"));
    }
  }

  /** The colors with which readers draw an annotation that has no appearance (12.5.2, 12.5.6.19). */
  async annotation(annotation: PDFObject): Promise<void> {
    if (!annotation.isDictionary()) return;
    for (const key of ["C", "IC"]) this.#array(annotation, key);
    for (const key of ["BG", "BC"]) this.#array(annotation.get("MK"), key);
    await this.#appearance(annotation);
  }

  #array(dictionary: PDFObject, key: string): void {
    const values = items(dictionary.get(key)).map((item) => item.asNumber());
    if (values.length === 3 || values.length === 4) dictionary.put(key, this.#gray(grayOfDevice(values)));
  }

  #gray(gray: number): PDFObject {
    const list = this.#open.document.newArray();
    list.push(Math.round(gray * 10_000) / 10_000);
    return list;
  }

  async #appearance(dictionary: PDFObject): Promise<void> {
    const { document, engine } = this.#open;
    const text = bytesOfString(engine, dictionary.get("DA"));
    if (text === undefined) return;
    const names = this.#names(document.newDictionary());
    const changed = await grayAppearance(text, this.#colors, names, engine.work);
    if (changed !== undefined) dictionary.put("DA", byteString(document, changed));
  }

  /** The default appearances of a form and its fields. */
  async form(form: PDFObject): Promise<void> {
    if (!form.isDictionary()) return;
    await this.#appearance(form);
    for await (const { object } of fields(this.#open)) if (!this.#seen(object)) await this.#appearance(object);
  }

  #seen(object: PDFObject): boolean {
    const number = objectNumber(object);
    if (number === 0) return false;
    if (this.#done.has(number)) return true;
    this.#done.add(number);
    return false;
  }
}
