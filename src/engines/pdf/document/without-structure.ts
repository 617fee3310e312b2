import type { PDFDocument } from "mupdf";

/**
 * Runs `work`, which interprets pages, without the document's structure tree. For each piece of marked content, MuPDF walks
 * up the tree to report structure that our devices do not use, and loops forever if an element is its own ancestor.
 */
export async function withoutStructure<T>(document: PDFDocument, work: () => Promise<T>): Promise<T> {
  const root = document.getTrailer().get("Root");
  const tree = root.get("StructTreeRoot");
  if (tree.isNull()) return work();
  root.delete("StructTreeRoot");
  try {
    return await work();
  } finally {
    root.put("StructTreeRoot", tree);
  }
}
