import type { FinishedParts } from "./define.ts";

/* The JSON of operations that return the text of pages, made of what the parts of a job returned. It is written in pieces: the
   text of a long document fits into no isolate. */

/** Separates pages in `text`. */
export const PAGE_BREAK = "\n\f";

const encoder = new TextEncoder();

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

interface Page {
  readonly text: string;
}

/** The beginning of the JSON: `{"text":` and the text of all pages. `seen` gets it page by page, with the separators. */
export async function* joinedTexts<P extends Page>(
  parts: Pick<FinishedParts, "values">,
  pagesOf: (value: unknown) => readonly P[],
  seen: (text: string) => void = () => {},
): AsyncGenerator<Uint8Array, void> {
  yield utf8('{"text":"');
  let isFirst = true;
  for await (const value of parts.values()) {
    for (const page of pagesOf(value)) {
      const text = isFirst ? page.text : PAGE_BREAK + page.text;
      isFirst = false;
      seen(text);
      yield utf8(JSON.stringify(text).slice(1, -1));
    }
  }
  yield utf8('"');
}

/** The member `pages`, after a comma. */
export async function* joinedPages<P>(
  parts: Pick<FinishedParts, "values">,
  pagesOf: (value: unknown) => readonly P[],
  shown: (page: P) => unknown = (page) => page,
): AsyncGenerator<Uint8Array, void> {
  yield utf8(',"pages":[');
  let separator = "";
  for await (const value of parts.values()) {
    for (const page of pagesOf(value)) {
      yield utf8(separator + JSON.stringify(shown(page)));
      separator = ",";
    }
  }
  yield utf8("]");
}
