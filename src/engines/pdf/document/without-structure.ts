import type { PDFDocument } from "mupdf";

/**
 * Runs `work`, which interprets pages, without the document's structure tree. MuPDF goes up the tree for each piece of marked
 * content, to tell devices of structure that ours do not ask for, and never comes back where an element is its own ancestor.
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
