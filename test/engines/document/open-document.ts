import { leaseEngines } from "../../../src/engines/lease/pool.ts";
import { openPdf, type OpenPdf } from "../../../src/engines/pdf/document/document.ts";
import { pdf } from "../../harness/fixtures/pdf-writer.ts";

/** Looks at a document of one page with these entries in its catalog, and these objects from number 4 on. */
export async function lookAt<T>(
  catalog: string,
  objects: readonly string[],
  look: (open: OpenPdf) => Promise<T>,
): Promise<T> {
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>";
  const root = `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`;
  const file = pdf([root, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, ...objects], "/Root 1 0 R");
  const { engines, release } = await leaseEngines(() => true);
  try {
    const arena = engines.pdf.files.arena(file.length);
    arena.write(file);
    using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
    return await look(open);
  } finally {
    release(true);
  }
}
