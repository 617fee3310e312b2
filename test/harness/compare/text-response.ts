import type { ApiResponse } from "../requests/client.ts";
import { lostInMarkdown } from "./markdown-words.ts";
import type { DocumentView } from "../engines/pdfjs.ts";

interface TextResponse {
  readonly text: string;
  readonly pages: readonly {
    readonly pageNumber: number;
    readonly text: string;
    /** With furniture. */
    readonly markdown?: string;
    readonly words?: readonly { readonly text: string; readonly bbox: readonly number[] }[];
  }[];
  readonly stats: { readonly wordCount: number; readonly charCount: number };
}

/** A page has much text from so many letters on; of fewer, pdf.js may read some that cannot be seen. */
const MUCH = 200;

/**
 * What is wrong with a response of extract-text with `words`: its parts do not agree, it holds what JSON readers choke on, a page of much text
 * in pdf.js has none in it, or its Markdown lacks words.
 */
export function checkText(response: ApiResponse, view: DocumentView | undefined): string[] {
  const problems: string[] = [];
  const { text, pages, stats } = JSON.parse(
    new TextDecoder("utf-8", { fatal: true }).decode(response.body),
  ) as TextResponse;
  if (!text.isWellFormed()) problems.push("half a surrogate pair");
  // oxlint-disable-next-line no-control-regex -- it is what must not be there
  if (/[\u0000-\u0009\u000b\u000d-\u001f\u007f-\u009f]/.test(text)) problems.push("a control character");
  if (pages.map((page) => page.text).join("\n\f") !== text) problems.push("text is not that of its pages");
  if ((text.match(/\S+/g)?.length ?? 0) !== stats.wordCount) problems.push(`wordCount is not ${stats.wordCount}`);
  if ([...text].length !== stats.charCount) problems.push(`charCount is not ${stats.charCount}`);
  if (view !== undefined && view.pages.length !== pages.length) problems.push(`${pages.length} pages`);
  for (const { pageNumber, text: own, words, markdown } of pages) {
    const lost = markdown === undefined ? [] : lostInMarkdown(own, markdown);
    if (lost.length > 0) problems.push(`page ${pageNumber}: Markdown lacks ${lost.slice(0, 5).join(", ")}`);
    const spelled = words?.map((word) => word.text).join("");
    if (spelled !== own.replaceAll(/\s+/g, "")) problems.push(`page ${pageNumber}: words are not those of its text`);
    const isBox = ({ bbox: [x0 = 1, y0 = 1, x1 = 0, y1 = 0] }: { bbox: readonly number[] }): boolean =>
      x0 <= x1 && y0 <= y1;
    if (words?.every(isBox) === false) problems.push(`page ${pageNumber}: a box is none`);
    const letters = letterCount(view?.pages[pageNumber - 1]?.text ?? "");
    if (letters > MUCH && letterCount(own) < letters / 2) {
      problems.push(`page ${pageNumber}: ${letterCount(own)} letters, pdf.js has ${letters}`);
    }
  }
  return problems;
}

const letterCount = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
