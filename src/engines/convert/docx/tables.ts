/** Tables (ECMA-376, part 1, 17.4). */
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";
import { colorOf, points } from "./styles.ts";

interface Cell {
  readonly column: number;
  readonly columns: number;
  readonly merged: "restart" | "continue" | undefined;
  readonly html: string;
  readonly fill: string | undefined;
}

/** Elements around rows and cells that do not affect their appearance. */
const AROUND: ReadonlySet<string> = new Set(["ins", "moveTo", "customXml", "smartTag"]);

const inside = (parent: XmlElement, name: string): XmlElement[] =>
  elementsIn(parent).flatMap((element) => {
    if (element.name === name) return [element];
    if (element.name === "sdt") return inside(elementAt(element, "sdtContent") ?? element, name);
    return AROUND.has(element.name) ? inside(element, name) : [];
  });
/** Those that were deleted are not shown. */
const rowsOf = (table: XmlElement): XmlElement[] =>
  inside(table, "tr").filter((row) => elementAt(row, "trPr", "del") === undefined);
const cellsOf = (row: XmlElement): XmlElement[] =>
  inside(row, "tc").filter((cell) => elementAt(cell, "tcPr", "cellDel") === undefined);

/** `blocks`: the HTML of the content of a cell. */
export async function tableHtml(table: XmlElement, blocks: (cell: XmlElement) => Promise<string>): Promise<string> {
  const grid = elementsIn(elementAt(table, "tblGrid"), "gridCol").map((column) => points(attribute(column, "w")) ?? 0);
  const rows = await cellsByRow(table, blocks);
  const borders = elementAt(table, "tblPr", "tblBorders");
  const bare =
    borders !== undefined &&
    elementsIn(borders).every((border) => ["nil", "none"].includes(attribute(border, "val") ?? ""));
  const html = [`<table${bare ? ' style="border:none"' : ""}>`];
  const continued = rows.map(
    (row) => new Set(row.filter(({ merged }) => merged === "continue").map(({ column }) => column)),
  );
  for (const [index, row] of rows.entries()) {
    html.push("<tr>");
    for (const cell of row) {
      if (cell.merged === "continue") continue;
      let span = 1;
      while (cell.merged === "restart" && continued[index + span]?.has(cell.column)) span += 1;
      const width = grid.slice(cell.column, cell.column + cell.columns).reduce((sum, value) => sum + value, 0);
      const style = `${width > 12 ? `width:${(width - 11).toFixed(1)}pt;` : ""}${cell.fill ? `background-color:${cell.fill};` : ""}${bare ? "border:none;" : ""}`;
      const spans = `${cell.columns > 1 ? ` colspan="${cell.columns}"` : ""}${span > 1 ? ` rowspan="${span}"` : ""}`;
      html.push(`<td${spans}${style ? ` style="${style}"` : ""}>${cell.html}</td>`);
    }
    html.push("</tr>");
  }
  return `${html.join("")}</table>`;
}

async function cellsByRow(table: XmlElement, blocks: (cell: XmlElement) => Promise<string>): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for (const row of rowsOf(table)) {
    const cells: Cell[] = [];
    let column = Number(attribute(elementAt(row, "trPr", "gridBefore"), "val") ?? 0) || 0;
    for (const cell of cellsOf(row)) {
      const properties = elementAt(cell, "tcPr");
      const columns = Math.min(Math.max(Number(attribute(elementAt(properties, "gridSpan"), "val") ?? 1) || 1, 1), 63);
      const merge = elementAt(properties, "vMerge");
      const merged = merge && (attribute(merge, "val") === "restart" ? ("restart" as const) : ("continue" as const));
      const html = await blocks(cell);
      cells.push({
        column,
        columns,
        merged,
        html,
        fill: colorOf(attribute(elementAt(properties, "shd"), "fill")),
      });
      column += columns;
    }
    rows.push(cells);
  }
  return rows;
}
