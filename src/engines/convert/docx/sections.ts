/** The sections of a word processing document (ECMA-376, part 1, 17.6), with the headers and footers that they name or inherit. */
import { isSide, type PageFormat, type PaperMargins } from "../source/document.ts";
import type { RunningSection } from "../source/document.ts";
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";
import type { BodyWriter } from "./body.ts";
import type { PlacedHtml } from "./context.ts";
import { flag, points } from "./styles.ts";

/** The relationships of headers or footers, by the pages that have them. */
type References = Readonly<Record<"first" | "even" | "odd", string | undefined>>;

/** The beginning of a section on pages of a part. */
export interface SectionStart extends Omit<RunningSection, "headers" | "footers" | "hasEven"> {
  readonly headers: References;
  readonly footers: References;
}

/** Sections on pages of one size, each of which continues on the last page of the one before. */
export interface PageRun {
  readonly html: string[];
  readonly placed: PlacedHtml[];
  readonly page: PageFormat;
  readonly starts: SectionStart[];
}

/** The distance of headers and footers from the edge, by default, and the largest, in points. */
const [DEFAULT_DISTANCE, LARGEST_DISTANCE] = [36, 14_400];
const LARGEST_NUMBER = 1_000_000;

const NONE: References = { first: undefined, even: undefined, odd: undefined };
const KINDS: Readonly<Record<string, keyof References>> = { default: "odd", first: "first", even: "even" };

/** With these settings of a document, its gutters are at the sides of pages. */
const FACING = ["mirrorMargins", "bookFoldPrinting", "bookFoldRevPrinting", "printTwoOnOne"];

/** Whether gutters are at the top of pages (17.15.1.50). */
export const hasGutterAtTop = (settings: XmlElement | undefined): boolean =>
  (flag(settings, "gutterAtTop") ?? false) && !FACING.some((name) => flag(settings, name));

/** Writes the sections. `placed`: where the writer adds the drawings that are not in the text. */
export async function writeSections(
  body: XmlElement,
  writer: BodyWriter,
  { placed, isGutterAtTop }: { readonly placed: PlacedHtml[]; readonly isGutterAtTop: boolean },
): Promise<PageRun[]> {
  const runs: PageRun[] = [];
  let html: string[] = [];
  let [headers, footers] = [NONE, NONE];
  let begun = 0;
  const end = (properties: XmlElement | undefined): void => {
    headers = referencesOf(properties, "headerReference", headers);
    footers = referencesOf(properties, "footerReference", footers);
    const before = runs.at(-1);
    const isContinuous = attribute(elementAt(properties, "type"), "val") === "continuous";
    const page = properties || !before ? pageOf(properties, isGutterAtTop) : before.page;
    const boxes = placed.splice(0);
    const continues = before && isContinuous && before.page.width === page.width && before.page.height === page.height;
    const anchor = continues ? `section-${(begun += 1)}` : undefined;
    const start = { ...startOf(properties), anchor, headers, footers };
    if (!continues) runs.push({ html, placed: boxes, page, starts: [start] });
    else {
      before.html.push(`<div id="${anchor}"></div>`);
      for (const block of html) before.html.push(block);
      for (const box of boxes) before.placed.push(box);
      before.starts.push(start);
    }
    html = [];
  };
  const hasText = (): boolean => html.some((block) => block !== "");
  for (const element of elementsIn(body)) {
    if (element.name === "sectPr") {
      html.push(writer.end());
      if (runs.length === 0 || hasText()) end(element);
      continue;
    }
    html.push(await writer.block(element));
    const properties = elementAt(element, "pPr", "sectPr");
    if (!properties) continue;
    html.push(writer.end());
    end(properties);
  }
  html.push(writer.end());
  if (runs.length === 0 || hasText()) end(undefined);
  return runs;
}

function referencesOf(properties: XmlElement | undefined, name: string, inherited: References): References {
  const own = elementsIn(properties, name).flatMap((reference) => {
    const kind = KINDS[attribute(reference, "type") ?? "default"];
    const id = reference.attributes["r:id"] ?? attribute(reference, "id");
    return kind === undefined || id === undefined ? [] : [[kind, id] as const];
  });
  return { ...inherited, ...Object.fromEntries(own) };
}

function startOf(properties: XmlElement | undefined): Omit<SectionStart, "anchor" | "headers" | "footers"> {
  const margins = elementAt(properties, "pgMar");
  const numbers = elementAt(properties, "pgNumType");
  const start = Number(attribute(numbers, "start") ?? NaN);
  const type = attribute(elementAt(properties, "type"), "val");
  const distance = (name: string): number => {
    const value = points(attribute(margins, name)) ?? DEFAULT_DISTANCE;
    return Math.min(Math.max(value, 0), LARGEST_DISTANCE);
  };
  const isNegative = (name: string): boolean => (points(attribute(margins, name)) ?? 0) < 0;
  return {
    headerDistance: distance("header"),
    footerDistance: distance("footer"),
    overlaps: { top: isNegative("top"), bottom: isNegative("bottom") },
    hasFirst: flag(properties, "titlePg") ?? false,
    start: Number.isInteger(start) && start >= 0 && start <= LARGEST_NUMBER ? start : undefined,
    parity: type === "evenPage" ? "even" : type === "oddPage" ? "odd" : undefined,
    format: attribute(numbers, "fmt") ?? "decimal",
  };
}

/** The page of a section (17.6.11, 17.6.13), with the gutter as a part of its margin. By default Letter with margins of an inch. */
function pageOf(properties: XmlElement | undefined, isGutterAtTop: boolean): PageFormat {
  const size = elementAt(properties, "pgSz");
  const margins = elementAt(properties, "pgMar");
  const side = (text: string | undefined, otherwise: number): number => {
    const value = points(text);
    return value !== undefined && isSide(value) ? value : otherwise;
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
  const gutterSide = isGutterAtTop ? "top" : flag(properties, "rtlGutter") ? "right" : "left";
  const room = isGutterAtTop ? (height * 2) / 3 - all.top - all.bottom : (width * 2) / 3 - all.left - all.right;
  const gutter = Math.max(0, Math.min(points(attribute(margins, "gutter")) ?? 0, room));
  return { width, height, margins: { ...all, [gutterSide]: all[gutterSide] + gutter } };
}

/** The width of the narrowest text of a document, in points. */
export function narrowestText(body: XmlElement, isGutterAtTop: boolean): number {
  const all = elementsIn(body).flatMap((element) =>
    element.name === "sectPr" ? [element] : elementsIn(elementAt(element, "pPr"), "sectPr"),
  );
  const widths = (all.length > 0 ? all : [undefined]).map((properties) => {
    const { width, margins } = pageOf(properties, isGutterAtTop);
    return width - margins.left - margins.right;
  });
  return widths.reduce((least, width) => Math.min(least, width), Infinity);
}
