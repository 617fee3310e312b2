import { layoutOf, type PageContent } from "../../../src/engines/pdf/layout/page.ts";
import type { Table } from "../../../src/engines/pdf/layout/tables.ts";
import { rowsOf, textOfRow } from "../../../src/engines/pdf/layout/words.ts";
import { atOnce } from "../../../src/engines/steps.ts";
import { glyphRow } from "./glyph-rows.ts";

type Drawn = PageContent["drawn"][number];

const box = (x0: number, y0: number, x1: number, y1: number, color = 0xff_00_00_00): Drawn => ({
  x0,
  y0,
  x1,
  y1,
  stroked: false,
  rectangle: true,
  color,
});
/** Lines half a point thick. */
export const across = (y: number, x0: number, x1: number): Drawn => box(x0, y - 0.25, x1, y + 0.25);
export const down = (x: number, y0: number, y1: number): Drawn => box(x - 0.25, y0, x + 0.25, y1);

export const background = (x0: number, y0: number, x1: number, y1: number): Drawn => box(x0, y0, x1, y1, 0xff_dd_dd_dd);

/** A text that begins at `x`, in points from the left; its glyphs are 6 points wide. */
export type Placed = readonly [x: number, text: string];

/** The parts of a page with these lines of text, by their baselines in points from the top: tables as their rows of cells, texts as they are. A cell over several columns has their number before it. */
export function partsOn(
  lines: readonly (readonly [y: number, ...texts: readonly Placed[]])[],
  drawn: readonly Drawn[],
): (string | string[][])[] {
  const segments = lines.flatMap(([y, ...texts]) => texts.map(([x, text]) => glyphRow(x, y, text)));
  const { parts } = atOnce(layoutOf({ bounds: [0, 0, 600, 800], segments, drawn, images: [], links: [] }));
  return parts.map((part) => {
    if (part.kind === "table") return rowsOfTable(part.table);
    return part.kind === "figure" ? part.text : part.text.spans.map(({ text }) => text).join("");
  });
}

function rowsOfTable({ cells, rows, columns }: Table): string[][] {
  const table = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ""));
  for (const { row, column, endColumn, words } of cells) {
    const text = rowsOf(words)
      .map((line) => textOfRow(line.words))
      .join(" ");
    const line = table[row];
    if (line !== undefined) line[column] = endColumn > column ? `${endColumn - column + 1}: ${text}` : text;
  }
  return table;
}
