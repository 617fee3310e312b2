import type { PDFDocumentProxy } from "pdfjs-dist";
import { currentKey } from "../../api/key.ts";

/** The path of pdf.js, with a slash at the end. */
declare const PDFJS: string;

export type { PDFDocumentProxy } from "pdfjs-dist";

let loading: Promise<typeof import("pdfjs-dist")> | undefined;

/** pdf.js is five times as large as the rest of the page, so it is loaded only when there is a PDF to show. */
function load(): Promise<typeof import("pdfjs-dist")> {
  const url = `${PDFJS}pdf.min.mjs`;
  loading ??= (import(url) as Promise<typeof import("pdfjs-dist")>).then((pdfjs) => {
    pdfjs.GlobalWorkerOptions.workerSrc = `${PDFJS}pdf.worker.min.mjs`;
    return pdfjs;
  });
  return loading;
}

/**
 * Opens a PDF with the first password that works. Undefined if none does; throws if it is not a PDF. A file at a path of the API is read in parts, on demand.
 */
export async function openPdf(
  file: Blob | string,
  passwords: readonly string[],
): Promise<PDFDocumentProxy | undefined> {
  const pdfjs = await load();
  for (const password of ["", ...passwords]) {
    try {
      return await pdfjs.getDocument({
        ...(typeof file === "string" ? inParts(file) : { data: new Uint8Array(await file.arrayBuffer()) }),
        password,
        cMapUrl: `${PDFJS}cmaps/`,
        standardFontDataUrl: `${PDFJS}standard_fonts/`,
        wasmUrl: `${PDFJS}wasm/`,
        iccUrl: `${PDFJS}iccs/`,
        verbosity: pdfjs.VerbosityLevel.ERRORS,
      }).promise;
    } catch (error) {
      if (!(error instanceof pdfjs.PasswordException)) throw error;
    }
  }
  return undefined;
}

const inParts = (url: string) => ({
  url,
  httpHeaders: { Authorization: `Bearer ${currentKey()}` },
  disableAutoFetch: true,
  disableStream: true,
});
