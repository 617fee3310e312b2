/** Pictures, text boxes, and watermarks (ECMA-376, part 1, 20.4, and VML, part 4, 19.1). */
import { pictureHtml } from "../source/picture.ts";
import { escaped, escapedText } from "../source/markup.ts";
import { widthInEms } from "../source/text-width.ts";
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";
import type { Context } from "./context.ts";
import { VML_SHAPES } from "./coverage.ts";
import { type DrawingPlacement, EMU, placementOfDrawing, placementOfShape } from "./placement.ts";

/** The HTML of a drawing that is not at a place of its own. */
export interface DrawingHtml {
  readonly inText: string;
  /** Text boxes, which follow the paragraph. */
  readonly boxes: string;
}

export class DrawingWriter {
  readonly #context: Context;
  readonly #blocks: (content: XmlElement) => Promise<string>;

  /** `blocks`: the HTML of the paragraphs and tables in a box. */
  constructor(context: Context, blocks: (content: XmlElement) => Promise<string>) {
    this.#context = context;
    this.#blocks = blocks;
  }

  /** DrawingML (20.4). */
  async drawing(node: XmlElement): Promise<DrawingHtml> {
    const holder = elementAt(node, "inline") ?? elementAt(node, "anchor");
    const extent = elementAt(holder, "extent");
    const size = [attribute(extent, "cx"), attribute(extent, "cy")].map((value) => Number(value) / EMU);
    const alt = attribute(elementAt(holder, "docPr"), "descr") ?? "";
    const placement = placementOfDrawing(node);
    const boxes = await this.#textBoxes(node, placement);
    const pictures: string[] = [];
    for (const blip of found(node, "blip")) {
      const picture = await this.#image(
        attribute(blip, "embed") || attribute(blip, "link"),
        pictures.length === 0 ? size : [],
        alt,
      );
      pictures.push(picture);
    }
    return this.#placed(placement, pictures.join(""), boxes);
  }

  /** VML, the drawings of older documents, and the pictures of embedded objects. */
  async picture(node: XmlElement): Promise<DrawingHtml> {
    const { notConverted, shown, work } = this.#context;
    const shape = elementsIn(node).find(({ name }) => name === "group" || VML_SHAPES.has(name));
    const placement = shape && placementOfShape(shape);
    const boxes = await this.#textBoxes(node, placement);
    const pictures: string[] = [];
    const style = attribute(found(node, "shape")[0], "style") ?? "";
    const size = ["width", "height"].map((name) =>
      Number(new RegExp(`(?:^|;)\\s*${name}:([\\d.]+)pt`).exec(style)?.[1]),
    );
    for (const data of found(node, "imagedata")) {
      const id = data.attributes["r:id"] ?? data.attributes["o:relid"] ?? data.attributes["r:href"];
      // An address instead of a part.
      if (id === undefined && attribute(data, "src") !== undefined) notConverted.add("external-images");
      pictures.push(await this.#image(id, size, attribute(data, "title") ?? ""));
    }
    for (const path of found(node, "textpath")) {
      const text = shown.added(await escapedText(work, attribute(path, "string") ?? ""));
      const isFree = placement && isPlaced(placement, this.#context.isRunning, false);
      pictures.push(isFree ? shown.added(watermarkHtml(text, placement, shape), text.length) : text);
    }
    return this.#placed(placement, pictures.join(""), boxes);
  }

  /** A drawing at its place, or in the text. */
  #placed(placement: DrawingPlacement | undefined, inText: string, boxes: string): DrawingHtml {
    const { isRunning, placed, shown } = this.#context;
    const html = inText + boxes;
    if (!placement || html === "" || !isPlaced(placement, isRunning, boxes !== "")) return { inText, boxes };
    const anchor = `placed-${placed.length}`;
    placed.push({ ...placement, anchor, html });
    return { inText: shown.added(`<span id="${anchor}"></span>`), boxes: "" };
  }

  /** The text boxes in a drawing, each in its frame. */
  async #textBoxes(node: XmlElement, placement: DrawingPlacement | undefined): Promise<string> {
    const { isRunning, shown, width } = this.#context;
    const html: string[] = [];
    for (const { content, shape } of textBoxesIn(node)) {
      const text = await this.#blocks(content);
      if (text === "") continue;
      const isFree = placement && isPlaced(placement, isRunning, true);
      // A box whose lines do not wrap is as wide as its text.
      const isAsWide = attribute(elementAt(shape, "bodyPr"), "wrap") === "none";
      const css = `${frameOf(shape)};${isFree ? "" : besideCss(isAsWide ? undefined : placement, width)}`;
      html.push(shown.added(`<div style="padding:3pt;${css}">${text}</div>`, text.length));
    }
    return html.join("");
  }

  async #image(id: string | undefined, size: readonly (number | undefined)[], alt: string): Promise<string> {
    const { archive, relationships, notConverted, shown } = this.#context;
    const relationship = relationships.get(id ?? "");
    const bytes = relationship && !relationship.external ? await archive.read(relationship.target) : undefined;
    const [width, height] = size;
    if (bytes !== undefined) return pictureHtml(this.#context, bytes, { alt, width, height });
    if (id !== undefined) notConverted.add(relationship?.external ? "external-images" : "unsupported-images");
    return shown.added(escaped(alt));
  }
}

/** Whether a drawing has a place of its own, since text does not make room for it. In the text, only boxes at a place of the page have. */
const isPlaced = ({ wrap, vertical, width }: DrawingPlacement, isRunning: boolean, isBox: boolean): boolean =>
  width > 0 && (isRunning ? wrap !== "lines" : isBox && wrap === "none" && vertical.from !== "anchor");

/** The style of a box in the text: as far from the left and as wide as where it was placed. */
function besideCss(placement: DrawingPlacement | undefined, room: number): string {
  const { horizontal, width = 0 } = placement ?? {};
  if (horizontal === undefined || width < NARROWEST_BOX || width > room || horizontal.from === "page")
    return "margin:4pt 0";
  const free = room - width;
  const left = { start: 0, center: free / 2, end: free, none: horizontal.offset }[horizontal.align ?? "none"];
  return `margin:4pt 0 4pt ${Math.min(Math.max(left, 0), free).toFixed(1)}pt;width:${(width - BOX_FRAME).toFixed(1)}pt`;
}

/** In points: boxes that are narrower have the whole width, and the frame and padding of a box. */
const [NARROWEST_BOX, BOX_FRAME] = [36, 7];

/** The frame and the background of a text box. */
function frameOf(shape: XmlElement | undefined): string {
  const properties = elementAt(shape, "spPr");
  const isBare = elementAt(properties, "ln", "noFill") !== undefined || attribute(shape, "stroked")?.startsWith("f");
  const fill = attribute(elementAt(properties, "solidFill", "srgbClr"), "val") ?? attribute(shape, "fillcolor");
  const color = hexOf(fill);
  return `${isBare ? "border:none" : "border:0.5pt solid #999"}${color === undefined ? "" : `;background-color:#${color}`}`;
}

/** A color of six digits, which may have a number sign, and more after it. */
const hexOf = (color = ""): string | undefined => /^#?([\da-f]{6})\b/i.exec(color)?.[1];

/** Text that fills the width of its place, such as a watermark behind the text. */
function watermarkHtml(text: string, { width, height }: DrawingPlacement, shape: XmlElement | undefined): string {
  const ems = [...text].reduce((sum, character) => sum + widthInEms(character), 0);
  const size = Math.max(Math.min(height || width, width / Math.max(ems, 1)) * 0.8, 4);
  const color = hexOf(attribute(shape, "fillcolor")) ?? "c0c0c0";
  return `<p style="margin:0;text-align:center;line-height:1.2;font-size:${size.toFixed(1)}pt;color:#${color}">${text}</p>`;
}

/** The contents of text boxes, each with its shape. */
function textBoxesIn(
  parent: XmlElement,
  around?: XmlElement,
  all: { content: XmlElement; shape: XmlElement | undefined }[] = [],
): typeof all {
  for (const element of elementsIn(parent)) {
    if (element.name === "txbxContent") all.push({ content: element, shape: around });
    else if (element.name !== "Fallback")
      textBoxesIn(element, element.name === "wsp" || VML_SHAPES.has(element.name) ? element : around, all);
  }
  return all;
}

/** All elements of a name below one, but not within each other. */
function found(parent: XmlElement, name: string, all: XmlElement[] = []): XmlElement[] {
  for (const element of elementsIn(parent)) {
    if (element.name === name) all.push(element);
    else if (element.name !== "Fallback") found(element, name, all);
  }
  return all;
}
