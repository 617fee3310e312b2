/** Page labels (ISO 32000-2, 12.4.2). */
import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { OpenPdf } from "../document/document.ts";
import { mapOf, numberEntries, writeNumbers } from "../document/names.ts";

/** The label of one page: `prefix`, then `number` in `style` (without a style, the prefix alone). */
export interface PageLabel {
  /** `D`, `R`, `r`, `A`, `a`, or undefined. */
  readonly style: string | undefined;
  /** The prefix as an object of the source; copied, never decoded. */
  readonly prefix: PDFObject | undefined;
  readonly number: number;
}

export type PageLabels = readonly PageLabel[];

/** The labels of all pages, or undefined if the document has none. */
export async function readPageLabels(
  open: Pick<OpenPdf, "engine" | "document" | "pageCount">,
): Promise<PageLabels | undefined> {
  const tree = open.document.getTrailer().get("Root", "PageLabels");
  if (!tree.isDictionary()) return undefined;
  const ranges = [...(await mapOf(numberEntries(open, tree)))]
    .filter(([, range]) => range.isDictionary())
    .sort(([a], [b]) => a - b);
  if (ranges.length === 0) return undefined;
  let next = 0;
  return Array.from({ length: open.pageCount }, (_, page) => {
    while (next < ranges.length && (ranges[next]?.[0] ?? 0) <= page) next++;
    const found = ranges[next - 1];
    if (!found) return { style: "D", prefix: undefined, number: page + 1 };
    const [start, range] = found;
    const [style, prefix, first] = [range.get("S"), range.get("P"), range.get("St")];
    return {
      style: style.isName() ? style.asName() : undefined,
      prefix: prefix.isString() ? prefix : undefined,
      number: (first.isNumber() ? first.asNumber() : 1) + page - start,
    };
  });
}

/** A document without labels, joined with others that have some, keeps what viewers showed for it: 1, 2, 3. */
export function plainLabel(page: number): PageLabel {
  return { style: "D", prefix: undefined, number: page + 1 };
}

/** Writes labels, one range for each consecutive run. `labels` are in the order of the target's pages. */
export async function writePageLabels(
  engine: PdfEngine,
  target: PDFDocument,
  labels: readonly { readonly label: PageLabel; readonly copy: (object: PDFObject) => Promise<PDFObject> }[],
): Promise<PDFObject> {
  const ranges = new Map<number, PDFObject>();
  let previous: PageLabel | undefined;
  for (const [page, { label, copy }] of labels.entries()) {
    const goesOn =
      previous !== undefined &&
      previous.style === label.style &&
      previous.prefix?.asString() === label.prefix?.asString() &&
      (label.style === undefined || previous.number + 1 === label.number);
    previous = label;
    if (goesOn) continue;
    const range = target.newDictionary();
    if (label.style !== undefined) range.put("S", target.newName(label.style));
    if (label.prefix) range.put("P", await copy(label.prefix));
    if (label.number !== 1) range.put("St", target.newInteger(label.number));
    ranges.set(page, range);
  }
  return writeNumbers({ engine, document: target }, ranges);
}
