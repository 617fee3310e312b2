import type { Box } from "../pages/box.ts";

/** A cell of a table, as extract-text describes it. */
export interface Cell {
  readonly text: string;
  /** From 0. */
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
}

/** A part of a page, from a result. */
export interface Place {
  /** Its kind: `heading`, `table`, `word`, `match`, ... */
  readonly kind: string;
  readonly text: string;
  /** One, or one for each line. */
  readonly boxes: readonly Box[];
  /** Of a heading. */
  readonly level?: number;
  /** Of a list item. */
  readonly marker?: string;
  /** Of a table: the cells that begin in each row, without empty ones. */
  readonly rows?: readonly (readonly Cell[])[];
}

/** The matches of a dry run that no page can show. */
export function notesIn(json: unknown): string[] {
  const { matches, elsewhere = 0, attachments = 0, pagesWithoutText = [] } = Object(json) as Told;
  if (matches === undefined) return [];
  return [
    elsewhere > 0 ? `Matches outside the pages, such as in metadata or bookmarks: ${elsewhere}.` : "",
    attachments > 0 ? `Attachments that would be removed: ${attachments}.` : "",
    pagesWithoutText.length > 0 ? `Pages without text to search: ${pagesWithoutText.join(", ")}.` : "",
  ].filter((note) => note !== "");
}

/** A page as a result tells it. */
export interface ReadPage {
  readonly pageNumber: number;
  readonly places: readonly Place[];
  readonly markdown: string | undefined;
}

interface Region {
  readonly text: string;
  /** x0, y0, x1, y1. */
  readonly bbox: readonly [number, number, number, number];
}

/** The results of extract-text, ocr, and redact, as far as they tell of places on pages. */
interface Told {
  readonly pages?: readonly {
    readonly pageNumber: number;
    readonly markdown?: string;
    readonly blocks?: readonly (Region & Omit<Place, "kind" | "text" | "boxes"> & { readonly type: string })[];
    readonly words?: readonly Region[];
  }[];
  readonly elsewhere?: number;
  readonly attachments?: number;
  readonly pagesWithoutText?: readonly number[];
  readonly matches?: readonly { readonly page: number; readonly text: string; readonly boxes: readonly Box[] }[];
}

const boxesOf = ({ bbox: [x0, y0, x1, y1] }: Region): Box[] => [{ x: x0, y: y0, width: x1 - x0, height: y1 - y0 }];

/** The pages of a JSON result. Undefined if it has neither places nor Markdown. */
export function readPagesIn(json: unknown): ReadPage[] | undefined {
  const { pages, matches } = Object(json) as Told;
  if (matches) {
    return [...new Set(matches.map(({ page }) => page))].map((pageNumber) => ({
      pageNumber,
      places: matches
        .filter(({ page }) => page === pageNumber)
        .map(({ text, boxes }) => ({ kind: "match", text, boxes })),
      markdown: undefined,
    }));
  }
  const read = pages?.map(({ pageNumber, markdown, blocks, words }) => ({
    pageNumber,
    markdown,
    places:
      blocks?.map(({ type, bbox, ...rest }) => ({ ...rest, kind: type, boxes: boxesOf({ text: rest.text, bbox }) })) ??
      words?.map(({ text, bbox }) => ({ kind: "word", text, boxes: boxesOf({ text, bbox }) })) ??
      [],
  }));
  return read?.some(({ places, markdown }) => places.length > 0 || markdown !== undefined) ? read : undefined;
}
