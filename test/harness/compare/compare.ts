import { compareDocument } from "./compare-document.ts";
import { canonical, FieldNames, Trace, type Difference, type Mapping, type PageOrigin } from "./compare-trace.ts";
import type { DocumentView } from "../engines/pdfjs.ts";
import type { AnnotationView, PageView } from "../engines/pdfjs-page.ts";
import { plainRecord, type Plain, type StructureNode } from "../engines/pdfjs-values.ts";

export { describe, type Difference, type Mapping, type PageOrigin } from "./compare-trace.ts";

/** All pages of all sources, one document after the other. */
export function mergedPages(...sources: readonly DocumentView[]): PageOrigin[] {
  return sources.flatMap((view, source) => view.pages.map((_page, page) => ({ source, page })));
}

/** Pages of the one source, 0-based, in the order given. */
export function selectedPages(pages: readonly number[]): PageOrigin[] {
  return pages.map((page) => ({ source: 0, page }));
}

/**
 * Compares what an operation promises to keep, page by page and for the document, as pdf.js sees both. Returns every
 * difference; an empty list is the only good response.
 */
export function compareKept(sources: readonly DocumentView[], output: DocumentView, mapping: Mapping): Difference[] {
  const trace = new Trace(mapping);
  const names = new FieldNames(trace);
  trace.equal(null, "page count", mapping.pages.length, output.pages.length);
  const seen = new Set<string>();
  mapping.pages.forEach((origin, index) => {
    const expected = sources[origin.source]?.pages[origin.page];
    const actual = output.pages[index];
    if (expected === undefined) throw new Error(`the mapping names page ${origin.page} of source ${origin.source}`);
    if (actual === undefined) return;
    const key = `${origin.source} ${origin.page}`;
    const language = { source: sources[origin.source]?.language ?? null, output: output.language };
    const xfaIsGone = sources[origin.source]?.hasXfa === true && !output.hasXfa;
    comparePage(trace, names, { origin, index, isCopy: seen.has(key), xfaIsGone, language }, expected, actual);
    seen.add(key);
  });
  compareDocument(trace, names, sources, output);
  return trace.differences;
}

interface Place {
  readonly origin: PageOrigin;
  /** 0-based page of the output. */
  readonly index: number;
  /** Whether the same source page stands in the output before. */
  readonly isCopy: boolean;
  readonly xfaIsGone: boolean;
  /** Of the two documents. */
  readonly language: { readonly source: string | null; readonly output: string | null };
}

function comparePage(trace: Trace, names: FieldNames, place: Place, expected: PageView, actual: PageView): void {
  const page = place.index + 1;
  const { stamp } = place.origin;
  if (stamp === undefined) trace.equal(page, "text", expected.text, actual.text);
  else trace.equal(page, "text with its stamp", withoutSpace(expected.text + stamp), withoutSpace(actual.text));
  trace.equal(page, "visible box", expected.view, actual.view);
  trace.equal(page, "UserUnit", expected.userUnit, actual.userUnit);
  trace.equal(page, "Rotate", (expected.rotate + (place.origin.rotate ?? 0)) % 360, actual.rotate);
  if (stamp === undefined) compareDrawing(trace, place, expected, actual);
  const places = compareAnnotations(trace, names, place, expected.annotations, actual.annotations);
  const prune = trace.mapping.kind === "select";
  const language = place.language;
  trace.equal(
    page,
    "structure tree",
    structureText(expected.structure, { language: language.source, placeOf: (kid) => places.get(kid), prune }),
    structureText(actual.structure, { language: language.output, placeOf: (kid) => kid, prune }),
  );
}

/** Where lines end is told by what follows. */
const withoutSpace = (text: string): string => text.replaceAll(/\s/g, "");

function compareDrawing(trace: Trace, place: Place, expected: PageView, actual: PageView): void {
  const page = place.index + 1;
  if (trace.mapping.redrawn === true) return;
  if (expected.drawing === undefined || actual.drawing === undefined) return;
  trace.equal(page, "drawing operators", expected.drawing.content, actual.drawing.content);
  // A form's NeedAppearances makes readers draw fields anew; one that an input of a merge brings holds for all.
  if (trace.mapping.kind === "merge" || expected.annotations.length !== actual.annotations.length) return;
  // Where there is XFA, pdf.js draws fields that have no appearance; a part of an XFA form is a plain form.
  if (place.xfaIsGone || trace.mapping.fieldsDrawn) return;
  trace.equal(
    page,
    "drawing operators with annotations",
    expected.drawing.withAnnotations,
    actual.drawing.withAnnotations,
  );
}

/** Compares in order; returns for each kept annotation of the source its place in the output. */
function compareAnnotations(
  trace: Trace,
  names: FieldNames,
  place: Place,
  expected: readonly AnnotationView[],
  actual: readonly AnnotationView[],
): Map<number, number> {
  const page = place.index + 1;
  const { source } = place.origin;
  const places = new Map<number, number>();
  let at = 0;
  expected.forEach((annotation, index) => {
    const candidate = actual[at];
    if (trace.mapping.kind === "select" && annotation.subtype === "Link" && annotation.target !== undefined) {
      const { target } = annotation;
      if (target.page !== null && !trace.isKept(source, target.page)) return;
      // A link that led nowhere in the source may go or stay.
      if (target.page === null && (candidate === undefined || outline(candidate) !== outline(annotation))) return;
    }
    if (candidate === undefined) {
      trace.report(page, `annotation ${index + 1} (${annotation.subtype})`, annotation.rect, "nothing");
      return;
    }
    places.set(index, at);
    at++;
    compareAnnotation(trace, names, place, annotation, candidate, `annotation ${index + 1} (${annotation.subtype})`);
  });
  for (const extra of actual.slice(at)) {
    trace.report(page, "annotation that should not be there", "nothing", { subtype: extra.subtype, rect: extra.rect });
  }
  return places;
}

const outline = ({ subtype, rect }: AnnotationView): string => canonical([subtype, rect]);

function compareAnnotation(
  trace: Trace,
  names: FieldNames,
  place: Place,
  expected: AnnotationView,
  actual: AnnotationView,
  what: string,
): void {
  const page = place.index + 1;
  const { source } = place.origin;
  trace.equal(page, `${what} subtype and rectangle`, outline(expected), outline(actual));
  const isGone =
    expected.target !== undefined && expected.target.page !== null && !trace.isKept(source, expected.target.page);
  const sameTarget = isGone
    ? (actual.target?.page ?? null) === null
    : trace.leadsToSame(source, expected.target, actual.target);
  if (!sameTarget)
    trace.report(page, `${what} target`, trace.targetText(expected.target), trace.targetText(actual.target));
  trace.equal(page, `${what} address`, expected.url, actual.url);
  trace.equalEntries(page, what, propertiesOf(trace, expected), propertiesOf(trace, actual, expected));
  trace.equal(page, `${what} attached file`, expected.fileHash, actual.fileHash);
  if (expected.hasAppearance && !actual.hasAppearance) trace.report(page, `${what} appearance`, "one", "none");
  if (expected.fieldName !== undefined && actual.fieldName !== undefined) {
    names.check(page, source, expected.fieldName, actual.fieldName, place.isCopy);
  } else {
    trace.equal(page, `${what} field name`, expected.fieldName, actual.fieldName);
  }
}

/** What is compared of an annotation's properties; `expected` is its counterpart, where it is the output's. */
function propertiesOf(trace: Trace, { rest }: AnnotationView, expected?: AnnotationView): Plain {
  const { attachmentDest, defaultAppearanceData, ...properties } = rest;
  // A place in a document-level attachment, which split and extract-pages leave out.
  const { kind, keepsAttachments = false } = trace.mapping;
  const destination = kind === "select" && !keepsAttachments ? null : (attachmentDest ?? null);
  const font = plainRecord(defaultAppearanceData)["fontName"];
  const wanted = plainRecord(expected?.rest["defaultAppearanceData"])["fontName"];
  // Fonts of two forms with the same name are told apart by a number.
  const isRenamed = trace.mapping.kind === "merge" && typeof font === "string" && font.replace(/_\d+$/, "") === wanted;
  const appearance = { ...plainRecord(defaultAppearanceData), ...(isRenamed ? { fontName: wanted } : {}) };
  return { ...properties, attachmentDest: destination, defaultAppearanceData: appearance };
}

interface StructureReading {
  /** The document's language, which its elements inherit. */
  readonly language: string | null;
  readonly placeOf: (annotation: number) => number | undefined;
  /**
   * Leaves out elements with no content on this page: pdf.js shows the rows of a table that belong to other pages, which
   * need not be there when those pages are gone.
   */
  readonly prune: boolean;
}

/**
 * A structure tree as text, so that a difference can be read. Languages are written where they change: the second document of
 * a merge keeps its own by an entry at its topmost elements when the first has another.
 */
function structureText(node: StructureNode | undefined, { language, placeOf, prune }: StructureReading): string {
  const write = (kid: StructureNode | string, inherited: string | null): string => {
    if (typeof kid === "string") {
      const annotation = /^annotation (\d+)$/.exec(kid)?.[1];
      if (annotation === undefined) return kid;
      const moved = placeOf(Number(annotation));
      return moved === undefined ? "" : `annotation ${moved}`;
    }
    const { lang, ...attributes } = kid.attributes;
    const own = typeof lang === "string" ? lang : inherited;
    const inside = kid.children.map((child) => write(child, own)).filter((text) => text !== "");
    if (inside.length === 0 && prune) return "";
    const words = Object.keys(attributes).length === 0 ? "" : canonical(attributes);
    return `${kid.role}${words}${own === inherited ? "" : `[${own}]`}(${inside.join(" ")})`;
  };
  // An empty root is what pdf.js shows for an untagged page of a tagged document.
  if (node === undefined || node.children.length === 0) return "";
  const inside = node.children.map((child) => {
    const own = typeof child === "string" ? null : (child.attributes["lang"] ?? language);
    return `${own === null ? "" : `[${canonical(own)}]`}${write(child, typeof own === "string" ? own : null)}`;
  });
  return inside.filter((text) => !/^(\[.*\])?$/.test(text)).join(" ");
}
