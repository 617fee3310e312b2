/** Tesseract reads the columns of a table one after the other. Prose has no columns of numbers alone, so these are read in rows. */
import { areLevel, boxOfLines, union } from "./line-boxes.ts";
import type { ReadLine } from "./tesseract-results.ts";

/** Digits, with signs around them. */
const NUMBER = /^(?=.*\p{N})[\p{N}\p{P}\p{S}\s]+$/u;

/** The lines, with numbers side by side as one line, if there are several such rows. */
export function withNumberRows(lines: readonly ReadLine[]): readonly ReadLine[] {
  const numbers = lines.filter(({ text }) => NUMBER.test(text));
  const rows: [ReadLine, ...ReadLine[]][] = [];
  for (const line of numbers) {
    const row = rows.find(([first]) => areLevel(boxOfLines(first), boxOfLines(line)));
    if (row) row.push(line);
    else rows.push([line]);
  }
  const several = rows.filter((row) => row.length > 1);
  if (several.length < 2) return lines;
  // A row with a single number belongs to the table, too.
  const [left, top, right, bottom] = several
    .flat()
    .map((line) => boxOfLines(line))
    .reduce(union);
  const table = rows.filter(([first]) => {
    const [x0, y0, x1, y1] = boxOfLines(first);
    return x0 >= left && y0 >= top && x1 <= right && y1 <= bottom;
  });
  const cells = new Set(table.flat());
  const at = lines.findIndex((line) => cells.has(line));
  const read = table.toSorted(([a], [b]) => boxOfLines(a)[1] - boxOfLines(b)[1]).map(joined);
  const rest = lines.filter((line) => !cells.has(line));
  return [...rest.slice(0, at), ...read, ...rest.slice(at)];
}

function joined(row: readonly ReadLine[], index: number): ReadLine {
  const cells = row.toSorted((a, b) => boxOfLines(a)[0] - boxOfLines(b)[0]);
  return {
    words: cells.flatMap(({ words }) => words),
    text: cells.map(({ text }) => text).join(" "),
    startsParagraph: index === 0,
  };
}
