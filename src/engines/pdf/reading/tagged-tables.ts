/** Tables by their tags (ISO 32000-2, 14.8.4.8.3). */
import type { VisibleBox } from "../../geometry.ts";
import type { TableBlock, TableCell } from "../layout/blocks.ts";
import { MOST_PLACES } from "../layout/tables.ts";
import type { Tag } from "../tags/tag.ts";
import { isTag } from "./tagged-roles.ts";
import { boxOfPieces, type TaggedPiece, textOfPieces, unionOfBoxes } from "./tagged-words.ts";

/** Contents that make a table a means to lay out a page. */
const STRUCTURE = /^(?:Table|H\d*|Title)$/;
const PARTS = new Set(["THead", "TBody", "TFoot"]);

interface Row {
  readonly cells: readonly Tag[];
  readonly isHeader: boolean;
}

/** The table of an element; undefined if its tags make none, or only lay out something else. */
export function taggedTableOf(tag: Tag, piecesOf: (cell: Tag) => readonly TaggedPiece[]): TableBlock | undefined {
  const rows = rowsOf(tag, false);
  const tagged = rows.flatMap((row) => row.cells);
  if (tagged.some((cell) => cell.kids.some((kid) => isTag(kid) && holdsStructure(kid)))) return undefined;
  const places = placesOf(rows);
  if (places === undefined || places.columns < 2) return undefined;
  const cells: TableCell[] = [];
  for (const { cell, ...place } of places.cells) {
    const pieces = piecesOf(cell);
    const [text, bbox] = [textOfPieces(pieces), boxOfPieces(pieces)];
    if (text !== "" && bbox !== undefined) cells.push({ text, ...place, bbox });
  }
  orderByPlace(cells);
  const bbox: VisibleBox | undefined = unionOfBoxes(cells.map((cell) => cell.bbox));
  if (bbox === undefined || new Set(cells.map(({ column }) => column)).size < 2) return undefined;
  const hasHeaders = tagged.some(({ role }) => role === "TH") || rows.some((row) => row.isHeader);
  const isHeader = (row: Row): boolean =>
    row.isHeader ||
    row.cells.filter((cell) => cell.role === "TH" || piecesOf(cell).length > 0).every(({ role }) => role === "TH");
  const found = rows.findIndex((row) => !isHeader(row));
  const headerRows = hasHeaders ? (found < 0 ? rows.length : found) : tag.continued ? 0 : 1;
  return { kind: "table", bbox, rows: rows.length, columns: places.columns, headerRows, cells };
}

function rowsOf({ kids }: Tag, isHeader: boolean): Row[] {
  return kids.flatMap((kid): Row[] => {
    if (!isTag(kid)) return [];
    if (PARTS.has(kid.role)) return rowsOf(kid, kid.role === "THead");
    if (kid.role !== "TR") return [];
    return [
      { cells: kid.kids.filter((cell) => isTag(cell)).filter(({ role }) => role === "TD" || role === "TH"), isHeader },
    ];
  });
}

/**
 * Exchanges cells of a row that go back and forth: the cells of a row go across the page in one direction, which is the one that most of the table's
 * cells have. Some writers tag cells in the order in which they drew them.
 */
function orderByPlace(cells: TableCell[]): void {
  const rows = [...Map.groupBy(cells, ({ row }) => row).values()].filter(isPlainLine);
  const steps = rows.flatMap((row) => row.slice(1).map(({ bbox }, at) => Math.sign(bbox[0] - (row[at]?.bbox[0] ?? 0))));
  const direction = Math.sign(steps.reduce((sum, step) => sum + step, 0));
  if (direction === 0) return;
  const exchanged = new Map<TableCell, TableCell>();
  for (const row of rows) {
    const ordered = row.toSorted((a, b) => (a.bbox[0] - b.bbox[0]) * direction);
    for (const [at, cell] of row.entries()) {
      const { text, bbox } = ordered[at] ?? cell;
      exchanged.set(cell, { ...cell, text, bbox });
    }
  }
  for (const [at, cell] of cells.entries()) cells[at] = exchanged.get(cell) ?? cell;
}

/** Whether cells are side by side on one line, and none of them spans others. */
function isPlainLine(row: readonly TableCell[]): boolean {
  if (row.some(({ rowSpan, columnSpan }) => rowSpan > 1 || columnSpan > 1)) return false;
  const sorted = row.toSorted((a, b) => a.bbox[0] - b.bbox[0]).map(({ bbox }) => bbox);
  const [lowestTop, highestBottom] = [
    Math.max(...sorted.map(([, y0]) => y0)),
    Math.min(...sorted.map((box) => box[3])),
  ];
  return lowestTop < highestBottom && sorted.every(([x0], at) => at === 0 || x0 >= (sorted[at - 1]?.[2] ?? 0));
}

const holdsStructure = (tag: Tag): boolean =>
  STRUCTURE.test(tag.role) || tag.kids.some((kid) => isTag(kid) && holdsStructure(kid));

type Place = Pick<TableCell, "row" | "column" | "rowSpan" | "columnSpan"> & { readonly cell: Tag };

/** Where each cell is, those before it and those that reach down to it considered. */
function placesOf(rows: readonly Row[]): { readonly cells: Place[]; readonly columns: number } | undefined {
  const taken = rows.map(() => new Set<number>());
  const cells: Place[] = [];
  let [columns, count] = [0, 0];
  for (const [row, { cells: own }] of rows.entries()) {
    let column = 0;
    for (const cell of own) {
      while (taken[row]?.has(column) === true) column++;
      const rowSpan = Math.min(cell.rowSpan, rows.length - row);
      const { columnSpan } = cell;
      count += rowSpan * columnSpan;
      if (count > MOST_PLACES) return undefined;
      for (let down = row; down < row + rowSpan; down++)
        for (let across = column; across < column + columnSpan; across++) taken[down]?.add(across);
      cells.push({ cell, row, column, rowSpan, columnSpan });
      column += columnSpan;
      columns = Math.max(columns, column);
    }
  }
  return { cells, columns };
}
