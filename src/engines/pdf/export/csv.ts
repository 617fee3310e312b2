/** A table as CSV (RFC 4180), in UTF-8. */
import { textGrid, looksLikeFormula, type ExportedTable } from "./tables.ts";

/** A text that a spreadsheet may take for a formula begins with an apostrophe. */
export function csvOf(table: ExportedTable): string {
  return textGrid(table)
    .map((row) => `${row.map(csvField).join(",")}\r\n`)
    .join("");
}

function csvField(text: string): string {
  const safe = looksLikeFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
