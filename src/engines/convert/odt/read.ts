/** Text documents of OpenDocument (ODF 1.3, part 3) as HTML. */
import { noBody } from "../../file-errors.ts";
import type { Work } from "../../work.ts";
import type { Archive } from "../source/archive.ts";
import { coverage, nameLost } from "../source/coverage.ts";
import type { Conversion } from "../source/document.ts";
import type { DocumentParts } from "../source/document-parts.ts";
import {
  escaped,
  escapedAttribute,
  htmlDocument,
  mixedContent,
  NODE_WORK,
  noteHtml,
  noteReference,
} from "../source/markup.ts";
import { refuseEncrypted } from "../source/open-document.ts";
import { pictureHtml } from "../source/picture.ts";
import { partAt } from "../source/relationships.ts";
import { ShownBudget } from "../source/shown.ts";
import { PAGE_BREAK } from "../source/styled-html.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";
import { lengthOf, TextStyles } from "./styles.ts";

/** Fields and marks whose text is the text that is shown. */
const FIELDS = `page-number page-count date time author-name author-initials title subject keywords description creator initial-creator
  sequence sequence-ref bookmark-ref reference-ref note-ref chapter file-name template-name sheet-name variable-set variable-get variable-input
  user-field-get user-field-input expression text-input placeholder conditional-text hidden-text word-count character-count paragraph-count
  creation-date creation-time modification-date modification-time print-date print-time printed-by editing-cycles editing-duration meta
  meta-field sender-firstname sender-lastname sender-email sender-company user-defined database-display measure`;

const COVERAGE = coverage({
  kept: `text p h span a s tab line-break list list-item list-header section table table-column table-columns table-header-columns table-header-rows
    table-rows table-row table-cell covered-table-cell frame image text-box note note-citation note-body numbered-paragraph
    table-of-content illustration-index table-index object-index user-index alphabetical-index bibliography index-body index-title
    bookmark bookmark-start reference-mark reference-mark-start ruby ruby-base ruby-text bibliography-mark ${FIELDS}`,
  invisible: {
    "how indexes and fields are made, and where marks end": `table-of-content-source illustration-index-source table-index-source object-index-source user-index-source
      alphabetical-index-source bibliography-source bookmark-end reference-mark-end soft-page-break sequence-decls variable-decls user-field-decls
      dde-connection-decls alphabetical-index-auto-mark-file toc-mark toc-mark-start toc-mark-end alphabetical-index-mark user-index-mark
      alphabetical-index-mark-start alphabetical-index-mark-end user-index-mark-start user-index-mark-end number annotation-end`,
    "other forms of a frame, and what it says about itself":
      "desc glue-point image-map event-listeners contour-polygon contour-path",
  },
  dropped: {
    "tracked-changes": "tracked-changes change change-start change-end",
    comments: "annotation",
    "form-fields": "forms control",
    "embedded-objects": "object object-ole applet plugin floating-frame",
    shapes: "custom-shape line rect ellipse circle polygon polyline path connector g regular-polygon caption",
    scripts: "script",
  },
});
const FIELD: ReadonlySet<string> = new Set(FIELDS.split(/\s+/));

const STYLE = "p{margin:0}h1,h2,h3,h4,h5,h6{margin:0}td p{margin:0}";
const TAB = "\u2003";
/** Spaces of one element, and columns that one cell takes. */
const [MOST_SPACES, MOST_COLUMNS] = [200, 200];

const repeats = (element: XmlElement, name: string, most = Infinity): number =>
  Math.min(Math.max(Math.floor(Number(attribute(element, name))) || 1, 1), most);

/** @throws Refusal `invalid_file`, `limit_exceeded` */
export async function readOdt(archive: Archive, parts: DocumentParts): Promise<Conversion> {
  const { work } = parts;
  await refuseEncrypted(work, archive, "ODT");
  const content = await partAt(work, archive, "content.xml");
  const body = elementAt(content, "body", "text");
  if (body === undefined) throw noBody();
  const shared = await partAt(work, archive, "styles.xml");
  const styles = new TextStyles(work, [shared, content]);
  const notConverted = new Set<string>();
  await nameLost(work, body, COVERAGE, notConverted);
  for (const page of elementsIn(elementAt(shared, "master-styles"), "master-page"))
    for (const name of ["header", "footer"]) {
      const running = elementsIn(page).filter((one) => one.name.startsWith(name));
      if (running.some((one) => textIn(one).trim() !== "")) notConverted.add(`${name}s`);
    }
  const writer = new TextWriter(work, archive, styles, notConverted);
  const html = `${await writer.blocks(body)}${writer.notes()}`;
  const about = elementAt(await partAt(work, archive, "meta.xml"), "meta");
  const fact = (name: string): string | undefined => textIn(elementAt(about, name)).trim() || undefined;
  return {
    parts: [await parts.ofHtml(htmlDocument({ style: STYLE, body: html }), { rule: styles.page() })],
    title: fact("title"),
    author: fact("creator") ?? fact("initial-creator"),
    language: fact("language"),
    notConverted,
  };
}

class TextWriter {
  readonly #work: Work;
  readonly #archive: Archive;
  readonly #styles: TextStyles;
  readonly #notConverted: Set<string>;
  readonly #shown = new ShownBudget();
  readonly #notes: string[] = [];
  /** The numbers of the items so far, by level, and of the lists that others continue. */
  #counts: number[] = [];
  readonly #continued = new Map<string, number>();
  /** Text boxes of the paragraph that is being written; they follow it. */
  #boxes: string[] = [];
  /** What the next paragraph begins with: the mark of its item. */
  #mark = "";

  constructor(work: Work, archive: Archive, styles: TextStyles, notConverted: Set<string>) {
    this.#work = work;
    this.#archive = archive;
    this.#styles = styles;
    this.#notConverted = notConverted;
  }

  notes(): string {
    return this.#notes.length === 0 ? "" : `<hr>${this.#notes.join("")}`;
  }

  async blocks(parent: XmlElement, indent = 0): Promise<string> {
    const html: string[] = [];
    for (const element of elementsIn(parent)) html.push(await this.#block(element, indent));
    return html.join("");
  }

  async #block(element: XmlElement, indent: number): Promise<string> {
    this.#work.spend(NODE_WORK);
    await this.#work.pause();
    switch (element.name) {
      case "p":
      case "h":
        return this.#paragraph(element, indent);
      case "list":
        return this.#list(element, indent);
      case "table":
        return this.#table(element);
      case "section":
        return attribute(element, "display") === "none" ? "" : this.blocks(element, indent);
      case "frame": {
        const html = await this.#inline(element);
        const boxes = this.#boxes.splice(0).join("");
        return `${html === "" ? "" : `<p>${html}</p>`}${boxes}`;
      }
      case "numbered-paragraph":
      case "index-body":
      case "index-title":
      case "table-of-content":
      case "illustration-index":
      case "table-index":
      case "object-index":
      case "user-index":
      case "alphabetical-index":
      case "bibliography":
        return this.blocks(element, indent);
      default:
        return "";
    }
  }

  async #paragraph(element: XmlElement, indent: number): Promise<string> {
    const name = attribute(element, "style-name");
    const outer = this.#boxes;
    this.#boxes = [];
    const mark = this.#mark;
    this.#mark = "";
    const text = `${mark}${await this.#inlines(element)}`;
    const boxes = this.#boxes.join("");
    this.#boxes = outer;
    const look = this.#styles.paragraph(name);
    const level = Math.min(Math.max(Math.floor(Number(attribute(element, "outline-level"))) || 1, 1), 6);
    const tag = element.name === "h" && text.trim() !== "" ? `h${level}` : "p";
    const css = `${tag === "p" ? "" : "font-size:1.1em;"}${look.css}${indent > 0 ? `;margin-left:${indent * 18}pt` : ""}`;
    const html = `<${tag} style="${escapedAttribute(css)}">${text === "" ? "&nbsp;" : text}</${tag}>`;
    return `${look.breakBefore ? PAGE_BREAK : ""}${this.#shown.added(html, text.length)}${boxes}${look.breakAfter ? PAGE_BREAK : ""}`;
  }

  async #list(list: XmlElement, indent: number, outerStyle?: string): Promise<string> {
    const style = attribute(list, "style-name") ?? outerStyle ?? "";
    const before = this.#counts;
    const id =
      attribute(list, "continue-list") ?? (attribute(list, "continue-numbering") === "true" ? style : undefined);
    const level = indent + 1;
    const look = this.#styles.listLevel(style, level);
    this.#counts = [
      ...before.slice(0, indent),
      (id === undefined ? undefined : this.#continued.get(`${id}:${level}`)) ?? look.start - 1,
    ];
    const html: string[] = [];
    for (const item of elementsIn(list)) {
      if (item.name !== "list-item" && item.name !== "list-header") continue;
      this.#work.spend(NODE_WORK);
      await this.#work.pause();
      if (item.name === "list-item") {
        const start = Number(attribute(item, "start-value"));
        this.#counts[indent] = Number.isSafeInteger(start) && start > 0 ? start : (this.#counts[indent] ?? 0) + 1;
        this.#mark = this.#styles.mark(style, level, this.#counts);
        if (this.#mark !== "") this.#mark = this.#shown.added(`${escaped(this.#mark)}${TAB}`);
      }
      for (const block of elementsIn(item))
        html.push(block.name === "list" ? await this.#list(block, level, style) : await this.#block(block, level));
      this.#mark = "";
    }
    for (const key of [attribute(list, "id") ?? "", style])
      this.#continued.set(`${key}:${level}`, this.#counts[indent] ?? 0);
    this.#counts = before;
    return html.join("");
  }

  async #table(table: XmlElement): Promise<string> {
    const html = ["<table>"];
    for (const row of rowsOf(table)) {
      const cells: string[] = [];
      for (const cell of elementsIn(row, "table-cell")) {
        const spans = (["columns", "rows"] as const).map((kind) => {
          const span = Math.floor(Number(attribute(cell, `number-${kind}-spanned`)));
          return span > 1 && span <= MOST_COLUMNS ? ` ${kind === "columns" ? "colspan" : "rowspan"}="${span}"` : "";
        });
        const content = await this.blocks(cell);
        const css = this.#styles.cell(attribute(cell, "style-name"));
        const made = `<td${spans.join("")} style="${escapedAttribute(css)}">${content}</td>`;
        this.#addCopies(cells, made, content.length, repeats(cell, "number-columns-repeated", MOST_COLUMNS));
      }
      const made = `<tr>${cells.join("")}</tr>`;
      this.#addCopies(html, made, made.length, repeats(row, "number-rows-repeated"));
    }
    return `${html.join("")}</table>`;
  }

  /** Counts each copy before the next is made. `counted`: characters of the first that are counted already. */
  #addCopies(html: string[], made: string, counted: number, copies: number): void {
    for (let copy = 0; copy < copies; copy++) html.push(this.#shown.added(made, copy === 0 ? counted : 0));
  }

  #inlines(parent: XmlElement): Promise<string> {
    return mixedContent({ work: this.#work, shown: this.#shown }, parent, (element) => this.#inline(element));
  }

  async #inline(element: XmlElement): Promise<string> {
    switch (element.name) {
      case "s":
        return this.#shown.added("&nbsp;".repeat(repeats(element, "c", MOST_SPACES)));
      case "tab":
        return TAB;
      case "line-break":
        return "<br>";
      case "span": {
        const { css, tags, isHidden } = this.#styles.run(attribute(element, "style-name"));
        if (isHidden) return "";
        const content = await this.#inlines(element);
        const inner = tags.reduce((html, tag) => `<${tag}>${html}</${tag}>`, content);
        return css === ""
          ? inner
          : this.#shown.added(`<span style="${escapedAttribute(css)}">${inner}</span>`, content.length);
      }
      case "a": {
        const href = (attribute(element, "href") ?? "").replace(/^(#.*)\|\w+$/, "$1");
        return `<a href="${escapedAttribute(href)}">${await this.#inlines(element)}</a>`;
      }
      case "bookmark":
      case "bookmark-start":
      case "reference-mark":
      case "reference-mark-start":
        return this.#shown.added(`<span id="${escapedAttribute(attribute(element, "name") ?? "")}"></span>`);
      case "note":
        return this.#note(element);
      case "ruby":
        return `${await this.#inlines(elementAt(element, "ruby-base") ?? element)}<small>(${await this.#inlines(elementAt(element, "ruby-text") ?? { ...element, children: [] })})</small>`;
      case "frame":
        return this.#frame(element);
      case "bibliography-mark":
        return this.#inlines(element);
      default:
        return FIELD.has(element.name) ? this.#inlines(element) : "";
    }
  }

  async #note(element: XmlElement): Promise<string> {
    const place = this.#notes.length;
    this.#notes.push("");
    const number = escaped(textIn(elementAt(element, "note-citation")).trim()) || String(place + 1);
    const body = elementAt(element, "note-body");
    const [outer, mark] = [this.#boxes, this.#mark];
    this.#boxes = [];
    this.#mark = "";
    const text = body === undefined ? "" : await this.blocks(body);
    [this.#boxes, this.#mark] = [outer, mark];
    this.#notes[place] = noteHtml("note", place, text, number);
    return noteReference("note", place, number);
  }

  /** The first of its forms that can be shown. */
  async #frame(frame: XmlElement): Promise<string> {
    const box = elementAt(frame, "text-box");
    if (box !== undefined) {
      const html = await this.blocks(box);
      if (html !== "") this.#boxes.push(this.#shown.added(`<div style="margin:4pt 0">${html}</div>`, html.length));
      return "";
    }
    const alt = textIn(elementAt(frame, "title")).trim() || textIn(elementAt(frame, "desc")).trim();
    const images = elementsIn(frame, "image");
    for (const image of images) {
      const path = (attribute(image, "href") ?? "").replace(/^\.\//, "");
      const bytes = await this.#archive.read(path);
      const [width, height] = ["width", "height"].map((name) => lengthOf(attribute(frame, name)));
      const context = { work: this.#work, shown: this.#shown, notConverted: this.#notConverted };
      if (bytes !== undefined) return pictureHtml(context, bytes, { alt, width, height });
    }
    if (images.length > 0) this.#notConverted.add("external-images");
    return this.#shown.added(escaped(alt));
  }
}

const ROW_GROUPS: ReadonlySet<string> = new Set(["table-header-rows", "table-rows", "table-row-group"]);
const rowsOf = (parent: XmlElement): XmlElement[] =>
  elementsIn(parent).flatMap((element) => {
    if (element.name === "table-row") return [element];
    return ROW_GROUPS.has(element.name) ? rowsOf(element) : [];
  });
