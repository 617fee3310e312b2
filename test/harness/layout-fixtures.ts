import { latin1, pdf, type PdfObject } from "./pdf-writer.ts";

/** Fonts by name in the content of a page. */
const FONTS = { F1: "Helvetica", FB: "Helvetica-Bold", FI: "Helvetica-Oblique", FM: "Courier" } as const;

/** Text at `x`, `y` (points from the bottom left). */
export const line = (text: string, x: number, y: number, size = 10, font: keyof typeof FONTS = "F1"): string =>
  `BT /${font} ${size} Tf ${x} ${y} Td (${text.replaceAll(/[\\()]/g, (character) => `\\${character}`)}) Tj ET\n`;

/** Lines of text, 12 points apart. */
export const lines = (
  texts: readonly string[],
  x: number,
  y: number,
  size = 10,
  font: keyof typeof FONTS = "F1",
): string => texts.map((text, index) => line(text, x, y - 12 * index, size, font)).join("");

/** A table with a line around each cell: `widths` of its columns, rows of 16 points from `top`. */
export function ruled(rows: readonly (readonly string[])[], widths: readonly number[], x: number, top: number): string {
  const lefts = widths.map((_, column) => widths.slice(0, column).reduce((sum, width) => sum + width, x));
  const boxes = rows.flatMap((_, row) =>
    widths.map((width, column) => `${lefts[column] ?? 0} ${top - 16 * (row + 1)} ${width} 16 re S\n`),
  );
  const texts = rows.flatMap((row, at) =>
    row.map((text, column) => line(text, (lefts[column] ?? 0) + 3, top - 16 * at - 12)),
  );
  return `0.5 w ${boxes.join("")}${texts.join("")}`;
}

/** Columns of text without lines: the cells of a row are at `xs`. */
export const aligned = (rows: readonly (readonly string[])[], xs: readonly number[], top: number): string =>
  rows.map((row, at) => row.map((text, column) => line(text, xs[column] ?? 0, top - 14 * at)).join("")).join("");

/** A PDF whose pages (595 by 842 points) have this content. `extra`: entries of the dictionary of each page; `catalog`: entries of the catalog. */
export function layoutDocument(
  pages: readonly string[],
  extra: (page: number) => string = () => "",
  catalog: (add: (object: PdfObject) => string) => string = () => "",
): Uint8Array {
  const objects: PdfObject[] = [];
  const add = (object: PdfObject): string => `${objects.push(object)} 0 R`;
  const fonts = Object.entries(FONTS)
    .map(
      ([name, font]) =>
        `/${name} ${add(`<< /Type /Font /Subtype /Type1 /BaseFont /${font} /Encoding /WinAnsiEncoding >>`)}`,
    )
    .join(" ");
  const contents = pages.map((content) => add({ entries: "", data: latin1(content) }));
  const tree = `${objects.length + pages.length + 1} 0 R`;
  const kids = contents.map((content, index) =>
    add(
      `<< /Type /Page /Parent ${tree} /MediaBox [0 0 595 842] /Resources << /Font << ${fonts} >> >> /Contents ${content} ${extra(index)} >>`,
    ),
  );
  add(`<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages.length} >>`);
  const entries = catalog(add);
  return pdf(objects, `/Root ${add(`<< /Type /Catalog /Pages ${tree} ${entries} >>`)}`);
}
