/** Word processing documents (ECMA-376: DOCX), read here: MuPDF's own reader drops notes, text boxes, styles, and page formats. */
import type { Work } from "../../work.ts";
import type { Archive } from "../source/archive.ts";
import type { Conversion, PaperMargins, PageFormat, DocumentPart } from "../source/document.ts";
import { hyperlinkOf } from "./link-fields.ts";
import { boundedHtml } from "../source/bounded-html.ts";
import { htmlDocument } from "../source/markup.ts";
import { tidied } from "../source/tidy-html.ts";
import { mainPartOf, partAt, relationshipsOf, type Relationship } from "../source/relationships.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";
import { noBody } from "../../file-errors.ts";
import { BodyWriter, type Context } from "./body.ts";
import { nameLostIn } from "./coverage.ts";
import { Numbering } from "./numbering.ts";
import { ShownBudget } from "../source/shown.ts";
import { points, Styles } from "./styles.ts";

export interface OfficeOptions {
  /** The page that the client wants instead of that of the document. */
  readonly page: (own: PageFormat) => PageFormat;
  readonly fontSize: number;
  readonly css: string;
}

/** The main part where the package does not name one. */
const USUAL_MAIN = "word/document.xml";
const STYLE = "p{margin:0}td p{margin:0}h1,h2,h3,h4,h5,h6{margin:0}";

interface Note {
  readonly kind: "footnote" | "endnote";
  readonly number: number;
  readonly id: string;
}

export async function readDocx(work: Work, archive: Archive, options: OfficeOptions): Promise<Conversion> {
  const main = (await mainPartOf(work, archive)) ?? USUAL_MAIN;
  const document = await partAt(work, archive, main);
  const body = elementAt(document, "body");
  if (body === undefined) throw noBody();
  const relationships = await relationshipsOf(work, archive, main);
  const part = (type: string): Promise<XmlElement | undefined> =>
    partAt(work, archive, relationships.values().find((one) => one.type === type && !one.external)?.target);
  const notConverted = new Set<string>();
  const notes: Note[] = [];
  const counts = { footnote: 0, endnote: 0 };
  const context: Context = {
    work,
    archive,
    relationships,
    styles: await Styles.read(work, await part("styles")),
    numbering: new Numbering(await part("numbering")),
    notConverted,
    shown: new ShownBudget(),
    fontSize: options.fontSize,
    note(kind, id) {
      const number = (counts[kind] += 1);
      notes.push({ kind, number, id });
      return number;
    },
  };
  await nameLostIn(work, body, notConverted);
  const sections = await sectionsOf(body, context);
  sections.at(-1)?.html.push(await notesOf(notes, part, context));
  await nameHeaders(work, archive, relationships, notConverted);
  const core = await partAt(work, archive, "docProps/core.xml");
  const targets = anchorsIn(body);
  // Only to count how deep its tables are inside each other.
  for (const { html } of sections) await tidied(work, html.join(""));
  const parts: DocumentPart[] = [];
  for (const { html, page } of sections) {
    const format = options.page(page);
    const { width, margins } = format;
    const bounded = await boundedHtml(work, htmlDocument({ style: STYLE, body: html.join("") }), options.css, {
      emsOfPage: (width - margins.left - margins.right) / options.fontSize,
    });
    parts.push({ ...bounded, type: "text/html", page: format, fontSize: options.fontSize, targets });
  }
  return {
    parts,
    title: textIn(elementAt(core, "title")).trim() || undefined,
    author: textIn(elementAt(core, "creator")).trim() || undefined,
    language: textIn(elementAt(core, "language")).trim() || undefined,
    notConverted,
  };
}

interface Section {
  readonly html: string[];
  page: PageFormat;
}

/** The sections, of which those that continue on the page of the one before are one with it. */
async function sectionsOf(body: XmlElement, context: Context): Promise<Section[]> {
  const sections: Section[] = [{ html: [], page: pageOf(undefined) }];
  const writer = new BodyWriter(context);
  let continues = false;
  const end = (properties: XmlElement): void => {
    const page = pageOf(properties);
    const type = attribute(elementAt(properties, "type"), "val");
    const [before, last] = sections.slice(-2) as [Section, Section?];
    if (last === undefined) before.page = page;
    else if (type === "continuous" && before.page.width === page.width && before.page.height === page.height) {
      for (const html of last.html) before.html.push(html);
      sections.pop();
    } else last.page = page;
    continues = true;
  };
  for (const element of elementsIn(body)) {
    if (element.name === "sectPr") {
      end(element);
      continue;
    }
    if (continues) sections.push({ html: [], page: sections.at(-1)?.page ?? pageOf(undefined) });
    continues = false;
    sections.at(-1)?.html.push(await writer.block(element));
    const properties = elementAt(element, "pPr", "sectPr");
    if (!properties) continue;
    sections.at(-1)?.html.push(writer.end());
    end(properties);
  }
  sections.at(-1)?.html.push(writer.end());
  return sections;
}

/** The page of a section (17.6.11, 17.6.13). By default Letter with margins of an inch. */
function pageOf(properties: XmlElement | undefined): PageFormat {
  const size = elementAt(properties, "pgSz");
  const margins = elementAt(properties, "pgMar");
  const side = (text: string | undefined, otherwise: number): number => {
    const value = points(text);
    return value !== undefined && value >= 72 && value <= 14_400 ? value : otherwise;
  };
  const [width, height] = [side(attribute(size, "w"), 612), side(attribute(size, "h"), 792)];
  const margin = (name: string, most: number): number =>
    Math.min(Math.abs(points(attribute(margins, name)) ?? 72), most);
  const all: PaperMargins = {
    top: margin("top", height / 3),
    right: margin("right", width / 3),
    bottom: margin("bottom", height / 3),
    left: margin("left", width / 3),
  };
  return { width, height, margins: all };
}

/** The footnotes and endnotes, at the end of the document. */
async function notesOf(
  notes: readonly Note[],
  part: (type: string) => Promise<XmlElement | undefined>,
  context: Context,
): Promise<string> {
  const html: string[] = [];
  for (const kind of ["footnote", "endnote"] as const) {
    if (!notes.some((note) => note.kind === kind)) continue;
    const root = await part(`${kind}s`);
    await nameLostIn(context.work, root, context.notConverted);
    const texts = new Map(elementsIn(root, kind).map((note) => [attribute(note, "id") ?? "", note]));
    html.push("<hr>");
    for (const note of notes.filter((one) => one.kind === kind)) {
      const text = await new BodyWriter({ ...context, note: () => undefined }).blocks(texts.get(note.id));
      html.push(
        `<div id="${kind}-${note.number}" style="font-size:0.85em"><p><a href="#${kind}-ref-${note.number}">${note.number}</a>.</p>${text}</div>`,
      );
    }
  }
  return html.join("");
}

/** Headers and footers repeat on each page, which flowing text has no place for. */
async function nameHeaders(
  work: Work,
  archive: Archive,
  relationships: ReadonlyMap<string, Relationship>,
  notConverted: Set<string>,
): Promise<void> {
  for (const { type, target, external } of relationships.values()) {
    if (external || (type !== "header" && type !== "footer")) continue;
    const root = await partAt(work, archive, target);
    if (textIn(root).trim() !== "" || hasPicture(root)) notConverted.add(`${type}s`);
  }
}

/** Pictures, and the text of watermarks. */
const PICTURES: ReadonlySet<string> = new Set(["blip", "imagedata", "textpath"]);
const hasPicture = (element: XmlElement | undefined): boolean =>
  elementsIn(element).some((child) => PICTURES.has(child.name) || hasPicture(child));

/** The bookmarks that links lead to. */
function anchorsIn(element: XmlElement, found = new Set<string>()): ReadonlySet<string> {
  const anchor = anchorOf(element);
  if (anchor !== undefined) found.add(anchor);
  for (const child of elementsIn(element)) anchorsIn(child, found);
  return found;
}

function anchorOf(element: XmlElement): string | undefined {
  if (element.name === "hyperlink") return attribute(element, "anchor");
  const code = element.name === "instrText" ? textIn(element) : (attribute(element, "instr") ?? "");
  const to = hyperlinkOf(code);
  return to?.startsWith("#") ? to.slice(1) : undefined;
}
