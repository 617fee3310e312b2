/** Signatures in a document (ISO 32000-2, 12.8). */
import type { PDFObject } from "mupdf";
import { fields } from "./fields.ts";
import type { TreeSource } from "./tree.ts";

/** Whether the document is signed: a signature field has a signature over its bytes (12.8.1). */
export async function isSigned(open: TreeSource): Promise<boolean> {
  for await (const { object } of fields(open)) if (object.get("V", "ByteRange").isArray()) return true;
  return false;
}

/** Whether a signature certifies the document, which limits later changes (12.8.2.2). */
export function isCertified(root: PDFObject): boolean {
  return root.get("Perms", "DocMDP").isDictionary();
}
