/** Spreadsheets of OpenDocument (ODF 1.3, part 3, 9): each visible sheet as shown, with the widths of its columns. */
import { noBody } from "../../file-errors.ts";
import { cellTextTooLong, tooManyCells, tooManySheets } from "../../limit-errors.ts";
import type { Work } from "../../work.ts";
import { limits } from "../../../limits.ts";
import { TextStyles } from "../odt/styles.ts";
import type { Archive } from "../source/archive.ts";
import { coverage, nameLost } from "../source/coverage.ts";
import { refuseEncrypted } from "../source/open-document.ts";
import { partAt } from "../source/relationships.ts";
import type { Sheet, SheetCell } from "../source/sheet.ts";
import { attribute, elementAt, elementsIn, textIn, type XmlElement } from "../source/xml.ts";

export interface Spreadsheet {
  readonly sheets: readonly Sheet[];
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly notConverted: ReadonlySet<string>;
}

const COVERAGE = coverage({
  kept: `table table-column table-columns table-column-group table-header-columns table-header-rows table-rows table-row-group table-row table-cell
    covered-table-cell shapes p span a s tab line-break ruby ruby-base ruby-text date time sheet-name title page-number page-count`,
  invisible: {
    "how values are made, checked, and found": `calculation-settings content-validations label-ranges named-expressions database-ranges
      data-pilot-tables consolidation dde-links table-source dde-source scenario detective cell-range-source soft-page-break
      sequence-decls variable-decls user-field-decls dde-connection-decls desc event-listeners`,
  },
  dropped: {
    comments: "annotation",
    "tracked-changes": "tracked-changes",
    "form-fields": "forms control",
    "conditional-formats": "conditional-formats",
    sparklines: "sparkline-groups",
    images: "frame",
    shapes: "custom-shape line rect ellipse circle polygon polyline path connector g regular-polygon caption",
    scripts: "scripts",
  },
});

const [CELL_WORK, CHARACTER_WORK] = [500, 10];
const COLUMNS = 16_384;
/** Empty rows between others that are kept. */
const MOST_EMPTY_ROWS = 30;
const NUMBERS: ReadonlySet<string> = new Set(["float", "percentage", "currency", "date", "time"]);

interface Column {
  readonly isHidden: boolean;
  readonly width: number | undefined;
  readonly style: string | undefined;
}

interface Budget {
  cells: number;
  characters: number;
}

/** @throws Refusal `invalid_file`, `unsupported_format`, `limit_exceeded` */
export async function readOds(work: Work, archive: Archive): Promise<Spreadsheet> {
  await refuseEncrypted(work, archive, "ODS");
  const content = await partAt(work, archive, "content.xml");
  const body = elementAt(content, "body", "spreadsheet");
  if (body === undefined) throw noBody();
  const styles = new TextStyles(work, [await partAt(work, archive, "styles.xml"), content]);
  const notConverted = new Set<string>();
  await nameLost(work, body, COVERAGE, notConverted);
  const tables = elementsIn(body, "table").filter((table) => styles.isTableShown(attribute(table, "style-name")));
  if (tables.length > limits.conversion.sheets) throw tooManySheets(tables.length);
  const budget: Budget = { cells: 0, characters: 0 };
  const sheets: Sheet[] = [];
  for (const table of tables) {
    const sheet = await sheetOf(work, table, styles, budget);
    if (sheet.rows.length > 0) sheets.push(sheet);
  }
  const about = elementAt(await partAt(work, archive, "meta.xml"), "meta");
  const fact = (name: string): string | undefined => textIn(elementAt(about, name)).trim() || undefined;
  return { sheets, title: fact("title"), author: fact("creator") ?? fact("initial-creator"), notConverted };
}

const isHidden = (element: XmlElement): boolean =>
  ["collapse", "filter"].includes(attribute(element, "visibility") ?? "");
const countOf = (element: XmlElement, name: string): number =>
  Math.max(Math.floor(Number(attribute(element, name))) || 1, 1);

/** Elements of a name, in the groups of a table. */
const grouped = (parent: XmlElement, name: string): XmlElement[] =>
  elementsIn(parent).flatMap((element) => {
    if (element.name === name) return [element];
    return /^table-(?:header-)?(?:row|column)s?(?:-group)?$/.test(element.name) ? grouped(element, name) : [];
  });

function columnsOf(table: XmlElement, styles: TextStyles): Column[] {
  const columns: Column[] = [];
  for (const element of grouped(table, "table-column")) {
    const column: Column = {
      isHidden: isHidden(element),
      width: styles.columnWidth(attribute(element, "style-name")),
      style: attribute(element, "default-cell-style-name"),
    };
    const repeated = Math.min(countOf(element, "number-columns-repeated"), COLUMNS - columns.length);
    for (let copy = 0; copy < repeated; copy++) columns.push(column);
  }
  return columns;
}

async function sheetOf(work: Work, table: XmlElement, styles: TextStyles, budget: Budget): Promise<Sheet> {
  const columns = columnsOf(table, styles);
  work.spend(CELL_WORK * columns.length);
  const rows: ReadonlyMap<number, SheetCell>[] = [];
  /** Columns and rows that cells cover, as `row:column`. */
  const covered = new Set<string>();
  let [empty, last] = [0, -1];
  for (const element of grouped(table, "table-row")) {
    work.spend(CELL_WORK);
    await work.pause();
    if (isHidden(element)) continue;
    const row = await rowOf(work, element, { columns, styles, budget });
    const copies = countOf(element, "number-rows-repeated");
    if (row.size === 0) {
      empty += copies;
      continue;
    }
    const before = rows.length === 0 ? 0 : Math.min(empty, MOST_EMPTY_ROWS);
    empty = 0;
    last = Math.max(last, ...row.keys());
    // Before the cells are made.
    const actual = budget.cells + (rows.length + before + copies) * (last + 1);
    if (actual > limits.conversion.cells) throw tooManyCells(actual);
    for (const { text } of row.values()) budget.characters += text.length * (copies - 1);
    refuseLong(budget);
    for (let copy = 0; copy < before; copy++) rows.push(new Map());
    for (let copy = 0; copy < copies; copy++) rows.push(row);
  }
  const shown = Array.from({ length: last + 1 }, (_, column) => column).filter((at) => columns[at]?.isHidden !== true);
  budget.cells += rows.length * (last + 1);
  const made = rows.map((row, at) =>
    shown.map((column) => {
      if (covered.has(`${at}:${column}`)) return undefined;
      const cell = row.get(column) ?? { text: "" };
      const [across, down] = [
        Math.min(cell.columns ?? 1, last + 1 - column),
        Math.min(cell.rows ?? 1, rows.length - at),
      ];
      if (across === 1 && down === 1) return { ...cell, columns: 1, rows: 1 };
      for (let y = at; y < at + down; y++)
        for (let x = column; x < column + across; x++) {
          work.spend(CELL_WORK);
          covered.add(`${y}:${x}`);
        }
      return { ...cell, columns: shown.filter((x) => x >= column && x < column + across).length, rows: down };
    }),
  );
  return { name: attribute(table, "name") ?? "", rows: made, widths: shown.map((column) => columns[column]?.width) };
}

async function rowOf(
  work: Work,
  row: XmlElement,
  {
    columns,
    styles,
    budget,
  }: { readonly columns: readonly Column[]; readonly styles: TextStyles; readonly budget: Budget },
): Promise<ReadonlyMap<number, SheetCell>> {
  const found = new Map<number, SheetCell>();
  let next = 0;
  for (const element of elementsIn(row)) {
    if (element.name !== "table-cell" && element.name !== "covered-table-cell") continue;
    work.spend(CELL_WORK);
    await work.pause();
    const copies = countOf(element, "number-columns-repeated");
    const paragraphs = element.name === "table-cell" ? elementsIn(element, "p") : [];
    const text = paragraphs.map(shownText).join("\n");
    const start = next;
    next += copies;
    if (text === "") continue;
    if (copies > limits.conversion.cells) throw tooManyCells(copies);
    budget.characters += text.length * copies;
    refuseLong(budget);
    work.spend(text.length * CHARACTER_WORK + copies * CELL_WORK);
    const type = attribute(element, "value-type") ?? "";
    const link = paragraphs.map((one) => attribute(elementAt(one, "a"), "href")).find((one) => one !== undefined);
    for (let column = start; column < next; column++) {
      const { align = NUMBERS.has(type) ? "right" : undefined, ...look } = styles.sheetCell(
        attribute(element, "style-name") ?? columns[column]?.style,
      );
      const spans = {
        columns: countOf(element, "number-columns-spanned"),
        rows: countOf(element, "number-rows-spanned"),
      };
      if (columns[column]?.isHidden !== true) found.set(column, { text, align, link, ...look, ...spans });
    }
  }
  return found;
}

/** Many cells may share a long text. */
function refuseLong({ characters }: Budget): void {
  if (characters > limits.conversion.cellCharacters) throw cellTextTooLong(characters);
}

/** Anchored comments and drawings are left out. */
function shownText(parent: XmlElement): string {
  const texts = parent.children.map((child) => {
    if (typeof child === "string") return child;
    if (child.name === "s") return " ".repeat(Math.min(countOf(child, "c"), 200));
    if (child.name === "tab") return " ";
    if (child.name === "line-break") return "\n";
    return COVERAGE.get(child.name) === "kept" ? shownText(child) : "";
  });
  return texts.join("");
}
