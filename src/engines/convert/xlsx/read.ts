/** Workbooks (ECMA-376: XLSX): each visible sheet as shown, with the widths of its columns. */
import { partMissing } from "../../file-errors.ts";
import { cellTextTooLong, tooManyCells, tooManySheets } from "../../limit-errors.ts";
import type { Work } from "../../work.ts";
import { limits } from "../../../limits.ts";
import type { Archive } from "../source/archive.ts";
import { partAt, mainPartOf, relationshipsOf } from "../source/relationships.ts";
import type { Sheet, SheetCell } from "../source/sheet.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";
import { nameLost } from "../source/coverage.ts";
import { DRAWING_COVERAGE, lostOfDrawing, lostOfSheet, SHEET_COVERAGE } from "./coverage.ts";
import { type CellStyle, CellStyles } from "./cell-styles.ts";
import { NumberFormats } from "./number-format.ts";

export interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly notConverted: ReadonlySet<string>;
}

const [CELL_WORK, CHARACTER_WORK, MERGE_WORK, MERGED_CELL_WORK, COLUMN_WORK] = [500, 10, 300, 300, 300];
/** Empty rows between others that are kept. */
const MOST_EMPTY_ROWS = 30;
/** Points in the unit of column widths: the width of a digit at 11 points. */
const WIDTH_UNIT = 5.6;
const COLUMNS = 16_384;

/** Relationships of a sheet, by the losses that they cause. */
const LACKING: Readonly<Record<string, string>> = {
  comments: "comments",
  oleObject: "embedded-objects",
  package: "embedded-objects",
  threadedComment: "comments",
};

/** The main part where the package does not name one. */
const USUAL_MAIN = "xl/workbook.xml";

export async function readXlsx(work: Work, archive: Archive): Promise<Workbook> {
  const main = (await mainPartOf(work, archive)) ?? USUAL_MAIN;
  const book = await partAt(work, archive, main);
  const relationships = await relationshipsOf(work, archive, main);
  const part = (type: string): Promise<XmlElement | undefined> =>
    partAt(work, archive, relationships.values().find((one) => one.type === type && !one.external)?.target);
  const strings: string[] = [];
  for (const element of elementsIn(await part("sharedStrings"), "si")) {
    work.spend(CELL_WORK);
    await work.pause();
    strings.push(stringIn(element));
  }
  const styles = new CellStyles(await part("styles"));
  const from1904 = ["1", "true"].includes(attribute(elementAt(book, "workbookPr"), "date1904") ?? "");
  const notConverted = new Set<string>();
  const formats = new NumberFormats(work, styles.formats, from1904, notConverted);
  const sheets: Sheet[] = [];
  let [cells, characters] = [0, 0];
  const visible = elementsIn(elementAt(book, "sheets"), "sheet").filter(
    (sheet) => (attribute(sheet, "state") ?? "visible") === "visible",
  );
  refuseSheets(visible.length);
  for (const sheet of visible) {
    const target = relationships.get(sheet.attributes["r:id"] ?? attribute(sheet, "id") ?? "");
    if (target?.type === "chartsheet") notConverted.add("charts");
    else if (target?.type !== "worksheet") notConverted.add("other-sheets");
    if (target?.type !== "worksheet" || target.external) continue;
    const root = await partAt(work, archive, target.target);
    if (root === undefined) throw partMissing(target.target);
    await nameLacking(work, archive, target.target, root, notConverted);
    const links = await linksOf(work, archive, target.target, root);
    const reader = new SheetReader(work, { strings, styles, formats, links, notConverted });
    const read = await reader.read(attribute(sheet, "name") ?? "", root);
    cells += read.rows.reduce((sum, row) => sum + row.length, 0);
    refuseMany(cells);
    characters += read.characters;
    refuseLong(characters);
    if (read.rows.length > 0) sheets.push(read);
  }
  const core = await partAt(work, archive, "docProps/core.xml");
  const text = (name: string): string | undefined => textIn(elementAt(core, name)).trim() || undefined;
  return { sheets, title: text("title"), author: text("creator"), notConverted };
}

function refuseSheets(actual: number): void {
  const limit = limits.conversion.sheets;
  if (actual > limit) throw tooManySheets(actual);
}

function refuseMany(actual: number): void {
  const limit = limits.conversion.cells;
  if (actual > limit) throw tooManyCells(actual);
}

/** Many cells may share a long string. */
function refuseLong(actual: number): void {
  const limit = limits.conversion.cellCharacters;
  if (actual > limit) throw cellTextTooLong(actual);
}

/** A string with its runs, without its phonetic reading. */
const stringIn = (element: XmlElement): string =>
  elementsIn(element)
    .map((child) => (child.name === "t" ? textIn(child) : child.name === "r" ? textIn(elementAt(child, "t")) : ""))
    .join("")
    .replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

async function nameLacking(
  work: Work,
  archive: Archive,
  name: string,
  root: XmlElement,
  notConverted: Set<string>,
): Promise<void> {
  const relationships = await relationshipsOf(work, archive, name);
  for (const { type, target, external } of relationships.values()) {
    const lacking = LACKING[type];
    if (lacking) notConverted.add(lacking);
    if (type !== "drawing" || external) continue;
    await nameLost(work, await partAt(work, archive, target), DRAWING_COVERAGE, notConverted, lostOfDrawing);
  }
  await nameLost(work, root, SHEET_COVERAGE, notConverted, lostOfSheet);
}

async function linksOf(
  work: Work,
  archive: Archive,
  name: string,
  root: XmlElement,
): Promise<ReadonlyMap<string, string>> {
  const links = elementsIn(elementAt(root, "hyperlinks"), "hyperlink");
  if (links.length === 0) return new Map();
  const relationships = await relationshipsOf(work, archive, name);
  return new Map(
    links.flatMap((link) => {
      const target = relationships.get(link.attributes["r:id"] ?? attribute(link, "id") ?? "");
      return target?.external ? [[(attribute(link, "ref") ?? "").split(":")[0] ?? "", target.target] as const] : [];
    }),
  );
}

interface Reference {
  readonly row: number;
  readonly column: number;
}

/** `B3` as row 2, column 1. */
function referenceOf(text: string | undefined): Reference | undefined {
  const [, letters, digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(text ?? "") ?? [];
  if (letters === undefined) return undefined;
  const column = Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return column < COLUMNS ? { row: Number(digits) - 1, column } : undefined;
}

interface SheetContext {
  readonly strings: readonly string[];
  readonly styles: CellStyles;
  readonly formats: NumberFormats;
  readonly links: ReadonlyMap<string, string>;
  readonly notConverted: Set<string>;
}

class SheetReader {
  readonly #work: Work;
  readonly #context: SheetContext;
  #columns = new Columns();
  #characters = 0;

  constructor(work: Work, context: SheetContext) {
    this.#work = work;
    this.#context = context;
  }

  /** With the number of characters in its cells. */
  async read(name: string, root: XmlElement): Promise<Sheet & { readonly characters: number }> {
    const columns = await Columns.read(this.#work, root);
    this.#columns = columns;
    const cells = new Map<number, Map<number, SheetCell>>();
    let last = -1;
    let nextRow = 0;
    for (const row of elementsIn(elementAt(root, "sheetData"), "row")) {
      const number = Number(attribute(row, "r") ?? nextRow + 1) - 1;
      nextRow = number + 1;
      if (["1", "true"].includes(attribute(row, "hidden") ?? "") || !Number.isSafeInteger(number)) continue;
      const found = await this.#row(row);
      if (found.size === 0) continue;
      cells.set(number, found);
      last = Math.max(last, ...found.keys());
    }
    const shown = Array.from({ length: last + 1 }, (_, column) => column).filter((column) => !columns.isHidden(column));
    const widths = shown.map((column) => columns.widthOf(column));
    return { name, rows: await this.#rows(root, cells, shown), widths, characters: this.#characters };
  }

  async #row(row: XmlElement): Promise<Map<number, SheetCell>> {
    const found = new Map<number, SheetCell>();
    let next = 0;
    for (const cell of elementsIn(row, "c")) {
      this.#work.spend(CELL_WORK);
      await this.#work.pause();
      const column = referenceOf(attribute(cell, "r"))?.column ?? next;
      next = column + 1;
      if (this.#columns.isHidden(column)) continue;
      const style = this.#context.styles.at(Number(attribute(cell, "s") ?? 0));
      const { text, isNumber } = this.#valueOf(cell, style);
      if (text === "" && style.fill === undefined) continue;
      this.#characters += text.length;
      refuseLong(this.#characters);
      this.#work.spend(text.length * CHARACTER_WORK);
      const align = style.align ?? (isNumber ? "right" : undefined);
      const link = this.#context.links.get(attribute(cell, "r") ?? "");
      found.set(column, {
        text,
        align,
        bold: style.bold,
        italic: style.italic,
        fill: style.fill,
        color: style.color,
        link,
      });
    }
    // Cells that have only a fill do not make a sheet wider or longer.
    if ([...found.values()].every(({ text }) => text === "")) found.clear();
    return found;
  }

  #valueOf(cell: XmlElement, { format }: CellStyle): { text: string; isNumber: boolean } {
    const { strings, formats, notConverted } = this.#context;
    const type = attribute(cell, "t") ?? "n";
    const value = textIn(elementAt(cell, "v"));
    if (type === "inlineStr") return { text: elementsIn(cell, "is").map(stringIn).join(""), isNumber: false };
    if (value === "") {
      const formula = elementAt(cell, "f");
      // Programs that do not calculate leave the value to the one that opens the workbook. That of a text may be empty.
      if (formula === undefined || type === "str") return { text: "", isNumber: false };
      notConverted.add("formula-results");
      return { text: `=${textIn(formula).trim() || "\u2026"}`, isNumber: false };
    }
    if (type === "s") return { text: formats.text(strings[Number(value)] ?? "", format), isNumber: false };
    if (type === "b") return { text: value === "1" ? "TRUE" : "FALSE", isNumber: false };
    if (type === "d") return { text: value.replace("T", " "), isNumber: false };
    if (type !== "n" || !Number.isFinite(Number(value))) return { text: formats.text(value, format), isNumber: false };
    return { text: formats.number(Number(value), format), isNumber: true };
  }

  async #rows(
    root: XmlElement,
    cells: ReadonlyMap<number, ReadonlyMap<number, SheetCell>>,
    shown: readonly number[],
  ): Promise<(SheetCell | undefined)[][]> {
    const merged = await mergesOf(this.#work, root);
    const places = [...cells.keys()].sort((a, b) => a - b);
    const kept: number[] = [];
    for (const [index, place] of places.entries()) {
      const before = index === 0 ? place - 1 : (places[index - 1] ?? place);
      for (let empty = before + 1; empty < place && empty - before <= MOST_EMPTY_ROWS; empty++) kept.push(empty);
      kept.push(place);
      // Before the cells are made.
      refuseMany(kept.length * shown.length);
    }
    const isKept = new Set(kept);
    const isShown = new Set(shown);
    const rows: (SheetCell | undefined)[][] = [];
    for (const row of kept) {
      this.#work.spend(CELL_WORK * (1 + shown.length));
      await this.#work.pause();
      const made = shown.map((column) => {
        const merge = merged.get(`${row}:${column}`);
        const cell = cells.get(row)?.get(column) ?? { text: "" };
        if (merge === undefined) return cell;
        if (merge.row !== row || merge.column !== column) return undefined;
        const rows = range(merge.row, merge.lastRow).filter((at) => isKept.has(at)).length;
        const columns = range(merge.column, merge.lastColumn).filter((at) => isShown.has(at)).length;
        return { ...cell, rows, columns };
      });
      rows.push(made);
    }
    return rows;
  }
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

interface Merge extends Reference {
  readonly lastRow: number;
  readonly lastColumn: number;
}

/** The merged ranges, by each of their cells. Ranges do not overlap (18.3.1.55): one that begins in another is none. */
async function mergesOf(work: Work, root: XmlElement): Promise<ReadonlyMap<string, Merge>> {
  const merged = new Map<string, Merge>();
  for (const element of elementsIn(elementAt(root, "mergeCells"), "mergeCell")) {
    work.spend(MERGE_WORK);
    await work.pause();
    const [from, to] = (attribute(element, "ref") ?? "").split(":", 2).map(referenceOf);
    if (!from || !to || to.row < from.row || to.column < from.column) continue;
    const area = (to.row - from.row + 1) * (to.column - from.column + 1);
    // A merge of whole columns or rows only hides their other cells.
    if (area > limits.conversion.cells || merged.size > limits.conversion.cells) continue;
    if (merged.has(`${from.row}:${from.column}`)) continue;
    work.spend(area * MERGED_CELL_WORK);
    const merge = { ...from, lastRow: to.row, lastColumn: to.column };
    for (const row of range(from.row, to.row))
      for (const column of range(from.column, to.column)) merged.set(`${row}:${column}`, merge);
  }
  return merged;
}

/** The column elements of a sheet: 0 for columns without one, and one more than the index of the element otherwise. */
class Columns {
  readonly #said = new Uint32Array(COLUMNS);
  readonly #elements: readonly XmlElement[];

  constructor(elements: readonly XmlElement[] = []) {
    this.#elements = elements;
  }

  /** Columns are numbered from 1 in the file. Of several elements for the same column, the last applies. */
  static async read(work: Work, root: XmlElement): Promise<Columns> {
    const columns = new Columns(elementsIn(elementAt(root, "cols"), "col"));
    // For each column, the next one that no element has been found for.
    const next = Uint32Array.from({ length: COLUMNS + 1 }, (_, column) => column);
    const nextOf = (column: number): number => {
      let found = column;
      while (next[found] !== found) {
        // Half of the way is left for the next time.
        next[found] = next[next[found] ?? found] ?? found;
        found = next[found] ?? found;
      }
      return found;
    };
    for (let index = columns.#elements.length - 1; index >= 0; index--) {
      work.spend(COLUMN_WORK);
      await work.pause();
      const [first, last] = ["min", "max"].map((name) =>
        Math.min(Math.max(Math.floor(Number(attribute(columns.#elements[index], name))) || 1, 1), COLUMNS),
      ) as [number, number];
      for (let column = nextOf(first - 1); column < Math.max(first, last); column = nextOf(column)) {
        columns.#said[column] = index + 1;
        next[column] = column + 1;
      }
    }
    return columns;
  }

  #elementOf(column: number): XmlElement | undefined {
    return this.#elements[(this.#said[column] ?? 0) - 1];
  }

  isHidden(column: number): boolean {
    return ["1", "true"].includes(attribute(this.#elementOf(column), "hidden") ?? "");
  }

  /** In points. */
  widthOf(column: number): number | undefined {
    const width = Number(attribute(this.#elementOf(column), "width"));
    return width > 0 && width < 256 ? width * WIDTH_UNIT + 4 : undefined;
  }
}
