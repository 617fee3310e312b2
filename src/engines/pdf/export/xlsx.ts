/** Tables as a workbook (ECMA-376, Office Open XML): one sheet for each. */
import { escapedMarkup } from "./markup.ts";
import {
  type FoundTable,
  textGrid,
  looksLikeFormula,
  plainNumber,
  type PrintedNumber,
  type ExportedTable,
} from "./tables.ts";

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Characters in a sheet's name, and in a cell. */
const [MOST_NAME, MOST_CELL] = [31, 32_767];
/** Decimals of custom number formats. Numbers with more decimals get as many as necessary. */
const MOST_DECIMALS = 6;

/** A part of the package. */
export interface WorkbookPart {
  readonly name: string;
  readonly xml: string;
}

/** The unique names of sheets, from page and caption, without the characters that the format forbids (ECMA-376-1, 18.2.19). */
export function sheetNames(tables: readonly Pick<FoundTable, "pageNumber" | "number" | "caption">[]): string[] {
  const used = new Set<string>();
  return tables.map(({ pageNumber, number, caption }) => {
    const title = caption === "" ? `table ${number}` : caption;
    const plain = `p${pageNumber} ${title}`.replaceAll(/[[\]:*?/\\\p{Cc}]/gu, " ").replaceAll(/\s+/g, " ");
    const cut = (room: number): string =>
      Array.from(plain)
        .slice(0, room)
        .join("")
        .replace(/[\s']+$/, "");
    let name = cut(MOST_NAME);
    for (let again = 2; used.has(name.toLowerCase()); again++) {
      const end = ` (${again})`;
      name = cut(MOST_NAME - end.length) + end;
    }
    used.add(name.toLowerCase());
    return name;
  });
}

/** The parts of a workbook. `tables` are those that `names` were made of, in the same order. */
export async function* workbookParts(
  names: readonly string[],
  tables: AsyncIterable<FoundTable>,
): AsyncGenerator<WorkbookPart, void> {
  const numbers = names.map((_, index) => index + 1);
  yield { name: "[Content_Types].xml", xml: contentTypes(numbers) };
  yield {
    name: "_rels/.rels",
    xml: relationships([[`${OFFICE}/officeDocument`, "xl/workbook.xml"]]),
  };
  yield { name: "xl/workbook.xml", xml: workbook(names) };
  const sheets = numbers.map((number) => [`${OFFICE}/worksheet`, `worksheets/sheet${number}.xml`] as const);
  yield { name: "xl/_rels/workbook.xml.rels", xml: relationships([...sheets, [`${OFFICE}/styles`, "styles.xml"]]) };
  yield { name: "xl/styles.xml", xml: styles() };
  let number = 0;
  for await (const { table } of tables) yield { name: `xl/worksheets/sheet${++number}.xml`, xml: sheet(table) };
}

function contentTypes(sheets: readonly number[]): string {
  const override = (part: string, type: string): string =>
    `<Override PartName="/xl/${part}" ContentType="${type}+xml"/>`;
  return `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override("workbook.xml", `${TYPE}.sheet.main`)}${override("styles.xml", `${TYPE}.styles`)}${sheets.map((number) => override(`worksheets/sheet${number}.xml`, `${TYPE}.worksheet`)).join("")}</Types>`;
}

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const all = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;
}

function workbook(names: readonly string[]): string {
  const sheets = names.map(
    (name, index) => `<sheet name="${escapedMarkup(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join("")}</sheets></workbook>`;
}

/** Number formats: without and with separated thousands, by decimals. */
const FORMATS = [false, true].flatMap((grouped) =>
  Array.from({ length: MOST_DECIMALS + 1 }, (_, decimals) => {
    const whole = grouped ? "#,##0" : "0";
    return decimals === 0 ? whole : `${whole}.${"0".repeat(decimals)}`;
  }),
);
/** The first number of a custom format (18.8.30). */
const FIRST_FORMAT = 164;

/** Cell formats, in the order of `styleOf`: text, text that is no formula, and numbers; then the same in bold. */
function styles(): string {
  const formats = FORMATS.map((code, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${code}"/>`);
  const cells = [0, 1].flatMap((font) => {
    const format = (id: number, more: string): string =>
      `<xf numFmtId="${id}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyFont="1"${more}/>`;
    const text = [format(0, ""), format(49, ' quotePrefix="1" applyNumberFormat="1"')];
    return [...text, ...FORMATS.map((_, index) => format(FIRST_FORMAT + index, ' applyNumberFormat="1"'))];
  });
  const font = (bold: string): string => `<font>${bold}<sz val="11"/><name val="Calibri"/></font>`;
  return `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts count="${formats.length}">${formats.join("")}</numFmts><fonts count="2">${font("")}${font("<b/>")}</fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length}">${cells.join("")}</cellXfs></styleSheet>`;
}

/** The index of a cell's format in `styles`. */
function styleOf(number: PrintedNumber | undefined, isQuoted: boolean, isHeader: boolean): number {
  const ofFont = isHeader ? FORMATS.length + 2 : 0;
  if (!number) return ofFont + (isQuoted ? 1 : 0);
  return ofFont + 2 + (number.grouped ? MOST_DECIMALS + 1 : 0) + Math.min(number.decimals, MOST_DECIMALS);
}

function sheet(table: ExportedTable): string {
  const rows = textGrid(table).map((texts, row) => {
    const cells = texts.map((text, column) => (text === "" ? "" : cellOf(text, row, column, row < table.headerRows)));
    return `<row r="${row + 1}">${cells.join("")}</row>`;
  });
  const merged = table.cells.flatMap(({ row, column, rowSpan, columnSpan }) =>
    rowSpan * columnSpan > 1
      ? [`<mergeCell ref="${address(row, column)}:${address(row + rowSpan - 1, column + columnSpan - 1)}"/>`]
      : [],
  );
  const merges = merged.length > 0 ? `<mergeCells count="${merged.length}">${merged.join("")}</mergeCells>` : "";
  return `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>${rows.join("")}</sheetData>${merges}</worksheet>`;
}

/** Text is an inline string, which no spreadsheet runs. */
function cellOf(text: string, row: number, column: number, isHeader: boolean): string {
  const number = plainNumber(text);
  const style = styleOf(number, looksLikeFormula(text), isHeader);
  const start = `<c r="${address(row, column)}" s="${style}"`;
  if (number) return `${start}><v>${number.value}</v></c>`;
  return `${start} t="inlineStr"><is><t xml:space="preserve">${escapedMarkup(text.slice(0, MOST_CELL))}</t></is></c>`;
}

/** `A1` for the first row and column, from 0. */
function address(row: number, column: number): string {
  let letters = "";
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return `${letters}${row + 1}`;
}
