/** Divides sheets into cells, one for each page. Points, with the origin at the sheet's lower left corner. */
import { hundredths } from "../../geometry.ts";
import { invalidParameter } from "../../errors.ts";

export interface SheetSize {
  readonly width: number;
  readonly height: number;
}

/** The pages on a sheet. `margin`: points around the sheet, and between its pages. */
export interface SheetLayout {
  readonly pagesPerSheet: keyof typeof SHAPES;
  /** Two pages per side, in the order that makes a booklet once all sheets are folded together. */
  readonly booklet: boolean;
  readonly margin: number;
}

export interface SheetGrid extends SheetSize {
  readonly columns: number;
  readonly rows: number;
  readonly cell: SheetSize;
  readonly margin: number;
}

/** A page on a sheet: its lower left corner and its size. */
export interface PlacedPage extends SheetSize {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Columns and rows by the number of pages. Both may be exchanged. */
const SHAPES = { "2": [2, 1], "4": [2, 2], "6": [3, 2], "9": [3, 3], "16": [4, 4] } as const;

/** The shortest side of a cell in points: less is a mistake, not a page. */
const SMALLEST = 1;

/**
 * The grid for sheets of a size: turned so that pages of the size `page` are as large as possible.
 * @throws Refusal `invalid_parameters` if the margin leaves no room
 */
export function sheetGridOf(
  page: SheetSize,
  sheet: SheetSize,
  { pagesPerSheet, booklet, margin }: SheetLayout,
): SheetGrid {
  const [more, less] = SHAPES[pagesPerSheet];
  const shapes = booklet ? [[2, 1] as const] : [[more, less] as const, [less, more] as const];
  const sheets = [sheet, { width: sheet.height, height: sheet.width }];
  const grids = sheets.flatMap(({ width, height }) =>
    shapes.map(([columns, rows]): SheetGrid => {
      const cell = {
        width: (width - (columns + 1) * margin) / columns,
        height: (height - (rows + 1) * margin) / rows,
      };
      return { width, height, columns, rows, cell, margin };
    }),
  );
  const best = grids
    .filter(({ cell }) => Math.min(cell.width, cell.height) >= SMALLEST)
    .toSorted((a, b) => scaleIn(b, page) - scaleIn(a, page))[0];
  if (best) return best;
  const issue = `must leave room for ${pagesPerSheet} pages on a sheet of ${hundredths(sheet.width)} x ${hundredths(sheet.height)} points`;
  throw invalidParameter("marginPt", issue);
}

const scaleIn = ({ cell }: SheetGrid, { width, height }: SheetSize): number =>
  Math.min(cell.width / width, cell.height / height);

/** The place of a page: in the middle of its cell, as large as fits. `cell`: from the top left, row by row. */
export function placeIn(
  grid: SheetGrid,
  cell: number,
  page: SheetSize,
  { fromRight }: { readonly fromRight: boolean },
): PlacedPage {
  const [column, row] = [cell % grid.columns, Math.floor(cell / grid.columns)];
  const across = fromRight ? grid.columns - 1 - column : column;
  const scale = scaleIn(grid, page);
  const [width, height] = [page.width * scale, page.height * scale];
  const left = grid.margin + across * (grid.cell.width + grid.margin);
  const top = grid.height - grid.margin - row * (grid.cell.height + grid.margin);
  return {
    x: left + (grid.cell.width - width) / 2,
    y: top - (grid.cell.height + height) / 2,
    width,
    height,
    scale,
  };
}

/** The pages (0-based) in the order of the cells; -1 leaves a cell empty. */
export function orderOf(pageCount: number, { booklet }: SheetLayout): number[] {
  if (!booklet) return Array.from({ length: pageCount }, (_, index) => index);
  const padded = Math.ceil(pageCount / 4) * 4;
  const pageOrNone = (index: number): number => (index < pageCount ? index : -1);
  // The front of a sheet has a later page on the left, and its back an earlier one.
  return Array.from({ length: padded / 2 }, (_, side) => side).flatMap((side) => {
    const both = [padded - 1 - side, side];
    return (side % 2 === 0 ? both : both.toReversed()).map(pageOrNone);
  });
}
