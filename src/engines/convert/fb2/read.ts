/** E-books of FictionBook 2.0 to 2.2 as HTML. */
import { fromBase64 } from "../../../bytes/base64.ts";
import { coverage, nameLost } from "../source/coverage.ts";
import type { Conversion } from "../source/document.ts";
import type { DocumentParts } from "../source/document-parts.ts";
import { escaped, escapedAttribute, htmlDocument, mixedContent, NODE_WORK } from "../source/markup.ts";
import { pictureHtml } from "../source/picture.ts";
import { ShownBudget } from "../source/shown.ts";
import { attribute, elementAt, elementsIn, parseXml, textIn, type XmlElement } from "../source/xml.ts";
import type { Work } from "../../work.ts";

const COVERAGE = coverage({
  kept: `FictionBook body section title subtitle epigraph annotation image p poem stanza v cite text-author date empty-line table tr th td
    strong emphasis style a strikethrough sub sup code`,
  invisible: { "what it says about itself, and its pictures, which are looked up": "description binary" },
  dropped: { "style-sheets": "stylesheet" },
});

const STYLE = `.t{text-align:center}.e{margin-left:30%;font-style:italic}.c{margin:0.6em 2em}.v{margin:0 0 0 2em}.s{margin:0.8em 0}
.a{text-align:right;font-style:italic}.m{text-align:center;font-weight:bold}img{max-width:100%}`;

/** Blocks that are divisions of a class. */
const DIVISIONS: Readonly<Record<string, string>> = {
  epigraph: "e",
  cite: "c",
  annotation: "c",
  poem: "s",
  stanza: "s",
};
/** Blocks that are paragraphs of a class. */
const PARAGRAPHS: Readonly<Record<string, string>> = { p: "", v: "v", subtitle: "m", "text-author": "a", date: "a" };
const INLINES: Readonly<Record<string, string>> = {
  strong: "b",
  emphasis: "i",
  strikethrough: "s",
  sub: "sub",
  sup: "sup",
  code: "code",
  style: "span",
};

/** @throws Refusal `invalid_file`, `limit_exceeded` */
export async function readFb2(text: string, parts: DocumentParts): Promise<Conversion> {
  const { work } = parts;
  const root = await parseXml(work, text.slice(Math.max(0, text.indexOf("<"))), "FictionBook");
  const notConverted = new Set<string>();
  await nameLost(work, root, COVERAGE, notConverted);
  const about = elementAt(root, "description", "title-info");
  const writer = new BookWriter(work, root, notConverted);
  const html: string[] = [];
  for (const cover of elementsIn(elementAt(about, "coverpage"), "image")) html.push(await writer.block(cover, 0));
  for (const body of elementsIn(root, "body")) html.push(await writer.blocks(body, 0));
  const author = elementAt(about, "author");
  const named = ["first-name", "middle-name", "last-name"].map((name) => textIn(elementAt(author, name)).trim());
  return {
    parts: [await parts.ofHtml(htmlDocument({ style: STYLE, body: html.join("") }))],
    title: textIn(elementAt(about, "book-title")).trim() || undefined,
    author: named.filter(Boolean).join(" ") || textIn(elementAt(author, "nickname")).trim() || undefined,
    language: textIn(elementAt(about, "lang")).trim() || undefined,
    notConverted,
  };
}

class BookWriter {
  readonly #work: Work;
  readonly #binaries: ReadonlyMap<string, XmlElement>;
  readonly #notConverted: Set<string>;
  readonly #shown = new ShownBudget();

  constructor(work: Work, root: XmlElement, notConverted: Set<string>) {
    this.#work = work;
    this.#notConverted = notConverted;
    this.#binaries = new Map(elementsIn(root, "binary").map((one) => [attribute(one, "id") ?? "", one]));
  }

  /** `depth`: the sections around them. */
  async blocks(parent: XmlElement, depth: number): Promise<string> {
    const html: string[] = [];
    for (const element of elementsIn(parent)) html.push(await this.block(element, depth));
    return html.join("");
  }

  async block(element: XmlElement, depth: number): Promise<string> {
    this.#work.spend(NODE_WORK);
    await this.#work.pause();
    const { name } = element;
    const id = idOf(element);
    const division = DIVISIONS[name];
    if (division !== undefined) return `<div${id} class="${division}">${await this.blocks(element, depth)}</div>`;
    const paragraph = PARAGRAPHS[name];
    if (paragraph !== undefined) return `<p${id} class="${paragraph}">${await this.#inlines(element)}</p>`;
    switch (name) {
      case "section":
        return `<div${id}>${await this.blocks(element, depth + 1)}</div>`;
      case "title":
        return this.#title(element, depth);
      case "empty-line":
        return "<p>&nbsp;</p>";
      case "image":
        return `<p${id} class="t">${await this.#image(element)}</p>`;
      case "table":
        return this.#table(element);
      default:
        return "";
    }
  }

  /** A heading of all its paragraphs. */
  async #title(element: XmlElement, depth: number): Promise<string> {
    const lines: string[] = [];
    for (const line of elementsIn(element, "p")) lines.push(await this.#inlines(line));
    const heading = `h${Math.min(depth + 1, 6)}`;
    return `<${heading} class="t">${lines.join("<br>")}</${heading}>`;
  }

  async #table(table: XmlElement): Promise<string> {
    const html: string[] = [];
    for (const row of elementsIn(table, "tr")) {
      html.push("<tr>");
      for (const cell of elementsIn(row)) {
        if (cell.name !== "td" && cell.name !== "th") continue;
        const spans = ["colspan", "rowspan"].map((name) => {
          const span = Math.floor(Number(attribute(cell, name)));
          return span > 1 && span <= 100 ? ` ${name}="${span}"` : "";
        });
        const align = /^(?:left|right|center)$/.exec(attribute(cell, "align") ?? "")?.[0];
        html.push(
          `<${cell.name}${spans.join("")}${align === undefined ? "" : ` style="text-align:${align}"`}>${await this.#inlines(cell)}</${cell.name}>`,
        );
      }
      html.push("</tr>");
    }
    return this.#shown.added(`<table${idOf(table)}>${html.join("")}</table>`);
  }

  #inlines(parent: XmlElement): Promise<string> {
    return mixedContent({ work: this.#work, shown: this.#shown }, parent, (element) => this.#inline(element));
  }

  async #inline(element: XmlElement): Promise<string> {
    if (element.name === "image") return this.#image(element);
    const content = await this.#inlines(element);
    if (element.name === "a") {
      const link = `<a${idOf(element)} href="${escapedAttribute(attribute(element, "href") ?? "")}">${content}</a>`;
      return attribute(element, "type") === "note" ? `<sup>${link}</sup>` : link;
    }
    const name = INLINES[element.name] ?? "span";
    return `<${name}${idOf(element)}>${content}</${name}>`;
  }

  async #image(element: XmlElement): Promise<string> {
    const reference = attribute(element, "href") ?? "";
    const alt = attribute(element, "alt") ?? attribute(element, "title") ?? "";
    const binary = reference.startsWith("#") ? this.#binaries.get(reference.slice(1)) : undefined;
    if (binary === undefined) {
      this.#notConverted.add("external-images");
      return this.#shown.added(escaped(alt));
    }
    const data = textIn(binary);
    this.#work.spend(data.length);
    await this.#work.rest();
    const context = { work: this.#work, shown: this.#shown, notConverted: this.#notConverted };
    return pictureHtml(context, decoded(data), { alt });
  }
}

/** Without bytes, it is a picture of no known format. */
function decoded(data: string): Uint8Array {
  try {
    return fromBase64(data);
  } catch {
    return new Uint8Array();
  }
}

const idOf = (element: XmlElement): string => {
  const id = attribute(element, "id");
  return id === undefined ? "" : ` id="${escapedAttribute(id)}"`;
};
