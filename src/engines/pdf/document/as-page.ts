import type { PDFObject } from "mupdf";
import type { OpenPdf } from "./document.ts";

/** The entries that are set on the page while it shows other content. */
const OF_PAGE = ["Contents", "Resources", "MediaBox", "CropBox", "Rotate", "UserUnit", "Annots"] as const;

/** Does the work while the first page shows other content than its own, on 1,000 points square. */
export async function asPage<T>(
  { document }: OpenPdf,
  { contents, resources }: { readonly contents: PDFObject; readonly resources: PDFObject },
  work: () => Promise<T>,
): Promise<T> {
  const page = document.findPage(0);
  const own = OF_PAGE.map((key) => [key, page.get(key)] as const);
  const parts = document.newArray();
  parts.push(contents);
  page.put("Contents", parts);
  page.put("Resources", resources);
  page.put("MediaBox", [0, 0, 1000, 1000]);
  page.put("CropBox", [0, 0, 1000, 1000]);
  page.put("Rotate", 0);
  for (const key of ["UserUnit", "Annots"]) page.delete(key);
  try {
    return await work();
  } finally {
    for (const [key, value] of own) {
      if (value.isNull()) page.delete(key);
      else page.put(key, value);
    }
  }
}
