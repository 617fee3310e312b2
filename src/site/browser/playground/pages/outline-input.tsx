import type { Schema } from "../../../description/schema.ts";
import type { PDFDocumentProxy } from "./pdfjs.ts";

/** Whether a field has the entries of an outline. */
export const isOutline = ({ contentSchema }: Schema): boolean => {
  const { title, children } = contentSchema?.items?.properties ?? {};
  return title !== undefined && children !== undefined;
};

/** Fills in the outline that the PDF has, so that it can be changed. */
export function OutlineInput({ document, change }: { document: PDFDocumentProxy; change: (value: string) => void }) {
  const read = async (): Promise<void> => {
    const entries = await entriesOf(document, await document.getOutline());
    change(JSON.stringify(entries, null, 2));
  };
  return (
    <p>
      <button type="button" onClick={() => void read()}>
        Start from the outline of the PDF
      </button>
    </p>
  );
}

type Items = Awaited<ReturnType<PDFDocumentProxy["getOutline"]>>;

interface Entry {
  readonly title: string;
  readonly page: number | null;
  readonly view?: readonly unknown[];
  readonly url?: string;
  readonly open?: true;
  readonly bold?: true;
  readonly italic?: true;
  readonly color?: string;
  readonly children: readonly Entry[];
}

// pdf.js returns null where a PDF has no outline.
const entriesOf = (document: PDFDocumentProxy, items: Items | null): Promise<Entry[]> =>
  Promise.all((items ?? []).map((item) => entryOf(document, item)));

async function entryOf(document: PDFDocumentProxy, item: Items[number]): Promise<Entry> {
  const { title, bold, italic, count, url } = item;
  const [target, fit, ...numbers] = (await destinationOf(document, item.dest)) ?? [];
  const page = await pageOf(document, target);
  const color = `#${[...item.color].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  return {
    title,
    page,
    ...(page !== null && fit !== undefined && { view: [(fit as { name: string }).name, ...numbers] }),
    ...(page === null && url && { url }),
    ...((count ?? 0) > 0 && { open: true as const }),
    ...(bold && { bold }),
    ...(italic && { italic }),
    ...(color !== "#000000" && { color }),
    children: await entriesOf(document, item.items as Items),
  };
}

async function destinationOf(document: PDFDocumentProxy, given: Items[number]["dest"]): Promise<unknown[] | null> {
  return typeof given === "string" ? await document.getDestination(given) : given;
}

/** The page from 1 that a destination begins with: a reference, or a number from 0. */
async function pageOf(document: PDFDocumentProxy, target: unknown): Promise<number | null> {
  if (typeof target === "number") return target + 1;
  if (typeof target !== "object" || target === null) return null;
  const index = await document
    .getPageIndex(target as Parameters<PDFDocumentProxy["getPageIndex"]>[0])
    .catch(() => undefined);
  return index === undefined ? null : index + 1;
}
