/** Word processing documents (ECMA-376: DOCX), read here: MuPDF's own reader drops notes, text boxes, styles, and page formats. */
import type { Work } from "../../work.ts";
import type { Archive } from "../source/archive.ts";
import type { Conversion, PageFormat, DocumentPart } from "../source/document.ts";
import { hyperlinkOf } from "./fields.ts";
import { boundedHtml } from "../source/bounded-html.ts";
import { htmlDocument, noteHtml } from "../source/markup.ts";
import { tidied } from "../source/tidy-html.ts";
import { mainPartOf, partAt, relationshipsOf } from "../source/relationships.ts";
import type { RunningContents, RunningSection } from "../source/document.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";
import { noBody } from "../../file-errors.ts";
import { BodyWriter } from "./body.ts";
import type { Context } from "./context.ts";
import { nameLostIn } from "./coverage.ts";
import { Numbering } from "./numbering.ts";
import { ShownBudget } from "../source/shown.ts";
import { placedBoxesOf, HeaderReader, type HtmlStyle } from "./headers.ts";
import { hasGutterAtTop, narrowestText, type SectionStart, writeSections } from "./sections.ts";
import { flag, Styles } from "./styles.ts";

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
  const lists = await part("numbering");
  const settings = await part("settings");
  const isGutterAtTop = hasGutterAtTop(settings);
  const context: Context = {
    work,
    archive,
    relationships,
    styles: await Styles.read(work, await part("styles")),
    numbering: new Numbering(lists),
    notConverted,
    shown: new ShownBudget(),
    fontSize: options.fontSize,
    note(kind, id) {
      const number = (counts[kind] += 1);
      notes.push({ kind, number, id });
      return number;
    },
    width: narrowestText(body, isGutterAtTop),
    isRunning: false,
    placed: [],
  };
  await nameLostIn(work, body, notConverted);
  const runs = await writeSections(body, new BodyWriter(context), { placed: context.placed, isGutterAtTop });
  runs.at(-1)?.html.push(await notesOf(notes, part, context));
  const core = await partAt(work, archive, "docProps/core.xml");
  const style: HtmlStyle = { style: STYLE, css: options.css };
  // Lists of headers are numbered apart from those of the text.
  const headers = new HeaderReader({ ...context, numbering: new Numbering(lists) }, style);
  const hasEven = flag(settings, "evenAndOddHeaders") ?? false;
  const targets = new Set(anchorsIn(body));
  // Only to count how deep its tables are inside each other.
  for (const { html } of runs) await tidied(work, html.join(""));
  const parts: DocumentPart[] = [];
  for (const { html, placed, page, starts } of runs) {
    const format = options.page(page);
    const { width, margins } = format;
    const bounded = await boundedHtml(work, htmlDocument({ style: STYLE, body: html.join("") }), options.css, {
      emsOfPage: (width - margins.left - margins.right) / options.fontSize,
    });
    const running: RunningSection[] = [];
    for (const start of starts) {
      // Headers move the text out of margins of the client.
      const overlaps = {
        top: start.overlaps.top && margins.top === page.margins.top,
        bottom: start.overlaps.bottom && margins.bottom === page.margins.bottom,
      };
      running.push(await runningSection({ ...start, overlaps }, headers, format, hasEven));
    }
    const boxes = await placedBoxesOf(context, placed, style);
    const beside = [
      ...boxes,
      ...running.flatMap((section) => [...Object.values(section.headers), ...Object.values(section.footers)]),
    ];
    const fuel = beside.reduce((sum, one) => sum + one.html.fuel, bounded.fuel);
    parts.push({
      ...bounded,
      fuel,
      type: "text/html",
      page: format,
      fontSize: options.fontSize,
      targets,
      running,
      boxes,
    });
  }
  for (const root of headers.roots) anchorsIn(root, targets);
  return {
    parts,
    title: textIn(elementAt(core, "title")).trim() || undefined,
    author: textIn(elementAt(core, "creator")).trim() || undefined,
    language: textIn(elementAt(core, "language")).trim() || undefined,
    notConverted,
  };
}

async function runningSection(
  { headers, footers, ...start }: SectionStart,
  reader: HeaderReader,
  page: PageFormat,
  hasEven: boolean,
): Promise<RunningSection> {
  const contents = async (
    references: SectionStart["headers"],
    name: "headers" | "footers",
  ): Promise<RunningContents> => {
    const first = start.hasFirst ? await reader.read(references.first, name, page) : undefined;
    const even = hasEven ? await reader.read(references.even, name, page) : undefined;
    const odd = await reader.read(references.odd, name, page);
    return { ...(first && { first }), ...(even && { even }), ...(odd && { odd }) };
  };
  return {
    ...start,
    hasEven,
    headers: await contents(headers, "headers"),
    footers: await contents(footers, "footers"),
  };
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
      html.push(noteHtml(kind, note.number, text));
    }
  }
  return html.join("");
}

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
