import { useEffect, useState } from "preact/hooks";
import { openPdf, type PDFDocumentProxy } from "./pdfjs.ts";

export type OpenPdf =
  | { readonly state: "opening" }
  | { readonly state: "locked" }
  | { readonly state: "failed"; readonly message: string }
  | { readonly state: "open"; readonly document: PDFDocumentProxy };

/** Keeps a PDF, or one at a path of the API, open as long as it is shown. `locked`: none of the passwords works. */
export function usePdf(file: Blob | string | undefined, passwords: readonly string[]): OpenPdf {
  const [open, setOpen] = useState<OpenPdf>({ state: "opening" });
  useEffect(() => {
    let gone = false;
    let opened: PDFDocumentProxy | undefined;
    setOpen({ state: "opening" });
    if (file === undefined) return;
    openPdf(file, passwords).then(
      (document) => {
        opened = document;
        if (gone) void document?.loadingTask.destroy();
        else setOpen(document ? { state: "open", document } : { state: "locked" });
      },
      (error: unknown) => {
        if (!gone) setOpen({ state: "failed", message: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      gone = true;
      void opened?.loadingTask.destroy();
    };
  }, [file, passwords.join("\n")]);
  return open;
}
