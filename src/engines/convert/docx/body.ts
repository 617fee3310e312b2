/** The text of a word processing document as HTML (ECMA-376, part 1, 17.3). */
import { escaped, escapedAttribute, escapedText, keepSpaces, NODE_WORK, noteReference } from "../source/markup.ts";
import { PAGE_BREAK } from "../source/styled-html.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";
import type { Context } from "./context.ts";
import { stateOfControl, stateOfFormField } from "./control-states.ts";
import { type DrawingHtml, DrawingWriter } from "./drawings.ts";
import { fieldHtml, Fields, linked } from "./fields.ts";
import { ParagraphWriter, TAB } from "./paragraph-html.ts";
import { styledRun } from "./run-html.ts";
import { paragraphStyleOf, type RunStyle, runStyleOf, withParagraphStyle } from "./styles.ts";
import { tabMark } from "./tab-stops.ts";
import { tableHtml } from "./tables.ts";

export class BodyWriter {
  readonly #context: Context;
  /** Text boxes of the paragraph that is being written; they follow it. */
  #boxes: string[] = [];
  /** Page breaks within the paragraph. */
  #breaks = 0;
  /** The text of paragraphs whose ends were deleted: it continues in the next one. */
  #joined = "";
  #paragraphs: ParagraphWriter;
  readonly #drawings: DrawingWriter;
  /** Tables that are being written, within each other. */
  #tables = 0;

  constructor(context: Context) {
    this.#context = context;
    this.#paragraphs = new ParagraphWriter(context);
    this.#drawings = new DrawingWriter(context, (content) => this.blocks(content));
  }

  /** Blocks: paragraphs, tables, and their containers. */
  async blocks(parent: XmlElement | undefined): Promise<string> {
    const outer = this.#paragraphs;
    this.#paragraphs = new ParagraphWriter(this.#context);
    const html: string[] = [];
    for (const element of elementsIn(parent)) html.push(await this.block(element));
    html.push(this.end());
    this.#paragraphs = outer;
    return html.join("");
  }

  /** What the blocks so far have left for a paragraph that never comes: a box of paragraphs, and text. */
  end(): string {
    const joined = this.#joined;
    this.#joined = "";
    const group = this.#paragraphs.end();
    return joined.trim() === "" ? group : `${group}${this.#context.shown.added(`<p>${joined}</p>`, joined.length)}`;
  }

  /** A block. Other elements have no text, or are reported (`coverage.ts`). */
  async block(element: XmlElement): Promise<string> {
    const { work } = this.#context;
    work.spend(NODE_WORK);
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

  async #table(element: XmlElement): Promise<string> {
    this.#tables += 1;
    const html = await tableHtml(element, (cell) => this.blocks(cell));
    this.#tables -= 1;
    return html;
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
    if (paragraph.breakBefore) html.push(this.#paragraphs.end(), PAGE_BREAK);
    if (content !== "" || breaks === 0)
      html.push(this.#paragraphs.add({ name, style: paragraph, run: style.run, content }, this.#tables > 0));
    if (boxes !== "" || breaks > 0) html.push(this.#paragraphs.end(), boxes, PAGE_BREAK.repeat(Math.min(breaks, 10)));
    return html.join("");
  }

  #stateOf(control: XmlElement): string {
    return this.#context.shown.added(escaped(stateOfControl(control)));
  }

  /** The runs of a paragraph, and their containers. */
  async #inlines(parent: XmlElement, style: RunStyle): Promise<string> {
    const fields = new Fields(this.#context.isRunning);
    for (const element of elementsIn(parent)) fields.add(element, await this.#inline(element, style));
    return fields.end();
  }

  async #inline(element: XmlElement, style: RunStyle): Promise<string> {
    const { work, relationships, shown } = this.#context;
    work.spend(NODE_WORK);
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
    return content === "" ? "" : this.#context.shown.added(styledRun(content, style, base), content.length);
  }

  async #runContent(node: XmlElement, style: RunStyle): Promise<string> {
    const { work, note, shown, isRunning } = this.#context;
    switch (node.name) {
      case "t": {
        const text = shown.added(textIn(node));
        const html = await escapedText(work, style.caps ? text.toUpperCase() : text);
        return shown.added(keepSpaces(html), text.length);
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
        return number === undefined ? "" : shown.added(noteReference(kind, number));
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
        return this.#inText(await this.#drawings.drawing(node));
      case "pict":
      case "object":
        return this.#inText(await this.#drawings.picture(node));
      default:
        return "";
    }
  }

  #inText({ inText, boxes }: DrawingHtml): string {
    if (boxes !== "") this.#boxes.push(boxes);
    return inText;
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
}

/** The alignment of a tab to a place of the line; "" for one to the next stop. */
const alignmentOf = (name = ""): string => (/^(?:left|center|right)$/.test(name) ? name : "");

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
