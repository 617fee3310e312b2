/** Text in lines and columns, for a terminal of 80 columns. */

export const WIDTH = 80;

/** Words and their meanings, in two columns. A long word of the first has a line of its own. */
export function definitions(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(24, Math.max(...rows.map(([first]) => first.length))) + 4;
  const lines = rows.flatMap(([first, second]) => {
    const [line = "", ...rest] = wrapped(second.replaceAll(/\s+/g, " "), " ".repeat(width));
    const start = `  ${first}`;
    return start.length + 2 > width
      ? [start, `${" ".repeat(width)}${line.trimStart()}`, ...rest]
      : [`${start.padEnd(width)}${line.trimStart()}`, ...rest];
  });
  return `${lines.join("\n")}\n`;
}

/** A paragraph as lines. A word that is longer than a line is broken after its commas: only JSON is that long. */
export function wrapped(text: string, indent = ""): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    const pieces = indent.length + word.length > WIDTH ? word.split(/(?<=,)/) : [word];
    for (const [index, piece] of pieces.entries()) {
      const space = index > 0 || line.trim() === "" ? "" : " ";
      if (line.trim() !== "" && line.length + space.length + piece.length > WIDTH) {
        lines.push(line);
        line = indent + piece;
      } else line += space + piece;
    }
  }
  return [...lines, line];
}

/** A command for a shell, whose words are continued on further lines where one is too short. */
export function commandLine(words: readonly string[]): string {
  const lines: string[] = [];
  let line = " ";
  for (const word of words) {
    // Two columns are for the backslash.
    if (line.trim() !== "" && line.length + 1 + word.length > WIDTH - 2) {
      lines.push(`${line} \\`);
      line = "   ";
    }
    line += ` ${word}`;
  }
  return `${[...lines, line].join("\n")}\n`;
}

/** Rows in columns, as wide as they need to be, below their names. Numbers are aligned to the right. */
export function columns(names: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const all = [names, ...rows];
  const widths = names.map((_, at) => Math.max(...all.map((row) => String(row[at] ?? "").length)));
  const isNumber = names.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === "number"));
  const lines = all.map((row) =>
    row
      .map((cell, at) => (isNumber[at] ? String(cell).padStart(widths[at] ?? 0) : String(cell).padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
