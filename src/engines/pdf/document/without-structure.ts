import type { PDFDocument, PDFObject } from "mupdf";

/**
 * Runs `work`, which interprets pages, without the document's structure tree. For each piece of marked content, MuPDF walks
 * up the tree to report structure that our devices do not use, and loops forever if an element is its own ancestor. `other`: a tree
 * to use in its place.
 */
export async function withoutStructure<T>(
  document: PDFDocument,
  work: () => Promise<T>,
  other?: PDFObject,
): Promise<T> {
  const root = document.getTrailer().get("Root");
  const tree = root.get("StructTreeRoot");
  if (tree.isNull()) return work();
  if (other === undefined) root.delete("StructTreeRoot");
  else root.put("StructTreeRoot", other);
  try {
    return await work();
  } finally {
    root.put("StructTreeRoot", tree);
  }
}
