/** The text of a word processing document as HTML (ECMA-376, part 1, 17.3 and 17.4). */
import type { Work } from "../../work.ts";
import type { Archive } from "../source/archive.ts";
import { pictureHtml } from "../source/picture.ts";
import { PAGE_BREAK } from "../source/styled-html.ts";
import { escaped, escapedAttribute, escapedText } from "../source/markup.ts";
import { widthInEms } from "../source/text-width.ts";
import type { Relationship } from "../source/relationships.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";
import { VML_SHAPES } from "./coverage.ts";
import { betweenHtml, boxCss } from "./borders.ts";
import { fieldHtml, Fields, linked } from "./fields.ts";
import type { Numbering } from "./numbering.ts";
import { type DrawingPlacement, placementOfDrawing, placementOfShape } from "./placement.ts";
import type { ShownBudget } from "../source/shown.ts";
import {
  type ParagraphStyle,
  paragraphStyleOf,
  points,
  type RunStyle,
  runStyleOf,
  type Styles,
  withParagraphStyle,
} from "./styles.ts";
import { hasTabs, tabMark, tabRows, withoutTabs } from "./tab-stops.ts";

/** The objects that the body refers to. */
export interface Context {
  readonly work: Work;
  readonly archive: Archive;
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly notConverted: Set<string>;
  readonly shown: ShownBudget;
  /** Called where the text refers to a note. Returns its number. */
  readonly note: (kind: "footnote" | "endnote", id: string) => number | undefined;
  /** The width of the text in points. */
  readonly width: number;
  /** Whether it is a header or footer, with numbers of pages, tabs to their stops, and drawings at their places. */
  readonly isRunning: boolean;
  /** Drawings that are not in the text are added here. */
  readonly placed: PlacedHtml[];
  /** The size of text in points that is not written out. */
  readonly fontSize: number;
}

/** A drawing that is not in the text. `anchor`: the identifier of the element that it moves with. */
export interface PlacedHtml extends DrawingPlacement {
  readonly anchor: string;
  readonly html: string;
}

/** A paragraph before it is HTML. */
interface WrittenParagraph {
  readonly name: string;
  readonly style: ParagraphStyle;
  readonly run: RunStyle;
  readonly content: string;
  /** Lines with tabs, in place of the content. */
  readonly rows: ReturnType<typeof tabRows>;
}

const ELEMENT_WORK = 2_000;
/** English Metric Units in a point, in which drawings are measured. */
const EMU = 12_700;
/** The replacement of a tab. */
const TAB = "\u2003";

const ALIGNMENTS: Readonly<Record<string, string>> = {
  center: "center",
  right: "right",
  end: "right",
  both: "justify",
  distribute: "justify",
};

export class BodyWriter {
  readonly #context: Context;
  /** Text boxes of the paragraph that is being written; they follow it. */
  #boxes: string[] = [];
  /** Page breaks within the paragraph. */
  #breaks = 0;
  /** The text of paragraphs whose ends were deleted: it continues in the next one. */
  #joined = "";
  /** Paragraphs with the same borders and indents, which are in one box. */
  #group: { readonly key: string; readonly paragraphs: WrittenParagraph[] } | undefined;
  #tables = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Blocks: paragraphs, tables, and their containers. */
  async blocks(parent: XmlElement | undefined): Promise<string> {
    const outer = this.#group;
    this.#group = undefined;
    const html: string[] = [];
    for (const element of elementsIn(parent)) html.push(await this.block(element));
    html.push(this.end());
    this.#group = outer;
    return html.join("");
  }

  /** What the blocks so far have left for a paragraph that never comes: a box of paragraphs, and text. */
  end(): string {
    const joined = this.#joined;
    this.#joined = "";
    const group = this.#endGroup();
    return joined.trim() === "" ? group : `${group}${this.#context.shown.added(`<p>${joined}</p>`, joined.length)}`;
  }

  #endGroup(): string {
    const { paragraphs } = this.#group ?? {};
    this.#group = undefined;
    const [first, last] = [paragraphs?.[0], paragraphs?.at(-1)];
    if (!paragraphs || !first || !last) return "";
    const { borders = {}, background, before = 0, after = 0 } = { ...first.style, after: last.style.after };
    const { left, right } = indentsOf(first.style);
    const inside = paragraphs.map((paragraph, index) =>
      paragraphHtml({
        ...paragraph,
        style: {
          ...paragraph.style,
          left: (paragraph.style.left ?? 0) - left,
          right: 0,
          ...(paragraph === first && { before: 0 }),
          ...(paragraph === last && { after: 0 }),
        },
      }).replace(/^/, index === 0 ? "" : betweenHtml(borders)),
    );
    const fill = background === undefined ? "" : `;background-color:${background}`;
    const css = `${boxCss(borders, { left, right })};margin-top:${before}pt;margin-bottom:${after}pt${fill}`;
    const html = inside.join("");
    return this.#context.shown.added(`<div style="${css}">${html}</div>`, html.length);
  }

  /** A block. Other elements have no text, or are reported (`coverage.ts`). */
  async block(element: XmlElement): Promise<string> {
    const { work } = this.#context;
    work.spend(ELEMENT_WORK);
    await work.pause();
    switch (element.name) {
      case "p":
        return this.#paragraph(element);
      case "tbl":
        return `${this.end()}${await this.#table(element)}`;
      case "sdt":
        return `${this.end()}${(await this.blocks(elementAt(element, "sdtContent"))) || this.#stateOf(element)}`;
      case "ins":
      case "moveTo":
      case "customXml":
      case "smartTag":
        return `${this.end()}${await this.blocks(element)}`;
      default:
        return "";
    }
  }

  async #paragraph(element: XmlElement): Promise<string> {
    const { styles, numbering } = this.#context;
    const properties = elementAt(element, "pPr");
    const mark = elementAt(properties, "rPr");
    const isJoined = elementAt(mark, "del") !== undefined || elementAt(mark, "moveFrom") !== undefined;
    const style = styles.paragraph(attribute(elementAt(properties, "pStyle"), "val"));
    const own = paragraphStyleOf(properties);
    const listed = own.list ?? style.paragraph.list;
    const list = !isJoined && listed && listed.id !== "0" ? numbering.next(listed) : undefined;
    const paragraph = [list?.paragraph ?? {}, own].reduce(withParagraphStyle, style.paragraph);
    const [outerBoxes, outerBreaks] = [this.#boxes, this.#breaks];
    this.#boxes = [];
    this.#breaks = 0;
    const joined = this.#joined;
    this.#joined = "";
    const text = `${joined}${await this.#inlines(element, style.run)}`;
    const boxes = this.#boxes.join("");
    const breaks = this.#breaks;
    this.#boxes = outerBoxes;
    this.#breaks = outerBreaks;
    if (isJoined) {
      this.#joined = text;
      return boxes;
    }
    const number = list && list.mark !== "" ? `${escaped(list.mark)}${TAB}` : "";
    const name = paragraph.heading === undefined || text.trim() === "" ? "p" : `h${paragraph.heading}`;
    const content = `${number}${text}`;
    const html: string[] = [];
    if (paragraph.breakBefore) html.push(this.#endGroup(), PAGE_BREAK);
    if (content !== "" || breaks === 0) html.push(this.#added({ name, style: paragraph, run: style.run, content }));
    if (boxes !== "" || breaks > 0) html.push(this.#endGroup(), boxes, PAGE_BREAK.repeat(Math.min(breaks, 10)));
    return html.join("");
  }

  /** Adds a paragraph to the box of those before, or returns its HTML and that of their box. */
  #added(written: Omit<WrittenParagraph, "rows">): string {
    const { isRunning, width, fontSize, shown } = this.#context;
    const { style, run } = written;
    const { left = 0, first = 0 } = style;
    const stops = (style.tabs ?? []).flatMap(({ at, align }) => (align === "clear" ? [] : [{ at, align }]));
    const line = { stops, width: width - (style.right ?? 0), left, first, size: run.size ?? fontSize };
    const isTabbed = isRunning && hasTabs(written.content);
    const rows = isTabbed && this.#tables === 0 ? tabRows(written.content, line) : undefined;
    const content = isTabbed ? withoutTabs(written.content, TAB) : written.content;
    const paragraph = { ...written, content, rows };
    const key = groupOf(style);
    const before = key !== undefined && this.#group?.key === key ? "" : this.#endGroup();
    if (key === undefined) return before + shown.added(paragraphHtml(paragraph), content.length);
    this.#group ??= { key, paragraphs: [] };
    this.#group.paragraphs.push(paragraph);
    shown.added(paragraphHtml(paragraph), content.length);
    return before;
  }

  /** The runs of a paragraph, and their containers. */
  async #inlines(parent: XmlElement, style: RunStyle): Promise<string> {
    const fields = new Fields(this.#context.isRunning);
    for (const element of elementsIn(parent)) fields.add(element, await this.#inline(element, style));
    return fields.end();
  }

  async #inline(element: XmlElement, style: RunStyle): Promise<string> {
    const { work, relationships, shown } = this.#context;
    work.spend(ELEMENT_WORK);
    await work.pause();
    switch (element.name) {
      case "r":
        return this.#run(element, style);
      case "hyperlink": {
        const anchor = attribute(element, "anchor");
        const target = relationships.get(element.attributes["r:id"] ?? attribute(element, "id") ?? "")?.target;
        const place = anchor === undefined ? "" : `#${anchor}`;
        const html = await this.#inlines(element, style);
        return shown.added(linked(html, `${target ?? ""}${place}` || undefined), html.length);
      }
      case "bookmarkStart":
        // No `a`: it would end a link that it is in.
        return shown.added(`<span id="${escapedAttribute(attribute(element, "name") ?? "")}"></span>`);
      case "fldSimple": {
        const html = await this.#inlines(element, style);
        return shown.added(fieldHtml(attribute(element, "instr") ?? "", html, this.#context.isRunning), html.length);
      }
      case "sdt":
        return (await this.#inlines(elementAt(element, "sdtContent") ?? element, style)) || this.#stateOf(element);
      case "ins":
      case "moveTo":
      case "smartTag":
      case "customXml":
      case "dir":
      case "bdo":
        return this.#inlines(element, style);
      case "oMath":
      case "oMathPara":
        return shown.added(await escapedText(work, textIn(element)));
      default:
        return "";
    }
  }

  async #run(element: XmlElement, base: RunStyle): Promise<string> {
    const { styles } = this.#context;
    const properties = elementAt(element, "rPr");
    const named = styles.character(attribute(elementAt(properties, "rStyle"), "val"));
    const style = { ...base, ...named, ...runStyleOf(properties) };
    if (style.hidden) return "";
    const html: string[] = [];
    for (const node of elementsIn(element)) html.push(await this.#runContent(node, style));
    const content = html.join("");
    return content === "" ? "" : this.#context.shown.added(styled(content, style, base), content.length);
  }

  async #runContent(node: XmlElement, style: RunStyle): Promise<string> {
    const { work, note, shown, isRunning } = this.#context;
    switch (node.name) {
      case "t": {
        const text = shown.added(textIn(node));
        const html = await escapedText(work, style.caps ? text.toUpperCase() : text);
        const spaced = html.replace(/ {2,}/g, (spaces) => `${"&nbsp;".repeat(spaces.length - 1)} `);
        return shown.added(spaced, text.length);
      }
      case "tab":
      case "ptab":
        return isRunning ? shown.added(tabMark(alignmentOf(attribute(node, "alignment")))) : TAB;
      case "br":
        if (attribute(node, "type") !== "page") return "<br>";
        this.#breaks += 1;
        return "";
      case "cr":
        return "<br>";
      case "noBreakHyphen":
        return "\u2011";
      case "softHyphen":
        return "\u00ad";
      case "sym": {
        const code = parseInt(attribute(node, "char") ?? "", 16);
        return code > 0 ? escaped(symbolOf(code)) : "";
      }
      case "footnoteReference":
      case "endnoteReference": {
        const kind = node.name === "footnoteReference" ? "footnote" : "endnote";
        const number = note(kind, attribute(node, "id") ?? "");
        return number === undefined
          ? ""
          : shown.added(`<sup><a href="#${kind}-${number}" id="${kind}-ref-${number}">${number}</a></sup>`);
      }
      case "fldChar":
        return shown.added(await escapedText(work, stateOfFormField(elementAt(node, "ffData"))));
      case "ruby": {
        const base = await this.#inlines(elementAt(node, "rubyBase") ?? node, style);
        const reading = await this.#inlines(elementAt(node, "rt") ?? { ...node, children: [] }, style);
        return reading === "" ? base : shown.added(`${base}<small>(${reading})</small>`, base.length + reading.length);
      }
      case "AlternateContent":
        return this.#alternate(node, style);
      case "drawing":
        return this.#drawing(node);
      case "pict":
      case "object":
        return this.#picture(node);
      default:
        return "";
    }
  }

  /** One of several forms: the first that is a text box or a picture, else the one for old readers. */
  async #alternate(node: XmlElement, style: RunStyle): Promise<string> {
    for (const form of [elementAt(node, "Choice"), elementAt(node, "Fallback")]) {
      const [boxes, html] = [this.#boxes.length, [] as string[]];
      for (const child of elementsIn(form)) html.push(await this.#runContent(child, style));
      if (html.join("") !== "" || this.#boxes.length > boxes) return html.join("");
    }
    return "";
  }

  async #drawing(node: XmlElement): Promise<string> {
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

  /** A drawing at its place, or in the text with its boxes after the paragraph. */
  #placed(placement: DrawingPlacement | undefined, html: string, boxes: string): string {
    const { isRunning, placed, shown } = this.#context;
    if (placement && html + boxes !== "" && isPlaced(placement, isRunning, boxes !== "")) {
      const anchor = `placed-${placed.length}`;
      placed.push({ ...placement, anchor, html: html + boxes });
      return shown.added(`<span id="${anchor}"></span>`);
    }
    if (boxes !== "") this.#boxes.push(boxes);
    return html;
  }

  /** VML, the drawings of older documents, and the pictures of embedded objects. */
  async #picture(node: XmlElement): Promise<string> {
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

  /** The text of a content control without text of its own (17.5.2, and the extension of 2010 for check boxes). */
  #stateOf(control: XmlElement): string {
    const properties = elementAt(control, "sdtPr");
    const checkBox = elementAt(properties, "checkbox");
    const list = elementAt(properties, "dropDownList") ?? elementAt(properties, "comboBox");
    const value = attribute(list, "lastValue");
    const item = elementsIn(list, "listItem").find((one) => attribute(one, "value") === value);
    const text = checkBox
      ? boxOf(isOn(elementAt(checkBox, "checked")))
      : ((list ? (attribute(item, "displayText") ?? value) : attribute(elementAt(properties, "date"), "fullDate")) ??
        "");
    return this.#context.shown.added(escaped(text));
  }

  /** The text boxes in a drawing, each in its frame. */
  async #textBoxes(node: XmlElement, placement: DrawingPlacement | undefined): Promise<string> {
    const { isRunning, shown, width } = this.#context;
    const html: string[] = [];
    for (const { content, shape } of textBoxesIn(node)) {
      const text = await this.blocks(content);
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

  async #table(table: XmlElement): Promise<string> {
    const grid = elementsIn(elementAt(table, "tblGrid"), "gridCol").map(
      (column) => points(attribute(column, "w")) ?? 0,
    );
    this.#tables += 1;
    const rows = await this.#rows(table);
    this.#tables -= 1;
    const borders = elementAt(table, "tblPr", "tblBorders");
    const bare =
      borders !== undefined &&
      elementsIn(borders).every((border) => ["nil", "none"].includes(attribute(border, "val") ?? ""));
    const html = [`<table${bare ? ' style="border:none"' : ""}>`];
    const continued = rows.map(
      (row) => new Set(row.filter(({ merged }) => merged === "continue").map(({ column }) => column)),
    );
    for (const [index, row] of rows.entries()) {
      html.push("<tr>");
      for (const cell of row) {
        if (cell.merged === "continue") continue;
        let span = 1;
        while (cell.merged === "restart" && continued[index + span]?.has(cell.column)) span += 1;
        const width = grid.slice(cell.column, cell.column + cell.columns).reduce((sum, value) => sum + value, 0);
        const style = `${width > 12 ? `width:${(width - 11).toFixed(1)}pt;` : ""}${cell.fill ? `background-color:${cell.fill};` : ""}${bare ? "border:none;" : ""}`;
        const spans = `${cell.columns > 1 ? ` colspan="${cell.columns}"` : ""}${span > 1 ? ` rowspan="${span}"` : ""}`;
        html.push(`<td${spans}${style ? ` style="${style}"` : ""}>${cell.html}</td>`);
      }
      html.push("</tr>");
    }
    return `${html.join("")}</table>`;
  }

  async #rows(table: XmlElement): Promise<Cell[][]> {
    const rows: Cell[][] = [];
    for (const row of rowsOf(table)) {
      const cells: Cell[] = [];
      let column = Number(attribute(elementAt(row, "trPr", "gridBefore"), "val") ?? 0) || 0;
      for (const cell of cellsOf(row)) {
        const properties = elementAt(cell, "tcPr");
        const columns = Math.min(
          Math.max(Number(attribute(elementAt(properties, "gridSpan"), "val") ?? 1) || 1, 1),
          63,
        );
        const merge = elementAt(properties, "vMerge");
        const merged = merge && (attribute(merge, "val") === "restart" ? ("restart" as const) : ("continue" as const));
        const fill = attribute(elementAt(properties, "shd"), "fill");
        const html = await this.blocks(cell);
        cells.push({
          column,
          columns,
          merged,
          html,
          fill: fill && /^[\da-f]{6}$/i.test(fill) ? `#${fill}` : undefined,
        });
        column += columns;
      }
      rows.push(cells);
    }
    return rows;
  }
}

interface Cell {
  readonly column: number;
  readonly columns: number;
  readonly merged: "restart" | "continue" | undefined;
  readonly html: string;
  readonly fill: string | undefined;
}

/** Elements around rows and cells that do not affect their appearance. */
const AROUND: ReadonlySet<string> = new Set(["ins", "moveTo", "customXml", "smartTag"]);

const inside = (parent: XmlElement, name: string): XmlElement[] =>
  elementsIn(parent).flatMap((element) => {
    if (element.name === name) return [element];
    if (element.name === "sdt") return inside(elementAt(element, "sdtContent") ?? element, name);
    return AROUND.has(element.name) ? inside(element, name) : [];
  });
/** Those that were deleted are not shown. */
const rowsOf = (table: XmlElement): XmlElement[] =>
  inside(table, "tr").filter((row) => elementAt(row, "trPr", "del") === undefined);
const cellsOf = (row: XmlElement): XmlElement[] =>
  inside(row, "tc").filter((cell) => elementAt(cell, "tcPr", "cellDel") === undefined);

const isOn = (element: XmlElement | undefined): boolean =>
  element !== undefined && !["0", "false", "off"].includes(attribute(element, "val") ?? "1");
const boxOf = (isChecked: boolean): string => (isChecked ? "\u2612" : "\u2610");

/** The text at the beginning of a form field of older documents (17.16.17): its state, or the chosen entry. */
function stateOfFormField(data: XmlElement | undefined): string {
  const checkBox = elementAt(data, "checkBox");
  if (checkBox) return boxOf(isOn(elementAt(checkBox, "checked") ?? elementAt(checkBox, "default")));
  const list = elementAt(data, "ddList");
  const chosen = attribute(elementAt(list, "result") ?? elementAt(list, "default"), "val") ?? "0";
  return attribute(elementsIn(list, "listEntry")[Number(chosen)], "val") ?? "";
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
  const fill = attribute(elementAt(properties, "solidFill", "srgbClr"), "val") ?? attribute(shape, "fillcolor") ?? "";
  const [, color] = /^#?([\da-f]{6})\b/i.exec(fill) ?? [];
  return `${isBare ? "border:none" : "border:0.5pt solid #999"}${color === undefined ? "" : `;background-color:#${color}`}`;
}

/** Text that fills the width of its place, such as a watermark behind the text. */
function watermarkHtml(text: string, { width, height }: DrawingPlacement, shape: XmlElement | undefined): string {
  const ems = [...text].reduce((sum, character) => sum + widthInEms(character), 0);
  const size = Math.max(Math.min(height || width, width / Math.max(ems, 1)) * 0.8, 4);
  const [, color = "c0c0c0"] = /^#?([\da-f]{6})\b/i.exec(attribute(shape, "fillcolor") ?? "") ?? [];
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

/** A character of a symbol font, where it has a place in Unicode. */
const symbolOf = (code: number): string => SYMBOL_CODES[code & 0xff] ?? "\u2022";
const SYMBOL_CODES: Readonly<Record<number, string>> = {
  0xb7: "\u2022",
  0xa7: "\u25aa",
  0xfc: "\u2713",
  0xfe: "\u2611",
  0xa8: "\u25a1",
  0x6f: "\u25a1",
  0xe0: "\u2192",
  0xdf: "\u2190",
  0x4a: "\u263a",
  0x61: "\u03b1",
  0x62: "\u03b2",
  0x6d: "\u03bc",
  0xb0: "\u00b0",
  0xb1: "\u00b1",
  0xa3: "\u2264",
  0xb3: "\u2265",
  0xae: "\u2192",
};

function styled(content: string, style: RunStyle, base: RunStyle): string {
  const css = runCss(style, base);
  let html = css === "" ? content : `<span style="${css}">${content}</span>`;
  if (style.strike) html = `<s>${html}</s>`;
  if (style.underline) html = `<u>${html}</u>`;
  if (style.position) html = `<${style.position}>${html}</${style.position}>`;
  return html;
}

/** The style of a run as far as it differs from its paragraph's. */
function runCss(style: RunStyle, base: RunStyle): string {
  const changed = <K extends keyof RunStyle>(key: K): boolean => style[key] !== undefined && style[key] !== base[key];
  return [
    changed("bold") && `font-weight:${style.bold ? "bold" : "normal"}`,
    changed("italic") && `font-style:${style.italic ? "italic" : "normal"}`,
    changed("size") && `font-size:${style.size}pt`,
    changed("color") && `color:${style.color}`,
    style.background && `background-color:${style.background}`,
    changed("font") && familyCss(style.font),
  ]
    .filter(Boolean)
    .join(";");
}

const familyCss = (font = ""): string => `font-family:'${escapedAttribute(font.replace(/['\\]/g, ""))}',sans-serif`;

/** The alignment of a tab to a place of the line; "" for one to the next stop. */
const alignmentOf = (name = ""): string => (/^(?:left|center|right)$/.test(name) ? name : "");

/** The indents of all lines of a paragraph, in points. */
const indentsOf = ({
  left = 0,
  right = 0,
  first = 0,
}: ParagraphStyle): { readonly left: number; readonly right: number } => ({
  left: left + Math.min(first, 0),
  right,
});

/** What paragraphs in one box have in common; undefined if it has neither borders nor a background. */
function groupOf({ borders = {}, background, ...style }: ParagraphStyle): string | undefined {
  if (background === undefined && Object.keys(borders).length === 0) return undefined;
  return JSON.stringify([borders, background, indentsOf(style)]);
}

function paragraphHtml({ name, style, run, content, rows }: WrittenParagraph): string {
  if (rows === undefined) return `<${name}${attributesOf(style, run)}>${content === "" ? "&nbsp;" : content}</${name}>`;
  const tables = rows.map((cells, index) => {
    const { before = 0, after = 0 } = style;
    const space = { before: index === 0 ? before : 0, after: index === rows.length - 1 ? after : 0 };
    const html = cells.map((cell) => {
      const attributes = attributesOf({ ...style, ...space, left: 0, right: 0, first: 0, align: cell.align }, run);
      const text = cell.html === "" ? "&nbsp;" : cell.html;
      return `<td style="border:none;padding:0;width:${cell.width.toFixed(1)}pt"><${name}${attributes}>${text}</${name}></td>`;
    });
    return `<table style="border:none;margin:0"><tr>${html.join("")}</tr></table>`;
  });
  return tables.join("");
}

function attributesOf(paragraph: ParagraphStyle, run: RunStyle): string {
  const { left = 0, right = 0, first = 0, before = 0, after = 0 } = paragraph;
  const css = [
    `margin:${before}pt ${right}pt ${after}pt ${left}pt`,
    first !== 0 && `text-indent:${first}pt`,
    paragraph.align && ALIGNMENTS[paragraph.align] && `text-align:${ALIGNMENTS[paragraph.align]}`,
    paragraph.line && `line-height:${(paragraph.line * 1.2).toFixed(2)}`,
    `font-weight:${run.bold ? "bold" : "normal"}`,
    run.italic && "font-style:italic",
    run.size && `font-size:${run.size}pt`,
    run.color && `color:${run.color}`,
    run.font && familyCss(run.font),
  ].filter(Boolean);
  return `${paragraph.rightToLeft ? ' dir="rtl"' : ""} style="${css.join(";")}"`;
}
